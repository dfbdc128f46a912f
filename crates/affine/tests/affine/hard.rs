//! Systems that could keep an exact solver busy: it must answer or give up soon.

use affine::{Access, Answer, Direction, Linear, Loop, LoopVar, depends, direction_vectors};
use std::time::{Duration, Instant};

fn form(coefficients: &[i64], constant: i64) -> Linear<LoopVar> {
    Linear::from_terms(coefficients.iter().enumerate().map(|(k, c)| (LoopVar(k), *c)), constant).unwrap()
}

fn soon<T>(what: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = what();
    assert!(start.elapsed() < Duration::from_secs(10), "took {:?}", start.elapsed());
    result
}

#[test]
fn deep_nests_with_one_subscript() {
    for depth in 1..12 {
        let loops = vec![Loop::below(100_000); depth];
        let sum = [form(&vec![1; depth], 0)];
        let access = Access::new(&loops, &sum);
        let verdict = soon(|| depends(&access, &access, &[Direction::Less]));
        assert_eq!(verdict.answer == Answer::No, depth == 1, "depth {depth}");
    }
}

#[test]
fn coefficients_without_common_factors() {
    for depth in 1..8 {
        let loops = vec![Loop::below(1000); depth];
        let odd = [97, 89, 83, 79, 73, 71, 67, 61];
        let f = [form(&odd[..depth], 0), form(&odd.iter().rev().copied().take(depth).collect::<Vec<_>>(), 5)];
        let g = [form(&odd[1..depth], 12_345), form(&[3, 7], 1)];
        if depth > 1 {
            let (a, b) = (Access::new(&loops, &f), Access::new(&loops, &g));
            soon(|| depends(&a, &b, &[]));
            soon(|| direction_vectors(&a, &b, depth.min(4)));
        }
    }
}

#[test]
fn many_directions_are_cut_short() {
    let loops = vec![Loop::below(10); 12];
    let sum = [form(&[1; 12], 0)];
    let access = Access::new(&loops, &sum);
    let found = soon(|| direction_vectors(&access, &access, 12));
    assert!(!found.is_empty());
}
