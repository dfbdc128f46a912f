//! Moves what does not change out of loops (thesis of Henriksen, chapter 6).
//!
//! ```text
//! for i < n {                                   let s: f64 = bulk { out reduce .. }
//!   for j < m {                                 for i < n {
//!     emit [i, j] {                               let y: f64 = ys[i]
//!       let s: f64 = bulk { out reduce .. } =>    for j < m {
//!       let y: f64 = ys[i]                          emit [i, j] { .. => y / s }
//!       .. => y / s                               }
//!     }                                         }
//!   }
//! }
//! ```
//!
//! A statement moves to just outside of the outermost loop in which nothing that it uses changes: out of `for` steps,
//! sequential loops, the operators of reductions, orders of `sort`. It moves through branches and guards on the way, but
//! never out of one alone. Equal statements of several loops then stand in one block, where `simplify` merges them.
//!
//! What both branches of an `if` compute moves before it first ([`branches`]).
//!
//! Limits. A loop may have no turns, so only what cannot fail moves: no check, calls only of functions that do nothing but
//! compute with scalars, and reads only where every index is a constant or the index of a loop with as many turns as the
//! array has elements there, perhaps because a check says so ([`movable`]). That an extent is not negative must be known before the
//! loop: another array has it, or a check says so. A form that makes an array moves only if the
//! array is read element by element and never consumed: otherwise iterations would share memory that each of them owns. Nothing moves past a consumption, because everything moves forward only.
//!
//! One walk from the inside out: for each statement, the set of nesting depths at which the variables it uses are bound.

mod branches;
mod movable;

use base::{Map, Name, Set, Span};
use ir::traverse::Part;
use ir::{
    Atom, Block, Bulk, Exp, FunId, Kind, LoopForm, Program, Region, Remark, Step, Stm, Topic, Type, Var, VarInfo,
};
use movable::Movable;
use scalar::{BinOp, Prim};

/// Moves invariant statements out of the loops of all functions.
pub fn hoist(program: &mut Program) {
    let arithmetic = ir::calls::arithmetic(program);
    for fun in program.functions.ids() {
        share_branches(program, fun);
        let original = program.functions[fun].body.clone();
        let mut moved = hoisted(program, &arithmetic, fun, &original, true);
        // Nobody may see any more that an index is a remainder: then divisions stay.
        if moved.divisions && ir::verify::broken(program, fun).is_some() {
            moved = hoisted(program, &arithmetic, fun, &original, false);
        }
        for span in moved.forms {
            let text = "this does not change in the loop around it, so it is computed once before the loop";
            program.functions[fun].remark(Remark::done(Topic::Hoisted, span, text));
        }
    }
}

/// Computes once what both branches of an `if` compute.
fn share_branches(program: &mut Program, fun: FunId) {
    let original = program.functions[fun].body.clone();
    for reads in [true, false] {
        let mut body = original.clone();
        let shared = branches::share(program, &mut body, reads);
        program.functions[fun].body = body;
        // The condition may be what says that an index is in bounds: then reads stay.
        if !reads || ir::verify::broken(program, fun).is_none() {
            for span in shared {
                let text = "both branches compute this, so it is computed once before them";
                program.functions[fun].remark(Remark::done(Topic::Hoisted, span, text));
            }
            break;
        }
    }
}

/// Gives a function this body with its invariant statements moved out of loops.
fn hoisted(program: &mut Program, arithmetic: &Set<FunId>, fun: FunId, body: &Block, divisions: bool) -> Moved {
    let mut body = body.clone();
    let mut hoist = Hoist::new(program, arithmetic, fun, &body);
    hoist.may_divide = divisions;
    hoist.block(&mut body, Scope::Once);
    let moved = hoist.moved;
    program.functions[fun].body = body;
    moved
}

/// What moved.
#[derive(Default)]
struct Moved {
    /// The places of forms, for people.
    forms: Vec<Span>,
    /// Whether there were divisions by what may be zero.
    divisions: bool,
}

/// How often the statements of a list run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    /// Once where the list stands, or not at all.
    Once,
    /// Once: the steps of a bulk form.
    Form,
    /// Any number of times.
    Loop,
}

/// A set of nesting depths. Depths beyond the last bit stay where they are.
type Depths = u64;
const DEEPEST: usize = 63;

