//! Linear forms and ranges against direct evaluation.

use affine::{Linear, Range};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Default::default() }
}

fn form() -> impl Strategy<Value = Linear<u8>> {
    (prop::collection::vec((0u8..4, -5i64..6), 0..6), -20i64..20)
        .prop_map(|(terms, constant)| Linear::from_terms(terms, constant).unwrap())
}

fn values() -> impl Strategy<Value = [i64; 4]> {
    prop::array::uniform4(-9i64..10)
}

fn at(form: &Linear<u8>, values: &[i64; 4]) -> i64 {
    form.eval(|s| Some(values[usize::from(*s)])).unwrap()
}

fn range() -> impl Strategy<Value = Range> {
    (prop::option::of(-6i64..7), prop::option::of(-6i64..7)).prop_map(|(lo, hi)| Range { lo, hi })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn arithmetic_agrees_with_evaluation(a in form(), b in form(), v in values(), k in -4i64..5, s in 0u8..4) {
        prop_assert_eq!(at(&a.add(&b).unwrap(), &v), at(&a, &v) + at(&b, &v));
        prop_assert_eq!(at(&a.sub(&b).unwrap(), &v), at(&a, &v) - at(&b, &v));
        prop_assert_eq!(at(&a.scale(k).unwrap(), &v), at(&a, &v) * k);
        prop_assert_eq!(at(&a.neg().unwrap(), &v), -at(&a, &v));
        let mut replaced = v;
        replaced[usize::from(s)] = at(&b, &v);
        prop_assert_eq!(at(&a.substitute(&s, &b).unwrap(), &v), at(&a, &replaced));
        let all = a.map(|t| if *t == s { Some(b.clone()) } else { Some(Linear::symbol(*t)) }).unwrap();
        prop_assert_eq!(all, a.substitute(&s, &b).unwrap());
    }

    #[test]
    fn forms_are_canonical(a in form(), b in form()) {
        prop_assert_eq!(a.add(&b), b.add(&a));
        prop_assert_eq!(a.add(&b).unwrap().sub(&b).unwrap(), a.clone());
        prop_assert_eq!(a.sub(&a).unwrap().as_constant(), Some(0));
        prop_assert!(a.terms().windows(2).all(|w| w[0].0 < w[1].0));
        prop_assert!(a.terms().iter().all(|t| t.1 != 0));
    }

    #[test]
    fn isolate_solves(a in form(), v in values(), s in 0u8..4) {
        match a.isolate(&s) {
            Some(solution) => {
                prop_assert!(!solution.mentions(&s));
                let mut solved = v;
                solved[usize::from(s)] = at(&solution, &v);
                prop_assert_eq!(at(&a, &solved), 0);
            }
            None => prop_assert_ne!(a.coefficient(&s).abs(), 1),
        }
    }

    #[test]
    fn ranges_agree_with_membership(a in range(), b in range(), k in -3i64..4) {
        let span = || -40i64..41;
        let near = || -8i64..9;
        prop_assert_eq!(near().all(|x| !a.contains(x)), a.is_empty());
        for x in near() {
            prop_assert_eq!(a.intersect(&b).contains(x), a.contains(x) && b.contains(x));
        }
        prop_assert_eq!(a.within(&b), span().all(|x| !a.contains(x) || b.contains(x)));
        for x in span().filter(|x| a.contains(*x)) {
            prop_assert!(a.scale(k).contains(k * x));
            for y in near().filter(|y| b.contains(*y)) {
                prop_assert!(a.add(&b).contains(x + y));
            }
        }
    }

    #[test]
    fn range_of_a_form_is_exact(a in form(), lo in values(), size in prop::array::uniform4(0i64..3)) {
        let r = Range::of_linear(&a, |s| Range::new(lo[usize::from(*s)], lo[usize::from(*s)] + size[usize::from(*s)]));
        let mut seen = Vec::new();
        for code in 0..81i64 {
            let offset = [code % 3, code / 3 % 3, code / 9 % 3, code / 27];
            if (0..4).all(|d| offset[d] <= size[d]) {
                seen.push(at(&a, &std::array::from_fn(|d| lo[d] + offset[d])));
            }
        }
        prop_assert_eq!(r, Range::new(*seen.iter().min().unwrap(), *seen.iter().max().unwrap()));
    }
}

#[test]
fn overflow_gives_none_or_an_infinite_end() {
    let big = Linear::from_terms([('n', i64::MAX)], i64::MAX).unwrap();
    assert_eq!(big.add_constant(1), None);
    assert_eq!(big.add(&Linear::symbol('n')), None);
    assert_eq!(big.scale(2), None);
    assert_eq!(Linear::<char>::constant(i64::MIN).neg(), None);
    assert_eq!(big.eval(|_| Some(2)), None);
    assert_eq!(big.eval(|_| Some(-1)), Some(0));
    assert_eq!(Range::of_linear(&big, |_| Range::new(0, 1)), Range::at_least(i64::MAX));
}

#[test]
fn forms_print_as_written() {
    let show = |terms: &[(&'static str, i64)], c| Linear::from_terms(terms.iter().copied(), c).unwrap().to_string();
    assert_eq!(show(&[], 0), "0");
    assert_eq!(show(&[], -3), "-3");
    assert_eq!(show(&[("n", 1)], 0), "n");
    assert_eq!(show(&[("n", -1), ("m", 3)], -1), "3*m - n - 1");
    assert_eq!(show(&[("n", -2)], i64::MIN), "-2*n - 9223372036854775808");
}

#[test]
fn special_forms_are_recognised() {
    assert_eq!(Linear::symbol('n').as_symbol(), Some(&'n'));
    assert_eq!(Linear::symbol('n').scale(2).unwrap().as_symbol(), None);
    assert_eq!(Linear::<char>::constant(4).as_constant(), Some(4));
    assert_eq!(Linear::symbol('n').as_constant(), None);
    let product = Linear::symbol('n').mul(&Linear::constant(3)).unwrap();
    assert_eq!(product.coefficient(&'n'), 3);
    assert_eq!(product.mul(&product), None);
}
