//! Bulk forms: values that are put into arrays.
//!
//! The steps are drafted first, because only all values together tell what the rows have in common: rows of one length
//! make a regular array, rows of different lengths a jagged one.

use crate::boxes::{has_open_shape, of_one_shape};
use crate::convert::Why;
use crate::form::{Form, FormDim, Fresh};
use crate::mono::Mono;
use crate::ranks::leading;
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
        body: impl FnOnce(&mut Self, Atom) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let mark = self.mark();
        let step = self.draft_for(n, body)?;
        self.generate(
            Gen { shape: vec![Dim::Size(n)], steps: vec![step], otherwise: None, coverage: Coverage::Exact, mark },
            row,
        )
    }

    /// `for i < n { emit [i] => body i }`.
    pub(crate) fn draft_for(
        &mut self,
        n: Atom,
        body: impl FnOnce(&mut Self, Atom) -> Made<Val<'t>>,
    ) -> Made<Draft<'t>> {
        let var = self.b.var(Name::new("i"), Type::I64);
        self.b.open();
        let val = body(self, var.into());
        let stms = self.b.close();
        let emit = DraftEmit {
            output: 0,
            at: vec![var.into()],
            certs: Vec::new(),
            stms,
            val: val?,
            row: var.into(),
            span: self.b.span,
        };
        Ok(Draft::For { var, count: n, body: vec![Draft::Emit(emit)] })
    }

    /// The array that values define.
    pub(crate) fn generate(&mut self, mut parts: Gen<'t>, row: Option<&Mono>) -> Made<Val<'t>> {
        let mut vals = Vec::new();
        values(&parts.steps, 0, &mut vals);
        vals.extend(parts.otherwise.as_ref().map(|o| &o.1));
        let form = match (vals.is_empty(), row) {
            (true, Some(row)) => {
                let form = self.form_of(row, true);
                self.without_open_shapes(form)
            }
            _ => of_one_shape(self.join_rows(&vals, parts.mark, row)?, row),
        };
        if has_open_shape(&form) {
            self.box_steps(&mut parts.steps, &form)?;
            if let Some((stms, val)) = parts.otherwise.take() {
                self.reopen(stms);
                let boxed = self.box_val(&val, &form);
                parts.otherwise = Some((self.b.close(), boxed?));
            }
            let outer = parts.shape.len();
            let whole = self.generate(parts, None)?;
            let val = self.unbox(&whole, &form, outer)?;
            return self.wholly_unknown(val);
        }
        let Gen { shape, steps, otherwise, coverage, mark: _ } = parts;
        let steps = self.finish(steps, std::slice::from_ref(&form))?;
        let otherwise = otherwise.map(|(stms, val)| self.finish_block(stms, &val, &form, Atom::size(0))).transpose()?;
        let (sizes, elems) = self.formals(&form);
        let (vars, val) = self.bound(&form, &shape);
        let kind = Kind::Gen { shape, otherwise, coverage, rec: Vec::new() };
        let bulk = Bulk { outputs: vec![Output { kind, sizes, elems }], steps };
        self.b.bind_all(vars, Exp::Bulk(bulk));
        self.wholly_unknown(val)
    }

    /// Dimensions behind unknown ones are part of one unknown shape.
    pub(crate) fn wholly_unknown(&mut self, val: Val<'t>) -> Made<Val<'t>> {
        let Val::Array(array) = &val else {
            return Ok(val);
        };
        let known = leading(&array.dims);
        if known + 1 >= array.dims.len() || array.dims[known..].iter().any(|d| matches!(d, Dim::Jagged(_))) {
            return Ok(val);
        }
        Ok(Val::Array(std::rc::Rc::new(self.merged(array, known)?)))
    }

    /// The form of values of which there are none: a shape that nothing tells has no dimensions.
    fn without_open_shapes(&mut self, form: Form) -> Form {
        match form {
            Form::Array(dims, elem) => {
                let dims = dims.into_iter().map(|dim| match dim {
                    FormDim::Shape => FormDim::Fixed(Dim::Shape(self.vector_var(scalar::Prim::I64, &[]))),
                    FormDim::Fixed(_) | FormDim::Size | FormDim::Jagged => dim,
                });
                let dims = dims.collect();
                Form::Array(dims, Box::new(self.without_open_shapes(*elem)))
            }
            Form::Record(fields) => Form::Record(fields.into_iter().map(|f| self.without_open_shapes(f)).collect()),
            Form::Scalar(_) | Form::Vector(..) | Form::Sum(..) | Form::Fun(_) => form,
        }
    }

    /// The sequence of all values.
    pub(crate) fn keep(&mut self, mut steps: Vec<Draft<'t>>, mark: usize, row: Option<&Mono>) -> Made<Val<'t>> {
        let mut vals = Vec::new();
        values(&steps, 0, &mut vals);
        let form = of_one_shape(self.join_rows(&vals, mark, row)?, row);
        if has_open_shape(&form) {
            self.box_steps(&mut steps, &form)?;
            let whole = self.keep(steps, mark, None)?;
            return self.unbox(&whole, &form, 1);
        }
        let steps = self.finish(steps, std::slice::from_ref(&form))?;
        let (output, vars, val) = self.keep_output(&form);
        self.b.bind_all(vars, Exp::Bulk(Bulk { outputs: vec![output], steps }));
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
                        let value = self.at(span, |d| d.finish_block(stms, &val, &forms[output], row))?;
                        Step::Emit(Emit { output, at, certs, value, span })
                    }
                })
            })
            .collect()
    }

    fn finish_block(&mut self, stms: Vec<Stm>, val: &Val<'t>, form: &Form, row: Atom) -> Made<Block> {
        self.reopen(stms);
        let parts = self.components(val, form, Why::Rows(row));
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
        Form::Scalar(_) | Form::Vector(..) | Form::Fun(_) => form.clone(),
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
