//! Faults of small arrays by clauses against brute force: where every bound, guard and subscript is known, the checker
//! finds each kind of fault exactly when there is one.

use driver::{InMemory, compile};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// An expression in the variables `i` and `j`, which are never negative.
#[derive(Clone, Debug)]
enum Term {
    I,
    J,
    Plus(Box<Term>, i64),
    Sum,
    Mirrored(i64),
    Half,
    Rest(i64),
    Product,
    Const(i64),
}

impl Term {
    fn text(&self) -> String {
        match self {
            Term::I => "i".into(),
            Term::J => "j".into(),
            Term::Plus(term, n) => format!("({} + {n})", term.text()),
            Term::Sum => "(i + j)".into(),
            Term::Mirrored(n) => format!("({n} - i)"),
            Term::Half => "(i / 2)".into(),
            Term::Rest(n) => format!("((i + j) % {n})"),
            Term::Product => "(i * j)".into(),
            Term::Const(n) => n.to_string(),
        }
    }

    fn at(&self, (i, j): (i64, i64)) -> i64 {
        match self {
            Term::I => i,
            Term::J => j,
            Term::Plus(term, n) => term.at((i, j)) + n,
            Term::Sum => i + j,
            Term::Mirrored(n) => n - i,
            Term::Half => i / 2,
            Term::Rest(n) => (i + j) % n,
            Term::Product => i * j,
            Term::Const(n) => *n,
        }
    }
}

fn term() -> impl Strategy<Value = Term> {
    let simple = prop_oneof![
        6 => Just(Term::I),
        5 => Just(Term::J),
        1 => Just(Term::Sum),
        2 => (1i64..4).prop_map(Term::Mirrored),
        1 => Just(Term::Half),
        1 => (2i64..4).prop_map(Term::Rest),
        1 => Just(Term::Product),
        1 => (0i64..4).prop_map(Term::Const),
    ];
    (simple, prop_oneof![5 => Just(0i64), 1 => Just(1i64), 1 => Just(-1i64)]).prop_map(|(term, n)| match n {
        0 => term,
        n => Term::Plus(Box::new(term), n),
    })
}

/// `left op right`, for the first few operators.
#[derive(Clone, Debug)]
struct Cond(Term, usize, Term);

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

impl Cond {
    fn text(&self) -> String {
        format!("{} {} {}", self.0.text(), COMPARISONS[self.1], self.2.text())
    }

    fn holds(&self, at: (i64, i64)) -> bool {
        let (left, right) = (self.0.at(at), self.2.at(at));
        [left < right, left <= right, left > right, left >= right, left == right, left != right][self.1]
    }
}

/// `[subscripts] => value for i < rows for lo <= j < hi if guards`.
#[derive(Clone, Debug)]
struct Rule {
    subscripts: Vec<Term>,
    /// What the value reads of the array itself, if it is recursive: under a condition, or always.
    read: Option<(Option<Cond>, Vec<Term>)>,
    rows: i64,
    lo: Option<Term>,
    hi: i64,
    guards: Vec<Cond>,
}

impl Rule {
    fn text(&self) -> String {
        let list = |terms: &[Term]| terms.iter().map(Term::text).collect::<Vec<_>>().join(", ");
        let value = match &self.read {
            None => "1i64".to_string(),
            Some((None, read)) => format!("1i64 + a[{}]", list(read)),
            Some((Some(cond), read)) => format!("if {} then a[{}] else 1i64", cond.text(), list(read)),
        };
        let lo = self.lo.as_ref().map_or_else(String::new, |lo| format!("{} <= ", lo.text()));
        let guards: String = self.guards.iter().map(|g| format!(" if {}", g.text())).collect();
        let subscripts = list(&self.subscripts);
        format!("[{subscripts}] => {value} for i < {} for {lo}j < {}{guards}", self.rows, self.hi)
    }

    fn instances(&self) -> Vec<(i64, i64)> {
        let lo = |i: i64| self.lo.as_ref().map_or(0, |lo| lo.at((i, 0)));
        let all = (0..self.rows).flat_map(|i| (lo(i)..self.hi).map(move |j| (i, j)));
        all.filter(|at| self.guards.iter().all(|g| g.holds(*at))).collect()
    }
}

fn cond() -> impl Strategy<Value = Cond> {
    (term(), 0usize..6, term()).prop_map(|(left, op, right)| Cond(left, op, right))
}

