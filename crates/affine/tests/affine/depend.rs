//! Dependence tests against brute force over small loop nests.

use affine::space::{index_at, iteration, iterations};
use affine::{Access, Answer, Direction, Linear, Loop, LoopVar, Test, Witness, depends, direction_vectors};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 1500, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..Default::default() }
}

type Subscript = Vec<Linear<LoopVar>>;

#[derive(Clone, Debug)]
struct Reference {
    loops: Vec<Loop>,
    subscript: Subscript,
}

impl Reference {
    fn access(&self) -> Access<'_> {
        Access::new(&self.loops, &self.subscript)
    }

    fn points(&self) -> Vec<(Vec<i64>, Vec<i64>)> {
        let all = (0..iterations(&self.loops).unwrap()).map(|k| iteration(&self.loops, k));
        all.map(|it| (index_at(&self.subscript, &it).unwrap(), it)).collect()
    }
}

fn a_loop() -> impl Strategy<Value = Loop> {
    let size = prop_oneof![1 => Just(0i64), 20 => 2i64..9];
    (-3i64..4, size, 1i64..4).prop_map(|(lo, size, step)| Loop::new(lo, lo + size, step).unwrap())
}

fn subscript(rank: usize, depth: usize) -> impl Strategy<Value = Subscript> {
    let coefficient = prop_oneof![2 => -1i64..2, 1 => -4i64..5];
    let form = (prop::collection::vec(coefficient, depth), -4i64..5).prop_map(|(coefficients, constant)| {
        Linear::from_terms(coefficients.into_iter().enumerate().map(|(k, c)| (LoopVar(k), c)), constant).unwrap()
    });
    prop::collection::vec(form, rank)
}

/// Two references with the given number of common loops and up to one more loop each.
fn pair() -> impl Strategy<Value = (Reference, Reference, usize)> {
    (prop::sample::select(vec![0usize, 1, 1, 2, 2]), 0usize..2, 0usize..2, 1usize..3).prop_flat_map(
        |(common, more_a, more_b, rank)| {
            (
                prop::collection::vec(a_loop(), common),
                prop::collection::vec(a_loop(), more_a),
                prop::collection::vec(a_loop(), more_b),
                subscript(rank, common + more_a),
                subscript(rank, common + more_b),
            )
                .prop_map(move |(shared, a, b, f, g)| {
                    let source = Reference { loops: shared.iter().chain(&a).copied().collect(), subscript: f };
                    let sink = Reference { loops: shared.iter().chain(&b).copied().collect(), subscript: g };
                    (source, sink, common)
                })
        },
    )
}

fn direction_of(a: i64, b: i64) -> Direction {
    match a.cmp(&b) {
        std::cmp::Ordering::Less => Direction::Less,
        std::cmp::Ordering::Equal => Direction::Equal,
        std::cmp::Ordering::Greater => Direction::Greater,
    }
}

fn admits(directions: &[Direction], a: &[i64], b: &[i64]) -> bool {
    directions.iter().zip(a.iter().zip(b)).all(|(d, (x, y))| *d == Direction::Any || *d == direction_of(*x, *y))
}

fn meetings<'a>(a: &'a Reference, b: &'a Reference) -> impl Iterator<Item = Witness> + 'a {
    let sinks = b.points();
    a.points().into_iter().flat_map(move |(element, source)| {
        let hits = sinks.iter().filter(|(other, _)| *other == element);
        hits.map(|(_, sink)| Witness { source: source.clone(), sink: sink.clone() }).collect::<Vec<_>>()
    })
}

