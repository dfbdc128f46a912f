//! Arrays by clauses as programs write them: right ones, and each kind of fault.

use affine::clauses::{ArrayClauses, Clause, Construct, Fault, Instance, Link, Read, Subscript, certain_faults};
use affine::{Linear, Loop, LoopVar};
use std::time::{Duration, Instant};

const LARGE: i64 = 1_000_000;

fn i(offset: i64) -> Option<Linear<LoopVar>> {
    Linear::symbol(LoopVar(0)).add_constant(offset)
}

fn j(offset: i64) -> Option<Linear<LoopVar>> {
    Linear::symbol(LoopVar(1)).add_constant(offset)
}

fn at(value: i64) -> Option<Linear<LoopVar>> {
    Some(Linear::constant(value))
}

fn span(lo: i64, hi: i64) -> Loop {
    Loop::new(lo, hi, 1).unwrap()
}

fn clause(loops: &[Loop], subscript: Subscript, reads: Vec<Subscript>) -> Clause {
    let reads = reads.into_iter().map(|subscript| Read { array: 0, loops: vec![], subscript }).collect();
    Clause { source: 0, loops: loops.to_vec(), guards: vec![], subscript, reads, guarded: false }
}

fn array(shape: &[i64], mut clauses: Vec<Clause>) -> ArrayClauses {
    clauses.iter_mut().enumerate().for_each(|(source, clause)| clause.source = source);
    ArrayClauses { construct: Construct::Array, shape: shape.to_vec(), clauses, otherwise: None }
}

fn instance(clause: usize, iteration: &[i64]) -> Instance {
    Instance { clause, iteration: iteration.to_vec() }
}

/// The faults, which must come at once.
fn faults(array: &ArrayClauses) -> Vec<Fault> {
    let start = Instant::now();
    let found: Vec<Fault> = certain_faults(std::slice::from_ref(array)).into_iter().map(|(_, fault)| fault).collect();
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
    found
}

/// The wavefront recurrence; the interior starts at `(lo, lo)` and reads at the given distances.
fn wavefront(n: i64, lo: i64, distances: &[(i64, i64)]) -> ArrayClauses {
    let reads = distances.iter().map(|(di, dj)| vec![i(*di), j(*dj)]).collect();
    array(
        &[n, n],
        vec![
            clause(&[span(0, n)], vec![at(0), i(0)], vec![]),
            clause(&[span(1, n)], vec![i(0), at(0)], vec![]),
            clause(&[span(lo, n), span(lo, n)], vec![i(0), j(0)], reads),
        ],
    )
}

const NORTH_WEST: [(i64, i64); 3] = [(-1, 0), (0, -1), (-1, -1)];

#[test]
fn the_wavefront_has_no_fault() {
    for n in [0, 1, 2, 10, 300, LARGE] {
        assert_eq!(faults(&wavefront(n, 1, &NORTH_WEST)), [], "n = {n}");
    }
}

#[test]
fn an_interior_that_starts_late_leaves_a_gap() {
    for n in [10, LARGE] {
        assert_eq!(faults(&wavefront(n, 2, &NORTH_WEST)), [Fault::Gap { element: vec![1, 1] }]);
    }
}

#[test]
fn an_interior_that_starts_early_collides() {
    for n in [10, LARGE] {
        let found = faults(&wavefront(n, 0, &[]));
        let expected = Fault::Collision { element: vec![0, 0], first: instance(0, &[0]), second: instance(2, &[0, 0]) };
        assert_eq!(found, [expected]);
    }
}

#[test]
fn an_extent_too_small_is_left() {
    for n in [10, LARGE] {
        let mut small = wavefront(n, 1, &NORTH_WEST);
        small.shape = vec![n, n - 1];
        let found = faults(&small);
        let outside = |clause, iteration: &[i64], dimension| Fault::WriteOutside {
            instance: instance(clause, iteration),
            dimension,
            index: n - 1,
        };
        assert_eq!(found[..2], [outside(0, &[n - 1], 1), outside(2, &[1, n - 1], 1)]);
    }
}

