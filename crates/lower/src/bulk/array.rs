//! New arrays whose elements go to the places that their subscripts say.

use super::form::{Bound, CHEAP_BLOCK, Elem, byte, not_zero};
use crate::Low;
use crate::context::Lower;
use crate::dims::{is_jagged, is_regular};
use crate::expr;
use crate::rep::{Array, Rep};
use ir::{Atom, Coverage, Dim, Emit, Kind, Limitation, Output};
use kernel::{Expr, FailArg, SiteId, Stm, Var as K};
use scalar::Prim;

/// Where values go.
pub(crate) struct ArraySink {
    shape: Vec<Dim>,
    /// For each component, what it is and the array.
    arrays: Vec<(Elem, Array)>,
    /// One byte for each element that says whether it is defined; only where that is in question.
    defined: Option<K>,
    coverage: Coverage,
    /// What is done in this walk.
    pub pass: Pass,
}

/// A walk may look only at places, or only at values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    /// Places are marked and values written.
    Both,
    /// Places are marked.
    Marks,
    /// Values are written.
    Values,
}

impl Lower<'_> {
    /// Makes the arrays.
    pub(super) fn open_array(&mut self, output: &Output, bound: &Bound) -> Low<ArraySink> {
        let Kind::Gen { shape, otherwise, coverage, .. } = &output.kind else {
            base::bug!("an array has no shape");
        };
        let count = self.capacity(shape)?;
        let mut arrays = Vec::new();
        for (elem, var) in self.elems(output)?.into_iter().zip(&bound.elems) {
            let array = match self.homes.hints.remove(var) {
                Some(place) => place,
                None => {
                    let name = self.src.vars[*var].name.as_str();
                    let rows = self.memory(shape)?;
                    let row = if is_regular(&elem.dims) { self.memory(&elem.dims)? } else { elem.row.clone() };
                    let buffer = self.code.alloc(name, elem.prim, expr::memory(rows, row));
                    let array = self.packed(buffer, expr::int(0), self.src.ty(*var).dims())?;
                    Array { whole: true, ..array }
                }
            };
            arrays.push((elem, array));
        }
        let check = *coverage != Coverage::Exact || otherwise.is_some();
        let defined = if check { Some(self.marks(count)?) } else { None };
        Ok(ArraySink { shape: shape.clone(), arrays, defined, coverage: *coverage, pass: Pass::Both })
    }

    /// A byte for each element, all 0.
    pub(super) fn marks(&mut self, count: Expr) -> Low<K> {
        let marks = self.code.alloc("marks", Prim::U8, count.clone());
        self.each_cell(count, |this, k| {
            this.code.emit(Stm::Store { buffer: marks, at: k, value: byte(0) });
            Ok(())
        })?;
        Ok(marks)
    }

    /// Something cheap for each element, in parallel where that is possible.
    fn each_cell(&mut self, count: Expr, each: impl FnOnce(&mut Self, Expr) -> Low<()>) -> Low<()> {
        if self.in_parallel {
            return self.count_loop("k", count, each);
        }
        self.parallel_loop("k", count, CHEAP_BLOCK, each)
    }

    /// The number of the element at subscripts.
    pub(super) fn place_at(&mut self, shape: &[Dim], at: &[Atom]) -> Low<Expr> {
        if let (Some(Dim::Shape(shape)), [Atom::Var(at)]) = (shape.first(), at) {
            return Ok(self.place_by_vector(*shape, *at)?.0);
        }
        let at = self.homes.scalars(at);
        self.place(shape, &at)
    }

    pub(super) fn put_in_array(&mut self, sink: &ArraySink, emit: &Emit) -> Low<()> {
        let place = self.place_at(&sink.shape, &emit.at)?;
        if let Some(marks) = sink.defined
            && sink.pass != Pass::Values
        {
            self.mark(sink, marks, &place, emit)?;
        }
        if sink.pass == Pass::Marks { Ok(()) } else { self.put(&sink.arrays, place, &emit.value) }
    }

    fn mark(&mut self, sink: &ArraySink, marks: K, place: &Expr, emit: &Emit) -> Low<()> {
        if let Coverage::Checked { collision, called, .. } = sink.coverage {
            self.code.open();
            let args = emit.at.iter().chain(&called).map(|a| self.fail_arg(*a)).collect::<Low<Vec<FailArg>>>()?;
            let site = self.site_at(SiteId(collision.0), self.code.span);
            self.code.emit(Stm::Fail { site, args });
            let fail = self.code.pop().stms;
            let taken = not_zero(expr::load(marks, place.clone()));
            self.code.emit(Stm::If(taken, fail, Vec::new()));
        }
        self.code.emit(Stm::Store { buffer: marks, at: place.clone(), value: byte(1) });
        Ok(())
    }

    /// Writes the value of a block at a place.
    pub(super) fn put(&mut self, arrays: &[(Elem, Array)], place: Expr, value: &ir::Block) -> Low<()> {
        let mut places = Vec::new();
        for (elem, array) in arrays {
            let at = expr::add(array.offset.clone(), expr::mul(place.clone(), elem.row.clone()));
            let at = self.code.name_int("slot", at);
            places.push((array.buffer, at, elem.dims.clone()));
        }
        self.put_into(&places, value)
    }

    /// Writes the components of a block's value to places; arrays are made there where possible.
    pub(super) fn put_into(&mut self, places: &[(K, Expr, Vec<Dim>)], value: &ir::Block) -> Low<()> {
        self.code.open();
        let mut targets = Vec::new();
        for (buffer, at, dims) in places {
            let target = if dims.is_empty() { None } else { Some(self.packed(*buffer, at.clone(), dims)?) };
            targets.push(target);
        }
        self.block_to_places(value, &targets)?;
        for ((buffer, at, dims), atom) in places.iter().zip(&value.result) {
            if dims.is_empty() {
                let value = self.homes.scalar(*atom);
                self.code.emit(Stm::Store { buffer: *buffer, at: at.clone(), value });
            }
        }
        self.code.close_inline();
        Ok(())
    }

    pub(super) fn close_array(&mut self, sink: ArraySink, output: &Output, bound: &Bound) -> Low<()> {
        let Kind::Gen { otherwise, .. } = &output.kind else {
            base::bug!("an array has no shape");
        };
        if let Some(marks) = sink.defined {
            let count = self.count(&sink.shape)?;
            match (otherwise, sink.coverage) {
                (Some(value), _) => self.fill_gaps(&sink, marks, count, value)?,
                (None, Coverage::Checked { gap, called, .. }) => {
                    self.check_gaps(&sink.shape, marks, count, SiteId(gap.0), called)?;
                }
                (None, Coverage::Exact) => {}
            }
        }
        for (var, (_, array)) in bound.elems.iter().zip(sink.arrays) {
            self.homes.bind(*var, Rep::Array(array));
        }
        Ok(())
    }

    /// The value of all elements that nothing defines: computed once, and only if there is such an element.
    fn fill_gaps(&mut self, sink: &ArraySink, marks: K, count: Expr, value: &ir::Block) -> Low<()> {
        let missing = self.count_gaps(marks, count.clone())?;
        self.when(expr::lt(expr::int(0), missing.0), |this| {
            let mut reps = this.open_block(value)?;
            for rep in &mut reps {
                if let Rep::Vector(prim, elements) = rep {
                    *rep = Rep::Array(this.store_vector(*prim, elements));
                }
            }
            this.each_cell(count, |this, k| {
                let gap = expr::not(not_zero(expr::load(marks, k.clone())));
                this.when(gap, |this| {
                    for ((elem, array), rep) in sink.arrays.iter().zip(&reps) {
                        let at = expr::add(array.offset.clone(), expr::mul(k.clone(), elem.row.clone()));
                        let at = this.code.name_int("slot", at);
                        this.write(array.buffer, at, rep, &elem.dims)?;
                    }
                    Ok(())
                })
            })?;
            this.code.close_inline();
            Ok(())
        })
    }

    /// How many elements have no mark, and the first of them.
    pub(super) fn count_gaps(&mut self, marks: K, count: Expr) -> Low<(Expr, Expr)> {
        let missing = self.code.variable("missing", expr::int(0));
        let first = self.code.variable("first", expr::int(0));
        self.for_loop("k", expr::int(0), count.clone(), kernel::Mode::Sequential, |this, k| {
            let gap = expr::not(not_zero(expr::load(marks, k)));
            let one = expr::select(gap, expr::int(1), expr::int(0));
            this.code.emit(Stm::Set(missing, expr::add(Expr::Var(missing), one)));
            Ok(())
        })?;
        let more = expr::and(expr::lt(Expr::Var(first), count), not_zero(expr::load(marks, Expr::Var(first))));
        self.code.open();
        self.code.emit(Stm::Set(first, expr::add(Expr::Var(first), expr::int(1))));
        let body = self.code.close();
        self.code.emit(Stm::While { head: Vec::new(), cond: more, body });
        Ok((Expr::Var(missing), Expr::Var(first)))
    }

    /// Ends the program if an element is missing.
    pub(super) fn check_gaps(
        &mut self,
        shape: &[Dim],
        marks: K,
        count: Expr,
        site: SiteId,
        called: Option<Atom>,
    ) -> Low<()> {
        let (missing, first) = self.count_gaps(marks, count)?;
        self.code.open();
        let mut args = vec![FailArg::Scalar(Prim::I64, missing.clone())];
        args.extend(self.subscript_args(shape, first)?);
        if let Some(called) = called {
            args.push(self.fail_arg(called)?);
        }
        self.code.emit(Stm::Fail { site, args });
        let fail = self.code.pop().stms;
        self.code.emit(Stm::If(expr::lt(expr::int(0), missing), fail, Vec::new()));
        Ok(())
    }

    /// The subscripts of an element by its number, where descriptors count rows: their offsets are searched.
    fn jagged_subscripts(&mut self, shape: &[Dim], place: Expr) -> Low<Vec<Expr>> {
        let mut subscripts = Vec::new();
        let mut left = self.code.name_int("left", place);
        for dim in shape.iter().rev() {
            match dim {
                Dim::Size(n) => {
                    let n = self.homes.scalar(*n);
                    // The first dimension is what is left.
                    let last = subscripts.len() + 1 == shape.len();
                    let index = if last { left.clone() } else { expr::rem(left.clone(), n.clone()) };
                    subscripts.push(self.code.name_int("i", index));
                    left = self.code.name_int("left", expr::div(left, n));
                }
                Dim::Jagged(d) => {
                    let desc = self.homes.desc(*d);
                    let row = self.code.variable("row", expr::int(0));
                    self.code.open();
                    self.code.emit(Stm::Set(row, expr::add(Expr::Var(row), expr::int(1))));
                    let body = self.code.close();
                    let end = expr::add(desc.start.clone(), expr::add(Expr::Var(row), expr::int(1)));
                    let cond = expr::le(expr::load(desc.offsets, end), left.clone());
                    self.code.emit(Stm::While { head: Vec::new(), cond, body });
                    let first = self.offset_at(&desc, Expr::Var(row));
                    subscripts.push(self.code.name_int("i", expr::sub(left, first)));
                    left = Expr::Var(row);
                }
                Dim::Shape(_) => return self.unsupported(Limitation::IndicesOfUnknownRank),
            }
        }
        subscripts.reverse();
        Ok(subscripts)
    }

    /// The subscripts of an element, for a message.
    pub(super) fn subscript_args(&mut self, shape: &[Dim], place: Expr) -> Low<Vec<FailArg>> {
        if let Some(Dim::Shape(shape)) = shape.first() {
            let count = self.length(*shape);
            let array = self.unrank_to_memory(place, *shape)?;
            return Ok(vec![FailArg::Numbers { buffer: array.buffer, at: expr::int(0), count }]);
        }
        let subscripts = match is_jagged(shape) {
            true => self.jagged_subscripts(shape, place)?,
            false => {
                let extents = self.extents(shape)?;
                self.subscripts(place, &extents)
            }
        };
        Ok(subscripts.into_iter().map(|i| FailArg::Scalar(Prim::I64, i)).collect())
    }
}
