//! Arrays by clauses, recursive or not.

use crate::arrays::bulk::Gen;
use crate::arrays::dims::{is_inside, rank_of};
use crate::arrays::parts::{element, renewed};
use crate::context::{Desugar, Made};
use crate::data::draft::{Cursor, Draft, DraftEmit};
use crate::data::form::Form;
use crate::data::types::{Mono, MonoDim};
use crate::data::value::{ArrayVal, Val, is_shape, leading};
use crate::exprs::index::{Idx, at_atoms};
use crate::exprs::quals::Loop;
use crate::faults::{Described, Place, Why, subscripts};
use fault::{Text, message};
use ir::num::Compute;
use ir::{Atom, Block, Coverage, Dim, Kind, Region, Tree, Var};
use scalar::Prim;
use std::rc::Rc;
use typed::{Clause, Expr, ExprKind, Index};

/// What the clauses of one array write to.
pub(crate) struct Target<'t> {
    pub output: usize,
    /// Its dimensions, as far as subscripts go.
    pub dims: Vec<Dim>,
    /// Whether the array has no dimensions: its one element has no subscripts, and is in an array of one.
    pub scalar: bool,
    /// Whether fewer subscripts than dimensions are fine.
    pub partial: bool,
    /// What messages call its shape.
    pub whole: Option<Val<'t>>,
    /// Whether values may read what they define.
    pub rec: bool,
    /// Whether some instance of a clause may collide, or some element may be missing.
    pub exact: bool,
    pub clauses: usize,
}

impl<'t> Target<'t> {
    /// A new array of these extents. Without dimensions it is its one element.
    pub fn of_extents(dims: Vec<Dim>) -> Target<'t> {
        let scalar = dims.is_empty();
        Target { scalar, ..Target::new(0, if scalar { vec![Dim::Size(Atom::size(1))] } else { dims }) }
    }

    pub fn new(output: usize, dims: Vec<Dim>) -> Target<'t> {
        Target { output, dims, scalar: false, partial: false, whole: None, rec: false, exact: true, clauses: 0 }
    }
}

impl<'t> Desugar<'t> {
    /// The extents of a SHAPE.
    pub(crate) fn array_dims(&mut self, shape: &'t Expr) -> Made<Vec<Dim>> {
        let shape = self.expr(shape)?;
        self.extents(&shape, "an array")
    }

    /// The type of what the clauses define: `ty` without the dimensions of SHAPE.
    pub(crate) fn row_type(&mut self, ty: &'t typed::Type, dims: &[Dim]) -> Mono {
        let mut mono = self.mono(ty);
        for dim in dims {
            mono = match (mono, dim) {
                // What is left of a shape is one, too.
                (Mono::Array(MonoDim::Shape(_), elem), Dim::Size(_)) => return Mono::Array(MonoDim::Shape(None), elem),
                (Mono::Array(_, elem), _) => (*elem).clone(),
                (mono, _) => return mono,
            };
        }
        mono
    }

