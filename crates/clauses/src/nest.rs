//! Clauses as loop nests with constant bounds and linear subscripts.

use super::reads::ReadAt;
use super::report::Described;
use super::value::{Form, Known, Values, bind, subscript};
use affine::clauses::{Clause as Nest, Read, Subscript};
use affine::{Linear, Loop, LoopVar, Range};
use base::{Map, Span};
use scalar::Scalar;
use typed::{Clause, Expr, Generator, Index, LocalId, Qual};

/// Forms beyond this might wrap around at run time: nothing is said about them.
const SAFE: i64 = 1 << 60;

/// A clause, translated, with what messages need.
pub(super) struct Translated {
    pub nest: Nest,
    pub described: Described,
    /// Which array of the group each read takes from.
    pub reads: Vec<ReadAt>,
}

/// Where a walk through qualifiers stands.
#[derive(Clone, Default)]
struct Around {
    loops: Vec<Loop>,
    vars: Vec<(LocalId, Vec<Form>)>,
    guarded: bool,
    /// Whether a condition is certainly false.
    never: bool,
}

/// Translates the clauses of one array; `group` are the recursive arrays that values may read.
pub(super) fn translate<'a>(values: &mut Values<'a>, clauses: &'a [Clause], group: &[LocalId]) -> Vec<Translated> {
    let mut translator = Translator { values, group, out: Vec::new() };
    translator.clauses(clauses, &Around::default());
    let out = translator.out;
    values.vars.clear();
    out
}

struct Translator<'v, 'a> {
    values: &'v mut Values<'a>,
    group: &'v [LocalId],
    out: Vec<Translated>,
}

impl<'a> Translator<'_, 'a> {
    fn clauses(&mut self, clauses: &'a [Clause], around: &Around) {
        for clause in clauses {
            let outer: Map<LocalId, Known> = self.values.vars.clone();
            match clause {
                Clause::Element { subscripts, value, quals, span } => {
                    let around = self.quals(quals, around.clone());
                    if !around.never {
                        self.element(subscripts, value, around, *span);
                    }
                }
                Clause::Group { quals, clauses, span: _ } => {
                    let around = self.quals(quals, around.clone());
                    if !around.never {
                        self.clauses(clauses, &around);
                    }
                }
            }
            self.values.vars = outer;
        }
    }

    fn element(&mut self, subscripts: &'a [Index], value: &'a Expr, around: Around, span: Span) {
        let subscript = self.subscript(subscripts, &around.loops);
        let reads = super::reads::certain_reads(self.values, value, self.group);
        let read =
            |r: &ReadAt| Read { subscript: r.subscript.iter().map(|f| safe(f.clone(), &around.loops)).collect() };
        let nest =
            Nest { reads: reads.iter().map(read).collect(), loops: around.loops, subscript, guarded: around.guarded };
        let described = Described { span, vars: around.vars, reads: reads.iter().map(|r| r.span).collect() };
        self.out.push(Translated { nest, described, reads });
    }

    fn subscript(&mut self, subscripts: &'a [Index], loops: &[Loop]) -> Subscript {
        subscript(self.values, subscripts).into_iter().map(|form| safe(form, loops)).collect()
    }

    fn quals(&mut self, quals: &'a [Qual], mut around: Around) -> Around {
        for qual in quals {
            match qual {
                Qual::For(generators, _) => self.generators(generators, &mut around),
                Qual::Let(pat, value) => {
                    let known = self.values.of(value);
                    bind(&mut self.values.vars, pat, known);
                }
                Qual::If(cond) => match self.values.of(cond) {
                    Some(Known::Scalar(Scalar::Bool(true))) => {}
                    Some(Known::Scalar(Scalar::Bool(false))) => around.never = true,
                    Some(_) | None => around.guarded = true,
                },
            }
        }
        around
    }

    /// Generators that advance together share one loop.
    fn generators(&mut self, generators: &'a [Generator], around: &mut Around) {
        if let [Generator::Range { lo, var, hi, step, vector, span: _ }] = generators {
            let bounds = (lo.as_ref(), hi, step.as_ref());
            return if *vector { self.box_loops(*var, bounds, around) } else { self.single(*var, bounds, around) };
        }
        // In lockstep all extents agree, or the program fails: one known range tells how often all run.
        let mut ranges = Vec::new();
        for generator in generators {
            if let Generator::Range { lo, var, hi, step, vector: false, span: _ } = generator
                && let Some(range) = self.constant_loop((lo.as_ref(), hi, step.as_ref()))
            {
                ranges.push((*var, range));
            }
        }
        let Some((_, first)) = ranges.first() else {
            around.guarded = true;
            return;
        };
        let trip = first.trip();
        if ranges.iter().any(|(_, range)| range.trip() != trip) {
            around.guarded = true;
            return;
        }
        let count = LoopVar(around.loops.len());
        around.loops.push(Loop::below(trip));
        for (var, range) in ranges {
            let form = Linear::symbol(count).scale(range.step()).and_then(|f| f.add_constant(range.lo()));
            if let Some(form) = form {
                self.name(var, vec![form.clone()], Known::Int(form), around);
            }
        }
    }

    fn name(&mut self, var: LocalId, forms: Vec<Form>, known: Known, around: &mut Around) {
        around.vars.push((var, forms));
        self.values.vars.insert(var, known);
    }

    fn single(&mut self, var: LocalId, bounds: Bounds<'a>, around: &mut Around) {
        let form = Linear::symbol(LoopVar(around.loops.len()));
        let found = match self.constant_loop(bounds) {
            Some(found) => found,
            None => {
                around.guarded = true;
                // Bounds that depend on outer loops: the range around all of them.
                let Some(found) = self.surrounding(bounds, &around.loops) else { return };
                found
            }
        };
        around.loops.push(found);
        self.name(var, vec![form.clone()], Known::Int(form), around);
    }

    /// The loop, if its bounds are constant and it can be run at all.
    fn constant_loop(&mut self, (lo, hi, step): Bounds<'a>) -> Option<Loop> {
        let hi = self.values.constant_int(hi)?;
        let step = step.map_or(Some(1), |e| self.values.constant_int(e))?;
        let lo = match lo {
            Some(lo) => self.values.constant_int(lo)?,
            None if hi < 0 => return None,
            None => 0,
        };
        Loop::new(lo, hi, step)
    }

    fn surrounding(&mut self, (lo, hi, _): Bounds<'a>, loops: &[Loop]) -> Option<Loop> {
        let range = |form: Form| Range::of_linear(&form, |v| loops.get(v.0).map_or(Range::ALL, Loop::range));
        let hi = range(self.values.of(hi)?.index()?).hi?;
        let lo = match lo {
            Some(lo) => range(self.values.of(lo)?.index()?).lo?,
            None => 0,
        };
        (lo > -SAFE && hi < SAFE).then(|| Loop::new(lo, hi, 1)).flatten()
    }

    /// A vector generator: one loop for each component.
    fn box_loops(&mut self, var: LocalId, (lo, hi, step): Bounds<'a>, around: &mut Around) {
        let hi = self.values.of(hi);
        let lo = lo.map(|e| self.values.of(e));
        let step = step.map(|e| self.values.of(e));
        let Some(loops) = constant_box(hi, lo, step) else {
            around.guarded = true;
            return;
        };
        let first = around.loops.len();
        let forms: Vec<Form> = (0..loops.len()).map(|i| Linear::symbol(LoopVar(first + i))).collect();
        around.loops.extend(loops);
        let known = Known::Vector(forms.iter().cloned().map(Some).collect());
        self.name(var, forms, known, around);
    }
}

