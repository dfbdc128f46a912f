//! Clauses as loop nests with constant bounds, affine guards and affine subscripts.
//!
//! A clause is first described as one nest, with its loop variables as symbols. Where that leaves something open that a
//! concrete iteration might decide (a guard such as `i % 2 == 0`, a subscript `i / 2`), a generator of a small array is
//! unfolded: the same walk describes each of its iterations, with the variable bound to its value. For example
//!
//! ```text
//! [i / 2, j] => ... for i < 4 for j < n       four nests over j, with the subscripts [0, j], [0, j], [1, j], [1, j]
//! ```

use super::eval::Eval;
use super::reads::{Target, certain_reads};
use super::source::{Source, safe, source};
use super::value::Value;
use affine::clauses::{Clause as Nest, Form, Subscript};
use affine::{Loop, LoopVar};
use base::{Map, Span};
use scalar::BinOp;
use typed::{Clause, Expr, ExprKind, Generator, Index, LocalId, Qual};

/// Most nests of one array.
const MAX_NESTS: usize = 200_000;
/// Steps of evaluation for one array.
const BUDGET: u32 = 3_000_000;

/// A nest with what messages need.
pub(super) struct Described {
    pub nest: Nest,
    /// The clause.
    pub span: Span,
    /// The names that vary, in the order of the source, and their values.
    pub names: Vec<(LocalId, Vec<Form>)>,
    /// The places of the nest's reads.
    pub reads: Vec<Span>,
}

/// Describes the clauses of one array, whose values may read `targets`; `unfold` if loops may be unfolded.
pub(super) fn describe<'a>(
    eval: &mut Eval<'a>,
    clauses: &'a [Clause],
    targets: &[Target],
    unfold: bool,
) -> Vec<Described> {
    let mut translator =
        Translator { eval, targets, unfold, exhausted: false, numbers: Map::default(), open: false, out: Vec::new() };
    translator.eval.budget = BUDGET;
    translator.clauses(clauses, &Around::default());
    if translator.exhausted {
        return describe(eval, clauses, targets, false);
    }
    translator.out
}

/// Describes a value without generators: that of `else`.
pub(super) fn describe_value<'a>(eval: &mut Eval<'a>, value: &'a Expr, source: usize, targets: &[Target]) -> Described {
    eval.budget = BUDGET;
    let (reads, _) = certain_reads(eval, value, targets, &[]);
    let (reads, places) = reads.into_iter().unzip();
    let nest = Nest { source, loops: vec![], guards: vec![], subscript: vec![], reads, guarded: false };
    Described { nest, span: value.span, names: Vec::new(), reads: places }
}

/// The qualifiers around a clause.
#[derive(Clone, Default)]
struct Around {
    loops: Vec<Loop>,
    guards: Vec<Form>,
    names: Vec<(LocalId, Vec<Form>)>,
    guarded: bool,
}

impl Around {
    /// A new innermost loop, and its variable.
    fn enter(&mut self, inner: Loop) -> Form {
        self.loops.push(inner);
        Form::symbol(LoopVar(self.loops.len() - 1))
    }
}

struct Translator<'t, 'a> {
    eval: &'t mut Eval<'a>,
    targets: &'t [Target],
    unfold: bool,
    /// Whether unfolding took too many steps or gave too many nests.
    exhausted: bool,
    /// The clauses seen so far.
    numbers: Map<Span, usize>,
    /// Whether something was left open that concrete iterations might decide.
    open: bool,
    out: Vec<Described>,
}