    pub(crate) fn array_by(
        &mut self,
        shape: &'t Expr,
        clauses: &'t [Clause],
        otherwise: Option<&'t Expr>,
        expr: &'t Expr,
    ) -> Made<Val<'t>> {
        let dims = self.array_dims(shape)?;
        let row = self.row_type(&expr.ty, &dims);
        let mark = self.mark();
        let mut target = Target::of_extents(dims);
        let steps = self.clause_steps(clauses, &mut target)?;
        let otherwise = otherwise.map(|e| self.block(|d| d.expr(e))).transpose()?;
        let coverage = self.coverage("", &target, otherwise.is_some(), expr);
        let steps = self.without_lets(steps);
        let val = self.generate(Gen { shape: target.dims, steps, otherwise, coverage, mark }, Some(&row))?;
        Ok(self.first_if(target.scalar, val))
    }

    /// The first element of an array that was made for one without dimensions; any other value as it is.
    fn first_if(&mut self, scalar: bool, val: Val<'t>) -> Val<'t> {
        match (scalar, &val) {
            (true, Val::Array(array)) => element(&mut self.b, array, &[Atom::size(0)]),
            (_, _) => val,
        }
    }

    pub(crate) fn coverage(&mut self, name: &str, target: &Target<'t>, otherwise: bool, array: &Expr) -> Coverage {
        if target.exact && target.clauses == 1 && !otherwise {
            return Coverage::Exact;
        }
        let vector = matches!(target.dims[..], [Dim::Shape(_)]);
        let element = |first: usize| subscripts(target.dims.len(), first, vector);
        let together = match &*array.kind {
            ExprKind::ArrayBy { clauses, .. } => clauses.iter().any(Clause::advances_together),
            _ => false,
        };
        let collision = self.site(message::collision(element(0)));
        let gap = self.at(array.span, |d| d.site(message::gap(element(1), together)));
        let cycle = self.site(message::cycle(Text::words(name).followed_by(element(0))));
        let (collision, gap, cycle) = (self.b.site(collision), self.b.site(gap), self.b.site(cycle));
        Coverage::Checked { collision, gap, cycle, called: self.word.map(|word| word.param.into()) }
    }

    /// The steps of clauses, in order.
    pub(crate) fn clause_steps(&mut self, clauses: &'t [Clause], target: &mut Target<'t>) -> Made<Vec<Draft<'t>>> {
        self.clauses_in(clauses, target, &mut Vec::new(), true)
    }

    fn clauses_in(
        &mut self,
        clauses: &'t [Clause],
        target: &mut Target<'t>,
        loops: &mut Vec<Loop>,
        whole: bool,
    ) -> Made<Vec<Draft<'t>>> {
        let mut steps = Vec::new();
        for clause in clauses {
            let (Clause::Element { quals, .. } | Clause::Group { quals, .. }) = clause;
            let whole = whole && !quals.iter().any(|q| matches!(q, typed::Qual::If(_)));
            steps.extend(self.qualified(quals, loops, &mut |d, loops| match clause {
                Clause::Element { subscripts, value, span, .. } => {
                    d.at(*span, |d| d.element_clause(subscripts, value, target, loops, whole))
                }
                Clause::Group { clauses, .. } => d.clauses_in(clauses, target, loops, whole),
            })?);
        }
        Ok(steps)
    }

    fn element_clause(
        &mut self,
        subscripts: &'t [Index],
        value: &'t Expr,
        target: &mut Target<'t>,
        loops: &[Loop],
        whole: bool,
    ) -> Made<Vec<Draft<'t>>> {
        target.clauses += 1;
        self.b.open();
        let indices = self.indices(subscripts, Place::Subscript)?;
        let vectors = indices.iter().any(|i| matches!(i, Idx::Vector(_)));
        let vector = match vectors {
            true => self.one_vector(&indices)?,
            false => None,
        };
        if let (Some(vector), true) = (&vector, target.partial)
            && !self.leads_to_element(vector, target)?
        {
            target.exact = false;
            return match target.dims[..] {
                [Dim::Shape(shape)] => self.part_of_shape(vector, shape, value, target),
                _ => self.part_by_length(vector, value, target),
            };
        }
        let found = self.subscripts(&indices, vector, target);
        let lets = self.b.close();
        let place = found?;
        target.exact &= whole && covers(&place.at, loops, &target.dims);
        let (stms, val) = self.block(|d| d.expr(value))?;
        let emit = DraftEmit { output: target.output, place, ..self.emit(stms, val) };
        Ok(Draft::after(lets, [Draft::Emit(emit)]))
    }

    /// The subscripts of a clause, checked.
    fn subscripts(&mut self, indices: &[Idx<'t>], vector: Option<Val<'t>>, target: &Target<'t>) -> Made<Cursor> {
        let mut atoms: Vec<Atom> = at_atoms(indices).collect();
        if let [Dim::Shape(shape)] = target.dims.as_slice() {
            let vector = vector.unwrap_or(Val::Vector(Prim::I64, atoms.into()));
            let (iv, _) = self.as_vector(&vector)?;
            return Ok(Cursor { at: vec![iv.into()], certs: self.vector_checks(iv, *shape, target, false)? });
        }
        let rank = if target.scalar { 0 } else { target.dims.len() };
        let count = Atom::size(rank as i64);
        if let Some(vector) = vector {
            atoms = self.vector_atoms(&vector, rank, |d, given| {
                d.check(given.equals(count), message::subscript_count(), [given, count])
            })?;
        }
        let mut certs = Vec::new();
        if atoms.len() != rank && !(target.partial && atoms.len() < rank) {
            let given = Atom::size(atoms.len() as i64);
            certs.extend(self.check(Atom::bool(false), message::subscript_count(), [given, count]));
            atoms.resize(rank, Atom::size(0));
        }
        if target.scalar {
            return Ok(Cursor { at: vec![Atom::size(0)], certs });
        }
        Ok(self.subscript_checks(&atoms, target, certs))
    }

    /// Checks that subscripts, one for each of the leading dimensions, are inside.
    pub(crate) fn subscript_checks(&mut self, atoms: &[Atom], target: &Target<'t>, certs: Vec<Var>) -> Cursor {
        let mut fine = Atom::bool(true);
        let mut place = Cursor { at: Vec::new(), certs };
        for i in atoms {
            // Single subscripts end before a shape.
            let extent = place.extent(&mut self.b, &target.dims).unwrap_or(Atom::size(0));
            place.at.push(*i);
            let inside = is_inside(&mut self.b, *i, extent);
            // Row lengths are asked only of rows that are there.
            if matches!(target.dims.get(place.at.len()), Some(Dim::Jagged(_))) {
                place.certs.extend(self.range_check(inside, atoms, target));
            } else {
                fine = self.b.num(fine.and(inside));
            }
        }
        place.certs.extend(self.range_check(fine, atoms, target));
        place
    }

    /// Whether a vector is known to have a subscript for each dimension.
    fn leads_to_element(&mut self, vector: &Val<'t>, target: &Target<'t>) -> Made<bool> {
        let (_, count) = self.as_vector(vector)?;
        Ok(match target.dims.as_slice() {
            [Dim::Shape(shape)] => rank_of(&self.b, *shape) == count,
            dims => Atom::size(dims.len() as i64) == count,
        })
    }

    /// The shape of what is defined, as messages show it.
    fn describe_target(&self, target: &Target<'t>, first: usize) -> Described {
        match &target.whole {
            Some(whole) => self.describe(whole, first),
            None => self.describe_shape(&target.dims, first),
        }
    }

    fn range_check(&mut self, fine: Atom, atoms: &[Atom], target: &Target<'t>) -> Option<Var> {
        let shape = self.describe_target(target, atoms.len());
        let message = message::subscript(subscripts(atoms.len(), 0, false), shape.text);
        self.check(fine, message, atoms.iter().copied().chain(shape.args))
    }

    /// Checks that a vector of subscripts is inside a shape; only if it may lead to a part of it, it may be shorter.
    pub(crate) fn vector_checks(&mut self, iv: Var, shape: Var, target: &Target<'t>, part: bool) -> Made<Vec<Var>> {
        let (count, rank) = (rank_of(&self.b, iv), rank_of(&self.b, shape));
        let fits = if part { count.at_most(rank) } else { count.equals(rank) };
        let mut certs: Vec<Var> = self.check(fits, message::subscript_count(), [count, rank]).into_iter().collect();
        let inside = self.is_inside_shape(iv, shape, &certs)?;
        let shape = self.describe_target(target, 1);
        let message = message::subscript(subscripts(1, 0, true), shape.text);
        certs.extend(self.check(inside, message, [Atom::Var(iv)].into_iter().chain(shape.args)));
        Ok(certs)
    }

    pub(crate) fn update(&mut self, array: &'t Expr, clauses: &'t [Clause]) -> Made<Val<'t>> {
        let whole = self.expr(array)?;
        // An array without dimensions is its one element.
        let scalar = matches!(whole, Val::Scalar(..) | Val::Record(_) | Val::Sum(_));
        let mut array = match scalar {
            true => self.filled(&[Dim::Size(Atom::size(1))], &whole)?,
            false => self.as_array(&whole)?,
        };
        if beyond_known(&array.dims, clauses) {
            array = Rc::new(self.shape_from(&array, 0)?.0);
        }
        let target = Target::new(0, array.dims.clone());
        let mut target = Target { scalar, partial: !scalar, whole: Some(whole.clone()), exact: false, ..target };
        let steps = self.clause_steps(clauses, &mut target)?;
        let steps = self.fit_values(steps, &array)?;
        if target.clauses == 0 {
            return Ok(whole);
        }
        let val = self.updated(&array, steps, false)?;
        Ok(self.first_if(scalar, val))
    }

    /// Values with the dimensions of what they replace.
    pub(crate) fn fit_values(&mut self, steps: Vec<Draft<'t>>, array: &ArrayVal<'t>) -> Made<Vec<Draft<'t>>> {
        if let [Dim::Shape(_)] = array.dims.as_slice() {
            return Ok(steps);
        }
        Draft::replace_emits(steps, &mut |emit| {
            let emit = self.map_emit(emit, |d, emit| {
                let old = emit.place.element(&mut d.b, array);
                d.fitting(&old, emit.val.clone())
            })?;
            Ok(vec![Draft::Emit(emit)])
        })
    }

    pub(crate) fn accum(
        &mut self,
        op: &'t Expr,
        neutral: &'t Expr,
        shape: &'t Expr,
        clauses: &'t [Clause],
    ) -> Made<Val<'t>> {
        let op = self.expr(op)?;
        let neutral = self.expr(neutral)?;
        let neutral = self.without_vectors(&neutral)?;
        let dims = self.array_dims(shape)?;
        let mut target = Target { exact: false, ..Target::of_extents(dims) };
        let start = self.filled(&target.dims, &neutral)?;
        let steps = self.clause_steps(clauses, &mut target)?;
        let form = self.operand_form(&neutral)?;
        let val = self.accumulated(&start, steps, &op, &form, false)?;
        let val = self.wholly_unknown(val)?;
        Ok(self.first_if(target.scalar, val))
    }

    /// The array with values combined into its elements.
    pub(crate) fn accumulated(
        &mut self,
        array: &Rc<ArrayVal<'t>>,
        steps: Vec<Draft<'t>>,
        op: &Val<'t>,
        form: &Form,
        skip: bool,
    ) -> Made<Val<'t>> {
        let op = self.region(form, op)?;
        let kind = Kind::Accum { arrays: array.rows.leaves(), skip, op, tree: Tree::Uncut };
        let (vars, val) = renewed(&mut self.b, array);
        self.bulk(vec![(kind, form.clone(), vars)], steps)?;
        Ok(val)
    }

    /// An operator on two values of a form as a region.
    pub(crate) fn region(&mut self, form: &Form, op: &Val<'t>) -> Made<Region> {
        self.region_by(form, |d, left, right| d.apply_val(op, vec![left, right]))
    }

    /// The same for an operator that is not a value of the program.
    pub(crate) fn region_by(
        &mut self,
        form: &Form,
        op: impl FnOnce(&mut Self, Val<'t>, Val<'t>) -> Made<Val<'t>>,
    ) -> Made<Region> {
        let (left, mut params) = self.fresh_vars(form, "a");
        let right = self.fresh(form, "b", &[], &mut params);
        let (stms, result) = self.block(|d| {
            let val = op(d, left, right)?;
            d.atoms_of(&val, form, Why::Checked)
        })?;
        Ok(Region { params: params.all(), body: Block { stms, result } })
    }
}

/// Whether subscripts are exactly the loops around, which run through exactly the dimensions.
fn covers(at: &[Atom], loops: &[Loop], dims: &[Dim]) -> bool {
    if let ([Atom::Var(iv)], [l], [Dim::Shape(shape)]) = (at, loops, dims) {
        return l.shape == Some((*iv, *shape));
    }
    let is_loop =
        |((at, l), dim): ((&Atom, &Loop), &Dim)| *at == Atom::Var(l.var) && l.plain && *dim == Dim::Size(l.count);
    at.len() == dims.len() && loops.len() == dims.len() && at.iter().zip(loops).zip(dims).all(is_loop)
}

/// Whether an array of partly known rank is updated behind the dimensions that are known one by one.
pub(crate) fn beyond_known(dims: &[Dim], clauses: &[Clause]) -> bool {
    let known = leading(dims);
    let reaches = |(subscripts, _): (&[Index], &Expr)| {
        subscripts.len() > known || subscripts.iter().any(|s| matches!(s, Index::Vector(_)))
    };
    known > 0 && dims.iter().any(is_shape) && clauses.iter().flat_map(Clause::elements).any(reaches)
}