fn rule(rank: usize, recursive: bool) -> impl Strategy<Value = Rule> {
    let terms = || prop::collection::vec(term(), rank);
    let read = (prop::option::weighted(0.5, cond()), terms()).prop_map(Some);
    let read = if recursive { prop_oneof![1 => Just(None), 2 => read].boxed() } else { Just(None).boxed() };
    let lo = prop_oneof![3 => Just(None), 1 => Just(Some(Term::I)), 1 => Just(Some(Term::Half))];
    let guards = prop::collection::vec(cond(), 0..3);
    (terms(), read, 0i64..5, lo, 0i64..5, guards).prop_map(|(subscripts, read, rows, lo, hi, guards)| Rule {
        subscripts,
        read,
        rows,
        lo,
        hi,
        guards,
    })
}

#[derive(Clone, Debug)]
struct Case {
    shape: Vec<i64>,
    recursive: bool,
    rules: Vec<Rule>,
    has_else: bool,
}

impl Case {
    fn text(&self) -> String {
        let rules: Vec<String> = self.rules.iter().map(Rule::text).collect();
        let otherwise = if self.has_else { "; else => 0" } else { "" };
        let array = format!("array {:?} {{ {}{otherwise} }}", self.shape, rules.join("; "));
        if self.recursive { format!("let rec a = {array} in a") } else { array }
    }

    fn inside(&self, element: &[i64]) -> bool {
        element.iter().zip(&self.shape).all(|(index, extent)| (0..*extent).contains(index))
    }

    /// The kinds of faults, by brute force. With collisions it is open what an element reads.
    fn faults(&self) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::new();
        let mut reads: BTreeMap<Vec<i64>, Option<Vec<i64>>> = BTreeMap::new();
        for rule in &self.rules {
            for at in rule.instances() {
                let element: Vec<i64> = rule.subscripts.iter().map(|s| s.at(at)).collect();
                let read = rule.read.as_ref().filter(|(cond, _)| cond.as_ref().is_none_or(|c| c.holds(at)));
                let read: Option<Vec<i64>> = read.map(|(_, read)| read.iter().map(|r| r.at(at)).collect());
                if read.as_ref().is_some_and(|read| !self.inside(read)) {
                    found.insert("E0505");
                }
                if !self.inside(&element) {
                    found.insert("E0504");
                } else if let Entry::Vacant(place) = reads.entry(element) {
                    place.insert(read);
                } else {
                    found.insert("E0501");
                }
            }
        }
        if !self.has_else && (reads.len() as i64) < self.shape.iter().product() {
            found.insert("E0502");
        }
        if reads.keys().any(|start| needs_itself(&reads, start)) {
            found.insert("E0503");
        }
        found
    }
}

fn needs_itself(reads: &BTreeMap<Vec<i64>, Option<Vec<i64>>>, start: &Vec<i64>) -> bool {
    let mut at = start;
    for _ in 0..=reads.len() {
        match reads.get(at) {
            Some(Some(next)) if next == start => return true,
            Some(Some(next)) => at = next,
            Some(None) | None => return false,
        }
    }
    false
}

fn case() -> impl Strategy<Value = Case> {
    (1usize..3, any::<bool>()).prop_flat_map(|(rank, recursive)| {
        let shape = prop::collection::vec(0i64..5, rank);
        let rules = prop::collection::vec(rule(rank, recursive), 1..3);
        (shape, rules, any::<bool>()).prop_map(move |(shape, rules, has_else)| Case {
            shape,
            recursive,
            rules,
            has_else,
        })
    })
}

/// All cases as definitions of one program, a line each: checking one program is much faster than many.
#[test]
fn each_kind_of_fault_is_found_exactly_when_it_is_there() {
    let config = ProptestConfig { rng_seed: RngSeed::Fixed(12), failure_persistence: None, ..Default::default() };
    let mut runner = TestRunner::new(config);
    let cases: Vec<Case> = (0..600).map(|_| case().new_tree(&mut runner).unwrap().current()).collect();
    let lines: Vec<String> = cases.iter().enumerate().map(|(n, c)| format!("def f{n} = {}", c.text())).collect();
    let program = lines.join("\n");
    let compiled = compile(&InMemory::new([("test.rv", program.as_str())]), "test.rv");
    let mut found: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); cases.len()];
    for diagnostic in &compiled.diagnostics {
        let line = program[..diagnostic.labels[0].span.start as usize].matches('\n').count();
        found[line].insert(diagnostic.code);
    }
    let expected: Vec<BTreeSet<&str>> = cases.iter().map(Case::faults).collect();
    for ((found, expected), line) in found.iter().zip(&expected).zip(lines) {
        assert_eq!(found, expected, "{line}");
    }
    for code in ["E0501", "E0502", "E0503", "E0504", "E0505"] {
        let count = expected.iter().filter(|faults| faults.contains(code)).count();
        assert!((15..550).contains(&count), "{code} occurs {count} times");
    }
    assert!(expected.iter().filter(|faults| faults.is_empty()).count() > 30);
}