type Bounds<'a> = (Option<&'a Expr>, &'a Expr, Option<&'a Expr>);

/// The loops of a vector generator whose bounds are all constant. A scalar bound stands for a vector of it.
fn constant_box(hi: Option<Known>, lo: Option<Option<Known>>, step: Option<Option<Known>>) -> Option<Vec<Loop>> {
    let hi = hi?;
    let lo = lo.map_or(Some(None), |k| k.map(Some))?;
    let step = step.map_or(Some(None), |k| k.map(Some))?;
    let rank = [Some(&hi), lo.as_ref(), step.as_ref()].into_iter().flatten().find_map(|k| match k {
        Known::Vector(items) => Some(items.len()),
        Known::Int(_) | Known::Scalar(_) => None,
    })?;
    let at = |known: &Known, i: usize| match known {
        Known::Vector(items) if items.len() == rank => items[i].as_ref()?.as_constant(),
        Known::Vector(_) | Known::Scalar(_) => None,
        Known::Int(form) => form.as_constant(),
    };
    let one = |i: usize| {
        let hi = at(&hi, i)?;
        let step = step.as_ref().map_or(Some(1), |k| at(k, i))?;
        let lo = match &lo {
            Some(lo) => at(lo, i)?,
            None if hi < 0 => return None,
            None => 0,
        };
        Loop::new(lo, hi, step)
    };
    (0..rank).map(one).collect()
}

/// The form, unless its value might leave the range where arithmetic is exact.
fn safe(form: Option<Form>, loops: &[Loop]) -> Option<Form> {
    let form = form?;
    let range = Range::of_linear(&form, |v| loops.get(v.0).map_or(Range::ALL, Loop::range));
    range.is_empty().then_some(()).or_else(|| range.within(&Range::new(-SAFE, SAFE)).then_some(()))?;
    Some(form)
}
