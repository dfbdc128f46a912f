//! Bulk forms: values that are put into arrays.
//!
//! The steps are drafted first, because only all values together tell what the rows have in common: rows of one length
//! make a regular array, rows of different lengths a jagged one.

use crate::convert::Why;
use crate::form::{Form, FormDim, Fresh};
use crate::mono::Mono;
use crate::value::Val;
use crate::{Desugar, Made};
use base::{Name, Span};
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Output, Step, Stm, Type, Var};

/// A step whose values have no form yet.
pub(crate) enum Draft<'t> {
    For { var: Var, count: Atom, body: Vec<Draft<'t>> },
    Let(Stm),
    Guard(Atom, Vec<Draft<'t>>),
    Emit(DraftEmit<'t>),
}

pub(crate) struct DraftEmit<'t> {
    pub output: usize,
    pub at: Vec<Atom>,
    pub certs: Vec<Var>,
    pub stms: Vec<Stm>,
    pub val: Val<'t>,
    /// What is said if a row has another length than the type says.
    pub row: Atom,
    pub span: Span,
}

impl<'t> Draft<'t> {
    pub fn lets(stms: Vec<Stm>) -> impl Iterator<Item = Draft<'t>> {
        stms.into_iter().map(Draft::Let)
    }
}

/// A new array by its elements.
pub(crate) struct Gen<'t> {
    pub shape: Vec<Dim>,
    pub steps: Vec<Draft<'t>>,
    pub otherwise: Option<(Vec<Stm>, Val<'t>)>,
    pub coverage: Coverage,
    /// How many variables there were before the steps.
    pub mark: usize,
}

impl<'t> Desugar<'t> {
    /// The array of `n` values, `body` of each index.
    pub(crate) fn build(
        &mut self,
        n: Atom,
        row: Option<&Mono>,
        span: Span,
        body: impl FnOnce(&mut Self, Atom) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let mark = self.mark();
        let step = self.draft_for(n, span, body)?;
        self.generate(
            Gen { shape: vec![Dim::Size(n)], steps: vec![step], otherwise: None, coverage: Coverage::Exact, mark },
            row,
            span,
        )
    }

