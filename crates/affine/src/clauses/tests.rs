//! Both ways of finding faults, enumeration and reasoning, against brute force on small arrays.

use super::*;
use crate::space::{index_at, iteration};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 800, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..Default::default() }
}

fn without_array(faults: Vec<(usize, Fault)>) -> Vec<Fault> {
    faults.into_iter().map(|(_, fault)| fault).collect()
}

fn enumerated(array: &ArrayClauses) -> Vec<Fault> {
    let (arrays, prepared) = (std::slice::from_ref(array), Array::new(0, array));
    let elements = enumerate::table(&prepared, arrays).expect("small arrays are enumerated");
    without_array(faults_of(&[prepared], &[Some(elements)]))
}

fn reasoned(array: &ArrayClauses) -> Vec<Fault> {
    without_array(faults_of(&[Array::new(0, array)], &[None]))
}

// ---- random arrays ----

fn a_loop() -> impl Strategy<Value = Loop> {
    (0i64..3, 0i64..6, 1i64..3).prop_map(|(lo, size, step)| Loop::new(lo, lo + size, step).unwrap())
}

fn form(depth: usize) -> impl Strategy<Value = Linear<LoopVar>> {
    let coefficient = prop::sample::select(vec![0i64, 0, 0, 1, 1, 1, 1, -1, 2]);
    (prop::collection::vec(coefficient, depth), -1i64..3).prop_map(|(coefficients, constant)| {
        Linear::from_terms(coefficients.into_iter().enumerate().map(|(k, c)| (LoopVar(k), c)), constant).unwrap()
    })
}

fn subscript(depth: usize, rank: usize) -> impl Strategy<Value = Subscript> {
    prop::collection::vec(prop::option::weighted(0.93, form(depth)), rank)
}

/// A read, at times of a run of elements in the last dimension.
fn read(depth: usize, subscript: impl Strategy<Value = Subscript>) -> impl Strategy<Value = Read> {
    (subscript, prop::option::weighted(0.2, a_loop())).prop_map(move |(mut subscript, run)| {
        if let (Some(_), Some(last)) = (&run, subscript.last_mut()) {
            *last = Some(Linear::symbol(LoopVar(depth)));
        }
        Read { array: 0, loops: run.into_iter().collect(), subscript }
    })
}

fn guards(depth: usize) -> impl Strategy<Value = Vec<Form>> {
    prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(form(depth), 1..3)]
}

/// Dimension d of a clause that reads like most clauses do: its own variable and an offset.
fn plain_subscript(rank: usize, offset: i64) -> impl Strategy<Value = Subscript> {
    prop::collection::vec(-offset..=offset, rank).prop_map(|offsets| {
        let forms = offsets.into_iter().enumerate();
        forms.map(|(d, o)| Linear::symbol(LoopVar(d)).add_constant(o)).collect()
    })
}

fn wild_clause(rank: usize) -> impl Strategy<Value = Clause> {
    (0usize..3, prop::bool::weighted(0.15)).prop_flat_map(move |(depth, guarded)| {
        let reads = prop::collection::vec(read(depth, subscript(depth, rank)), 0..3);
        (prop::collection::vec(a_loop(), depth), guards(depth), subscript(depth, rank), reads).prop_map(
            move |(loops, guards, subscript, reads)| Clause { source: 0, loops, guards, subscript, reads, guarded },
        )
    })
}

fn plain_clause(rank: usize) -> impl Strategy<Value = Clause> {
    let reads = prop::collection::vec(read(rank, plain_subscript(rank, 1)), 0..3);
    (prop::collection::vec(a_loop(), rank), guards(rank), plain_subscript(rank, 0), reads).prop_map(
        |(loops, guards, subscript, reads)| Clause { source: 0, loops, guards, subscript, reads, guarded: false },
    )
}

