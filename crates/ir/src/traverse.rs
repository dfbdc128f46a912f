//! Walking Core: one place that knows every part of every expression.
//!
//! A [`Part`] is something that an expression directly has: an atom or variable that it uses, a variable that it binds,
//! a block or statement inside. Parts come in the order of the text form, so that a variable is bound before it is
//! used. [`Block::walk`] visits everything below; the functions with `mut` do the same for rewriting.

use crate::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, LoopForm, Output, Range, Region, Scan, SortKeys, Step, Stm,
    Type, Var, VarInfo,
};
use base::{IdVec, Set};

/// A part of an expression.
#[derive(Debug)]
pub enum Part<'a> {
    /// An operand that may be a constant.
    Atom(&'a Atom),
    /// A variable that is used.
    Use(&'a Var),
    /// A variable that is bound here: parameters, indices, the names of recursive arrays, and what describes one value
    /// of an output.
    Bind(&'a Var),
    /// A block inside.
    Block(&'a Block),
    /// A statement among the steps of a bulk form.
    Stm(&'a Stm),
}

/// A part of an expression, to be changed.
#[derive(Debug)]
pub enum PartMut<'a> {
    /// An operand that may be a constant.
    Atom(&'a mut Atom),
    /// A variable that is used.
    Use(&'a mut Var),
    /// A variable that is bound here.
    Bind(&'a mut Var),
    /// A block inside.
    Block(&'a mut Block),
    /// A statement among the steps of a bulk form.
    Stm(&'a mut Stm),
}

/// The walk, once for reading and once for changing. All patterns are complete: a new field does not compile before it
/// has been thought about here.
macro_rules! walkers {
    ($module:ident, $part:ident, $($mutable:tt)?) => {
        mod $module {
            use super::*;
            use super::$part as Part;

            type F<'f, 'a> = &'f mut dyn FnMut(Part<'a>);

            pub fn exp<'a>(exp: &'a $($mutable)? Exp, f: F<'_, 'a>) {
                match exp {
                    Exp::Atom(a) | Exp::Un(_, _, a) | Exp::Convert(_, _, a) | Exp::DescUniform(a) => f(Part::Atom(a)),
                    Exp::Bin(_, _, a, b) => [a, b].into_iter().for_each(|x| f(Part::Atom(x))),
                    Exp::Select(c, a, b) => [c, a, b].into_iter().for_each(|x| f(Part::Atom(x))),
                    Exp::Math(_, _, args) | Exp::Literal(_, args) | Exp::Call(_, args) | Exp::Trace(_, args) => {
                        atoms(args, f);
                    }
                    Exp::Pack(_, _, parts) => atoms(parts, f),
                    Exp::Open(x, cases) => {
                        f(Part::Use(x));
                        for case in cases {
                            region(case, f);
                        }
                    }
                    Exp::Index(x, at) | Exp::DescLength(x, at) | Exp::DescOffset(x, at) | Exp::DescIndex(x, at) => {
                        f(Part::Use(x));
                        atoms(at, f);
                    }
                    Exp::IndexVector(x, y) | Exp::DescEqual(x, y) => {
                        [x, y].into_iter().for_each(|x| f(Part::Use(x)));
                    }
                    Exp::Slice(x, parts) | Exp::DescSlice(x, parts) => {
                        f(Part::Use(x));
                        ranges(parts, f);
                    }
                    Exp::Rearrange(x, _) | Exp::Reshape(x) | Exp::Copy(x) | Exp::Retype(x) => f(Part::Use(x)),
                    Exp::DescOf(x) | Exp::DescLengths(x) | Exp::SortKeys(SortKeys { keys: x, descending: _, gives: _ }) => f(Part::Use(x)),
                    Exp::Total(all) => dims(all, f),
                    Exp::Unrank { index, shape: whole } | Exp::DescRow(whole, index) => {
                        f(Part::Atom(index));
                        f(Part::Use(whole));
                    }
                    Exp::Assert { cond, site: _, args } => {
                        f(Part::Atom(cond));
                        atoms(args, f);
                    }
                    Exp::Ensure { cond, otherwise } => {
                        f(Part::Atom(cond));
                        f(Part::Block(otherwise));
                    }
                    Exp::If(cond, then, otherwise) | Exp::Choose(cond, then, otherwise) => {
                        f(Part::Atom(cond));
                        f(Part::Block(then));
                        f(Part::Block(otherwise));
                    }
                    Exp::Loop { params, form, turns: _, body } => repetition(params, form, body, f),
                    Exp::Uninit => {}
                    Exp::Bulk(Bulk { outputs, steps: inside, scheduled: _ }) => {
                        for out in outputs {
                            output(out, f);
                        }
                        steps(inside, f);
                    }
                    Exp::Sort(count, order) => {
                        f(Part::Atom(count));
                        region(order, f);
                    }
                }
            }

            /// The variables of a loop, its form, its body.
            fn repetition<'a>(
                params: &'a $($mutable)? [(Var, Atom)],
                form: &'a $($mutable)? LoopForm,
                body: &'a $($mutable)? Block,
                f: F<'_, 'a>,
            ) {
                for (param, init) in params {
                    f(Part::Bind(param));
                    f(Part::Atom(init));
                }
                match form {
                    LoopForm::For(var, bound) => {
                        f(Part::Bind(var));
                        f(Part::Atom(bound));
                    }
                    LoopForm::While(cond) => f(Part::Block(cond)),
                }
                f(Part::Block(body));
            }

            fn output<'a>(output: &'a $($mutable)? Output, f: F<'_, 'a>) {
                let Output { kind, sizes, elems } = output;
                binds(sizes, f);
                binds(elems, f);
                match kind {
                    Kind::Gen { shape, otherwise, coverage, rec } => {
                        dims(shape, f);
                        if let Coverage::Checked { called: Some(called), .. } = coverage {
                            f(Part::Atom(called));
                        }
                        binds(rec, f);
                        if let Some(block) = otherwise {
                            f(Part::Block(block));
                        }
                    }
                    Kind::Update { arrays, skip: _, rec } => {
                        uses(arrays, f);
                        binds(rec, f);
                    }
                    Kind::Accum { arrays, skip: _, op, tree: _ } => {
                        uses(arrays, f);
                        region(op, f);
                    }
                    Kind::Reduce { op, neutral, commutes: _, tree: _ } => {
                        atoms(neutral, f);
                        region(op, f);
                    }
                    Kind::Keep => {}
                }
            }

            pub fn steps<'a>(steps: &'a $($mutable)? [Step], f: F<'_, 'a>) {
                for step in steps {
                    match step {
                        Step::For { var, count, mark: _, body } => {
                            f(Part::Bind(var));
                            f(Part::Atom(count));
                            self::steps(body, f);
                        }
                        Step::Let(stm) => f(Part::Stm(stm)),
                        Step::Guard(cond, body) => {
                            f(Part::Atom(cond));
                            self::steps(body, f);
                        }
                        Step::Scan(Scan { vars, op, neutral, tree: _, value, span: _ }) => {
                            binds(vars, f);
                            atoms(neutral, f);
                            region(op, f);
                            f(Part::Block(value));
                        }
                        Step::Emit(Emit { output: _, at, certs, value, span: _ }) => {
                            uses(certs, f);
                            atoms(at, f);
                            f(Part::Block(value));
                        }
                    }
                }
            }

            fn region<'a>(region: &'a $($mutable)? Region, f: F<'_, 'a>) {
                let Region { params, body } = region;
                binds(params, f);
                f(Part::Block(body));
            }

            fn ranges<'a>(ranges: &'a $($mutable)? [Range], f: F<'_, 'a>) {
                for Range { start, count, stride } in ranges {
                    f(Part::Atom(start));
                    f(Part::Atom(count));
                    f(Part::Atom(stride));
                }
            }

            pub fn dims<'a>(dims: &'a $($mutable)? [Dim], f: F<'_, 'a>) {
                for dim in dims {
                    match dim {
                        Dim::Size(n) => f(Part::Atom(n)),
                        Dim::Jagged(x) | Dim::Shape(x) => f(Part::Use(x)),
                    }
                }
            }

            pub fn atoms<'a>(atoms: &'a $($mutable)? [Atom], f: F<'_, 'a>) {
                for atom in atoms {
                    f(Part::Atom(atom));
                }
            }

            pub fn uses<'a>(vars: &'a $($mutable)? [Var], f: F<'_, 'a>) {
                for var in vars {
                    f(Part::Use(var));
                }
            }

            pub fn binds<'a>(vars: &'a $($mutable)? [Var], f: F<'_, 'a>) {
                for var in vars {
                    f(Part::Bind(var));
                }
            }
        }
    };
}