impl<'a> Translator<'_, 'a> {
    fn clauses(&mut self, clauses: &'a [Clause], around: &Around) {
        for clause in clauses {
            let (Clause::Element { quals, .. } | Clause::Group { quals, .. }) = clause;
            self.quals(quals, around.clone(), clause);
        }
    }

    /// Goes through the qualifiers, then describes what is inside them.
    fn quals(&mut self, quals: &'a [Qual], mut around: Around, clause: &'a Clause) {
        let Some((qual, rest)) = quals.split_first() else {
            return match clause {
                Clause::Element { subscripts, value, span, .. } => self.element(subscripts, value, *span, around),
                Clause::Group { clauses, .. } => self.clauses(clauses, &around),
            };
        };
        match qual {
            Qual::For(generators, _) => return self.generators(generators, rest, around, clause),
            Qual::Let(pat, value) => {
                let value = self.eval.expr(value);
                self.eval.bind(pat, value.as_ref());
            }
            Qual::If(cond) => match self.guards(cond, &around.loops) {
                Some(guards) if guards.iter().any(|g| g.as_constant().is_some_and(|n| n < 0)) => return,
                Some(guards) => around.guards.extend(guards),
                None => {
                    around.guarded = true;
                    self.open = true;
                }
            },
        }
        self.quals(rest, around, clause);
    }

    /// The condition as forms that are all at least zero where it holds.
    fn guards(&mut self, cond: &'a Expr, loops: &[Loop]) -> Option<Vec<Form>> {
        if let Some(known) = self.eval.bool(cond) {
            return Some(if known { Vec::new() } else { vec![Form::constant(-1)] });
        }
        let ExprKind::Binary { op, lhs, rhs, lifted: false } = &*cond.kind else { return None };
        if *op == BinOp::LogAnd {
            let mut both = self.guards(lhs, loops)?;
            both.extend(self.guards(rhs, loops)?);
            return Some(both);
        }
        let mut side = |e: &'a Expr| match self.eval.expr(e)? {
            Value::Int(form) => safe(Some(form), loops),
            Value::Scalar(_) | Value::Array(_) | Value::Record(_) => None,
        };
        let (left, right) = (side(lhs)?, side(rhs)?);
        let (less, more) = (right.sub(&left)?, left.sub(&right)?);
        match op {
            BinOp::Le => Some(vec![less]),
            BinOp::Lt => Some(vec![less.add_constant(-1)?]),
            BinOp::Ge => Some(vec![more]),
            BinOp::Gt => Some(vec![more.add_constant(-1)?]),
            BinOp::Eq => Some(vec![less, more]),
            _ => None,
        }
    }

    /// Generators that advance together: as loops, or iteration by iteration if that might decide more.
    fn generators(&mut self, generators: &'a [Generator], rest: &'a [Qual], around: Around, clause: &'a Clause) {
        let sources: Vec<Source> = generators.iter().map(|g| source(self.eval, g)).collect();
        let mut counts = sources.iter().filter_map(Source::count);
        // All counts agree, or the program fails: one that is known is the count of all.
        let count = counts.next().filter(|n| counts.all(|m| m == *n));
        let (before, start) = (std::mem::take(&mut self.open), self.out.len());
        let mut inner = around.clone();
        self.enter(generators, &sources, count, &mut inner);
        self.quals(rest, inner, clause);
        if let Some(count) = count.filter(|_| self.open && self.unfold) {
            self.out.truncate(start);
            self.open = false;
            for turn in 0..count {
                let mut inner = around.clone();
                self.enter_turn(generators, &sources, turn, &mut inner);
                self.quals(rest, inner, clause);
                self.exhausted |= self.out.len() > MAX_NESTS || self.eval.budget == 0;
                if self.exhausted {
                    return;
                }
            }
        }
        self.open |= before;
    }

    /// Binds the variables of generators to loop variables.
    fn enter(&mut self, generators: &'a [Generator], sources: &[Source], count: Option<i64>, around: &mut Around) {
        generators.iter().for_each(|generator| self.give(generator, None, around));
        if let ([generator], [Source::Sides { sides, vector }]) = (generators, sources) {
            let mut forms = Vec::new();
            for side in sides {
                let var = Form::symbol(LoopVar(around.loops.len()));
                let Some((inner, guards)) = side.around(&var, &around.loops) else { return self.leave_open(around) };
                forms.push(around.enter(inner));
                around.guards.extend(guards);
            }
            let mut forms = forms.into_iter().map(Value::Int);
            let value = if *vector { Some(Value::Array(forms.map(Some).collect())) } else { forms.next() };
            return self.give(generator, value, around);
        }
        let Some(count) = count else { return self.leave_open(around) };
        let turn = around.enter(Loop::below(count));
        for (generator, source) in generators.iter().zip(sources) {
            self.give(generator, source.counted(&turn).map(Value::Int), around);
        }
    }

    fn leave_open(&mut self, around: &mut Around) {
        around.guarded = true;
        self.open = true;
    }

    /// Binds the variables of generators to what they are in one iteration.
    fn enter_turn(&mut self, generators: &'a [Generator], sources: &[Source], turn: i64, around: &mut Around) {
        for (generator, source) in generators.iter().zip(sources) {
            self.give(generator, source.at(turn), around);
        }
    }

    fn give(&mut self, generator: &'a Generator, value: Option<Value>, around: &mut Around) {
        let name = match generator {
            Generator::In(pat, _) => {
                self.eval.bind(pat, value.as_ref());
                pat.name()
            }
            Generator::Range { var, .. } => {
                self.eval.name(*var, value.clone());
                Some(*var)
            }
        };
        let forms = value.and_then(|v| v.form().map(|form| vec![form]).or_else(|| v.forms()?.into_iter().collect()));
        around.names.extend(name.zip(forms));
    }

    fn element(&mut self, subscripts: &'a [Index], value: &'a Expr, span: Span, around: Around) {
        let Around { loops, guards, names, guarded } = around;
        let known = self.eval.subscript(subscripts);
        let subscript: Subscript = known.into_iter().flatten().map(|form| safe(form, &loops)).collect();
        self.open |= subscript.is_empty() || subscript.contains(&None);
        // Reads that may not happen make no claim.
        let (reads, open) = match guarded {
            true => Default::default(),
            false => certain_reads(self.eval, value, self.targets, &loops),
        };
        self.open |= open;
        let (reads, places) = reads.into_iter().unzip();
        let next = self.numbers.len();
        let source = *self.numbers.entry(span).or_insert(next);
        let nest = Nest { source, loops, guards, subscript, reads, guarded };
        self.out.push(Described { nest, span, names, reads: places });
    }
}
