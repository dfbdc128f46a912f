//! What the pass knows while it runs: the program under construction, the values of names, and what was made already.

use crate::data::form::Form;
use crate::data::types::{Mono, Sig};
use crate::data::value::{Env, Val};
use base::{Diagnostic, FileId, IdVec, Map, Name, Set, Span};
use fault::Call;
use ir::build::Builder;
use ir::{BoxId, FunId, Limitation, Region, Var};
use std::rc::Rc;
use typed::recursion::Recursion;
use typed::{DefId, Program};

/// What stops the pass: something that the compiler cannot translate, with the reason.
pub(crate) type Made<T> = Result<T, Box<Diagnostic>>;

pub(crate) struct Desugar<'t> {
    pub typed: &'t Program,
    pub library: &'t Set<FileId>,
    pub b: Builder,
    pub env: Rc<Env<'t>>,
    /// Calls that are being unfolded: the definition's name and where it is called.
    pub calls: Vec<(Name, Span)>,
    /// The active calls at each call of a function of Core, by the first of its results.
    pub chains: Map<ir::Var, Vec<Call>>,
    /// What calls are called at run time.
    pub call_numbers: Map<Call, u16>,
    /// The calls that led to the function that is being made; none if nothing in the program calls it.
    pub word: Option<Word>,
    pub instances: Map<Key, Instance<'t>>,
    /// The functions of Core that are made, and print nothing.
    pub silent: Set<FunId>,
    /// How many instances each definition has.
    pub instance_counts: Map<DefId, usize>,
    pub recursion: Recursion<'t>,
    pub constants: Map<DefId, Constant<'t>>,
    /// The variables of constants, which are visible everywhere.
    pub global_vars: Set<ir::Var>,
    /// Names of recursive arrays: they can be indexed and sliced, and nothing else.
    pub rec_vars: Map<ir::Var, RecVar>,
    /// The forms of the elements of recursive arrays that have parts of unknown rank, by their first variable.
    pub rec_boxes: Map<ir::Var, Form>,
    /// Vectors that run through a shape: each is inside of it.
    pub multi_indices: Map<ir::Var, ir::Var>,
    /// Functions in boxes.
    pub boxes: Boxes<'t>,
    /// The definitions of which instances are being made, the innermost last.
    pub making: Vec<DefId>,
    /// The arrays among the arguments of the call whose parameters are being bound: messages show them.
    pub given: Option<Given<'t>>,
    /// The value that is being matched against a type, of which parts are looked at: messages show the whole.
    pub whole: Option<Val<'t>>,
    /// The entry point whose parameters are being bound.
    pub entry: Option<Name>,
}

/// Arguments of a call.
#[derive(Clone)]
pub(crate) struct Given<'t> {
    /// The function.
    pub name: Name,
    /// The arrays, with the names of their parameters.
    pub arrays: Vec<(Name, Val<'t>)>,
}

