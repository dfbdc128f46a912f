//! `scan` over elements that are jagged inside: `scan op ne xs` with `ne: [m][~d]t`.
//!
//! All operands have the row lengths `d` of the neutral element, but the result is an array of such elements, whose descriptor
//! has those lengths once for each element. So the scan runs over *packed* elements, whose rows stand one after the other in
//! a flat array. Each is unpacked where the operator sees it, and the results become rows of a new array.

use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::form::{Form, FormDim};
use crate::data::value::{ArrayVal, Val};
use crate::faults::Why;
use base::bug;
use ir::{Atom, Dim, Exp, Limitation, Type, Var};

/// What a scan needs: the operator, its neutral element, the elements and how many there are.
pub(super) struct Scan<'a, 't> {
    pub op: &'a Val<'t>,
    pub neutral: &'a Val<'t>,
    pub array: &'a ArrayVal<'t>,
    pub count: Atom,
}

/// Whether values of a form have jagged dimensions.
pub(super) fn is_jagged(form: &Form) -> bool {
    form.any_dim(|dim| matches!(dim, FormDim::Jagged | FormDim::Fixed(Dim::Jagged(_))))
}

/// Whether the neutral element, which has this form, tells the row lengths of all operands: it does not for the parts of sums,
/// where other operands may have another constructor.
fn is_fixed(form: &Form) -> bool {
    let is_jagged_sum = form.any(&mut |part| matches!(part, Form::Sum(_)) && is_jagged(part));
    !is_jagged_sum && !form.any_dim(|dim| !matches!(dim, FormDim::Fixed(_)))
}

impl<'t> Desugar<'t> {
    /// The scan of elements of a form that is jagged inside.
    pub(super) fn scan_packed(&mut self, scan: &Scan<'_, 't>, form: &Form) -> Made<Val<'t>> {
        if !is_fixed(form) {
            return self.unsupported(Limitation::ScanOfSums);
        }
        let packed = self.packed_form(form);
        let start = self.pack(scan.neutral, form, &packed)?;
        let op = self.region_by(&packed, |d, a, b| {
            let operands = vec![d.unpack(&a, &packed, form)?, d.unpack(&b, &packed, form)?];
            let result = d.apply_val(scan.op, operands)?;
            d.pack(&result, form, &packed)
        })?;
        let rows = self.scanned(&packed, op, scan.array, &start, scan.count, |d, elem| d.pack(&elem, form, &packed))?;
        let (rows, _) = self.rows_of(&rows)?;
        self.build(scan.count, None, |d, i| {
            let row = element(&mut d.b, &rows, &[i]);
            d.unpack(&row, &packed, form)
        })
    }

    /// The form of packed elements: a record of the components of the form, jagged ones flat.
    fn packed_form(&mut self, form: &Form) -> Form {
        let (_, components) = self.fresh_vars(form, "x");
        let types: Vec<Type> = components.all().into_iter().map(|var| self.b.ty(var).clone()).collect();
        Form::Record(types.into_iter().map(|ty| self.packed_component(ty)).collect())
    }

    fn packed_component(&mut self, ty: Type) -> Form {
        match ty {
            Type::Array(prim, dims) => {
                let is_jagged = dims.iter().any(|dim| matches!(dim, Dim::Jagged(_)));
                let dims = if is_jagged { vec![Dim::Size(self.b.total(dims))] } else { dims };
                Form::array(dims.into_iter().map(FormDim::Fixed).collect(), Form::scalar(prim))
            }
            Type::Scalar(prim) => Form::scalar(prim),
            Type::Desc(_) | Type::Cert | Type::Box(_) => bug!("an element with fixed dimensions is data"),
        }
    }

    /// The components of a value, jagged ones flat.
    fn pack(&mut self, val: &Val<'t>, form: &Form, packed: &Form) -> Made<Val<'t>> {
        let components = self.atoms_of(val, form, Why::Combining)?;
        Ok(self.repacked(packed, components))
    }

    /// The value whose components were packed.
    fn unpack(&mut self, val: &Val<'t>, packed: &Form, form: &Form) -> Made<Val<'t>> {
        let components = self.atoms_of(val, packed, Why::Combining)?;
        Ok(self.repacked(form, components))
    }

    /// The value of a form that has the elements of these components, in other dimensions.
    fn repacked(&mut self, form: &Form, components: Vec<Atom>) -> Val<'t> {
        let (val, fresh) = self.fresh_vars(form, "x");
        for (var, from) in fresh.all().into_iter().zip(components) {
            self.repack(var, from);
        }
        val
    }

    fn repack(&mut self, var: Var, from: Atom) {
        let exp = match (self.b.ty(var), from) {
            (Type::Array(..), Atom::Var(from)) => Exp::Reshape(from),
            (_, _) => Exp::Atom(from),
        };
        self.b.bind_all(vec![var], exp);
    }
}
