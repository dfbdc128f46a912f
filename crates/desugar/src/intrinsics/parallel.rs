//! `map`, `reduce` and `scan`.

use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::form::Form;
use crate::data::value::{ArrayVal, Val};
use crate::faults::Why;
use crate::intrinsics::packed::{Scan, is_jagged};
use base::Name;
use fault::message;
use ir::{Atom, Block, Coverage, Dim, Emit, Kind, Mark, Region, Step, Tree, Type};
use std::rc::Rc;
use typed::Def;

impl<'t> Desugar<'t> {
    pub(super) fn map(&mut self, def: &'t Def, args: &[Val<'t>]) -> Made<Val<'t>> {
        let row = self.type_params(def).pop();
        let fun = &args[0];
        let (arrays, n) = self.all_rows(&args[1..])?;
        self.build(n, row.as_ref(), |d, i| {
            let elems = arrays.iter().map(|a| element(&mut d.b, a, &[i])).collect();
            d.apply_val(fun, elems)
        })
    }

    /// The array with regular rows: operands of a reduction have one shape.
    fn regular(&mut self, array: &Rc<ArrayVal<'t>>, like: &Val<'t>) -> Made<Rc<ArrayVal<'t>>> {
        let mut array = (**array).clone();
        let want: Vec<Dim> = match like {
            Val::Array(like) => like.dims.clone(),
            _ => Vec::new(),
        };
        for at in 1..array.dims.len() {
            let default = match want.get(at - 1) {
                Some(Dim::Size(n)) => Some(*n),
                Some(Dim::Jagged(_) | Dim::Shape(_)) => continue,
                None => None,
            };
            if let Dim::Jagged(desc) = array.dims[at] {
                array = self.made_regular_or(&array, at, default, message::combining(), vec![Atom::Var(desc)]);
            }
        }
        Ok(Rc::new(array))
    }

    /// The form of the operands of a reduction: that of the neutral element.
    pub(crate) fn operand_form(&mut self, neutral: &Val<'t>) -> Made<Form> {
        let mark = self.mark();
        self.join(&[neutral], mark)
    }

    pub(super) fn reduce(&mut self, args: &[Val<'t>], commutes: bool) -> Made<Val<'t>> {
        let (array, n) = self.rows_of(&args[2])?;
        let neutral = &args[1];
        let array = self.regular(&array, neutral)?;
        let neutral = self.without_vectors(neutral)?;
        let form = self.operand_form(&neutral)?;
        let op = self.region(&form, &args[0])?;
        let step = self.draft_each(n, |d, i| Ok(element(&mut d.b, &array, &[i])), |_| Vec::new())?;
        let steps = self.finish(vec![step], std::slice::from_ref(&form))?;
        let neutral = self.atoms_of(&neutral, &form, Why::Combining)?;
        let kind = Kind::Reduce { op, neutral, commutes, tree: Tree::PLAIN };
        Ok(self.bulk(kind, &form, steps, |d| d.fresh_bound(&form, "r")))
    }

    /// The value with all vectors in memory: elements of arrays are single variables.
    pub(crate) fn without_vectors(&mut self, val: &Val<'t>) -> Made<Val<'t>> {
        match val {
            Val::Vector(..) | Val::Lengths(_) => Ok(Val::Array(self.as_array(val)?)),
            Val::Record(_) => val.try_map(|field| self.without_vectors(field)),
            Val::Scalar(..) | Val::Sum(_) | Val::Array(_) | Val::Fun(_) => Ok(val.clone()),
        }
    }

    pub(super) fn scan(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.rows_of(&args[2])?;
        let neutral = self.without_vectors(&args[1])?;
        let array = self.regular(&array, &neutral)?;
        let form = self.operand_form(&neutral)?;
        if is_jagged(&form) {
            let scan = Scan { op: &args[0], neutral: &neutral, array: &array, count: n };
            return self.scan_packed(&scan, &form);
        }
        let op = self.region(&form, &args[0])?;
        self.scanned(&form, op, &array, &neutral, n, |_, elem| Ok(elem))
    }

    /// The scan of `n` elements of one form; `each` makes an element of one of the array.
    pub(super) fn scanned(
        &mut self,
        form: &Form,
        op: Region,
        array: &ArrayVal<'t>,
        neutral: &Val<'t>,
        n: Atom,
        each: impl FnOnce(&mut Self, Val<'t>) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let var = self.b.var(Name::new("i"), Type::I64);
        let (stms, val) = self.block(|d| {
            let elem = element(&mut d.b, array, &[var.into()]);
            each(d, elem)
        })?;
        let value = self.finish_block(stms, &val, form, var.into())?;
        let neutral = self.atoms_of(neutral, form, Why::Combining)?;
        let (running, span) = (self.formals(form).1, self.b.span);
        let result = running.iter().copied().map(Atom::Var).collect();
        let scan = Step::Scan(ir::Scan { vars: running, op, neutral, tree: Tree::PLAIN, value, span });
        let value = Block { stms: Vec::new(), result };
        let emit = Step::Emit(Emit { output: 0, at: vec![var.into()], certs: Vec::new(), value, span });
        let shape = vec![Dim::Size(n)];
        let bound = shape.clone();
        let kind = Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec: Vec::new() };
        let steps = vec![Step::For { var, count: n, mark: Mark::Open, body: vec![scan, emit] }];
        Ok(self.bulk(kind, form, steps, |d| d.bound(form, &bound)))
    }
}