/// A clause over the interior of a large enough array, with reads that mostly stay inside.
fn interior_clause(shape: Vec<i64>) -> impl Strategy<Value = Clause> {
    let rank = shape.len();
    let side = |extent: i64| {
        (1..extent - 1).prop_flat_map(move |lo| (lo + 1..extent).prop_map(move |hi| Loop::new(lo, hi, 1).unwrap()))
    };
    let sides: Vec<_> = shape.iter().map(|extent| side(*extent)).collect();
    // A mirrored read meets its own element in the middle, and its partner's elsewhere.
    let mirrored: Subscript = (0..rank).map(|d| Linear::from_terms([(LoopVar(d), -1)], shape[d] - 1)).collect();
    let read = prop_oneof![4 => plain_subscript(rank, 1), 1 => Just(mirrored)];
    let reads = prop::collection::vec(self::read(rank, read), 0..3);
    (sides, guards(rank), plain_subscript(rank, 0), reads, prop::bool::weighted(0.1)).prop_map(
        |(loops, guards, subscript, reads, guarded)| Clause { source: 0, loops, guards, subscript, reads, guarded },
    )
}

/// An array with these clauses, each one of the source.
fn whole((shape, mut clauses, has_else): (Vec<i64>, Vec<Clause>, bool)) -> ArrayClauses {
    clauses.iter_mut().enumerate().for_each(|(source, clause)| clause.source = source);
    let nothing = |source| {
        let (loops, guards, subscript, reads) = (vec![], vec![], vec![], vec![]);
        Clause { source, loops, guards, subscript, reads, guarded: false }
    };
    let otherwise = has_else.then(|| nothing(clauses.len()));
    ArrayClauses { construct: Construct::Array, shape, clauses, otherwise }
}

fn wild_array() -> impl Strategy<Value = ArrayClauses> {
    (1usize..3).prop_flat_map(|rank| {
        let clause = prop_oneof![wild_clause(rank), plain_clause(rank)];
        (prop::collection::vec(0i64..7, rank), prop::collection::vec(clause, 0..4), any::<bool>()).prop_map(whole)
    })
}

fn interior_array() -> impl Strategy<Value = ArrayClauses> {
    prop::collection::vec(4i64..8, 1..3).prop_flat_map(|shape| {
        let clauses = prop::collection::vec(interior_clause(shape.clone()), 1..4);
        (Just(shape), clauses, any::<bool>()).prop_map(whole)
    })
}

fn array() -> impl Strategy<Value = ArrayClauses> {
    prop_oneof![wild_array(), interior_array()]
}

// ---- brute force ----

fn instances(clause: &Clause) -> Vec<Vec<i64>> {
    let all = (0..iterations(&clause.loops).unwrap()).map(|k| iteration(&clause.loops, k));
    all.filter(|it| clause.guards.iter().all(|g| g.eval(|v| it.get(v.0).copied()).unwrap() >= 0)).collect()
}

/// The iterations of a read in one of its clause, the clause's variables in front.
fn read_instances<'a>(read: &'a Read, outer: &'a [i64]) -> impl Iterator<Item = Vec<i64>> + 'a {
    let inner = (0..iterations(&read.loops).unwrap()).map(|k| iteration(&read.loops, k));
    inner.map(|it| outer.iter().copied().chain(it).collect())
}

fn read_elements(read: &Read, outer: &[i64]) -> Vec<Vec<i64>> {
    read_instances(read, outer).filter_map(|it| at(&read.subscript, &it)).collect()
}

fn at(subscript: &Subscript, iteration: &[i64]) -> Option<Vec<i64>> {
    index_at(&subscript.iter().cloned().collect::<Option<Vec<_>>>()?, iteration)
}

fn first_outside(array: &ArrayClauses, clause: &Clause, read: &Read) -> Option<(Vec<i64>, usize, i64)> {
    let outside = |it: &Vec<i64>| {
        read.subscript.iter().zip(&array.shape).enumerate().find_map(|(d, (form, extent))| {
            let index = form.as_ref()?.eval(|v| it.get(v.0).copied())?;
            (!(0..*extent).contains(&index)).then(|| (it[..clause.loops.len()].to_vec(), d, index))
        })
    };
    let all = instances(clause).into_iter().flat_map(|it| read_instances(read, &it).collect::<Vec<_>>());
    if clause.guarded { None } else { all.collect::<Vec<_>>().iter().find_map(outside) }
}

