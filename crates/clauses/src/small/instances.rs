//! All instances of the clauses of one array, in order.

use super::demand::{Demands, Outside};
use super::eval::{Eval, Val};
use crate::report::Described;
use crate::value::Form;
use affine::LoopVar;
use affine::clauses::{Instance, Listed};
use base::{Map, Span};
use typed::{Clause, Expr, Generator, Index, LocalId, Qual};

/// Most instances of one array.
const MAX_INSTANCES: usize = 200_000;

/// What is known of the clauses of one array.
#[derive(Default)]
pub(super) struct Instances {
    pub clauses: Vec<Described>,
    pub list: Vec<Listed>,
    /// The first read that certainly leaves the array it reads.
    pub outside: Option<(Instance, Outside)>,
    /// Whether there may be instances that are not in the list.
    pub vague: bool,
}

/// Where a walk through generators stands.
#[derive(Clone, Default)]
struct Around {
    certain: bool,
    names: Vec<(LocalId, Vec<Form>)>,
    shown: Vec<i64>,
}

/// The iterations of one generator.
enum Source {
    Range {
        var: LocalId,
        lo: i64,
        step: i64,
        count: i64,
    },
    Box {
        var: LocalId,
        lo: Vec<i64>,
        step: Vec<i64>,
        counts: Vec<i64>,
    },
    Items(std::rc::Rc<[Val]>),
    /// Not known how many, nor which.
    Unknown,
}

/// Lists the instances; `None` if there are too many. `reads` finds what a value reads.
pub(super) fn list<'a>(
    eval: &mut Eval<'a>,
    clauses: &'a [Clause],
    rank: usize,
    reads: &mut dyn FnMut(&mut Eval<'a>, &'a Expr, &mut Vec<Span>) -> Demands,
) -> Option<Instances> {
    let mut lister = Lister { eval, rank, reads, numbers: Map::default(), out: Instances::default() };
    lister.clauses(clauses, &Around { certain: true, ..Around::default() })?;
    Some(lister.out)
}

struct Lister<'l, 'a> {
    eval: &'l mut Eval<'a>,
    rank: usize,
    reads: &'l mut dyn FnMut(&mut Eval<'a>, &'a Expr, &mut Vec<Span>) -> Demands,
    numbers: Map<Span, usize>,
    out: Instances,
}

