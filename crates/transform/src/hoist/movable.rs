//! Which statements may leave a loop that may have no turns.

use base::{Map, Set};
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, LoopForm, Program, Stm, Type, Var};
use scalar::{BinOp, Scalar};

/// What is known about variables.
pub(super) struct Movable {
    /// Arrays that are only read element by element.
    only_read: Set<Var>,
    /// Sizes that parameters have.
    sizes: Set<Var>,
    /// Indices of loops, and how many turns they have.
    turns: Map<Var, Atom>,
}

impl Movable {
    /// Looks at a function.
    pub fn new(program: &Program, params: &[Var], body: &Block) -> Movable {
        let mut sizes = Set::default();
        for param in params {
            program.ty(*param).for_each_var(&mut |size| {
                sizes.insert(size);
            });
        }
        Movable { only_read: analysis::uses::only_read(program, body), sizes, turns: Map::default() }
    }

    /// A loop with this index has this many turns.
    pub fn index(&mut self, var: Var, count: Atom) {
        self.turns.insert(var, count);
    }

    /// Whether an expression, apart from what is inside of it, has a value anywhere.
    pub fn may_leave(&self, program: &Program, exp: &Exp) -> bool {
        match exp {
            Exp::Un(..) | Exp::Convert(..) | Exp::Select(..) | Exp::Math(..) => true,
            Exp::Bin(BinOp::Pow, prim, ..) => !prim.is_int(),
            Exp::Bin(..) => !may_divide_by_zero(exp),
            Exp::Index(array, at) => self.is_inside(program.ty(*array).dims(), at),
            Exp::Rearrange(..) => true,
            Exp::Bulk(_) | Exp::If(..) => true,
            Exp::Loop { form, .. } => matches!(form, LoopForm::For(..)),
            // Copies and literals stay: an owner may overwrite them. Checks may fail, calls too; `retype`, slices and
            // descriptors rely on checks.
            _ => false,
        }
    }

    /// Whether what a statement binds may be shared by all turns of a loop.
    pub fn results_may_leave(&self, program: &Program, stm: &Stm) -> bool {
        let may = |var: &Var| match program.ty(*var) {
            Type::Scalar(_) => true,
            Type::Array(..) => self.only_read.contains(var),
            Type::Desc(_) | Type::Cert | Type::Box(_) => false,
        };
        stm.vars.iter().all(may)
    }

    /// Whether a form writes only where its loops say that there is memory, and shows no error.
    pub fn stores_in_bounds(&self, bulk: &Bulk) -> bool {
        let outputs = bulk.outputs.iter().all(|output| match &output.kind {
            Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } => {
                rec.is_empty() && output.sizes.is_empty() && shape.iter().all(|dim| self.is_size(dim))
            }
            Kind::Gen { .. } => false,
            Kind::Reduce { .. } => true,
            Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => false,
        });
        let inside = |emit: &ir::Emit| match &bulk.outputs[emit.output].kind {
            Kind::Gen { shape, .. } => self.is_inside(shape, &emit.at),
            Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => true,
        };
        outputs && analysis::emits::all(&bulk.steps).into_iter().all(inside)
    }

    /// Whether an extent is certainly not negative: no check inside of the loop says so.
    fn is_size(&self, dim: &Dim) -> bool {
        match dim {
            Dim::Size(Atom::Var(size)) => self.sizes.contains(size),
            Dim::Size(Atom::Const(_)) => true,
            Dim::Jagged(_) | Dim::Shape(_) => false,
        }
    }

    /// Whether indices are in bounds wherever they are in scope.
    fn is_inside(&self, dims: &[Dim], at: &[Atom]) -> bool {
        let inside = |(index, dim): (&Atom, &Dim)| match (index, dim) {
            (Atom::Var(index), Dim::Size(extent)) => self.turns.get(index) == Some(extent),
            (Atom::Const(Scalar::I64(k)), Dim::Size(Atom::Const(Scalar::I64(extent)))) => (0..*extent).contains(k),
            _ => false,
        };
        at.len() <= dims.len() && at.iter().zip(dims).all(inside)
    }
}

/// Whether an expression is a division of integers whose divisor may be zero.
pub(super) fn may_divide_by_zero(exp: &Exp) -> bool {
    match exp {
        Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, prim, _, divisor) => {
            prim.is_int() && !matches!(divisor, Atom::Const(x) if x.bits() != 0)
        }
        _ => false,
    }
}