walkers!(read, Part,);
walkers!(change, PartMut, mut);

/// A list of statements.
pub enum ListMut<'a> {
    /// Of a branch, a loop, a region.
    Block(&'a mut Block),
    /// Of a bulk form.
    Steps(&'a mut Vec<Step>),
}

impl Exp {
    /// Calls `f` on each part.
    pub fn for_each_part<'a>(&'a self, f: &mut dyn FnMut(Part<'a>)) {
        read::exp(self, f);
    }

    /// Calls `f` on each part, to change it.
    pub fn for_each_part_mut<'a>(&'a mut self, f: &mut dyn FnMut(PartMut<'a>)) {
        change::exp(self, f);
    }

    /// Calls `f` on each list of statements directly inside, to change it; values of steps belong to the steps.
    pub fn for_each_list_mut(&mut self, f: &mut dyn FnMut(ListMut<'_>)) {
        let mut steps = match self {
            Exp::Bulk(bulk) => std::mem::take(&mut bulk.steps),
            _ => Vec::new(),
        };
        self.for_each_part_mut(&mut |part| {
            if let PartMut::Block(block) = part {
                f(ListMut::Block(block));
            }
        });
        if let Exp::Bulk(bulk) = self {
            f(ListMut::Steps(&mut steps));
            bulk.steps = steps;
        }
    }

    /// The blocks inside, those of steps included.
    pub fn blocks(&self) -> Vec<&Block> {
        let mut found = Vec::new();
        self.for_each_part(&mut |part| match part {
            Part::Block(block) => found.push(block),
            Part::Stm(stm) => found.extend(stm.exp.blocks()),
            Part::Atom(_) | Part::Use(_) | Part::Bind(_) => {}
        });
        found
    }
}

impl Block {
    /// Puts other statements in the place of each, from the inside out.
    pub fn replace_stms(&mut self, f: &mut dyn FnMut(Stm) -> Vec<Stm>) {
        for stm in std::mem::take(&mut self.stms) {
            self.stms.extend(replaced(stm, f));
        }
    }
}

fn replaced(mut stm: Stm, f: &mut dyn FnMut(Stm) -> Vec<Stm>) -> Vec<Stm> {
    stm.exp.for_each_list_mut(&mut |list| match list {
        ListMut::Block(block) => block.replace_stms(f),
        ListMut::Steps(steps) => replace_in_steps(steps, f),
    });
    f(stm)
}

fn replace_in_steps(steps: &mut Vec<Step>, f: &mut dyn FnMut(Stm) -> Vec<Stm>) {
    for mut step in std::mem::take(steps) {
        match &mut step {
            Step::For { body, .. } | Step::Guard(_, body) => replace_in_steps(body, f),
            Step::Let(_) => {}
            Step::Scan(scan) => {
                scan.op.body.replace_stms(f);
                scan.value.replace_stms(f);
            }
            Step::Emit(emit) => emit.value.replace_stms(f),
        }
        match step {
            Step::Let(stm) => steps.extend(replaced(stm, f).into_iter().map(Step::Let)),
            other => steps.push(other),
        }
    }
}

impl Stm {
    /// Calls `f` on each part of the statement: what it binds, its certificates, the parts of its expression.
    pub fn for_each_part<'a>(&'a self, f: &mut dyn FnMut(Part<'a>)) {
        let Stm { vars, certs, exp, span: _ } = self;
        read::binds(vars, f);
        read::uses(certs, f);
        read::exp(exp, f);
    }

    /// Calls `f` on each part of the statement, to change it.
    pub fn for_each_part_mut<'a>(&'a mut self, f: &mut dyn FnMut(PartMut<'a>)) {
        let Stm { vars, certs, exp, span: _ } = self;
        change::binds(vars, f);
        change::uses(certs, f);
        change::exp(exp, f);
    }

    /// Calls `f` on everything in the statement, at any depth.
    pub fn walk(&self, f: &mut dyn FnMut(Part<'_>)) {
        self.for_each_part(&mut |part| walk_part(part, f));
    }

    /// Calls `f` on every atom and variable in the statement, at any depth, to change it.
    pub fn walk_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        self.for_each_part_mut(&mut |part| walk_part_mut(part, f));
    }
}

impl crate::Step {
    /// Calls `f` on everything in the step, at any depth.
    pub fn walk(&self, f: &mut dyn FnMut(Part<'_>)) {
        read::steps(std::slice::from_ref(self), &mut |part| walk_part(part, f));
    }

    /// All variables that are bound in steps, at any depth.
    pub fn bound_in<'s>(steps: impl IntoIterator<Item = &'s Self>) -> Set<Var> {
        let mut found = Set::default();
        for step in steps {
            step.walk(&mut |part| {
                if let Part::Bind(var) = part {
                    found.insert(*var);
                }
            });
        }
        found
    }
}

impl Block {
    /// Calls `f` on each part: the statements, then the results.
    pub fn for_each_part<'a>(&'a self, f: &mut dyn FnMut(Part<'a>)) {
        let Block { stms, result } = self;
        stms.iter().for_each(|stm| f(Part::Stm(stm)));
        read::atoms(result, f);
    }

    /// Calls `f` on each part, to change it.
    pub fn for_each_part_mut<'a>(&'a mut self, f: &mut dyn FnMut(PartMut<'a>)) {
        let Block { stms, result } = self;
        stms.iter_mut().for_each(|stm| f(PartMut::Stm(stm)));
        change::atoms(result, f);
    }

    /// Calls `f` on everything in the block, at any depth; on blocks and statements before what is in them.
    pub fn walk(&self, f: &mut dyn FnMut(Part<'_>)) {
        self.for_each_part(&mut |part| walk_part(part, f));
    }

    /// Calls `f` on every atom and variable in the block, at any depth, to change it.
    pub fn walk_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        self.for_each_part_mut(&mut |part| walk_part_mut(part, f));
    }

    /// Calls `f` for every statement, those inside of others included.
    pub fn for_each_stm_mut(&mut self, f: &mut dyn FnMut(&mut Stm)) {
        self.for_each_part_mut(&mut |part| each_stm_mut(part, f));
    }

    /// All variables that are bound in the block, at any depth, in order.
    pub fn bound(&self) -> Vec<Var> {
        let mut found = Vec::new();
        self.walk(&mut |part| {
            if let Part::Bind(var) = part {
                found.push(*var);
            }
        });
        found
    }

    /// The variables that the block uses and does not bind, also through the types of what it binds.
    pub fn free(&self, vars: &IdVec<Var, VarInfo>) -> Set<Var> {
        let (mut used, mut bound) = (Set::default(), Set::default());
        self.walk(&mut |part| match part {
            Part::Atom(Atom::Var(var)) | Part::Use(var) => {
                used.insert(*var);
            }
            Part::Bind(var) => {
                bound.insert(*var);
                vars[*var].ty.for_each_var(&mut |var| {
                    used.insert(var);
                });
            }
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
        });
        used.retain(|var| !bound.contains(var));
        used
    }
}

fn each_stm_mut(part: PartMut<'_>, f: &mut dyn FnMut(&mut Stm)) {
    match part {
        PartMut::Block(block) => block.for_each_stm_mut(f),
        PartMut::Stm(stm) => {
            f(stm);
            stm.for_each_part_mut(&mut |part| each_stm_mut(part, f));
        }
        PartMut::Atom(_) | PartMut::Use(_) | PartMut::Bind(_) => {}
    }
}

fn walk_part(part: Part<'_>, f: &mut dyn FnMut(Part<'_>)) {
    match part {
        Part::Block(block) => {
            f(Part::Block(block));
            block.walk(f);
        }
        Part::Stm(stm) => {
            f(Part::Stm(stm));
            stm.walk(f);
        }
        Part::Atom(_) | Part::Use(_) | Part::Bind(_) => f(part),
    }
}

fn walk_part_mut(part: PartMut<'_>, f: &mut dyn FnMut(PartMut<'_>)) {
    match part {
        PartMut::Block(block) => block.walk_mut(f),
        PartMut::Stm(stm) => stm.walk_mut(f),
        PartMut::Atom(_) | PartMut::Use(_) | PartMut::Bind(_) => f(part),
    }
}

impl Type {
    /// Calls `f` on each variable that the type mentions.
    pub fn for_each_var(&self, f: &mut dyn FnMut(Var)) {
        read::dims(self.dims(), &mut |part| match part {
            Part::Atom(Atom::Var(var)) | Part::Use(var) => f(*var),
            Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
        });
    }

    /// Calls `f` on the parts of each dimension, to change it.
    pub fn for_each_part_mut<'a>(&'a mut self, f: &mut dyn FnMut(PartMut<'a>)) {
        match self {
            Type::Array(_, dims) | Type::Desc(dims) => change::dims(dims, f),
            Type::Scalar(_) | Type::Cert | Type::Box(_) => {}
        }
    }
}