/// Certain definitions inside the array: clause, iteration, element.
fn definitions(array: &ArrayClauses) -> Vec<(usize, Vec<i64>, Vec<i64>)> {
    let of = |(index, clause): (usize, &Clause)| {
        let define = move |it: Vec<i64>| at(&clause.subscript, &it).map(|element| (index, it, element));
        instances(clause).into_iter().filter_map(define).collect::<Vec<_>>()
    };
    let certain = array.clauses.iter().enumerate().filter(|(_, clause)| !clause.guarded);
    certain.flat_map(of).filter(|(_, _, element)| inside(&array.shape, element)).collect()
}

/// The later clauses of all pairs of instances that collide.
fn colliding(array: &ArrayClauses) -> BTreeSet<usize> {
    let all = definitions(array);
    let hit = |(position, (clause, _, element)): (usize, &(usize, Vec<i64>, Vec<i64>))| {
        all[..position].iter().any(|other| other.2 == *element).then_some(*clause)
    };
    all.iter().enumerate().filter_map(hit).collect()
}

fn may_define(clause: &Clause, element: &[i64]) -> bool {
    let agrees =
        |it: &Vec<i64>| {
            clause.subscript.iter().zip(element).all(|(form, index)| {
                form.as_ref().is_none_or(|form| form.eval(|v| it.get(v.0).copied()) == Some(*index))
            })
        };
    instances(clause).iter().any(agrees)
}

fn first_gap(array: &ArrayClauses) -> Option<Vec<i64>> {
    let nest: Vec<Loop> = array.shape.iter().map(|n| Loop::below(*n)).collect();
    let mut elements = (0..iterations(&nest).unwrap()).map(|k| iteration(&nest, k));
    elements.find(|element| array.otherwise.is_none() && !array.clauses.iter().any(|c| may_define(c, element)))
}

/// The length of a shortest cycle; an element with several definitions has the first one's reads
/// if `only_first`, else those of all.
fn shortest_cycle(array: &ArrayClauses, only_first: bool) -> Option<usize> {
    let mut all = definitions(array);
    if only_first {
        let mut seen = BTreeSet::new();
        all.retain(|(_, _, element)| seen.insert(element.clone()));
    }
    let reads_of = |(clause, it, _): &(usize, Vec<i64>, Vec<i64>)| {
        array.clauses[*clause].reads.iter().flat_map(|read| read_elements(read, it)).collect::<Vec<_>>()
    };
    let reach = |start: &Vec<i64>| {
        let mut frontier = BTreeSet::from([start.clone()]);
        let mut seen = BTreeSet::new();
        for length in 1..=all.len() {
            let readers = all.iter().filter(|d| frontier.contains(&d.2));
            frontier = readers.flat_map(reads_of).filter(|e| !seen.contains(e)).collect();
            if frontier.contains(start) {
                return Some(length);
            }
            seen.extend(frontier.iter().cloned());
        }
        None
    };
    all.iter().filter_map(|d| reach(&d.2)).min()
}

fn check_chain(array: &ArrayClauses, chain: &[Link]) {
    for (position, link) in chain.iter().enumerate() {
        let clause = &array.clauses[link.instance.clause];
        assert!(!clause.guarded && instances(clause).contains(&link.instance.iteration));
        assert_eq!(at(&clause.subscript, &link.instance.iteration).as_ref(), Some(&link.element));
        let next = &chain[(position + 1) % chain.len()].element;
        assert!(read_elements(&clause.reads[link.read], &link.instance.iteration).contains(next));
    }
}

