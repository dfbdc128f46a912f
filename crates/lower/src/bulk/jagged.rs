//! Arrays of values whose sizes differ from one to the next: sizes and elements are appended as values come.
//!
//! Values that come in the order of their places are then all there is to do. Otherwise what came is put into order at
//! the end.

use super::form::{Bound, Elem};
use crate::Low;
use crate::context::Lower;
use crate::expr;
use crate::rep::{Array, Desc, Rep};
use ir::{Atom, Bulk, Coverage, Dim, Emit, Kind, Output, Step, Type, Var};
use kernel::{Expr, SiteId, Stm, Type as KType, Var as K};
use scalar::Prim;

/// What has come so far.
pub(crate) struct JaggedSink {
    pub sizes: Vec<Level>,
    pub elems: Vec<Column>,
    /// How many values have come.
    pub count: K,
    /// Where they go, if they do not come in order.
    pub arrivals: Option<Arrivals>,
    pub shape: Vec<Dim>,
    pub coverage: Coverage,
}

/// A size that differs from value to value.
#[derive(Clone)]
pub(crate) struct Level {
    /// Its name in one value.
    pub size: Var,
    /// The dimensions around it in one value.
    pub around: Vec<Dim>,
    /// Offsets: 0, then one for each row.
    pub offsets: K,
    /// How many rows there are.
    pub rows: K,
    /// The sum of all lengths.
    pub sum: K,
}

/// A component's elements.
#[derive(Clone)]
pub(crate) struct Column {
    pub elem: Elem,
    pub buffer: K,
    pub used: K,
}

/// Which value goes where.
pub(crate) struct Arrivals {
    /// For each place, whether it has a value.
    pub marks: K,
    /// For each place, the number of its value.
    pub number: K,
    /// For each value, where its rows begin in each level and its elements in each component.
    pub starts: Vec<K>,
}

