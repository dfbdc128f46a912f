//! Work that is the same in each turn of a loop but stays in it, and why: what `ravel explain` says beside what `hoist` moved.
//!
//! ```text
//! let c = loop (c) for t < k {
//!   let <check> x = b[0]          `b[0]` is there only if the loop has a turn,
//!   let y = exp(x)                so its exponential is computed in each turn
//! ```
//!
//! One walk gives each variable a *level*: of how many of the loops around it the turns decide its value. What has a lower
//! level than the number of loops around it is the same in each turn of those inside. Only what takes long is reported:
//! loops, calls, functions such as `exp`; of arrays that each turn needs anew, only those of which an element takes long.
//!
//! Limits. Elements of recursive arrays are left out, and so are loops over the lanes of vectors, where each lane has a copy.

use crate::cost::{Effort, effort};
use crate::loops::has_fewer_checks;
use crate::mentions::Mentions;
use base::{Map, Set, Span};
use ir::traverse::Part;
use ir::{Block, Bulk, Exp, FunId, Kind, LoopForm, Mark, Program, Step, Stm, Type, Var};
use scalar::{BinOp, MathOp};

/// Work that stays in a loop.
#[derive(Clone, Copy, Debug)]
pub struct Unmoved {
    /// The function that it is in.
    pub function: FunId,
    /// Its place in the source.
    pub span: Span,
    /// The place of the outermost loop in which it is the same in each turn.
    pub around: Span,
    /// The function that it is, if it is one of those in [`scalar::MathOp`].
    pub math: Option<MathOp>,
    /// Why it stays.
    pub why: Why,
}

/// Why work stays in a loop, which may have no turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It makes a check, which may fail.
    Checks,
    /// It relies on a check that says nothing if the loop has no turns.
    Relies,
    /// It might not end.
    Endless,
    /// Each turn needs an array of its own.
    Owned,
}

/// Finds such work in all functions.
pub fn unmoved(program: &Program) -> Vec<Unmoved> {
    let arithmetic = ir::calls::arithmetic(program);
    let mut found = Vec::new();
    for (id, function) in program.functions.iter() {
        let only_read = crate::uses::only_read(program, &function.body);
        let mut finder = Finder {
            program,
            arithmetic: &arithmetic,
            only_read,
            function: id,
            around: Vec::new(),
            levels: function.params.iter().map(|param| (*param, 0)).collect(),
            whys: Map::default(),
            found,
        };
        finder.block(&function.body);
        found = finder.found;
    }
    found
}

struct Finder<'p> {
    program: &'p Program,
    /// Functions that only compute with scalars.
    arithmetic: &'p Set<FunId>,
    /// Arrays that are only read element by element.
    only_read: Set<Var>,
    function: FunId,
    /// The loops around, the outermost first; none for loops over lanes.
    around: Vec<Option<Span>>,
    levels: Map<Var, usize>,
    /// Why variables stay whose level is lower than the number of loops around.
    whys: Map<Var, Why>,
    found: Vec<Unmoved>,
}