fn directions() -> impl Strategy<Value = Vec<Direction>> {
    let one = prop::sample::select(vec![Direction::Less, Direction::Equal, Direction::Greater, Direction::Any]);
    prop::collection::vec(one, 3)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn verdicts_agree_with_brute_force((a, b, common) in pair(), wanted in directions()) {
        let wanted = &wanted[..common];
        let expected = meetings(&a, &b).find(|w| admits(wanted, &w.source, &w.sink));
        let verdict = depends(&a.access(), &b.access(), wanted);
        // Both sides take the lexicographically first witness.
        prop_assert_eq!(verdict.answer, expected.map_or(Answer::No, Answer::Yes), "by {:?}", verdict.by);
    }

    #[test]
    fn direction_vectors_are_complete_and_certain((a, b, common) in pair()) {
        let vector = |w: &Witness| (0..common).map(|k| direction_of(w.source[k], w.sink[k])).collect::<Vec<_>>();
        let expected: BTreeSet<Vec<Direction>> = meetings(&a, &b).map(|w| vector(&w)).collect();
        let found = direction_vectors(&a.access(), &b.access(), common);
        prop_assert!(found.iter().all(|(_, verdict)| matches!(verdict.answer, Answer::Yes(_))));
        let found: Vec<Vec<Direction>> = found.into_iter().map(|(directions, _)| directions).collect();
        prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn three_deep_nests_agree(loops in prop::collection::vec((0i64..2, 1i64..4), 3), f in subscript(1, 3), g in subscript(1, 3)) {
        let loops: Vec<Loop> = loops.into_iter().map(|(lo, size)| Loop::new(lo, lo + size, 1).unwrap()).collect();
        let (a, b) = (Reference { loops: loops.clone(), subscript: f }, Reference { loops, subscript: g });
        let verdict = depends(&a.access(), &b.access(), &[]);
        prop_assert_eq!(verdict.answer, meetings(&a, &b).next().map_or(Answer::No, Answer::Yes));
    }
}

fn form(terms: &[(usize, i64)], constant: i64) -> Linear<LoopVar> {
    Linear::from_terms(terms.iter().map(|(v, c)| (LoopVar(*v), *c)), constant).unwrap()
}

#[test]
fn the_deciding_test_is_named() {
    let loops = [Loop::below(100)];
    let decide = |f: &[Linear<LoopVar>], g: &[Linear<LoopVar>]| {
        depends(&Access::new(&loops, f), &Access::new(&loops, g), &[Direction::Any])
    };
    let even = [form(&[(0, 2)], 0)];
    assert_eq!(decide(&even, &[form(&[(0, 2)], 1)]).by, Test::Gcd);
    assert_eq!(decide(&even, &[form(&[(0, 2)], 500)]).by, Test::Banerjee);
    assert_eq!(decide(&even, &[form(&[(0, 3)], 0)]).by, Test::Exact);
    // x = 2s and x = 2s + 1 in two dimensions, each dimension alone being possible.
    let verdict = decide(&[form(&[(0, 1)], 0), form(&[(0, 1)], 0)], &[form(&[(0, 1)], 0), form(&[(0, 1)], 1)]);
    assert_eq!((verdict.answer, verdict.by), (Answer::No, Test::Exact));
    let never = [Loop::below(0)];
    let empty = Access::new(&never, &even);
    assert_eq!(depends(&empty, &empty, &[]).by, Test::EmptyLoop);
}

#[test]
fn wavefront_directions() {
    let loops = [Loop::new(1, 1_000_000, 1).unwrap(), Loop::new(1, 1_000_000, 1).unwrap()];
    let write = [form(&[(0, 1)], 0), form(&[(1, 1)], 0)];
    let read = [form(&[(0, 1)], -1), form(&[(1, 1)], -1)];
    let write = Access::new(&loops, &write);
    let found = direction_vectors(&write, &Access::new(&loops, &read), 2);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, [Direction::Less, Direction::Less]);
    assert_eq!(found[0].1.answer, Answer::Yes(Witness { source: vec![1, 1], sink: vec![2, 2] }));
}

#[test]
fn large_extents_stay_exact() {
    const N: i64 = 1_000_000_000;
    let loops = [Loop::below(N), Loop::below(N)];
    let antidiagonal = [form(&[(0, 1), (1, 1)], 0)];
    let access = Access::new(&loops, &antidiagonal);
    let verdict = depends(&access, &access, &[Direction::Less]);
    assert_eq!(verdict.answer, Answer::Yes(Witness { source: vec![0, 1], sink: vec![1, 0] }));
    let scaled = [form(&[(0, 6), (1, 10)], 0)];
    let odd = [form(&[(0, 6), (1, 10)], 2 * N - 1)];
    let a = Access::new(&loops, &scaled);
    assert_eq!(depends(&a, &Access::new(&loops, &odd), &[]).by, Test::Gcd);
    let far = [form(&[(0, 1)], 0), form(&[(1, 1)], 16 * N)];
    let near = [form(&[(0, 1)], 0), form(&[(1, 1)], 0)];
    let verdict = depends(&Access::new(&loops, &far), &Access::new(&loops, &near), &[]);
    assert_eq!((verdict.answer, verdict.by), (Answer::No, Test::Banerjee));
}

#[test]
fn malformed_input_is_unknown() {
    let stray = [form(&[(3, 1)], 0)];
    let loops = [Loop::below(4)];
    let access = Access::new(&loops, &stray);
    assert_eq!(depends(&access, &access, &[]).answer, Answer::Unknown);
    assert_eq!(direction_vectors(&access, &access, 1).len(), 3);
    let huge = [form(&[(0, i64::MAX)], i64::MAX), form(&[(1, i64::MIN)], i64::MIN)];
    let loops = [Loop::below(i64::MAX), Loop::new(i64::MIN, 0, 7).unwrap()];
    let access = Access::new(&loops, &huge);
    assert_ne!(depends(&access, &access, &[Direction::Equal]).answer, Answer::No);
}