impl<'t> Desugar<'t> {
    pub fn new(typed: &'t Program, library: &'t Set<FileId>) -> Desugar<'t> {
        Desugar {
            typed,
            library,
            b: Builder::default(),
            env: Rc::new(Env::default()),
            calls: Vec::new(),
            chains: Map::default(),
            call_numbers: Map::default(),
            word: None,
            instances: Map::default(),
            silent: Set::default(),
            instance_counts: Map::default(),
            recursion: Recursion::new(typed),
            constants: Map::default(),
            global_vars: Set::default(),
            rec_vars: Map::default(),
            rec_boxes: Map::default(),
            multi_indices: Map::default(),
            boxes: Boxes::default(),
            making: Vec::new(),
            given: None,
            whole: None,
            entry: None,
        }
    }

    /// Gives a name a value.
    pub(crate) fn set(&mut self, local: typed::LocalId, val: Val<'t>) {
        Rc::make_mut(&mut self.env).vals.insert(local, val);
    }

    /// Forgets a name, so that it can be bound anew.
    pub(crate) fn unset(&mut self, local: typed::LocalId) {
        Rc::make_mut(&mut self.env).forget(local);
    }

    /// Runs `f`: its statements and checks stand at this place.
    pub(crate) fn at<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.b.span, span);
        let made = f(self);
        self.b.span = outer;
        made
    }

    /// Runs `f`: its statements rely on these checks.
    pub(crate) fn under<T>(&mut self, certs: &[ir::Var], f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.b.rely_on(certs.to_vec());
        let made = f(self);
        self.b.rely_on(outer);
        made
    }

    /// Runs `f` in an environment.
    pub(crate) fn in_env<T>(&mut self, env: Rc<Env<'t>>, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.env, env);
        let made = f(self);
        self.env = outer;
        made
    }

    /// Runs `f`, whose statements become a block.
    pub(crate) fn block<T>(&mut self, f: impl FnOnce(&mut Self) -> Made<T>) -> Made<(Vec<ir::Stm>, T)> {
        self.b.open();
        let made = f(self);
        let stms = self.b.close();
        Ok((stms, made?))
    }

    /// Runs `f`, whose statements are added to a block.
    pub(crate) fn block_after<T>(
        &mut self,
        stms: Vec<ir::Stm>,
        f: impl FnOnce(&mut Self) -> Made<T>,
    ) -> Made<(Vec<ir::Stm>, T)> {
        self.block(|d| {
            stms.into_iter().for_each(|stm| d.b.push(stm));
            f(d)
        })
    }

    /// The error for what the compiler cannot translate.
    pub(crate) fn unsupported<T>(&self, what: Limitation) -> Made<T> {
        Err(Box::new(what.diagnostic(self.b.span)))
    }
}

/// The calls that led to the function that is being made, as one of its parameters (see `functions::callers`).
#[derive(Clone, Copy)]
pub(crate) struct Word {
    pub param: Var,
    /// Whether the last of them may be one of the function's own.
    pub recursive: bool,
}

/// What distinguishes instances.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub def: DefId,
    pub structure: String,
    /// Where a definition of the library was called from: its checks are shown there.
    pub call: Option<Span>,
}

/// A function made from a definition.
#[derive(Clone)]
pub(crate) struct Instance<'t> {
    pub fun: FunId,
    pub params: Vec<Var>,
    /// What it gives, made of constants, parameters and the variables of its results.
    pub result: Val<'t>,
}

/// A constant definition: the function that computes it and the variables that mean its value everywhere.
pub(crate) struct Constant<'t> {
    pub fun: FunId,
    pub vars: Vec<Var>,
    pub val: Val<'t>,
}

/// All boxes of a program.
#[derive(Default)]
pub(crate) struct Boxes<'t> {
    pub kinds: IdVec<BoxId, FunKind<'t>>,
    pub by_type: Map<String, BoxId>,
    pub appliers: Vec<Applier<'t>>,
    pub by_place: Map<(BoxId, usize, Span, Option<Span>), usize>,
}

/// The functions of a type that are in boxes.
pub(crate) struct FunKind<'t> {
    pub sig: Rc<Sig>,
    /// The atoms of a function are the components of the case. None stands in the place of a function that is not there.
    pub cases: Vec<Option<Val<'t>>>,
    pub by_structure: Map<String, usize>,
}

/// A function of Core that applies boxes.
pub(crate) struct Applier<'t> {
    pub kind: BoxId,
    pub fun: FunId,
    /// The box that it gets.
    pub of: Var,
    pub params: Vec<Form>,
    pub args: Vec<Val<'t>>,
    pub ret: Mono,
    pub result: Form,
    pub span: Span,
    pub calls: Vec<(Name, Span)>,
    pub word: Word,
    /// What it does with each case, as far as that is made.
    pub cases: Vec<Region>,
}

/// What is known of the name of a recursive array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecVar {
    /// How many indices lead to an element that is computed at once.
    pub cells: usize,
    /// Whether such elements must be read one by one, because they differ in size.
    pub one_by_one: bool,
}
