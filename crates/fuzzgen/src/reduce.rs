//! Shrinks a program as long as the same thing is wrong with it.

use crate::crew::Judge;
use crate::judge::{Finding, Ways};
use crate::tree::{Exp, Program, Ty};

/// So many programs are tried at most.
const TRIES: usize = 600;

/// A smaller program with which the same thing is wrong.
pub fn reduce(judge: &mut Judge, program: &Program, finding: &Finding) -> Program {
    let mut reducer = Reducer { judge, class: finding.class.clone(), ways: ways(&finding.class), left: TRIES };
    let mut best = program.clone();
    reducer.entries(&mut best, &finding.entry);
    reducer.definitions(&mut best);
    while reducer.left > 0 && reducer.expressions(&mut best) {}
    reducer.definitions(&mut best);
    best
}

/// How a program has to be run to show a finding of this class.
fn ways(class: &str) -> Ways {
    let none = Ways { core: false, c: false, multicore: false };
    let kind = class.split(':').next().unwrap_or_default();
    if class.contains("interpreter") || kind.starts_with("interp") {
        return none;
    }
    match kind.split_whitespace().next().unwrap_or_default() {
        "rejected" | "input" => none,
        "core" => Ways { core: true, ..none },
        "c" | "translation" => Ways { c: true, ..none },
        "multicore" => Ways { multicore: true, ..none },
        "threads" => Ways { c: true, multicore: true, ..none },
        "crash" if class.ends_with("on c") => Ways { c: true, ..none },
        "crash" if class.ends_with("on Core") => Ways { core: true, ..none },
        _ => Ways::ALL,
    }
}

struct Reducer<'a> {
    judge: &'a mut Judge,
    class: String,
    ways: Ways,
    left: usize,
}

impl Reducer<'_> {
    fn still(&mut self, program: &Program) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let verdict = self.judge.ask(&program.text(), self.ways);
        verdict.findings.iter().any(|finding| finding.class == self.class)
    }

    fn entries(&mut self, best: &mut Program, guilty: &str) {
        let mut alone = best.clone();
        alone.entries.retain(|entry| entry.name == guilty);
        if !alone.entries.is_empty() && self.still(&alone) {
            *best = alone;
        }
        let mut index = 0;
        while best.entries.len() > 1 && index < best.entries.len() {
            let mut fewer = best.clone();
            fewer.entries.remove(index);
            if self.still(&fewer) {
                *best = fewer;
            } else {
                index += 1;
            }
        }
        for entry in 0..best.entries.len() {
            while best.entries[entry].inputs.len() > 1 {
                let mut fewer = best.clone();
                fewer.entries[entry].inputs.pop();
                let mut other = best.clone();
                other.entries[entry].inputs.remove(0);
                if self.still(&fewer) {
                    *best = fewer;
                } else if self.still(&other) {
                    *best = other;
                } else {
                    break;
                }
            }
        }
    }

    fn definitions(&mut self, best: &mut Program) {
        let mut all = best.clone();
        all.defs.clear();
        if self.still(&all) {
            *best = all;
            return;
        }
        for index in (0..best.defs.len()).rev() {
            let mut fewer = best.clone();
            fewer.defs.remove(index);
            if self.still(&fewer) {
                *best = fewer;
            }
        }
    }

    /// One round over all expressions, the large ones first; whether anything became smaller.
    fn expressions(&mut self, best: &mut Program) -> bool {
        let mut changed = false;
        for tree in 0..best.entries.len() + best.defs.len() {
            let mut index = 0;
            while index < root(best, tree).count() {
                for smaller in smaller(root(best, tree), index) {
                    let mut candidate = best.clone();
                    let place = root(&candidate, tree).replaced(index, smaller);
                    *root_mut(&mut candidate, tree) = place;
                    if self.still(&candidate) {
                        *best = candidate;
                        changed = true;
                        break;
                    }
                    if self.left == 0 {
                        return false;
                    }
                }
                index += 1;
            }
        }
        changed
    }
}

fn root(program: &Program, tree: usize) -> &Exp {
    match program.entries.get(tree) {
        Some(entry) => &entry.tree,
        None => &program.defs[tree - program.entries.len()],
    }
}

fn root_mut(program: &mut Program, tree: usize) -> &mut Exp {
    let entries = program.entries.len();
    match program.entries.get_mut(tree) {
        Some(entry) => &mut entry.tree,
        None => &mut program.defs[tree - entries],
    }
}

/// What might stand at a place instead, the simplest first.
fn smaller(tree: &Exp, index: usize) -> Vec<Exp> {
    let Some(here) = tree.get(index) else { return Vec::new() };
    let Some(ty) = &here.ty else { return Vec::new() };
    let mut out = Vec::new();
    let simplest = ty.simplest();
    if here.text != simplest {
        out.push(Exp::new(ty, simplest, vec![]));
    } else if here.parts.is_empty() {
        return out;
    }
    let mut inner = Vec::new();
    below(here, ty, &mut inner);
    inner.sort_by_key(|exp| exp.count());
    inner.truncate(8);
    out.extend(inner.into_iter().cloned());
    // A name or a number is as simple as a literal.
    if here.parts.is_empty() {
        out.retain(|exp| exp.text.len() < here.text.len());
    }
    out
}

/// Expressions of a type inside another one.
fn below<'a>(exp: &'a Exp, ty: &Ty, found: &mut Vec<&'a Exp>) {
    for part in &exp.parts {
        if part.ty.as_ref() == Some(ty) {
            found.push(part);
        }
        below(part, ty, found);
    }
}
