//! Which statements may leave a loop that may have no turns.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, FunId, Kind, LoopForm, Program, Stm, Type, Var};
use scalar::{BinOp, Prim, Scalar};

/// What is known about variables.
pub(super) struct Movable {
    /// Arrays that are only read element by element.
    only_read: Set<Var>,
    /// Functions that only compute and always have a result.
    arithmetic: Set<FunId>,
    /// Sizes that are not negative, and how deep the outermost array or check is bound that says so.
    sizes: Map<Var, usize>,
    /// By their certificates, checks that a number is not negative.
    natural: Map<Var, Var>,
    /// Indices of loops, and how many turns they have.
    turns: Map<Var, Atom>,
    /// By their certificates, checks that two sizes are equal.
    equal: Map<Var, [Atom; 2]>,
    /// The certificates that the statements around the current one name.
    named: Vec<Var>,
}

impl Movable {
    /// Looks at a function.
    pub fn new(program: &Program, arithmetic: &Set<FunId>, params: &[Var], body: &Block) -> Movable {
        let only_read = analysis::uses::only_read(program, body);
        let arithmetic = arithmetic.clone();
        let (equal, natural) = checks(body);
        let (sizes, turns) = (Map::default(), Map::default());
        let mut movable = Movable { only_read, arithmetic, sizes, natural, turns, equal, named: Vec::new() };
        movable.bind(program, params, 0);
        movable
    }

    /// Variables are bound at some depth: the extents of arrays among them are not negative there, and checks hold.
    pub fn bind(&mut self, program: &Program, vars: &[Var], depth: usize) {
        let mut know = |size| {
            let known = self.sizes.entry(size).or_insert(depth);
            *known = depth.min(*known);
        };
        for var in vars {
            program.ty(*var).for_each_var(&mut know);
            self.natural.get(var).copied().into_iter().for_each(&mut know);
        }
    }

    /// What comes now relies on these certificates, too. Gives back what [`Self::forget`] needs.
    pub fn rely_on(&mut self, certs: &[Var]) -> usize {
        let before = self.named.len();
        self.named.extend(certs);
        before
    }

    /// What comes now relies on those before alone.
    pub fn forget(&mut self, before: usize) {
        self.named.truncate(before);
    }

    /// The certificates that say that the indices of a read are in bounds.
    pub fn reasons(&self, program: &Program, exp: &Exp) -> Vec<Var> {
        let Exp::Index(array, at) = exp else { return Vec::new() };
        at.iter().zip(program.ty(*array).dims()).filter_map(|(index, dim)| self.reason(index, dim)).collect()
    }

    fn reason(&self, index: &Atom, dim: &Dim) -> Option<Var> {
        let (Atom::Var(index), Dim::Size(extent)) = (index, dim) else { return None };
        let turns = self.turns.get(index).filter(|turns| *turns != extent)?;
        let says = |cert: &&Var| self.equal.get(cert).is_some_and(|[a, b]| [(a, b), (b, a)].contains(&(turns, extent)));
        self.named.iter().find(says).copied()
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
            Exp::Bulk(_) | Exp::If(..) | Exp::SortKeys(_) => true,
            Exp::Call(function, _) => self.arithmetic.contains(function),
            Exp::Loop { form, .. } => matches!(form, LoopForm::For(..)),
            // Copies and literals stay: an owner may overwrite them. Checks may fail, other calls too; `retype`, slices and
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

    /// Whether a form writes only where its loops say that there is memory, and shows no error. If so, the depths of what says
    /// that extents are not negative.
    pub fn stores_in_bounds(&self, bulk: &Bulk) -> Option<Vec<usize>> {
        let mut depths = Vec::new();
        let outputs = bulk.outputs.iter().all(|output| match &output.kind {
            Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } => {
                let known: Option<Vec<usize>> = shape.iter().map(|dim| self.size_known_at(dim)).collect();
                depths.extend(known.iter().flatten());
                rec.is_empty() && output.sizes.is_empty() && known.is_some()
            }
            Kind::Reduce { .. } => true,
            Kind::Keep => output.sizes.is_empty(),
            Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } => false,
        });
        let inside = |emit: &ir::Emit| match &bulk.outputs[emit.output].kind {
            Kind::Gen { shape, .. } => self.is_inside(shape, &emit.at),
            Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => true,
        };
        let stores = outputs && analysis::emits::all(&bulk.steps).into_iter().all(inside);
        stores.then_some(depths)
    }

    /// How deep something is bound that says that an extent is not negative.
    fn size_known_at(&self, dim: &Dim) -> Option<usize> {
        match dim {
            Dim::Size(Atom::Var(size)) => self.sizes.get(size).copied(),
            Dim::Size(Atom::Const(_)) => Some(0),
            Dim::Jagged(_) | Dim::Shape(_) => None,
        }
    }

    /// Whether indices are in bounds wherever they are in scope.
    fn is_inside(&self, dims: &[Dim], at: &[Atom]) -> bool {
        let inside = |(index, dim): (&Atom, &Dim)| match (index, dim) {
            (Atom::Var(at), Dim::Size(extent)) => {
                self.turns.get(at) == Some(extent) || self.reason(index, dim).is_some()
            }
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

/// Checks that two sizes are equal, and checks that a number is not negative.
fn checks(body: &Block) -> (Map<Var, [Atom; 2]>, Map<Var, Var>) {
    let (mut equal, mut natural) = (Map::default(), Map::default());
    let mut conditions: Map<Var, (BinOp, [Atom; 2])> = Map::default();
    body.walk(&mut |part| {
        let Part::Stm(Stm { vars, exp, .. }) = part else { return };
        match exp {
            Exp::Bin(op @ (BinOp::Eq | BinOp::Ge), Prim::I64, a, b) => _ = conditions.insert(vars[0], (*op, [*a, *b])),
            Exp::Assert { cond: Atom::Var(cond), .. } => match conditions.get(cond) {
                Some((BinOp::Eq, sizes)) => _ = equal.insert(vars[0], *sizes),
                Some((BinOp::Ge, [Atom::Var(number), zero])) if *zero == Atom::size(0) => {
                    natural.insert(vars[0], *number);
                }
                Some(_) | None => {}
            },
            _ => {}
        }
    });
    (equal, natural)
}