impl<'a> Lister<'_, 'a> {
    fn clauses(&mut self, clauses: &'a [Clause], around: &Around) -> Option<()> {
        for clause in clauses {
            let (Clause::Element { quals, .. } | Clause::Group { quals, .. }) = clause;
            self.quals(quals, around, clause)?;
        }
        Some(())
    }

    /// Runs through the qualifiers, then does what the clause says.
    fn quals(&mut self, quals: &'a [Qual], around: &Around, clause: &'a Clause) -> Option<()> {
        let Some((qual, rest)) = quals.split_first() else {
            return match clause {
                Clause::Element { subscripts, value, span, .. } => self.element(subscripts, value, *span, around),
                Clause::Group { clauses, .. } => self.clauses(clauses, around),
            };
        };
        match qual {
            Qual::Let(pat, value) => {
                let value = self.eval.expr(value);
                self.eval.bind(pat, value.as_ref());
                self.quals(rest, around, clause)
            }
            Qual::If(cond) => match self.eval.expr(cond).and_then(|v| v.bool()) {
                Some(true) => self.quals(rest, around, clause),
                Some(false) => Some(()),
                None => self.quals(rest, &Around { certain: false, ..around.clone() }, clause),
            },
            Qual::For(generators, _) => {
                let sources: Vec<Source> = generators.iter().map(|g| self.source(g)).collect();
                let mut counts = sources.iter().filter_map(Source::count);
                // In lockstep all extents agree, or the program fails: one that is known tells how often all run.
                let Some(count) = counts.next().filter(|n| counts.all(|m| m == *n)) else {
                    self.out.vague = true;
                    return Some(());
                };
                for turn in 0..count {
                    self.eval.budget = self.eval.budget.checked_sub(1)?;
                    let mut inner = around.clone();
                    for (generator, source) in generators.iter().zip(&sources) {
                        self.turn(generator, source, turn, &mut inner);
                    }
                    self.quals(rest, &inner, clause)?;
                }
                Some(())
            }
        }
    }

    fn source(&mut self, generator: &'a Generator) -> Source {
        self.known_source(generator).unwrap_or(Source::Unknown)
    }

    fn known_source(&mut self, generator: &'a Generator) -> Option<Source> {
        match generator {
            Generator::In(_, array) => match self.eval.expr(array)? {
                Val::Array(items) => Some(Source::Items(items)),
                Val::Scalar(_) | Val::Record(_) => None,
            },
            Generator::Range { lo, var, hi, step, vector: false, span: _ } => {
                let from = lo.as_ref().map_or(Some(0), |e| self.eval.int(e))?;
                let step = step.as_ref().map_or(Some(1), |e| self.eval.int(e))?;
                let count = count(from, self.eval.int(hi)?, step, lo.is_none())?;
                Some(Source::Range { var: *var, lo: from, step, count })
            }
            Generator::Range { lo, var, hi, step, vector: true, span: _ } => {
                let to = self.eval.expr(hi)?;
                let from = lo.as_ref().map_or(Some(None), |e| self.eval.expr(e).map(Some))?;
                let step = step.as_ref().map_or(Some(None), |e| self.eval.expr(e).map(Some))?;
                let bounds = [Some(&to), from.as_ref(), step.as_ref()];
                let rank = bounds.into_iter().flatten().find_map(Val::ints)?.len();
                let spread = |bound: Option<&Val>, default: i64| match bound {
                    None => Some(vec![default; rank]),
                    Some(Val::Scalar(_)) => bound?.int().map(|n| vec![n; rank]),
                    Some(vector) => vector.ints().filter(|v| v.len() == rank),
                };
                let (from, to, step) = (spread(from.as_ref(), 0)?, spread(Some(&to), 0)?, spread(step.as_ref(), 1)?);
                let counts = (0..rank).map(|d| count(from[d], to[d], step[d], lo.is_none())).collect::<Option<_>>()?;
                Some(Source::Box { var: *var, lo: from, step, counts })
            }
        }
    }

    /// Binds what a generator gives in one turn.
    fn turn(&mut self, generator: &'a Generator, source: &Source, turn: i64, around: &mut Around) {
        let (name, value) = match (generator, source) {
            (_, Source::Range { var, lo, step, .. }) => {
                (Some(*var), Some(Val::Scalar(scalar::Scalar::I64(lo.wrapping_add(step.wrapping_mul(turn))))))
            }
            (_, Source::Box { var, lo, step, counts }) => {
                let mut at = vec![0; counts.len()];
                let mut rest = turn;
                for d in (0..counts.len()).rev() {
                    at[d] = lo[d].wrapping_add(step[d].wrapping_mul(rest % counts[d]));
                    rest /= counts[d];
                }
                (Some(*var), Some(Val::of_ints(&at)))
            }
            (Generator::In(pat, _), Source::Items(items)) => (pat.name(), items.get(turn as usize).cloned()),
            (Generator::In(pat, _), Source::Unknown) => (pat.name(), None),
            (Generator::Range { var, .. }, Source::Items(_) | Source::Unknown) => (Some(*var), None),
        };
        match (generator, name, &value) {
            (Generator::In(pat, _), _, _) => self.eval.bind(pat, value.as_ref()),
            (_, Some(var), Some(value)) => {
                self.eval.env.insert(var, value.clone());
            }
            (_, Some(var), None) => {
                self.eval.env.remove(&var);
            }
            (_, None, _) => {}
        }
        if let (Some(name), Some(value)) = (name, value)
            && let Some(shown) = value.int().map(|i| vec![i]).or_else(|| value.ints())
        {
            let first = around.shown.len();
            around.names.push((name, (0..shown.len()).map(|i| Form::symbol(LoopVar(first + i))).collect()));
            around.shown.extend(shown);
        }
    }

    fn element(&mut self, subscripts: &'a [Index], value: &'a Expr, span: Span, around: &Around) -> Option<()> {
        if self.out.list.len() == MAX_INSTANCES || self.eval.budget == 0 {
            return None;
        }
        let element = self.subscript(subscripts).filter(|e| e.len() == self.rank);
        let clause = *self.numbers.entry(span).or_insert_with(|| {
            self.out.clauses.push(Described { span, vars: around.names.clone(), reads: Vec::new() });
            self.out.clauses.len() - 1
        });
        let instance = Instance { clause, iteration: around.shown.clone() };
        let demands = match around.certain {
            true => (self.reads)(self.eval, value, &mut self.out.clauses[clause].reads),
            false => Demands::default(),
        };
        if let (None, Some(outside)) = (&self.out.outside, demands.outside) {
            self.out.outside = Some((instance.clone(), outside));
        }
        self.out.list.push(Listed {
            instance,
            element: element.unwrap_or_else(|| vec![None; self.rank]),
            certain: around.certain,
            reads: demands.elements,
        });
        Some(())
    }

    fn subscript(&mut self, subscripts: &'a [Index]) -> Option<Vec<Option<i64>>> {
        let mut out = Vec::new();
        for index in subscripts {
            match index {
                Index::At(e) => out.push(self.eval.int(e)),
                Index::Vector(e) => out.extend(self.eval.expr(e)?.ints()?.into_iter().map(Some)),
                Index::Slice { .. } => return None,
            }
        }
        Some(out)
    }
}

impl Source {
    fn count(&self) -> Option<i64> {
        match self {
            Source::Range { count, .. } => Some(*count),
            Source::Box { counts, .. } => counts.iter().try_fold(1i64, |total, n| total.checked_mul(*n)),
            Source::Items(items) => i64::try_from(items.len()).ok(),
            Source::Unknown => None,
        }
    }
}

/// How many of `lo, lo + step, ...` lie below `hi`; `None` where the program fails, or for too many.
fn count(lo: i64, hi: i64, step: i64, open: bool) -> Option<i64> {
    if step < 1 || (open && hi < 0) {
        return None;
    }
    let distance = (i128::from(hi) - i128::from(lo)).max(0);
    i64::try_from((distance + i128::from(step) - 1) / i128::from(step)).ok()
}
