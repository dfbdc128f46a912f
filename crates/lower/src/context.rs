//! What is known while a program is lowered: where its variables live, and the program under construction.

use crate::Low;
use crate::expr;
use crate::function::Convention;
use crate::mentions::{Mentions, Outside};
use crate::rep::{Array, Desc, Rep};
use crate::scope::Scope;
use crate::vector;
use base::{Map, Name, Set, Span};
use ir::{Atom, FunId, Limitation, Var};
use kernel::{Expr, Stm, Type, Var as K, VarInfo};
use scalar::Prim;
use std::rc::Rc;

/// The state of lowering.
pub(crate) struct Lower<'p> {
    /// The program that is lowered.
    pub src: &'p ir::Program,
    /// The program that comes out.
    pub out: kernel::Program,
    /// Where Core variables live.
    pub reps: Map<Var, Rep>,
    /// Elements of vectors that are known one by one; they may lie in memory as well.
    pub known: Map<Var, Vec<Expr>>,
    /// Vectors that something needs in memory.
    pub memory: Set<Var>,
    /// Open blocks of statements.
    pub scopes: Vec<Scope>,
    /// The Core variables that refer to a buffer.
    pub users: Map<K, Vec<Var>>,
    /// For a buffer, another one that may be the same memory.
    pub alias: Map<K, K>,
    /// How often classes of buffers from before [`Lower::alias_mark`] were merged.
    pub alias_merges: usize,
    /// See [`Lower::alias_merges`].
    pub alias_mark: u32,
    /// Whether statements go into the body of a parallel loop.
    pub in_parallel: bool,
    /// Where a variable's array should be made.
    pub hints: Map<Var, Array>,
    /// Recursive arrays under construction.
    pub recs: Map<Var, crate::bulk::rec::RecArray>,
    /// Buffers that are boxes: what they refer to may be any memory.
    pub boxes: Set<K>,
    /// Whether a stop may leave the function at hand.
    pub may_stop: bool,
    /// The depth of the innermost recursive bulk form around.
    pub rec_depth: Option<kernel::Expr>,
    /// The place in the source of the statement at hand.
    pub span: Span,
    /// What statements with blocks inside mention of the world around them.
    pub outside: Rc<Outside>,
    /// How functions are called.
    pub conventions: Map<FunId, Convention>,
}

impl<'p> Lower<'p> {
    /// Nothing lowered yet.
    pub fn new(src: &'p ir::Program) -> Self {
        let span = src.functions.values().next().map_or(Span::new(base::FileId(0), 0, 0), |f| f.span);
        Lower {
            src,
            out: kernel::Program::default(),
            reps: Map::default(),
            known: Map::default(),
            memory: vector::needing_memory(src),
            scopes: Vec::new(),
            users: Map::default(),
            alias: Map::default(),
            alias_merges: 0,
            alias_mark: 0,
            in_parallel: false,
            hints: Map::default(),
            recs: Map::default(),
            boxes: Set::default(),
            may_stop: false,
            rec_depth: None,
            span,
            outside: Rc::new(Outside::new(src)),
            conventions: Map::default(),
        }
    }

    /// The finished program.
    pub fn finish(self) -> kernel::Program {
        self.out
    }

    /// An error that names a construct.
    pub fn unsupported<T>(&self, what: Limitation) -> Low<T> {
        Err(Box::new(what.diagnostic(self.span)))
    }

