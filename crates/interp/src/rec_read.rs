//! Reading recursive arrays while they are computed.

use crate::builder::Builder;
use crate::data::{Array, Column, Layout, NOBODY, RecArray, Value};
use crate::error::{Eval, Need, Stop};
use crate::select::{Bounds, Idx, Run, element, select_value};
use base::Span;
use std::rc::Rc;

impl RecArray {
    /// The extents of the array as far as they are known: those of cells' values are not.
    pub fn shape(&self) -> Vec<i64> {
        match &self.layout {
            Layout::Dense(extents) => {
                let mut out: Vec<i64> = extents.iter().map(|n| *n as i64).collect();
                let mut elem = &*self.elem;
                while let crate::rtype::RtType::Array(dim, inner) = elem {
                    let crate::rtype::RtDim::Known(n) = dim else { break };
                    out.push(*n);
                    elem = inner;
                }
                out
            }
            Layout::Like(old) => old.rows.extents(old.len),
        }
    }

    /// Where the elements below a position begin and how many there are, at a level.
    fn below(&self, level: usize, position: usize) -> (usize, usize) {
        match &self.layout {
            Layout::Dense(extents) => (position * extents[level], extents[level]),
            Layout::Like(old) if level == 0 => (0, old.len),
            Layout::Like(old) => {
                let column = (1..level).fold(&old.rows, |column, _| column.inner());
                column.span_of(position)
            }
        }
    }

    /// Notes which instance defines which cell: of several the last.
    pub fn own_cells(&self, positions: impl Iterator<Item = usize>) {
        let Layout::Like(old) = &self.layout else { return };
        let mut columns = vec![&old.rows];
        for level in 1..self.depth {
            columns.push(columns[level - 1].inner());
        }
        let total = (1..self.depth).fold(old.len, |rows, level| columns[level - 1].total(rows));
        let mut owner = vec![NOBODY; total];
        for (instance, (position, depth)) in positions.zip(self.subscripts.borrow().iter()).enumerate() {
            let (mut start, mut end) = match *depth as usize {
                0 => (0, old.len),
                _ => (position, position + 1),
            };
            for column in &columns[(*depth as usize).max(1) - 1..self.depth - 1] {
                (start, end) = (column.total(start), column.total(end));
            }
            owner[start..end].iter_mut().for_each(|o| *o = instance as u32);
        }
        *self.owner.borrow_mut() = owner;
    }

    /// The element at these subscripts, if it is computed already: the common case, which needs no list of subscripts.
    #[inline]
    pub fn ready(&self, subscripts: &[i64]) -> Option<Value> {
        let Layout::Dense(extents) = &self.layout else { return None };
        if subscripts.len() != extents.len() {
            return None;
        }
        let mut cell = 0;
        for (i, extent) in subscripts.iter().zip(extents) {
            let i = usize::try_from(*i).ok().filter(|i| i < extent)?;
            cell = cell * extent + i;
        }
        // In a dense array every instance has all subscripts, so that its value is the element.
        let owner = self.owner.borrow()[cell];
        let values = self.values.borrow();
        values.get(owner as usize).filter(|v| !matches!(v, Value::Unset)).cloned()
    }

    /// What indices and slices select. `this` is the array itself, to be named where an element is missing.
    pub fn select(&self, this: &Rc<RecArray>, indices: &[Idx], span: Span) -> Eval<Value> {
        let mut path = Vec::with_capacity(self.depth);
        self.select_below(this, &mut path, 0, 0, indices, span)
    }

    fn select_below(
        &self,
        this: &Rc<RecArray>,
        path: &mut Vec<i64>,
        level: usize,
        position: usize,
        indices: &[Idx],
        span: Span,
    ) -> Eval<Value> {
        if level == self.depth {
            return self.cell(this, path, position, indices, span);
        }
        let (start, len) = self.below(level, position);
        let report = |bounds: Bounds, path: &[i64]| {
            let all: Vec<Idx> = path.iter().map(|i| Idx::At(*i)).chain(indices.iter().copied()).collect();
            bounds.report(&Value::Rec(this.clone()).describe(), &all, span)
        };
        let (run, rest) = match indices.split_first() {
            Some((Idx::At(i), rest)) => {
                if *i < 0 || *i as usize >= len {
                    return Err(report(Bounds::Index(*i, len), path));
                }
                path.push(*i);
                let value = self.select_below(this, path, level + 1, start + *i as usize, rest, span);
                path.pop();
                return value;
            }
            Some((slice, rest)) => (Run::new(*slice, len).map_err(|bounds| report(bounds, path))?, rest),
            None => (Run { start: 0, stride: 1, count: len }, indices),
        };
        let mut builder = Builder::new(run.count);
        for i in run.places() {
            path.push(i as i64);
            builder.push(self.select_below(this, path, level + 1, start + i, rest, span)?);
            path.pop();
        }
        let Builder { len, rows, .. } = builder;
        let rows = rows.unwrap_or_else(|| self.empty_rows(level));
        Ok(Array { len, rows: rows.tidy(len) }.into())
    }

    /// No rows, of the kind that lies one level below.
    fn empty_rows(&self, level: usize) -> Column {
        match &self.layout {
            Layout::Like(old) => (0..level).fold(&old.rows, |column, _| column.inner()).slice(0, 0),
            Layout::Dense(extents) => extents[level + 1..]
                .iter()
                .rev()
                .fold(Column::empty(&self.elem), |rows, n| Column::Regular(*n, Box::new(rows))),
        }
    }

    /// The value of a cell, or what further indices select of it.
    fn cell(&self, this: &Rc<RecArray>, path: &[i64], cell: usize, indices: &[Idx], span: Span) -> Eval<Value> {
        let owner = self.owner.borrow()[cell];
        if owner == NOBODY {
            return match &self.layout {
                Layout::Like(old) => select_value(&element(old, path, span)?, indices, span),
                Layout::Dense(_) => Err(need(this, owner)),
            };
        }
        let values = self.values.borrow();
        let value = &values[owner as usize];
        if let Value::Unset = value {
            return Err(need(this, owner));
        }
        let inside = &path[self.subscripts.borrow()[owner as usize] as usize..];
        let value = match (inside, value) {
            ([], value) => value.clone(),
            (_, Value::Array(array)) => element(array, inside, span)?,
            (_, value) => value.clone(),
        };
        select_value(&value, indices, span)
    }
}

fn need(array: &Rc<RecArray>, instance: u32) -> Stop {
    Stop::Need(Box::new(Need { array: array.clone(), instance }))
}
