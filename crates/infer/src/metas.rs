//! The unknowns of type inference: what is known of each, and what it turned out to be.

use base::{Map, Name, Span};
use scalar::Prim;
use typed::walk::wrap;
use typed::{Diet, Dim, FunType, MetaId, Ret, Shape, Size, SizeMetaId, Type};

/// A set of primitive types, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Prims(pub u16);

impl Prims {
    pub(crate) fn of(accept: impl Fn(Prim) -> bool) -> Prims {
        Prims(Prim::ALL.iter().enumerate().filter(|(_, p)| accept(**p)).map(|(i, _)| 1 << i).sum())
    }

    pub(crate) fn numeric() -> Prims {
        Prims::of(|p| p != Prim::Bool)
    }

    pub(crate) fn ints() -> Prims {
        Prims::of(Prim::is_int)
    }

    pub(crate) fn floats() -> Prims {
        Prims::of(Prim::is_float)
    }

    pub(crate) fn contains(self, prim: Prim) -> bool {
        self.iter().any(|p| p == prim)
    }

    pub(crate) fn and(self, other: Prims) -> Prims {
        Prims(self.0 & other.0)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Prim> {
        Prim::ALL.into_iter().enumerate().filter(move |(i, _)| self.0 & (1 << i) != 0).map(|(_, p)| p)
    }

    /// What a literal or operand becomes when nothing else decides: `i32`, then `f64`, then `bool`.
    pub(crate) fn default(self) -> Option<Prim> {
        [Prim::I32, Prim::F64, Prim::Bool].into_iter().find(|p| self.contains(*p)).or_else(|| self.iter().next())
    }
}

/// What is required of an unknown type.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Where it came up.
    pub span: Span,
    /// How deep in local functions: an unknown of an outer level is not generalised.
    pub level: u32,
    /// It is one of these primitive types.
    pub prims: Option<Prims>,
    /// Its values can be compared with `==`.
    pub equality: bool,
    /// It holds no functions; the text says why.
    pub first_order: Option<&'static str>,
    /// It is a record with at least these fields.
    pub fields: Vec<(Name, Type)>,
    /// It is a sum type with at least these constructors.
    pub constrs: Vec<(Name, Vec<Type>)>,
    /// At least as long as the longest chain of unknowns that ends in this one.
    pub rank: u8,
}

#[derive(Clone, Debug)]
enum Cell {
    Is(Type),
    Open(Wanted),
}

/// All unknowns of the program being checked.
#[derive(Default, Debug)]
pub(crate) struct Metas {
    cells: Vec<Cell>,
    shapes: Vec<Option<Vec<Dim>>>,
    pub level: u32,
    /// Number literals whose type is inferred: their values, by place.
    pub literals: Map<Span, Number>,
}

/// A literal's value before its type is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int { magnitude: u128, negative: bool },
    Float(f64),
}

impl Metas {
    pub(crate) fn fresh(&mut self, span: Span) -> Type {
        self.fresh_with(span, |_| {})
    }

    pub(crate) fn fresh_with(&mut self, span: Span, want: impl FnOnce(&mut Wanted)) -> Type {
        let mut wanted = Wanted {
            span,
            level: self.level,
            prims: None,
            equality: false,
            first_order: None,
            fields: Vec::new(),
            constrs: Vec::new(),
            rank: 0,
        };
        want(&mut wanted);
        self.cells.push(Cell::Open(wanted));
        Type::Meta(MetaId(self.cells.len() as u32 - 1))
    }

    pub(crate) fn fresh_prim(&mut self, span: Span, prims: Prims) -> Type {
        self.fresh_with(span, |w| w.prims = Some(prims))
    }

    pub(crate) fn fresh_shape(&mut self) -> Shape {
        self.shapes.push(None);
        Shape::Meta(SizeMetaId(self.shapes.len() as u32 - 1))
    }

    /// The unknowns that are still open.
    pub(crate) fn open_ids(&self) -> Vec<MetaId> {
        let open = self.cells.iter().enumerate().filter(|(_, c)| matches!(c, Cell::Open(_)));
        open.map(|(i, _)| MetaId(i as u32)).collect()
    }

    /// Forgets all unknowns: a definition is finished, and none of them is left in it.
    pub(crate) fn forget(&mut self) {
        self.cells.clear();
        self.shapes.clear();
        self.literals.clear();
    }

