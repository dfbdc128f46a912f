//! Loops, progressions and boxes against enumeration.

use affine::space::{index_at, iteration, iterations};
use affine::{Coverage, Linear, Loop, LoopVar, Progression, StridedBox, first_gap, first_overlap};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(2), failure_persistence: None, ..Default::default() }
}

fn side() -> impl Strategy<Value = Progression> {
    (-3i64..8, 1i64..5, 1i64..6).prop_map(|(lo, step, count)| Progression::new(lo, step, count).unwrap())
}

fn region(rank: usize) -> impl Strategy<Value = StridedBox> {
    prop::collection::vec(side(), rank).prop_map(StridedBox::new)
}

const WINDOW: std::ops::Range<i64> = -4..30;

fn members(p: &Progression) -> Vec<i64> {
    (0..p.count()).map(|k| p.lo() + k * p.step()).collect()
}

fn grid(shape: &[i64]) -> Vec<Vec<i64>> {
    let nest: Vec<Loop> = shape.iter().map(|n| Loop::below(*n)).collect();
    (0..iterations(&nest).unwrap()).map(|k| iteration(&nest, k)).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn loops_run_as_written(lo in -9i64..10, hi in -9i64..10, step in 1i64..5, c in -4i64..5, o in -9i64..10) {
        let l = Loop::new(lo, hi, step).unwrap();
        let expected: Vec<i64> = (lo..hi).step_by(step as usize).collect();
        prop_assert_eq!((0..l.trip()).map(|k| l.value(k)).collect::<Vec<_>>(), expected.clone());
        prop_assert_eq!(l.range().lo.filter(|_| !l.range().is_empty()), expected.first().copied());
        prop_assert_eq!(l.range().hi.filter(|_| !l.range().is_empty()), expected.last().copied());
        let mut image: Vec<i64> = expected.iter().map(|x| c * x + o).collect();
        image.sort();
        image.dedup();
        prop_assert_eq!(Progression::image(&l, c, o).map(|p| members(&p)).unwrap_or_default(), image);
    }

    #[test]
    fn progressions_intersect_and_subtract(a in side(), b in side()) {
        let both: Vec<i64> = members(&a).into_iter().filter(|x| members(&b).contains(x)).collect();
        let meet = a.intersect(&b);
        prop_assert_eq!(meet.map(|p| members(&p)).unwrap_or_default(), both.clone());
        prop_assert!(WINDOW.clone().all(|x| a.contains(x) == members(&a).contains(&x)));
        if let Some(part) = meet {
            let mut rest: Vec<i64> = a.without(&part, 100).unwrap().iter().flat_map(members).collect();
            rest.sort();
            let expected: Vec<i64> = members(&a).into_iter().filter(|x| !both.contains(x)).collect();
            prop_assert_eq!(rest, expected);
        }
    }

    #[test]
    fn differences_are_disjoint_and_exact(a in region(2), b in region(2)) {
        let pieces = a.difference(&b, 1000).unwrap();
        prop_assert_eq!(first_overlap(&pieces), None);
        for x in WINDOW {
            for y in WINDOW {
                let hits = pieces.iter().filter(|p| p.contains(&[x, y])).count();
                prop_assert_eq!(hits == 1, a.contains(&[x, y]) && !b.contains(&[x, y]));
            }
        }
    }

    #[test]
    fn gaps_are_found(shape in prop::collection::vec(0i64..7, 1..4), seed in prop::collection::vec(region(3), 0..6)) {
        let cut = |r: &StridedBox| StridedBox::new(r.sides()[..shape.len()].to_vec());
        let regions: Vec<StridedBox> = seed.iter().map(cut).collect();
        let expected = grid(&shape).into_iter().find(|p| !regions.iter().any(|r| r.contains(p)));
        prop_assert_eq!(first_gap(&shape, &regions), expected.map_or(Coverage::Full, Coverage::Gap));
    }

    #[test]
    fn tilings_have_no_gap(n in 1i64..20, m in 1i64..20, k in 1i64..20, step in 1i64..4) {
        // Four quadrants around (k, k), the first of them as interleaved rows.
        let (a, b) = (k.min(n), k.min(m));
        let span = Progression::interval;
        let mut regions: Vec<StridedBox> = (0..step)
            .filter_map(|s| {
                let rows = Progression::image(&Loop::new(s, a, step)?, 1, 0)?;
                Some(StridedBox::new(vec![rows, span(0, b)?]))
            })
            .collect();
        for (rows, columns) in [(span(0, a), span(b, m)), (span(a, n), span(0, b)), (span(a, n), span(b, m))] {
            regions.extend(rows.zip(columns).map(|(r, c)| StridedBox::new(vec![r, c])));
        }
        prop_assert_eq!(first_gap(&[n, m], &regions), Coverage::Full);
        prop_assert_eq!(first_overlap(&regions), None);
        let last = regions.pop().unwrap();
        prop_assert_eq!(first_gap(&[n, m], &regions), Coverage::Gap(last.first()));
    }

    #[test]
    fn overlaps_are_found(regions in prop::collection::vec(region(2), 0..5)) {
        let cells = || WINDOW.flat_map(|x| WINDOW.map(move |y| vec![x, y]));
        let mut expected = None;
        for second in 0..regions.len() {
            for first in 0..second {
                let point = cells().find(|p| regions[first].contains(p) && regions[second].contains(p));
                expected = expected.or(point.map(|p| (first, second, p)));
            }
        }
        prop_assert_eq!(first_overlap(&regions), expected);
    }
}