/// What is known about part of a program.
#[derive(Clone, Copy, Default)]
struct Info {
    /// The depths at which the variables that it uses are bound.
    uses: Depths,
    /// Whether it must stay where it is: it may fail, print, or rely on what holds only there.
    stays: bool,
}

impl Info {
    fn add(&mut self, other: Info) {
        self.uses |= other.uses;
        self.stays |= other.stays;
    }
}

struct Hoist<'p> {
    program: &'p mut Program,
    movable: Movable,
    /// How deep each variable is bound.
    depths: Map<Var, usize>,
    /// Names of recursive arrays that are being made.
    recursive: Set<Var>,
    /// The lists around the current statement, the innermost last; list `k` has depth `k + 1`.
    scopes: Vec<Open>,
    /// Whether divisions by what may be zero move.
    may_divide: bool,
    moved: Moved,
}

/// A list being walked.
struct Open {
    scope: Scope,
    /// Statements that move to before the current one.
    arrived: Vec<Stm>,
}

impl<'p> Hoist<'p> {
    fn new(program: &'p mut Program, arithmetic: &Set<FunId>, fun: FunId, body: &Block) -> Hoist<'p> {
        let params = &program.functions[fun].params;
        let movable = Movable::new(program, arithmetic, params, body);
        let depths = params.iter().map(|param| (*param, 0)).collect();
        Hoist {
            program,
            movable,
            depths,
            recursive: Set::default(),
            scopes: Vec::new(),
            may_divide: true,
            moved: Moved::default(),
        }
    }

    fn enter(&mut self, scope: Scope) {
        self.scopes.push(Open { scope, arrived: Vec::new() });
    }

    /// Leaves a list. What it used inside of itself is of no interest outside.
    fn leave(&mut self, mut info: Info) -> Info {
        self.scopes.pop();
        info.uses &= up_to(self.scopes.len());
        info
    }

    fn bind(&mut self, vars: &[Var]) {
        let depth = self.scopes.len();
        self.depths.extend(vars.iter().map(|var| (*var, depth)));
        self.movable.bind(self.program, vars, depth);
    }

    fn use_of(&self, var: Var) -> Info {
        // What has no depth is bound in the same statement.
        let uses = self.depths.get(&var).map_or(0, |depth| 1 << (*depth).min(DEEPEST));
        // Elements of recursive arrays are requested where values need them.
        Info { uses, stays: self.recursive.contains(&var) || self.program.vars[var].pending.is_some() }
    }

    fn atoms<'a>(&self, atoms: impl IntoIterator<Item = &'a Atom>) -> Info {
        let mut info = Info::default();
        atoms.into_iter().filter_map(|atom| atom.var()).for_each(|var| info.add(self.use_of(var)));
        info
    }

    /// What the types of variables mention.
    fn types(&self, vars: &[Var]) -> Info {
        let mut info = Info::default();
        for var in vars {
            self.program.ty(*var).for_each_var(&mut |used| info.add(self.use_of(used)));
        }
        info
    }

    fn block(&mut self, block: &mut Block, scope: Scope) -> Info {
        self.enter(scope);
        let mut info = Info::default();
        for stm in std::mem::take(&mut block.stms) {
            let (kept, own) = self.stm(stm);
            block.stms.append(&mut self.arrived());
            block.stms.extend(kept);
            info.add(own);
        }
        info.add(self.atoms(&block.result));
        self.leave(info)
    }

    fn arrived(&mut self) -> Vec<Stm> {
        self.scopes.last_mut().map(|open| std::mem::take(&mut open.arrived)).unwrap_or_default()
    }

    /// Looks at a statement: it stays, or moves out and is gone here.
    fn stm(&mut self, mut stm: Stm) -> (Option<Stm>, Info) {
        if let Some(moved) = self.division(&stm) {
            return (None, moved);
        }
        let around = self.movable.rely_on(&stm.certs);
        let mut info = self.inside(&mut stm.exp);
        let reasons = self.movable.reasons(self.program, &stm.exp);
        stm.certs.extend(reasons.into_iter().filter(|cert| !stm.certs.contains(cert)).collect::<Vec<_>>());
        info.stays |= !self.movable.may_leave(self.program, &stm.exp);
        self.movable.forget(around);
        info.add(self.types(&stm.vars));
        stm.certs.iter().for_each(|cert| info.add(self.use_of(*cert)));
        let target = if info.stays { None } else { self.target(info.uses) };
        match target.filter(|_| self.movable.results_may_leave(self.program, &stm)) {
            Some(depth) => {
                if matches!(stm.exp, Exp::Bulk(_) | Exp::SortKeys(_) | Exp::Loop { .. } | Exp::Call(..)) {
                    self.moved.forms.push(stm.span);
                }
                self.depths.extend(stm.vars.iter().map(|var| (*var, depth)));
                self.movable.bind(self.program, &stm.vars, depth);
                self.scopes[depth - 1].arrived.push(stm);
                (None, info)
            }
            None => {
                self.bind(&stm.vars);
                (Some(stm), info)
            }
        }
    }