    /// What is wanted of an unknown that is still open.
    pub(crate) fn wanted(&self, id: MetaId) -> Option<&Wanted> {
        match &self.cells[id.0 as usize] {
            Cell::Open(wanted) => Some(wanted),
            Cell::Is(_) => None,
        }
    }

    pub(crate) fn wanted_mut(&mut self, id: MetaId) -> Option<&mut Wanted> {
        match &mut self.cells[id.0 as usize] {
            Cell::Open(wanted) => Some(wanted),
            Cell::Is(_) => None,
        }
    }

    pub(crate) fn set(&mut self, id: MetaId, ty: Type) {
        self.cells[id.0 as usize] = Cell::Is(ty);
    }

    /// Makes one unknown of two that are open, which wants what `wanted` says. The one with the longer chain of links
    /// stays: so chains stay short however many unknowns are made equal.
    pub(crate) fn merge(&mut self, x: MetaId, y: MetaId, mut wanted: Wanted) -> MetaId {
        let rank = |id: MetaId| self.wanted(id).map_or(0, |w| w.rank);
        let (below, root) = if rank(x) > rank(y) { (y, x) } else { (x, y) };
        wanted.rank = rank(root).max(rank(below) + 1);
        self.cells[root.0 as usize] = Cell::Open(wanted);
        self.set(below, Type::Meta(root));
        root
    }

    pub(crate) fn set_shape(&mut self, id: SizeMetaId, dims: Vec<Dim>) {
        self.shapes[id.0 as usize] = Some(dims);
    }

    pub(crate) fn shape(&self, id: SizeMetaId) -> Option<&Vec<Dim>> {
        self.shapes.get(id.0 as usize).and_then(|s| s.as_ref())
    }

    /// The dimensions of a shape as far as they are known.
    pub(crate) fn shape_dims(&self, shape: Shape) -> Vec<Dim> {
        let Shape::Meta(id) = shape else { return vec![Dim::Shape(shape)] };
        let Some(dims) = self.shape(id) else { return vec![Dim::Shape(shape)] };
        let parts = dims.iter().flat_map(|d| match d {
            Dim::Shape(s) => self.shape_dims(*s),
            Dim::Size(_) | Dim::Jagged(_) => vec![d.clone()],
        });
        parts.collect()
    }

    /// The type with its outermost constructor known, if it is known.
    pub(crate) fn shallow(&self, ty: &Type) -> Type {
        match ty {
            Type::Meta(id) => match &self.cells[id.0 as usize] {
                Cell::Is(ty) => self.shallow(ty),
                Cell::Open(_) => ty.clone(),
            },
            Type::Array(Dim::Shape(shape @ Shape::Meta(id)), elem) if self.shape(*id).is_some() => {
                let dims = self.shape_dims(*shape);
                self.shallow(&wrap(dims, (**elem).clone()))
            }
            _ => ty.clone(),
        }
    }

    /// The type with every unknown replaced that is known by now.
    pub(crate) fn deep(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            ty if ty.is_plain() => ty,
            ty => ty.map_children(&mut |t| self.deep(t)),
        }
    }

    /// The dimensions of an array type and the element below them, as far as known.
    pub(crate) fn spine(&self, ty: &Type) -> (Vec<Dim>, Type) {
        let mut dims = Vec::new();
        let mut ty = self.shallow(ty);
        while let Type::Array(dim, elem) = &ty {
            dims.push(dim.clone());
            ty = self.shallow(elem);
        }
        (dims, ty)
    }

    /// Whether this is certainly not an array.
    pub(crate) fn is_scalar(&self, ty: &Type) -> bool {
        match self.shallow(ty) {
            Type::Array(..) => false,
            Type::Meta(id) => self.wanted(id).is_some_and(|w| w.prims.is_some()),
            _ => true,
        }
    }
}

/// `[]elem`.
pub(crate) fn array_of(elem: Type) -> Type {
    Type::array(Dim::Size(Size::Unknown), elem)
}

/// The type of a function that combines two values into one: `elem -> elem -> elem`.
pub(crate) fn operator_type(elem: &Type) -> Type {
    let function = |ret: Type| {
        let (param, diet) = (elem.clone(), Diet::Observe);
        Type::Fun(FunType { name: None, param, diet, ret: Ret::plain(ret) }.into())
    };
    function(function(elem.clone()))
}