impl Finder<'_> {
    fn block(&mut self, block: &Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &Stm) {
        let mut mentions = Mentions::new(self.program);
        mentions.stm(stm);
        // What has no level is bound inside.
        let level = mentions.found.iter().filter_map(|var| self.levels.get(var)).copied().max().unwrap_or(0);
        let level = if matches!(stm.exp, Exp::Trace(..)) { self.around.len() } else { level };
        self.levels.extend(stm.vars.iter().map(|var| (*var, level)));
        let same = self.around.get(level..).unwrap_or_default();
        if same.is_empty() {
            return self.inside(stm);
        }
        let why = mentions.found.iter().find_map(|var| self.whys.get(var)).copied().or_else(|| self.why(stm));
        let around = same.iter().find_map(|span| *span);
        if let (Some(why), Some(around)) = (why, around)
            && (takes_long(&stm.exp) || why != Why::Owned && has_loops(&stm.exp))
        {
            let math = if let Exp::Math(op, ..) = stm.exp { Some(op) } else { None };
            self.found.push(Unmoved { function: self.function, span: stm.span, around, math, why });
        }
        if let Some(why) = why {
            self.whys.extend(stm.vars.iter().map(|var| (*var, why)));
        }
        // Inside, only loops of its own matter.
        let rest = self.around.split_off(level);
        self.inside(stm);
        self.around.extend(rest);
    }

    /// Why a statement stays where it is.
    fn why(&self, stm: &Stm) -> Option<Why> {
        let (mut checks, mut relies, mut endless) = (false, false, false);
        let mut look = |Stm { certs, exp, .. }: &Stm| {
            relies |= !certs.is_empty();
            match exp {
                Exp::Assert { .. } | Exp::Ensure { .. } => checks = true,
                Exp::Call(function, _) => checks |= !self.arithmetic.contains(function),
                Exp::Loop { form: LoopForm::While(_), .. } => endless = true,
                _ => {}
            }
        };
        look(stm);
        stm.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                look(stm);
            }
        });
        let shared = |var: &Var| match self.program.ty(*var) {
            Type::Scalar(_) | Type::Cert => true,
            Type::Array(..) => self.only_read.contains(var),
            Type::Desc(_) | Type::Box(_) => false,
        };
        let reasons = [(checks, Why::Checks), (endless, Why::Endless), (!stm.vars.iter().all(shared), Why::Owned)];
        let first = reasons.into_iter().find(|(holds, _)| *holds).map(|(_, why)| why);
        first.or(relies.then_some(Why::Relies))
    }

    fn inside(&mut self, stm: &Stm) {
        match &stm.exp {
            // What runs where a check has failed, or for sizes that are rare, is not what the program is about.
            Exp::Ensure { .. } => {}
            Exp::Choose(_, one, other) if has_fewer_checks(one, other) => self.block(one),
            Exp::Bulk(bulk) => self.bulk(bulk, stm.span),
            Exp::Loop { params, form, body, .. } => self.turns(Some(stm.span), |finder| {
                finder.bind(params.iter().map(|(param, _)| *param));
                match form {
                    LoopForm::For(var, _) => finder.bind([*var]),
                    LoopForm::While(cond) => finder.block(cond),
                }
                finder.block(body);
            }),
            Exp::Sort(_, region) => self.turns(Some(stm.span), |finder| {
                finder.bind(region.params.iter().copied());
                finder.block(&region.body);
            }),
            exp => {
                let now = self.around.len();
                exp.for_each_part(&mut |part| match part {
                    Part::Bind(var) => _ = self.levels.insert(*var, now),
                    Part::Block(block) => self.block(block),
                    Part::Stm(_) | Part::Atom(_) | Part::Use(_) => {}
                });
            }
        }
    }

    /// A loop with this place.
    fn turns(&mut self, span: Option<Span>, inside: impl FnOnce(&mut Self)) {
        self.around.push(span);
        inside(self);
        self.around.pop();
    }

    /// These variables have another value in each turn of the innermost loop.
    fn bind(&mut self, vars: impl IntoIterator<Item = Var>) {
        let level = self.around.len();
        self.levels.extend(vars.into_iter().map(|var| (var, level)));
    }

    fn bulk(&mut self, bulk: &Bulk, span: Span) {
        let is_recursive = |kind: &Kind| match kind {
            Kind::Gen { rec, .. } | Kind::Update { rec, .. } => !rec.is_empty(),
            Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => false,
        };
        if !bulk.outputs.iter().any(|output| is_recursive(&output.kind)) {
            self.steps(&bulk.steps, span);
        }
    }

    fn steps(&mut self, steps: &[Step], span: Span) {
        for step in steps {
            match step {
                Step::For { var, mark, body, .. } => {
                    let shown = if *mark == Mark::Simd { None } else { Some(span) };
                    self.turns(shown, |finder| {
                        finder.bind([*var]);
                        finder.steps(body, span);
                    });
                }
                Step::Let(stm) => self.stm(stm),
                Step::Guard(_, body) => self.steps(body, span),
                Step::Scan(scan) => {
                    self.block(&scan.value);
                    self.bind(scan.vars.iter().copied());
                }
                Step::Emit(emit) => self.block(&emit.value),
            }
        }
    }
}

/// Whether a computation, or an element of it, may take longer than reading the result.
fn takes_long(exp: &Exp) -> bool {
    match exp {
        Exp::Bulk(bulk) => {
            let reduces = bulk.outputs.iter().any(|output| matches!(output.kind, Kind::Reduce { .. } | Kind::Keep));
            let long = |step: &Step| {
                let mut found = false;
                step.walk(&mut |part| found |= matches!(part, Part::Stm(stm) if takes_long(&stm.exp)));
                found
            };
            has_loops(exp) && reduces || bulk.steps.iter().any(long)
        }
        Exp::Call(..) | Exp::Loop { .. } | Exp::Sort(..) | Exp::SortKeys(_) | Exp::Bin(BinOp::Pow, ..) => true,
        Exp::Math(op, ..) => matches!(effort(*op), Effort::Function),
        _ => false,
    }
}

/// Whether an expression is a form with loops.
fn has_loops(exp: &Exp) -> bool {
    let is_loop = |step: &Step| match step {
        Step::For { .. } => true,
        Step::Guard(_, body) => body.iter().any(|step| matches!(step, Step::For { .. })),
        Step::Let(_) | Step::Scan(_) | Step::Emit(_) => false,
    };
    matches!(exp, Exp::Bulk(bulk) if bulk.steps.iter().any(is_loop))
}