#[test]
fn reads_beyond_the_border_are_found() {
    for n in [10, LARGE] {
        let found = faults(&wavefront(n, 1, &[(-1, 0), (0, -2)]));
        let read = Fault::ReadOutside { instance: instance(2, &[1, 1]), read: 1, dimension: 1, index: -1 };
        assert_eq!(found, [read]);
    }
}

#[test]
fn an_element_that_reads_itself() {
    for n in [10, LARGE] {
        let found = faults(&wavefront(n, 1, &[(-1, 0), (0, 0)]));
        let link = Link { array: 0, element: vec![1, 1], instance: instance(2, &[1, 1]), read: 1 };
        assert_eq!(found, [Fault::Cycle { chain: vec![link] }]);
    }
}

#[test]
fn neighbours_that_read_one_another() {
    for n in [10, LARGE] {
        // a[k] => a[k+1] below n-1, and the last one leads back to its neighbour.
        let forward = clause(&[span(0, n - 1)], vec![i(0)], vec![vec![i(1)]]);
        let back = clause(&[], vec![at(n - 1)], vec![vec![at(n - 2)]]);
        let [Fault::Cycle { chain }] = &faults(&array(&[n], vec![forward, back]))[..] else { panic!("n = {n}") };
        let elements: Vec<i64> = chain.iter().map(|link| link.element[0]).collect();
        assert!(elements == [n - 2, n - 1] || elements == [n - 1, n - 2], "{elements:?}");
    }
}

#[test]
fn opposite_distances_and_triangles() {
    for n in [10, LARGE] {
        // Reading both neighbours of a row; reads that add up to zero only in threes.
        for (distances, length) in [(vec![(-1, 0), (1, 0)], 2), (vec![(-1, 0), (0, -1), (1, 1)], 3)] {
            let mut mesh = wavefront(n, 1, &distances);
            let last = mesh.clauses.last_mut().unwrap();
            last.loops = vec![span(1, n - 1); 2];
            mesh.otherwise = Some(clause(&[], vec![], vec![]));
            let [Fault::Cycle { chain }] = &faults(&mesh)[..] else { panic!("n = {n}") };
            assert_eq!(chain.len(), length);
        }
    }
}

#[test]
fn a_long_cycle_in_a_small_array() {
    let ring = clause(&[span(1, 50)], vec![i(0)], vec![vec![i(-1)]]);
    let closing = clause(&[], vec![at(0)], vec![vec![at(49)]]);
    let [Fault::Cycle { chain }] = &faults(&array(&[50], vec![ring, closing]))[..] else { panic!() };
    assert_eq!(chain.len(), 50);
}

#[test]
fn guards_make_no_claim() {
    for n in [10, LARGE] {
        let whole = |guarded| Clause { guarded, ..clause(&[span(0, n)], vec![i(0)], vec![vec![i(0)]]) };
        assert_eq!(faults(&array(&[n], vec![whole(true), whole(true)])), []);
        assert_eq!(faults(&array(&[n], vec![whole(true)])), []);
        let outside = Clause { guarded: true, ..clause(&[span(0, n)], vec![i(5)], vec![vec![i(-9)]]) };
        assert_eq!(faults(&array(&[n], vec![outside])), [Fault::Gap { element: vec![0] }]);
    }
}

#[test]
fn unknown_subscripts_make_no_claim() {
    for n in [10, LARGE] {
        // [p[i], 0] may be anything in column 0, but column 1 stays undefined.
        let vague = || clause(&[span(0, n)], vec![None, at(0)], vec![vec![None, at(0)]]);
        assert_eq!(faults(&array(&[n, 1], vec![vague(), vague()])), []);
        assert_eq!(faults(&array(&[n, 2], vec![vague()])), [Fault::Gap { element: vec![0, 1] }]);
        let outside = clause(&[span(0, n)], vec![None, at(7)], vec![]);
        let fault = Fault::WriteOutside { instance: instance(0, &[0]), dimension: 1, index: 7 };
        assert_eq!(faults(&array(&[n, 2], vec![outside]))[0], fault);
    }
}