fn check_collision(array: &ArrayClauses, element: &[i64], first: &Instance, second: &Instance) {
    assert_ne!(first, second);
    assert!(first.clause <= second.clause);
    for instance in [first, second] {
        let clause = &array.clauses[instance.clause];
        assert!(!clause.guarded && instances(clause).contains(&instance.iteration));
        assert_eq!(at(&clause.subscript, &instance.iteration).as_deref(), Some(element));
    }
}

// ---- comparison ----

/// The parts of what a list of faults says.
#[derive(Default)]
struct Found {
    writes: Vec<(Vec<i64>, usize, i64)>,
    reads: Vec<(Vec<i64>, usize, i64)>,
    collisions: BTreeSet<usize>,
    gap: Option<Vec<i64>>,
    cycle: Option<usize>,
}

fn sort_out(array: &ArrayClauses, faults: Vec<Fault>) -> Found {
    let mut found = Found::default();
    for fault in faults {
        match fault {
            Fault::WriteOutside { instance, dimension, index } => {
                found.writes.push((instance.iteration, dimension, index));
            }
            Fault::ReadOutside { instance, dimension, index, .. } => {
                found.reads.push((instance.iteration, dimension, index));
            }
            Fault::Collision { element, first, second } => {
                check_collision(array, &element, &first, &second);
                assert!(found.collisions.insert(second.clause));
            }
            Fault::Gap { element } => found.gap = Some(element),
            Fault::Cycle { chain } => {
                check_chain(array, &chain);
                found.cycle = Some(chain.len());
            }
        }
    }
    found
}

fn check_outside(array: &ArrayClauses, found: &Found) {
    let write = |c: &Clause| Read { array: 0, loops: vec![], subscript: c.subscript.clone() };
    let writes = array.clauses.iter().filter_map(|c| first_outside(array, c, &write(c)));
    assert_eq!(found.writes, writes.collect::<Vec<_>>());
    let reads = array.clauses.iter().flat_map(|c| c.reads.iter().filter_map(|r| first_outside(array, c, r)));
    assert_eq!(found.reads, reads.collect::<Vec<_>>());
}

/// Whether no clause has guards and every dimension is one loop variable of its own, or constant.
fn separable(array: &ArrayClauses) -> bool {
    array.clauses.iter().all(|clause| {
        let mut used = BTreeSet::new();
        let mut forms = clause.subscript.iter();
        clause.guards.is_empty()
            && forms
                .all(|form| form.as_ref().is_some_and(|f| f.terms().len() < 2 && f.symbols().all(|v| used.insert(*v))))
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn enumeration_is_exact(array in array()) {
        let found = sort_out(&array, enumerated(&array));
        check_outside(&array, &found);
        prop_assert_eq!(&found.collisions, &colliding(&array));
        let gap = first_gap(&array);
        // Clauses with an unknown index in one dimension count with the box around them.
        let vague = array.clauses.iter().any(|c| c.subscript.contains(&None));
        prop_assert!(found.gap == gap || vague && found.gap.is_none_or(|g| Some(g) >= gap));
        prop_assert_eq!(found.cycle.is_some(), shortest_cycle(&array, true).is_some());
        prop_assert_eq!(found.cycle == Some(1), shortest_cycle(&array, true) == Some(1));
    }

    #[test]
    fn reasoning_is_sound_and_nearly_complete(array in array()) {
        let found = sort_out(&array, reasoned(&array));
        check_outside(&array, &found);
        let (collisions, gap, cycle) = (colliding(&array), first_gap(&array), shortest_cycle(&array, false));
        prop_assert!(found.collisions.is_subset(&collisions));
        prop_assert_eq!(found.cycle, cycle.filter(|length| *length <= 3));
        if found.writes.is_empty() {
            prop_assert_eq!(found.collisions, collisions);
        }
        match &found.gap {
            Some(element) => {
                prop_assert!(array.otherwise.is_none() && !array.clauses.iter().any(|c| may_define(c, element)));
            }
            None => prop_assert!(gap.is_none() || !separable(&array)),
        }
        if separable(&array) {
            prop_assert_eq!(found.gap, gap);
        }
    }
}