#[test]
fn iterations_count_like_an_odometer() {
    let nest = [Loop::new(1, 4, 2).unwrap(), Loop::below(3)];
    let all: Vec<Vec<i64>> = (0..iterations(&nest).unwrap()).map(|k| iteration(&nest, k)).collect();
    assert_eq!(all, [[1, 0], [1, 1], [1, 2], [3, 0], [3, 1], [3, 2]]);
    let diagonal = [Linear::from_terms([(LoopVar(0), 1), (LoopVar(1), -1)], 5).unwrap()];
    assert_eq!(index_at(&diagonal, &all[5]), Some(vec![6]));
    assert_eq!(index_at(&diagonal, &[1]), None);
}

#[test]
fn extreme_values_do_not_overflow() {
    assert_eq!(Loop::new(i64::MIN, i64::MAX, 1), None);
    assert_eq!(Loop::new(0, 5, 0), None);
    let whole = Loop::new(i64::MIN, i64::MAX, 3).unwrap();
    assert_eq!(whole.value(whole.trip() - 1), i64::MAX - 3);
    assert_eq!(Progression::image(&whole, 1, 0), None);
    assert_eq!(iterations(&[Loop::below(i64::MAX), Loop::below(2)]), None);
    assert_eq!(iterations(&[Loop::below(i64::MAX), Loop::below(2), Loop::below(0)]), Some(0));
    let a = Progression::new(0, 1 << 40, 1 << 20).unwrap();
    let b = Progression::new(1, (1 << 40) + 1, 1 << 20).unwrap();
    assert_eq!(a.intersect(&b), None);
    assert!(a.intersect(&Progression::new(i64::MIN, i64::MAX, 2).unwrap()).is_none());
}

#[test]
fn large_arrays_are_quick() {
    const N: i64 = 1_000_000_000;
    let side = |lo, hi| Progression::interval(lo, hi).unwrap();
    let regions = [
        StridedBox::new(vec![side(0, 1), side(0, N)]),
        StridedBox::new(vec![side(1, N), side(0, 1)]),
        StridedBox::new(vec![side(1, N), side(1, N)]),
    ];
    assert_eq!(first_gap(&[N, N], &regions), Coverage::Full);
    assert_eq!(first_gap(&[N, N + 1], &regions), Coverage::Gap(vec![0, N]));
    assert_eq!(first_gap(&[N, N], &regions[1..]), Coverage::Gap(vec![0, 0]));
    // A million residue classes: nothing is enumerated as long as the regions are disjoint.
    let sparse = StridedBox::new(vec![Progression::new(0, 1_000_000, 1000).unwrap()]);
    assert_eq!(first_gap(&[N], std::slice::from_ref(&sparse)), Coverage::Gap(vec![1]));
    let dense = StridedBox::new(vec![side(0, N - 1)]);
    assert_eq!(first_gap(&[N], &[sparse, dense]), Coverage::Gap(vec![N - 1]));
}