    /// `for i < n { emit [i] => body i }`.
    pub(crate) fn draft_for(
        &mut self,
        n: Atom,
        span: Span,
        body: impl FnOnce(&mut Self, Atom) -> Made<Val<'t>>,
    ) -> Made<Draft<'t>> {
        let var = self.b.var(Name::new("i"), Type::I64);
        self.b.open();
        let val = body(self, var.into());
        let stms = self.b.close();
        let emit =
            DraftEmit { output: 0, at: vec![var.into()], certs: Vec::new(), stms, val: val?, row: var.into(), span };
        Ok(Draft::For { var, count: n, body: vec![Draft::Emit(emit)] })
    }

    /// The array that values define.
    pub(crate) fn generate(&mut self, parts: Gen<'t>, row: Option<&Mono>, span: Span) -> Made<Val<'t>> {
        if self.rows_of_unknown_rank(&parts) {
            return self.generate_unknown(parts, span);
        }
        let Gen { shape, steps, otherwise, coverage, mark } = parts;
        let mut vals = Vec::new();
        values(&steps, 0, &mut vals);
        if let Some((_, val)) = &otherwise {
            vals.push(val);
        }
        let form = match (vals.is_empty(), row) {
            (true, Some(row)) => self.form_of(row, true, span)?,
            _ => self.join_rows(&vals, mark, row, span)?,
        };
        let steps = self.finish(steps, std::slice::from_ref(&form))?;
        let otherwise =
            otherwise.map(|(stms, val)| self.finish_block(stms, &val, &form, Atom::size(0), span)).transpose()?;
        let (sizes, elems) = self.formals(&form);
        let (vars, val) = self.bound(&form, &shape);
        let kind = Kind::Gen { shape, otherwise, coverage, rec: Vec::new() };
        let bulk = Bulk { outputs: vec![Output { kind, sizes, elems }], steps };
        self.b.push(Stm { vars, certs: Vec::new(), exp: Exp::Bulk(bulk), span });
        self.wholly_unknown(val, span)
    }

    /// Known dimensions behind unknown ones are part of one unknown shape.
    pub(crate) fn wholly_unknown(&mut self, val: Val<'t>, span: Span) -> Made<Val<'t>> {
        let Val::Array(array) = &val else {
            return Ok(val);
        };
        let [Dim::Shape(_), rest @ ..] = array.dims.as_slice() else {
            return Ok(val);
        };
        if rest.is_empty() || rest.iter().any(|d| !matches!(d, Dim::Size(_))) {
            return Ok(val);
        }
        let (outer, below) = (self.shape_val(&array.dims[..1], span)?, self.shape_val(rest, span)?);
        let shape = self.joined_vectors(&outer, &below, span)?;
        let dims = vec![Dim::Shape(self.as_vector(&shape, span)?.0)];
        let rows = self.map_leaves(&array.rows, &dims, &[], span, &Exp::Reshape);
        Ok(Val::array(dims, rows))
    }

    fn rows_of_unknown_rank(&self, parts: &Gen<'t>) -> bool {
        let mut vals = Vec::new();
        values(&parts.steps, 0, &mut vals);
        vals.extend(parts.otherwise.as_ref().map(|o| &o.1));
        vals.iter().any(|val| match val {
            Val::Array(array) => matches!(array.dims.as_slice(), [Dim::Shape(_)]),
            Val::Scalar(..) | Val::Vector(..) | Val::Lengths(_) | Val::Record(_) | Val::Sum(_) | Val::Fun(_) => false,
        })
    }

    /// Rows whose rank is not known, and which all have one shape: first they are laid out one after the other, with
    /// the shape of each beside it; then the shape of the first is that of all.
    fn generate_unknown(&mut self, mut parts: Gen<'t>, span: Span) -> Made<Val<'t>> {
        self.flatten_rows(&mut parts.steps, span)?;
        if let Some((stms, val)) = parts.otherwise.take() {
            self.reopen(stms);
            let flat = self.flat_with_shape(&val, span);
            parts.otherwise = Some((self.b.close(), flat?));
        }
        let outer = self.shape_val(&parts.shape, span)?;
        let whole = self.generate(parts, None, span)?;
        let Val::Array(whole) = &whole else {
            return crate::unsupported("rows of unknown rank here", span);
        };
        let crate::value::Rows::Record(fields) = &whole.rows else {
            return crate::unsupported("rows of unknown rank here", span);
        };
        let part = |rows: &crate::value::Rows| Val::array(whole.dims.clone(), rows.clone());
        let (data, shapes) = (part(&fields[0]), part(&fields[1]));
        let below = self.common_shape(&shapes, span)?;
        let shape = self.joined_vectors(&outer, &below, span)?;
        let data = self.as_array(&data, span)?;
        let flat = self.flat(&data, span)?;
        self.reshaped_to(&flat, &shape, span)
    }

    fn flatten_rows(&mut self, steps: &mut [Draft<'t>], span: Span) -> Made<()> {
        for step in steps {
            match step {
                Draft::For { body, .. } | Draft::Guard(_, body) => self.flatten_rows(body, span)?,
                Draft::Let(_) => {}
                Draft::Emit(emit) => {
                    self.reopen(std::mem::take(&mut emit.stms));
                    let flat = self.flat_with_shape(&emit.val, span);
                    emit.stms = self.b.close();
                    emit.val = flat?;
                }
            }
        }
        Ok(())
    }

    fn flat_with_shape(&mut self, val: &Val<'t>, span: Span) -> Made<Val<'t>> {
        let array = self.as_array(val, span)?;
        let (array, shape, rank) = self.with_shape(&array, span)?;
        let flat = self.flat(&array, span)?;
        let shape = Val::array(vec![Dim::Size(rank)], crate::value::Rows::Data(scalar::Prim::I64, shape));
        Ok(Val::Record([Val::Array(flat), shape].into()))
    }

    /// The shape that all rows have; without rows, no dimensions.
    fn common_shape(&mut self, shapes: &Val<'t>, span: Span) -> Made<Val<'t>> {
        let shapes = self.as_array(shapes, span)?;
        let rank = shapes.dims.len() - 1;
        let mut regular = (*shapes).clone();
        for at in (1..=rank).rev() {
            regular = self.made_regular(&regular, at, None, span);
        }
        let outer = regular.dims[..rank].to_vec();
        let total = self.b.scalar("n", scalar::Prim::I64, Exp::Total(outer), &[], span);
        let some = self.b.bin(scalar::BinOp::Gt, scalar::Prim::I64, total, Atom::size(0), span);
        let first = regular.clone();
        self.choose(
            some,
            span,
            |d| {
                // All elements in one row each, whatever the dimensions around them.
                let dims = vec![Dim::Size(total), first.dims[rank]];
                let rows = d.map_leaves(&first.rows, &dims, &[], span, &Exp::Reshape);
                let table = crate::value::ArrayVal { dims, rows };
                Ok(d.element(&table, &[Atom::size(0)], &[], span))
            },
            |d| Ok(Val::Array(d.as_array(&Val::Vector(scalar::Prim::I64, [].into()), span)?)),
        )
    }

    /// The sequence of all values.
    pub(crate) fn keep(&mut self, steps: Vec<Draft<'t>>, mark: usize, row: Option<&Mono>, span: Span) -> Made<Val<'t>> {
        let mut vals = Vec::new();
        values(&steps, 0, &mut vals);
        let form = self.join_rows(&vals, mark, row, span)?;
        let steps = self.finish(steps, std::slice::from_ref(&form))?;
        let (output, vars, val) = self.keep_output(&form);
        self.b.push(Stm { vars, certs: Vec::new(), exp: Exp::Bulk(Bulk { outputs: vec![output], steps }), span });
        Ok(val)
    }

    /// An output that keeps values of a form, what it binds, and the value of that.
    pub(crate) fn keep_output(&mut self, form: &Form) -> (Output, Vec<Var>, Val<'t>) {
        let count = self.b.var(Name::new("m"), Type::I64);
        let (sizes, elems) = self.formals(form);
        let (vars, val) = self.bound(form, &[Dim::Size(count.into())]);
        let vars = [count].into_iter().chain(vars).collect();
        (Output { kind: Kind::Keep, sizes, elems }, vars, val)
    }

    /// Variables for one value of an output.
    pub(crate) fn formals(&mut self, form: &Form) -> (Vec<Var>, Vec<Var>) {
        let mut fresh = Fresh::default();
        self.fresh(form, "x", &[], &mut fresh);
        (fresh.sizes(), fresh.data())
    }

    /// What an output binds for values of a form inside some dimensions: descriptors, then data.
    pub(crate) fn bound(&mut self, form: &Form, shape: &[Dim]) -> (Vec<Var>, Val<'t>) {
        let form = whole(form);
        let mut fresh = Fresh::default();
        let val = self.fresh(&form, "xs", shape, &mut fresh);
        let mut vars = fresh.sizes();
        vars.extend(fresh.data());
        (vars, val)
    }

    /// The steps with their values in the forms of the outputs.
    pub(crate) fn finish(&mut self, drafts: Vec<Draft<'t>>, forms: &[Form]) -> Made<Vec<Step>> {
        drafts
            .into_iter()
            .map(|draft| {
                Ok(match draft {
                    Draft::For { var, count, body } => Step::For { var, count, body: self.finish(body, forms)? },
                    Draft::Let(stm) => Step::Let(stm),
                    Draft::Guard(cond, body) => Step::Guard(cond, self.finish(body, forms)?),
                    Draft::Emit(DraftEmit { output, at, certs, stms, val, row, span }) => {
                        let value = self.finish_block(stms, &val, &forms[output], row, span)?;
                        Step::Emit(Emit { output, at, certs, value, span })
                    }
                })
            })
            .collect()
    }

    fn finish_block(&mut self, stms: Vec<Stm>, val: &Val<'t>, form: &Form, row: Atom, span: Span) -> Made<Block> {
        self.reopen(stms);
        let parts = self.components(val, form, Why::Rows(row), span);
        let stms = self.b.close();
        Ok(Block { stms, result: sizes_first(&parts?) })
    }
}

/// Sizes, then data.
pub(crate) fn sizes_first(parts: &[(Atom, bool)]) -> Vec<Atom> {
    let sizes = parts.iter().filter(|p| p.1);
    sizes.chain(parts.iter().filter(|p| !p.1)).map(|p| p.0).collect()
}

/// The form of rows as a form of the whole: what differs from row to row is jagged there.
pub(crate) fn whole(form: &Form) -> Form {
    match form {
        Form::Array(dims, elem) => {
            let dim = |dim: &FormDim| if *dim == FormDim::Size { FormDim::Jagged } else { *dim };
            Form::Array(dims.iter().map(dim).collect(), Box::new(whole(elem)))
        }
        Form::Record(fields) => Form::Record(fields.iter().map(whole).collect()),
        Form::Sum(cases, parts) => {
            Form::Sum(cases.clone(), parts.iter().map(|ps| ps.iter().map(whole).collect()).collect())
        }
        Form::Scalar(_) | Form::Vector(..) => form.clone(),
    }
}

/// All values for an output.
pub(crate) fn values<'d, 't>(drafts: &'d [Draft<'t>], output: usize, out: &mut Vec<&'d Val<'t>>) {
    for draft in drafts {
        match draft {
            Draft::For { body, .. } | Draft::Guard(_, body) => values(body, output, out),
            Draft::Let(_) => {}
            Draft::Emit(emit) if emit.output == output => out.push(&emit.val),
            Draft::Emit(_) => {}
        }
    }
}