    /// A division that does not change in a loop moves out although its divisor may be zero if the loop has no turns: then it
    /// divides by one. Where a check says that the divisor is not zero, the check needs the division: without it, nothing
    /// would use the check.
    fn division(&mut self, stm: &Stm) -> Option<Info> {
        let Exp::Bin(op, prim, a, divisor) = stm.exp else { return None };
        if !self.may_divide || !stm.certs.is_empty() || !movable::may_divide_by_zero(&stm.exp) {
            return None;
        }
        let info = self.atoms([&a, &divisor]);
        let depth = if info.stays { None } else { self.target(info.uses) }?;
        let mut new = |ty: Type, exp: Exp| {
            let var = self.program.vars.push(VarInfo::new(Name::new("d"), ty));
            (Atom::Var(var), Stm { vars: vec![var], certs: Vec::new(), exp, span: stm.span })
        };
        let zero = Atom::Const(prim.zero());
        let (is_zero, test) = new(Type::Scalar(Prim::Bool), Exp::Bin(BinOp::Eq, prim, divisor, zero));
        let one = Atom::Const(prim.one());
        let (safe, choice) = new(Type::Scalar(prim), Exp::Select(is_zero, one, divisor));
        let division = Stm { certs: Vec::new(), exp: Exp::Bin(op, prim, a, safe), ..stm.clone() };
        self.moved.divisions = true;
        for moved in [test, choice, division] {
            self.depths.extend(moved.vars.iter().map(|var| (*var, depth)));
            self.scopes[depth - 1].arrived.push(moved);
        }
        Some(info)
    }

    /// The depth of the list to which a statement moves that uses what is bound at these depths: the outermost one around a
    /// loop. Where it is now is none.
    fn target(&self, uses: Depths) -> Option<usize> {
        let lowest = (Depths::BITS - uses.leading_zeros()).saturating_sub(1).max(1) as usize;
        let now = self.scopes.len();
        let depth = (lowest..now.min(DEEPEST)).find(|depth| self.scopes[*depth].scope == Scope::Loop)?;
        // Steps before the loops of a form hide that it is only loops.
        let out_of_form = lowest < depth && self.scopes[depth - 1].scope == Scope::Form;
        Some(if out_of_form { depth - 1 } else { depth })
    }

    /// Looks at what is inside of an expression.
    fn inside(&mut self, exp: &mut Exp) -> Info {
        match exp {
            Exp::Bulk(bulk) => self.bulk(bulk),
            Exp::Loop { params, form, body, .. } => {
                let mut info = self.atoms(params.iter().map(|(_, init)| init));
                let params: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
                match form {
                    LoopForm::For(var, bound) => {
                        info.add(self.atoms([&*bound]));
                        self.movable.index(*var, *bound);
                        info.add(self.region(&[&params[..], &[*var]].concat(), body, Scope::Loop));
                    }
                    LoopForm::While(cond) => {
                        info.add(self.region(&params, cond, Scope::Loop));
                        info.add(self.region(&params, body, Scope::Loop));
                    }
                }
                info
            }
            Exp::Sort(count, Region { params, body }) => {
                let mut info = self.atoms([&*count]);
                info.add(self.region(&params.clone(), body, Scope::Loop));
                info
            }
            exp => self.plain(exp),
        }
    }

    /// An expression whose blocks run at most once.
    fn plain(&mut self, exp: &mut Exp) -> Info {
        let (mut info, mut bound) = (Info::default(), Vec::new());
        exp.for_each_part(&mut |part| match part {
            Part::Atom(atom) => info.add(self.atoms([atom])),
            Part::Use(var) => info.add(self.use_of(*var)),
            Part::Bind(var) => bound.push(*var),
            Part::Block(_) | Part::Stm(_) => {}
        });
        exp.for_each_list_mut(&mut |list| {
            if let ir::traverse::ListMut::Block(block) = list {
                info.add(self.region(&bound, block, Scope::Once));
            }
        });
        info
    }