#[test]
fn an_unused_loop_repeats_definitions() {
    for n in [10, LARGE] {
        let repeated = clause(&[span(0, n), span(0, 3)], vec![i(0)], vec![]);
        let expected = Fault::Collision { element: vec![0], first: instance(0, &[0, 0]), second: instance(0, &[0, 1]) };
        assert_eq!(faults(&array(&[n], vec![repeated])), [expected]);
    }
}

#[test]
fn interleaved_and_reversed_clauses_fit_together() {
    for n in [10, LARGE] {
        let twice = |offset| Linear::from_terms([(LoopVar(0), 2)], offset);
        let even = clause(&[span(0, n / 2)], vec![twice(0)], vec![]);
        let odd = clause(&[Loop::new(1, n, 2).unwrap()], vec![i(0)], vec![]);
        let odd_backwards = Linear::from_terms([(LoopVar(0), -2)], n - 1);
        let reversed = clause(&[span(0, n / 2)], vec![odd_backwards], vec![]);
        assert_eq!(faults(&array(&[n], vec![even.clone(), odd.clone()])), []);
        assert_eq!(faults(&array(&[n], vec![even.clone(), reversed])), []);
        assert_eq!(faults(&array(&[n], vec![even])), [Fault::Gap { element: vec![1] }]);
        assert_eq!(faults(&array(&[n], vec![odd])), [Fault::Gap { element: vec![0] }]);
    }
}

#[test]
fn diagonals_and_sums_of_variables() {
    for n in [10, LARGE] {
        let diagonal = clause(&[span(0, n)], vec![i(0), i(0)], vec![]);
        let found = faults(&array(&[n, n], vec![diagonal.clone()]));
        // The box around a diagonal is everything: only enumeration sees the gap.
        assert_eq!(found, if n == 10 { vec![Fault::Gap { element: vec![0, 1] }] } else { vec![] });
        let sum = Linear::from_terms([(LoopVar(0), 1), (LoopVar(1), 1)], 0);
        let folded = clause(&[span(0, n), span(0, n)], vec![sum], vec![]);
        let expected = Fault::Collision { element: vec![1], first: instance(0, &[0, 1]), second: instance(0, &[1, 0]) };
        assert_eq!(faults(&array(&[2 * n - 1], vec![folded])), [expected]);
    }
}

#[test]
fn arrays_without_dimensions_or_elements() {
    let scalar = clause(&[], vec![], vec![]);
    assert_eq!(faults(&array(&[], vec![scalar.clone()])), []);
    assert_eq!(faults(&array(&[], vec![])), [Fault::Gap { element: vec![] }]);
    let twice = Fault::Collision { element: vec![], first: instance(0, &[]), second: instance(1, &[]) };
    assert_eq!(faults(&array(&[], vec![scalar.clone(), scalar])), [twice]);
    assert_eq!(faults(&array(&[0, LARGE], vec![])), []);
    assert_eq!(faults(&array(&[-1], vec![])), []);
    let into_nothing = clause(&[span(0, 3)], vec![i(0)], vec![]);
    let outside = Fault::WriteOutside { instance: instance(0, &[0]), dimension: 0, index: 0 };
    assert_eq!(faults(&array(&[0], vec![into_nothing])), [outside]);
}

#[test]
fn many_clauses_stay_quick() {
    let single = |k: i64| clause(&[], vec![at(k)], vec![vec![at((k - 1).max(0) + i64::from(k == 0))]]);
    let mut singles = array(&[LARGE], (0..1000).map(single).collect());
    singles.clauses.push(clause(&[span(1000, LARGE)], vec![i(0)], vec![]));
    let [Fault::Cycle { chain }] = &faults(&singles)[..] else { panic!() };
    assert_eq!(chain.len(), 2);
}