    /// Collects mentions.
    pub fn mentions(&self) -> Mentions<'p> {
        Mentions::new(self.src)
    }

    /// A new Kernel variable, not declared yet.
    pub fn fresh(&mut self, name: &str, ty: Type) -> K {
        self.out.vars.push(VarInfo { name: Name::new(name), ty })
    }

    /// Adds a statement to the innermost block.
    pub fn emit(&mut self, stm: Stm) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.stms.push(stm);
        }
    }

    /// Declares a scalar without a value.
    pub fn declare(&mut self, name: &str, prim: Prim) -> K {
        let k = self.fresh(name, Type::Scalar(prim));
        self.emit(Stm::Declare(k));
        k
    }

    /// Declares a buffer that refers to nothing.
    pub fn declare_buffer(&mut self, name: &str, prim: Prim) -> K {
        let k = self.fresh(name, Type::Buffer(prim));
        self.emit(Stm::Declare(k));
        k
    }

    /// Declares an `i64` that changes later.
    pub fn variable(&mut self, name: &str, value: Expr) -> K {
        let k = self.declare(name, Prim::I64);
        self.emit(Stm::Set(k, value));
        k
    }

    /// Gives a scalar a name, unless it is one or a constant.
    pub fn name(&mut self, name: &str, prim: Prim, value: Expr) -> Expr {
        if expr::is_atom(&value) {
            return value;
        }
        let k = self.fresh(name, Type::Scalar(prim));
        self.emit(Stm::Let(k, value));
        Expr::Var(k)
    }

    /// Gives an `i64` a name.
    pub fn name_int(&mut self, name: &str, value: Expr) -> Expr {
        self.name(name, Prim::I64, value)
    }

    /// Gives a scalar a name of its own, which keeps its value when variables in `value` change.
    pub fn snapshot(&mut self, name: &str, prim: Prim, value: Expr) -> Expr {
        if matches!(value, Expr::Const(_)) {
            return value;
        }
        let k = self.fresh(name, Type::Scalar(prim));
        self.emit(Stm::Let(k, value));
        Expr::Var(k)
    }

    /// New memory, owned by the innermost block.
    pub fn alloc(&mut self, name: &str, prim: Prim, count: Expr) -> K {
        let buffer = self.declare_buffer(name, prim);
        let span = self.span;
        self.emit(Stm::Alloc { buffer, count, span });
        self.own(buffer);
        buffer
    }

    /// The element type of a buffer.
    pub fn prim_of(&self, buffer: K) -> Prim {
        match self.out.vars[buffer].ty {
            Type::Scalar(prim) | Type::Buffer(prim) => prim,
        }
    }

    /// Whether two buffers from elsewhere may be the same memory: boxes may hold any.
    pub fn may_be_same(&self, a: K, b: K) -> bool {
        self.prim_of(a) == self.prim_of(b) || self.boxes.contains(&a) || self.boxes.contains(&b)
    }

    /// Says where a variable lives.
    pub fn bind(&mut self, var: Var, rep: Rep) {
        if let Some(buffer) = rep.buffer() {
            self.users.entry(buffer).or_default().push(var);
        }
        // Whoever reads the array reads its descriptors, too.
        let mut around = Vec::new();
        self.src.ty(var).for_each_var(&mut |v| around.push(v));
        for v in around {
            if let Some(buffer) = self.reps.get(&v).and_then(Rep::buffer) {
                self.users.entry(buffer).or_default().push(var);
            }
            // The descriptor's own dimensions may be jagged.
            let inner: Vec<K> = self.buffers_in_type(v);
            inner.into_iter().for_each(|b| self.users.entry(b).or_default().push(var));
        }
        self.reps.insert(var, rep);
    }

    fn buffers_in_type(&self, var: Var) -> Vec<K> {
        let mut found = Vec::new();
        let mut work = vec![var];
        while let Some(v) = work.pop() {
            self.src.ty(v).for_each_var(&mut |inner| {
                found.extend(self.reps.get(&inner).and_then(Rep::buffer));
                if !self.src.ty(inner).dims().is_empty() {
                    work.push(inner);
                }
            });
        }
        found
    }

    /// What stands for a variable.
    pub fn rep(&self, var: Var) -> Low<Rep> {
        match self.reps.get(&var) {
            Some(rep) => Ok(rep.clone()),
            None => base::bug!("{var:?} is used before it is bound"),
        }
    }

    /// What stands for an atom.
    pub fn atom(&self, atom: Atom) -> Low<Rep> {
        match atom {
            Atom::Var(var) => self.rep(var),
            Atom::Const(x) => Ok(Rep::Scalar(Expr::Const(x))),
        }
    }

    /// A scalar.
    pub fn scalar(&self, atom: Atom) -> Low<Expr> {
        match self.atom(atom)? {
            Rep::Scalar(e) => Ok(e),
            Rep::Vector(..) | Rep::Array(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => {
                base::bug!("{atom:?} is represented by something else than a scalar")
            }
        }
    }

    /// Several scalars.
    pub fn scalars(&self, atoms: &[Atom]) -> Low<Vec<Expr>> {
        atoms.iter().map(|a| self.scalar(*a)).collect()
    }

    /// A descriptor.
    pub fn desc(&self, var: Var) -> Low<Desc> {
        match self.rep(var)? {
            Rep::Desc(desc) => Ok(desc),
            Rep::Scalar(_) | Rep::Vector(..) | Rep::Array(_) | Rep::Cert | Rep::Box(_) => {
                base::bug!("{var:?} is represented by something else than a descriptor")
            }
        }
    }

    /// An array in memory; a vector that has none gets some, here and now.
    pub fn array(&mut self, var: Var) -> Low<Array> {
        if self.recs.contains_key(&var) {
            self.demand_whole(var)?;
        }
        let rep = self.rep(var)?;
        self.in_memory(rep)
    }

    /// An array in memory.
    pub fn in_memory(&mut self, rep: Rep) -> Low<Array> {
        match rep {
            Rep::Array(array) => Ok(array),
            Rep::Vector(prim, elements) => Ok(self.store_vector(prim, &elements)),
            Rep::Scalar(_) | Rep::Desc(_) | Rep::Cert | Rep::Box(_) => {
                base::bug!("an array is represented by something else")
            }
        }
    }
}