    /// A block with parameters, which are bound as deep as its statements.
    fn region(&mut self, params: &[Var], block: &mut Block, scope: Scope) -> Info {
        let depth = self.scopes.len() + 1;
        self.depths.extend(params.iter().map(|param| (*param, depth)));
        self.movable.bind(self.program, params, depth);
        let mut info = self.types(params);
        info.uses &= up_to(depth - 1);
        info.add(self.block(block, scope));
        info
    }

    fn bulk(&mut self, bulk: &mut Bulk) -> Info {
        let mut info = Info::default();
        for output in &mut bulk.outputs {
            info.add(self.types(&[&output.sizes[..], &output.elems].concat()));
            match &mut output.kind {
                Kind::Gen { shape, otherwise, coverage: _, rec } => {
                    self.recursive.extend(&*rec);
                    info.add(self.dims(shape));
                    if let Some(value) = otherwise {
                        info.add(self.block(value, Scope::Loop));
                    }
                }
                Kind::Update { arrays, rec, .. } => {
                    self.recursive.extend(&*rec);
                    arrays.iter().for_each(|array| info.add(self.use_of(*array)));
                }
                Kind::Accum { arrays, op, .. } => {
                    arrays.iter().for_each(|array| info.add(self.use_of(*array)));
                    info.add(self.region(&op.params.clone(), &mut op.body, Scope::Loop));
                }
                Kind::Reduce { op, neutral, .. } => {
                    info.add(self.atoms(&*neutral));
                    info.add(self.region(&op.params.clone(), &mut op.body, Scope::Loop));
                }
                Kind::Keep => {}
            }
        }
        info.add(self.steps(&mut bulk.steps, Scope::Form));
        match self.movable.stores_in_bounds(bulk) {
            Some(depths) => depths.into_iter().for_each(|depth| info.uses |= 1 << depth.min(DEEPEST)),
            None => info.stays = true,
        }
        info
    }

    fn dims(&self, dims: &[ir::Dim]) -> Info {
        let mut info = Info::default();
        Type::Desc(dims.to_vec()).for_each_var(&mut |used| info.add(self.use_of(used)));
        info
    }

    fn steps(&mut self, steps: &mut Vec<Step>, scope: Scope) -> Info {
        self.enter(scope);
        let mut info = Info::default();
        for step in std::mem::take(steps) {
            let (kept, own) = self.step(step);
            steps.extend(self.arrived().into_iter().map(Step::Let));
            steps.extend(kept);
            info.add(own);
        }
        self.leave(info)
    }

    fn step(&mut self, step: Step) -> (Option<Step>, Info) {
        match step {
            Step::For { var, count, mark, mut body } => {
                let mut info = self.atoms([&count]);
                self.depths.insert(var, self.scopes.len() + 1);
                self.movable.index(var, count);
                info.add(self.steps(&mut body, Scope::Loop));
                (Some(Step::For { var, count, mark, body }), info)
            }
            Step::Guard(cond, mut body) => {
                let mut info = self.atoms([&cond]);
                info.add(self.steps(&mut body, Scope::Once));
                (Some(Step::Guard(cond, body)), info)
            }
            Step::Let(stm) => {
                let (kept, info) = self.stm(stm);
                (kept.map(Step::Let), info)
            }
            Step::Scan(mut scan) => {
                let mut info = self.atoms(&scan.neutral);
                info.add(self.region(&scan.op.params.clone(), &mut scan.op.body, Scope::Loop));
                info.add(self.block(&mut scan.value, Scope::Once));
                self.bind(&scan.vars);
                (Some(Step::Scan(scan)), info)
            }
            Step::Emit(mut emit) => {
                let mut info = self.atoms(&emit.at);
                emit.certs.iter().for_each(|cert| info.add(self.use_of(*cert)));
                let around = self.movable.rely_on(&emit.certs);
                info.add(self.block(&mut emit.value, Scope::Once));
                self.movable.forget(around);
                (Some(Step::Emit(emit)), info)
            }
        }
    }
}

/// All depths up to this one.
fn up_to(depth: usize) -> Depths {
    if depth >= DEEPEST { Depths::MAX } else { (1 << (depth + 1)) - 1 }
}