#[test]
fn affine_guards_count() {
    for n in [10, LARGE] {
        // The lower triangle with the diagonal, and the upper one with it or without.
        let difference = |sign: i64, constant| Linear::from_terms([(LoopVar(0), sign), (LoopVar(1), -sign)], constant);
        let lower = Clause { guards: vec![difference(1, 0).unwrap()], ..square(n) };
        let upper = |constant| Clause { guards: vec![difference(-1, constant).unwrap()], ..square(n) };
        assert_eq!(faults(&array(&[n, n], vec![lower.clone(), upper(-1)])), []);
        let expected =
            Fault::Collision { element: vec![0, 0], first: instance(0, &[0, 0]), second: instance(1, &[0, 0]) };
        assert_eq!(faults(&array(&[n, n], vec![lower, upper(0)])), [expected]);
        // Only the last row would leave the array.
        let down = |guards: Vec<_>| Clause { guards, subscript: vec![i(1), j(0)], ..square(n) };
        let but_last = Linear::from_terms([(LoopVar(0), -1)], n - 2).unwrap();
        let fault = Fault::WriteOutside { instance: instance(0, &[n - 1, 0]), dimension: 0, index: n };
        assert_eq!(faults(&array(&[n, n], vec![down(vec![])]))[0], fault);
        assert_eq!(faults(&array(&[n, n], vec![down(vec![but_last])])), [Fault::Gap { element: vec![0, 0] }]);
    }
}

fn square(n: i64) -> Clause {
    clause(&[span(0, n), span(0, n)], vec![i(0), j(0)], vec![])
}

#[test]
fn whole_rows_are_read() {
    for n in [10, LARGE] {
        let row = |offset| Read {
            array: 0,
            loops: vec![span(0, n)],
            subscript: vec![i(offset), Some(Linear::symbol(LoopVar(2)))],
        };
        let reading = |offset| Clause { reads: vec![row(offset)], loops: vec![span(1, n), span(0, n)], ..square(n) };
        let first = clause(&[span(0, n)], vec![at(0), i(0)], vec![]);
        assert_eq!(faults(&array(&[n, n], vec![first.clone(), reading(-1)])), []);
        let [Fault::Cycle { chain }] = &faults(&array(&[n, n], vec![first, reading(0)]))[..] else { panic!("n = {n}") };
        assert_eq!(chain.iter().map(|link| &link.element[..]).collect::<Vec<_>>(), [[1, 0]]);
    }
}

#[test]
fn arrays_that_read_one_another() {
    for n in [10, LARGE] {
        let reading = |other| Clause {
            reads: vec![Read { array: other, loops: vec![], subscript: vec![i(0)] }],
            ..clause(&[span(0, n)], vec![i(0)], vec![])
        };
        let [(0, Fault::Cycle { chain })] =
            &certain_faults(&[array(&[n], vec![reading(1)]), array(&[n], vec![reading(0)])])[..]
        else {
            panic!("n = {n}")
        };
        assert_eq!(chain.iter().map(|link| link.array).collect::<Vec<_>>(), [0, 1]);
        let plain = clause(&[span(0, n)], vec![i(0)], vec![]);
        assert_eq!(certain_faults(&[array(&[n], vec![reading(1)]), array(&[n], vec![plain])]), []);
    }
}

#[test]
fn updates_collide_freely_and_have_no_certain_cycle_then() {
    for n in [10, LARGE] {
        let itself = clause(&[span(0, n)], vec![i(0)], vec![vec![i(0)]]);
        let update = |clauses| ArrayClauses { construct: Construct::Update, ..array(&[n], clauses) };
        assert_eq!(faults(&update(vec![itself.clone()])).len(), 1);
        assert_eq!(faults(&update(vec![itself, clause(&[], vec![at(3)], vec![])])), []);
    }
}