impl Lower<'_> {
    pub(super) fn open_jagged(&mut self, output: &Output, bulk: &Bulk) -> Low<JaggedSink> {
        let ordered = match &output.kind {
            Kind::Gen { shape, .. } => in_order(shape, bulk),
            _ => true,
        };
        self.open_rows(output, ordered)
    }

    /// Nothing has come so far; `ordered` says that values come in the order of their places.
    pub(super) fn open_rows(&mut self, output: &Output, ordered: bool) -> Low<JaggedSink> {
        let mut sizes = Vec::new();
        for size in &output.sizes {
            let level = self.open_level(*size, output);
            sizes.push(level);
        }
        let mut elems = Vec::new();
        for elem in self.elems(output)? {
            let buffer = self.growing("data", KType::Buffer(elem.prim));
            let used = self.code.variable("used", expr::int(0));
            elems.push(Column { elem, buffer, used });
        }
        let count = self.code.variable("count", expr::int(0));
        let (shape, coverage) = match &output.kind {
            Kind::Gen { shape, coverage, .. } => (shape.clone(), *coverage),
            _ => (Vec::new(), Coverage::Exact),
        };
        let arrivals = if ordered { None } else { Some(self.open_arrivals(&shape, &sizes, &elems)?) };
        Ok(JaggedSink { sizes, elems, count, arrivals, shape, coverage })
    }

    fn open_level(&mut self, size: Var, output: &Output) -> Level {
        let around = match self.src.ty(size) {
            Type::Desc(dims) => dims.clone(),
            _ => around_size(self.src, size, output),
        };
        let offsets = self.growing("offsets", KType::Buffer(Prim::I64));
        let span = self.code.span;
        self.code.emit(Stm::Grow { buffer: offsets, used: expr::int(0), needed: expr::int(1), span });
        self.code.emit(Stm::Store { buffer: offsets, at: expr::int(0), value: expr::int(0) });
        let rows = self.code.variable("rows", expr::int(0));
        let sum = self.code.variable("sum", expr::int(0));
        Level { size, around, offsets, rows, sum }
    }

    pub(super) fn keep_rows(&mut self, sink: &JaggedSink, emit: &Emit) -> Low<()> {
        if let Some(arrivals) = &sink.arrivals {
            let place = self.place_at(&sink.shape, &emit.at)?;
            self.arrive(sink, arrivals, place, &emit.at)?;
        }
        let reps = self.open_block(&emit.value)?;
        self.append(sink, reps, &emit.value.result)?;
        self.code.close_inline();
        Ok(())
    }

    /// Appends one value.
    pub(super) fn append(&mut self, sink: &JaggedSink, reps: Vec<Rep>, atoms: &[Atom]) -> Low<()> {
        let mut reps = reps.into_iter();
        for level in &sink.sizes {
            let Some(rep) = reps.next() else {
                base::bug!("a value without its sizes");
            };
            // Dimensions further in mention the sizes by the names they have in one value.
            self.homes.bind(level.size, rep.clone());
            self.append_sizes(level, rep)?;
        }
        for ((column, rep), atom) in sink.elems.iter().zip(reps).zip(&atoms[sink.sizes.len()..]) {
            // A value's own type names its own descriptors, which its data counts by.
            let dims = self.dims_of(*atom);
            let count = self.count(&dims)?;
            let needed = self.code.name_int("needed", expr::add(Expr::Var(column.used), count));
            let span = self.code.span;
            let used = Expr::Var(column.used);
            self.code.emit(Stm::Grow { buffer: column.buffer, used: used.clone(), needed: needed.clone(), span });
            self.write(column.buffer, used, &rep, &dims)?;
            self.code.emit(Stm::Set(column.used, needed));
        }
        self.code.emit(Stm::Set(sink.count, expr::add(Expr::Var(sink.count), expr::int(1))));
        Ok(())
    }

    fn append_sizes(&mut self, level: &Level, rep: Rep) -> Low<()> {
        let (first, last) = self.span_of(&level.around)?;
        let rows = self.code.name_int("more", expr::sub(last, first.clone()));
        let span = self.code.span;
        let used = self.code.name_int("used", expr::add(Expr::Var(level.rows), expr::int(1)));
        let needed = expr::add(used.clone(), rows.clone());
        self.code.emit(Stm::Grow { buffer: level.offsets, used, needed, span });
        self.count_loop("k", rows, |this, k| {
            let length = match rep {
                Rep::Scalar(length) => length,
                Rep::Desc(desc) => {
                    let row = this.code.name_int("row", expr::add(first, k));
                    this.row_length(&desc, row)
                }
                Rep::Vector(..) | Rep::Array(_) | Rep::Cert | Rep::Box(_) => {
                    base::bug!("a size that is no size");
                }
            };
            this.push_length(level, length);
            Ok(())
        })
    }

    /// Appends one length, for which there is room.
    pub(super) fn push_length(&mut self, level: &Level, length: Expr) {
        let length = self.code.name_int("length", length);
        self.code.emit(Stm::Set(level.sum, expr::capacity_sum(Expr::Var(level.sum), length)));
        self.code.emit(Stm::Set(level.rows, expr::add(Expr::Var(level.rows), expr::int(1))));
        let (at, value) = (Expr::Var(level.rows), Expr::Var(level.sum));
        self.code.emit(Stm::Store { buffer: level.offsets, at, value });
    }

    pub(super) fn close_jagged(&mut self, sink: JaggedSink, output: &Output, bound: &Bound) -> Low<()> {
        let (sizes, elems) = match &sink.arrivals {
            None => (sink.sizes, sink.elems),
            Some(arrivals) => {
                let otherwise = match &output.kind {
                    Kind::Gen { otherwise, .. } => otherwise.as_ref(),
                    _ => None,
                };
                self.complete(&sink, arrivals, otherwise)?;
                self.in_place_order(&sink, arrivals)?
            }
        };
        if let Some(count) = bound.count {
            self.homes.bind(count, Rep::Scalar(Expr::Var(sink.count)));
        }
        self.bind_rows(sizes, elems, bound);
        Ok(())
    }

    /// Binds the variables of an output to what was collected.
    pub(super) fn bind_rows(&mut self, sizes: Vec<Level>, elems: Vec<Column>, bound: &Bound) {
        for (var, level) in bound.sizes.iter().zip(sizes) {
            self.homes.bind(*var, Rep::Desc(Desc { offsets: level.offsets, start: expr::int(0) }));
        }
        for (var, column) in bound.elems.iter().zip(elems) {
            let array = Array { whole: true, ..Array::at(column.buffer, expr::int(0)) };
            self.homes.bind(*var, Rep::Array(array));
        }
    }

    /// Makes sure that every place has a value.
    fn complete(&mut self, sink: &JaggedSink, arrivals: &Arrivals, otherwise: Option<&ir::Block>) -> Low<()> {
        match (otherwise, sink.coverage) {
            (Some(value), _) => self.append_otherwise(sink, arrivals, value),
            (None, Coverage::Checked { gap, called, .. }) => {
                let count = self.count(&sink.shape)?;
                self.check_gaps(&sink.shape, arrivals.marks, count, SiteId(gap.0), called)
            }
            (None, Coverage::Exact) => Ok(()),
        }
    }
}

/// The dimensions around an `i64` size in the values that use it.
pub(super) fn around_size(program: &ir::Program, size: Var, output: &Output) -> Vec<Dim> {
    for elem in &output.elems {
        let dims = program.ty(*elem).dims();
        if let Some(at) = dims.iter().position(|d| *d == Dim::Size(Atom::Var(size))) {
            return dims[..at].to_vec();
        }
    }
    Vec::new()
}

/// Whether the steps are loops inside loops over the whole shape, in order, around one value at the loops' indices.
pub(super) fn in_order(shape: &[Dim], bulk: &Bulk) -> bool {
    let mut steps = &bulk.steps[..];
    let mut indices = Vec::new();
    loop {
        let mut rest = steps.iter().filter(|s| !matches!(s, Step::Let(_)));
        match (rest.next(), rest.next()) {
            (Some(Step::For { var, count, body }), None) => {
                if shape.get(indices.len()) != Some(&Dim::Size(*count)) {
                    return false;
                }
                indices.push(Atom::Var(*var));
                steps = body;
            }
            (Some(Step::Emit(emit)), None) => return indices.len() == shape.len() && emit.at == indices,
            (_, _) => return false,
        }
    }
}
