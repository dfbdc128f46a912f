//! Forms: what several values have in common where they come together (branches, turns of a loop, calls, rows).
//!
//! A form fixes the tree and, for each dimension, whether it is one known thing or differs from value to value. What
//! differs is passed along: a form has *components*, the sizes, descriptors and shapes that differ and the data, in the
//! order of [`scalar::Layout::components`].

use crate::mono::{Mono, MonoDim, agreeing_cases};
use crate::ranks::is_shape;
use crate::value::{Cases, Rows, SumVal, Val};
use crate::{Desugar, Made};
use base::Name;
use base::id::Id;
use ir::{Atom, BoxId, Dim, DimKind, Exp, Layout, Limitation, Type, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Form {
    Scalar(Prim),
    /// A vector of known length: that many scalars.
    Vector(Prim, usize),
    Array(Vec<FormDim>, Box<Form>),
    Record(Vec<Form>),
    Sum(FormCases, Vec<Vec<Form>>),
    /// A function in a box.
    Fun(BoxId),
}

/// Constructors; their types do not matter for equality.
#[derive(Clone, Debug)]
pub(crate) struct FormCases(pub Cases);

impl PartialEq for FormCases {
    fn eq(&self, other: &FormCases) -> bool {
        self.0.iter().map(|c| c.0).eq(other.0.iter().map(|c| c.0))
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum FormDim {
    /// The same in all values.
    Fixed(Dim),
    Size,
    Jagged,
    Shape,
}

/// Variables for the components of a form.
#[derive(Default)]
pub(crate) struct Fresh {
    /// All of them in order, and whether they are sizes (or descriptors, shapes) rather than data.
    pub vars: Vec<(Var, bool)>,
}

impl Fresh {
    pub fn all(&self) -> Vec<Var> {
        self.vars.iter().map(|v| v.0).collect()
    }

    pub fn sizes(&self) -> Vec<Var> {
        self.vars.iter().filter(|v| v.1).map(|v| v.0).collect()
    }

    pub fn data(&self) -> Vec<Var> {
        self.vars.iter().filter(|v| !v.1).map(|v| v.0).collect()
    }
}

/// A value in the tree form that joining looks at: arrays in records in arrays look like arrays in records.
enum Node<'v, 't> {
    Val(&'v Val<'t>),
    Rows(&'v Rows),
    Prim(Prim),
}

impl Node<'_, '_> {
    fn is_array(&self) -> bool {
        matches!(self, Node::Val(Val::Vector(..) | Val::Lengths(_) | Val::Array(_)) | Node::Rows(Rows::Array(..)))
    }
}

/// Where values stand whose form is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// They are no rows: branches, turns of a loop.
    Alone,
    /// They are rows of one array: where they differ in their first dimension each has its size, behind it they are jagged.
    Row,
    /// They stand inside an array that is a row: every dimension in which they differ is jagged.
    InRow,
}

impl Place {
    /// The place of an array's elements.
    fn inside(self) -> Place {
        match self {
            Place::Alone => Place::Alone,
            Place::Row | Place::InRow => Place::InRow,
        }
    }
}

impl<'t> Desugar<'t> {
    /// Whether an atom means the same outside of a block that was opened when there were `mark` variables.
    pub(crate) fn outside(&self, atom: Atom, mark: usize) -> bool {
        atom.var().is_none_or(|v| v.index() < mark || self.global_vars.contains(&v))
    }

    pub(crate) fn mark(&self) -> usize {
        self.b.program.vars.len()
    }

    /// The form of values that come together in a block that sees only variables below `mark`.
    pub(crate) fn join(&mut self, vals: &[&Val<'t>], mark: usize) -> Made<Form> {
        let nodes: Vec<Node> = vals.iter().map(|v| Node::Val(v)).collect();
        self.join_nodes(&nodes, mark, Place::Alone, None)
    }

    /// The form of the rows of one array: rows that differ in length become jagged. `ty` is the type of a row.
    pub(crate) fn join_rows(&mut self, vals: &[&Val<'t>], mark: usize, ty: Option<&Mono>) -> Made<Form> {
        let nodes: Vec<Node> = vals.iter().map(|v| Node::Val(v)).collect();
        self.join_nodes(&nodes, mark, Place::Row, ty)
    }

    fn join_nodes(&mut self, nodes: &[Node<'_, 't>], mark: usize, place: Place, ty: Option<&Mono>) -> Made<Form> {
        let Some(first) = nodes.first() else {
            return self.unsupported(Limitation::NothingKnown);
        };
        // An array of rank 0 is its element: it may stand beside others.
        if !first.is_array() && nodes.iter().any(Node::is_array) {
            return self.join_arrays(nodes, mark, place, ty);
        }
        match first {
            Node::Val(Val::Scalar(prim, _)) | Node::Rows(Rows::Data(prim, _)) | Node::Prim(prim) => {
                Ok(Form::Scalar(*prim))
            }
            Node::Val(Val::Vector(prim, atoms))
                if place == Place::Alone
                    && nodes.iter().all(|n| matches!(n, Node::Val(Val::Vector(_, b)) if b.len() == atoms.len())) =>
            {
                Ok(Form::Vector(*prim, atoms.len()))
            }
            Node::Val(Val::Vector(..) | Val::Lengths(_) | Val::Array(_)) | Node::Rows(Rows::Array(..)) => {
                self.join_arrays(nodes, mark, place, ty)
            }
            Node::Val(Val::Record(fields)) => self.join_fields(nodes, fields.len(), mark, place, ty),
            Node::Rows(Rows::Record(fields)) => self.join_fields(nodes, fields.len(), mark, place, ty),
            Node::Val(Val::Sum(sum)) => self.join_sums(nodes, sum.cases.clone(), mark, place),
            Node::Rows(Rows::Sum(cases, ..)) => self.join_sums(nodes, cases.clone(), mark, place),
            Node::Val(Val::Fun(fun)) => match fun.sig() {
                Some(sig) => Ok(Form::Fun(self.box_of(&sig))),
                None => self.unsupported(Limitation::PolymorphicFunction),
            },
        }
    }

    fn join_fields(
        &mut self,
        nodes: &[Node<'_, 't>],
        count: usize,
        mark: usize,
        place: Place,
        ty: Option<&Mono>,
    ) -> Made<Form> {
        let mut forms = Vec::with_capacity(count);
        for i in 0..count {
            let column: Vec<Node> = nodes
                .iter()
                .filter_map(|node| match node {
                    Node::Val(Val::Record(fields)) => fields.get(i).map(Node::Val),
                    Node::Rows(Rows::Record(fields)) => fields.get(i).map(Node::Rows),
                    _ => None,
                })
                .collect();
            let ty = match ty {
                Some(Mono::Record(fields)) => fields.get(i).map(|f| &f.1),
                _ => None,
            };
            forms.push(self.join_nodes(&column, mark, place, ty)?);
        }
        Ok(Form::Record(forms))
    }

    fn join_sums(&mut self, nodes: &[Node<'_, 't>], cases: Cases, mark: usize, place: Place) -> Made<Form> {
        // Each value was typed where it was made: only what all of them say holds.
        let cases = nodes.iter().fold(cases, |cases, node| match node {
            Node::Val(Val::Sum(sum)) => agreeing_cases(&cases, &sum.cases),
            Node::Rows(Rows::Sum(own, ..)) => agreeing_cases(&cases, own),
            _ => cases,
        });
        let cases = self.sized_cases(&cases, mark);
        let mut all = Vec::with_capacity(cases.len());
        for (c, (_, types)) in cases.iter().enumerate() {
            let mut forms = Vec::with_capacity(types.len());
            for (p, ty) in types.iter().enumerate() {
                let column: Vec<Node> = nodes
                    .iter()
                    .filter_map(|node| match node {
                        Node::Val(Val::Sum(sum)) => sum.parts[c].as_ref().map(|parts| Node::Val(&parts[p])),
                        Node::Rows(Rows::Sum(_, _, parts)) => Some(Node::Rows(&parts[c][p])),
                        _ => None,
                    })
                    .collect();
                // Values of other constructors have dummies here: what is fixed in some is not in all, unless the type
                // says it.
                let complete = column.len() == nodes.len();
                let form = match column.is_empty() {
                    true => self.form_of(ty, place == Place::Row),
                    false => self.join_nodes(&column, if complete { mark } else { 0 }, place, None)?,
                };
                let form = if complete { form } else { loosen(form, place) };
                forms.push(self.with_typed_sizes(form, ty, mark));
            }
            all.push(forms);
        }
        Ok(Form::Sum(FormCases(cases), all))
    }

    fn join_arrays(&mut self, nodes: &[Node<'_, 't>], mark: usize, place: Place, ty: Option<&Mono>) -> Made<Form> {
        let mut lists: Vec<Vec<Dim>> = Vec::new();
        let mut below: Vec<Node> = Vec::new();
        for node in nodes {
            match node {
                Node::Val(Val::Array(array)) => {
                    lists.push(array.dims.clone());
                    below.push(Node::Rows(&array.rows));
                }
                Node::Val(Val::Vector(prim, atoms)) => {
                    lists.push(vec![Dim::Size(Atom::size(atoms.len() as i64))]);
                    below.push(Node::Prim(*prim));
                }
                Node::Val(Val::Lengths(desc)) => {
                    lists.push(self.b.ty(*desc).dims().to_vec());
                    below.push(Node::Prim(Prim::I64));
                }
                Node::Rows(Rows::Array(dims, rows)) => {
                    lists.push(dims.clone());
                    below.push(Node::Rows(rows));
                }
                Node::Val(val) => {
                    lists.push(Vec::new());
                    below.push(Node::Val(val));
                }
                Node::Rows(rows) => {
                    lists.push(Vec::new());
                    below.push(Node::Rows(rows));
                }
                Node::Prim(prim) => {
                    lists.push(Vec::new());
                    below.push(Node::Prim(*prim));
                }
            }
        }
        let (types, elem_ty) = split_type(ty, lists[0].len());
        let elem = self.join_nodes(&below, mark, place.inside(), elem_ty)?;
        // Dimensions are compared one by one where shapes stand in the same places.
        let alike = |a: &[Dim], b: &[Dim]| a.iter().map(is_shape).eq(b.iter().map(is_shape));
        if lists.iter().any(|dims| !alike(dims, &lists[0])) {
            return self.join_ranks(&lists, elem);
        }
        let mut dims: Vec<FormDim> = Vec::new();
        for i in 0..lists[0].len() {
            let dim = self.join_dim(
                &lists.iter().map(|l| l[i]).collect::<Vec<_>>(),
                mark,
                &dims,
                place,
                types.get(i).copied(),
            );
            dims.push(dim);
        }
        Ok(Form::Array(dims, Box::new(elem)))
    }

    fn join_ranks(&mut self, lists: &[Vec<Dim>], elem: Form) -> Made<Form> {
        if lists.iter().flatten().any(|d| matches!(d, Dim::Jagged(_))) {
            return self.unsupported(Limitation::DifferentJaggedRanks);
        }
        Ok(Form::Array(vec![FormDim::Shape], Box::new(elem)))
    }

    fn join_dim(&mut self, all: &[Dim], mark: usize, before: &[FormDim], place: Place, ty: Option<MonoDim>) -> FormDim {
        let same = all.iter().all(|d| *d == all[0]);
        let outermost = place == Place::Row && before.is_empty();
        let differs = || if place == Place::Alone || outermost { FormDim::Size } else { FormDim::Jagged };
        match all[0] {
            _ if all.iter().any(|d| matches!(d, Dim::Jagged(_))) => match all[0] {
                // The descriptor's type mentions the dimensions before it: they must be fixed, too.
                Dim::Jagged(d)
                    if place == Place::Alone
                        && same
                        && self.outside(Atom::Var(d), mark)
                        && before.iter().all(|b| matches!(b, FormDim::Fixed(_))) =>
                {
                    FormDim::Fixed(all[0])
                }
                _ if outermost => FormDim::Size,
                _ => FormDim::Jagged,
            },
            Dim::Size(n) if same && self.outside(n, mark) && place == Place::Alone => FormDim::Fixed(all[0]),
            Dim::Size(n) if same && self.outside(n, mark) => FormDim::Fixed(Dim::Size(self.size_of_rows(n))),
            Dim::Size(_) => match ty {
                Some(MonoDim::Size(n)) if self.outside(n, mark) => FormDim::Fixed(Dim::Size(n)),
                Some(MonoDim::Size(_) | MonoDim::Unknown | MonoDim::Jagged | MonoDim::Shape(_)) | None => differs(),
            },
            Dim::Shape(v) if same && self.outside(Atom::Var(v), mark) => FormDim::Fixed(all[0]),
            Dim::Shape(_) => FormDim::Shape,
            Dim::Jagged(_) => differs(),
        }
    }

    /// The length of rows, each of which has checked it. There may be no row, and so no check: then a negative number is
    /// no size.
    pub(crate) fn size_of_rows(&mut self, n: Atom) -> Atom {
        let Atom::Var(size) = n else { return n };
        if self.b.trusted(size).is_some() {
            return n;
        }
        let zero = Atom::size(0);
        let negative = self.b.bin(BinOp::Lt, Prim::I64, n, zero);
        let safe = self.b.scalar("n", Prim::I64, Exp::Select(negative, zero, n));
        if let Atom::Var(safe) = safe {
            self.b.trust(safe, &[]);
        }
        safe
    }

    /// The form of all values of a type: nothing is fixed but what the type says.
    pub(crate) fn form_of(&mut self, ty: &Mono, rows: bool) -> Form {
        self.form_at(ty, if rows { Place::Row } else { Place::Alone })
    }

    fn form_at(&mut self, ty: &Mono, place: Place) -> Form {
        match ty {
            Mono::Scalar(prim) => Form::Scalar(*prim),
            Mono::Array(dim, elem) => {
                let first = match dim {
                    MonoDim::Size(n) => FormDim::Fixed(Dim::Size(*n)),
                    MonoDim::Unknown => FormDim::Size,
                    MonoDim::Jagged if place == Place::Row => FormDim::Size,
                    MonoDim::Jagged => FormDim::Jagged,
                    MonoDim::Shape(Some(v)) => FormDim::Fixed(Dim::Shape(*v)),
                    MonoDim::Shape(None) => FormDim::Shape,
                };
                match self.form_at(elem, Place::InRow) {
                    Form::Array(more, elem) => Form::Array([first].into_iter().chain(more).collect(), elem),
                    elem => Form::Array(vec![first], Box::new(elem)),
                }
            }
            Mono::Record(fields) => Form::Record(fields.iter().map(|f| self.form_at(&f.1, place)).collect()),
            Mono::Sum(cases) => {
                let mut all = Vec::new();
                for (_, parts) in cases.iter() {
                    let forms = parts.iter().map(|part| {
                        let form = loosen(self.form_at(part, place), place);
                        self.with_typed_sizes(form, part, usize::MAX)
                    });
                    all.push(forms.collect());
                }
                Form::Sum(FormCases(cases.clone()), all)
            }
            Mono::Fun(sig) => Form::Fun(self.box_of(sig)),
        }
    }

    /// New variables for the components of a form, inside some dimensions, and the value they make.
    pub(crate) fn fresh(&mut self, form: &Form, name: &str, outer: &[Dim], out: &mut Fresh) -> Val<'t> {
        match form {
            Form::Vector(prim, count) if outer.is_empty() => {
                let atoms = (0..*count).map(|_| Atom::Var(self.fresh_var(name, Type::Scalar(*prim), false, out)));
                Val::Vector(*prim, atoms.collect())
            }
            Form::Scalar(prim) if outer.is_empty() => {
                Val::Scalar(*prim, self.fresh_var(name, Type::Scalar(*prim), false, out).into())
            }
            Form::Record(fields) if outer.is_empty() => {
                Val::Record(fields.iter().map(|f| self.fresh(f, name, outer, out)).collect())
            }
            Form::Sum(cases, parts) if outer.is_empty() => {
                let tag = Type::Scalar(Layout::tag_prim(cases.0.len()));
                let tag = self.fresh_var("tag", tag, false, out).into();
                let parts = parts.iter().map(|ps| Some(ps.iter().map(|p| self.fresh(p, name, outer, out)).collect()));
                Val::Sum(Rc::new(SumVal { tag, cases: cases.0.clone(), parts: parts.collect() }))
            }
            Form::Fun(id) => {
                let var = self.fresh_var(name, Type::Box(*id), false, out);
                self.boxed_val(var, *id)
            }
            Form::Array(dims, elem) if outer.is_empty() => {
                let dims = self.fresh_dims(dims, &[], out);
                let rows = self.fresh_rows(elem, name, &dims, out);
                Val::array(dims, rows)
            }
            Form::Scalar(_) | Form::Vector(..) | Form::Record(_) | Form::Sum(..) | Form::Array(..) => {
                let rows = self.fresh_rows(form, name, outer, out);
                Val::array(outer.to_vec(), rows)
            }
        }
    }

    fn fresh_dims(&mut self, dims: &[FormDim], outer: &[Dim], out: &mut Fresh) -> Vec<Dim> {
        let mut all = outer.to_vec();
        for dim in dims {
            let dim = match dim {
                FormDim::Fixed(dim) => *dim,
                FormDim::Size => Dim::Size(self.fresh_var("n", Type::I64, true, out).into()),
                FormDim::Jagged => Dim::Jagged(self.fresh_var("d", Type::Desc(all.clone()), true, out)),
                FormDim::Shape => {
                    let rank = self.fresh_var("r", Type::I64, true, out);
                    let ty = Type::Array(Prim::I64, vec![Dim::Size(rank.into())]);
                    Dim::Shape(self.fresh_var("s", ty, true, out))
                }
            };
            all.push(dim);
        }
        all.split_off(outer.len())
    }

    fn fresh_rows(&mut self, form: &Form, name: &str, outer: &[Dim], out: &mut Fresh) -> Rows {
        match form {
            Form::Scalar(prim) => {
                Rows::Data(*prim, self.fresh_var(name, Type::Array(*prim, outer.to_vec()), false, out))
            }
            Form::Vector(prim, count) => {
                let own = Dim::Size(Atom::size(*count as i64));
                let dims: Vec<Dim> = outer.iter().copied().chain([own]).collect();
                let var = self.fresh_var(name, Type::Array(*prim, dims), false, out);
                Rows::Array(vec![own], Box::new(Rows::Data(*prim, var)))
            }
            Form::Record(fields) => Rows::Record(fields.iter().map(|f| self.fresh_rows(f, name, outer, out)).collect()),
            Form::Sum(cases, parts) => {
                let ty = Type::Array(Layout::tag_prim(cases.0.len()), outer.to_vec());
                let tag = self.fresh_var("tag", ty, false, out);
                let part = |d: &mut Self, p: &Form, out: &mut Fresh| d.fresh_rows(p, name, outer, out);
                let parts = parts.iter().map(|ps| ps.iter().map(|p| part(self, p, out)).collect()).collect();
                Rows::Sum(cases.0.clone(), tag, parts)
            }
            // No array holds functions.
            Form::Fun(_) => Rows::Record(Vec::new()),
            Form::Array(dims, elem) => {
                let own = self.fresh_dims(dims, outer, out);
                let all: Vec<Dim> = outer.iter().chain(&own).copied().collect();
                Rows::Array(own, Box::new(self.fresh_rows(elem, name, &all, out)))
            }
        }
    }

    fn fresh_var(&mut self, name: &str, ty: Type, size: bool, out: &mut Fresh) -> Var {
        let var = self.b.var(Name::new(name), ty);
        out.vars.push((var, size));
        var
    }
}

/// The dimensions of a type and what is below them.
fn split_type(ty: Option<&Mono>, count: usize) -> (Vec<MonoDim>, Option<&Mono>) {
    let mut dims = Vec::new();
    let mut ty = ty;
    while let Some(Mono::Array(dim, elem)) = ty
        && dims.len() < count
    {
        dims.push(*dim);
        ty = Some(elem);
    }
    if dims.iter().any(|d| matches!(d, MonoDim::Shape(_))) {
        return (Vec::new(), ty);
    }
    (dims, ty)
}

/// The form with nothing fixed: values of other constructors have dummies in its place.
fn loosen(form: Form, place: Place) -> Form {
    match form {
        Form::Array(dims, elem) => {
            let loose = |(i, dim): (usize, FormDim)| match dim {
                FormDim::Fixed(Dim::Size(_)) | FormDim::Size
                    if place == Place::InRow || (place == Place::Row && i > 0) =>
                {
                    FormDim::Jagged
                }
                FormDim::Fixed(Dim::Size(_)) | FormDim::Size => FormDim::Size,
                FormDim::Fixed(Dim::Jagged(_)) | FormDim::Jagged if place == Place::Row && i == 0 => FormDim::Size,
                FormDim::Fixed(Dim::Jagged(_)) | FormDim::Jagged => FormDim::Jagged,
                FormDim::Fixed(Dim::Shape(_)) | FormDim::Shape => FormDim::Shape,
            };
            Form::Array(dims.into_iter().enumerate().map(loose).collect(), Box::new(loosen(*elem, place.inside())))
        }
        Form::Record(fields) => Form::Record(fields.into_iter().map(|f| loosen(f, place)).collect()),
        Form::Sum(cases, parts) => {
            let parts = parts.into_iter().map(|ps| ps.into_iter().map(|p| loosen(p, place)).collect()).collect();
            Form::Sum(cases, parts)
        }
        Form::Vector(prim, _) => Form::Array(vec![FormDim::Size], Box::new(Form::Scalar(prim))),
        Form::Scalar(_) | Form::Fun(_) => form,
    }
}

/// The constructors of a sum, found by their names.
pub(crate) type CasesOf<'a> = &'a dyn Fn(&[(Name, Vec<Layout>)]) -> Cases;

/// The form of values of a layout in which nothing is fixed.
pub(crate) fn form_of_layout(layout: &Layout, cases: CasesOf) -> Form {
    match layout {
        Layout::Scalar(prim) => Form::Scalar(*prim),
        Layout::Array(kinds, elem) => {
            let dim = |kind: &DimKind| match kind {
                DimKind::Size => FormDim::Size,
                DimKind::Jagged => FormDim::Jagged,
                DimKind::Shape => FormDim::Shape,
            };
            Form::Array(kinds.iter().map(dim).collect(), Box::new(form_of_layout(elem, cases)))
        }
        Layout::Record(fields) => Form::Record(fields.iter().map(|f| form_of_layout(&f.1, cases)).collect()),
        Layout::Sum(all) => {
            let parts = all.iter().map(|(_, ps)| ps.iter().map(|p| form_of_layout(p, cases)).collect()).collect();
            Form::Sum(FormCases(cases(all)), parts)
        }
    }
}
