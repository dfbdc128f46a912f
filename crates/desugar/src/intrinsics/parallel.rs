//! `map`, `reduce`, `scan`, `filter` and their kin.

use crate::form::Form;
use crate::rows::{Draft, DraftEmit};
use crate::value::{ArrayVal, Val};
use crate::{Desugar, Made};
use base::Name;
use ir::{Atom, Bulk, Dim, Exp, Kind, Output, Type};
use scalar::{BinOp, Prim, UnOp};
use std::rc::Rc;
use typed::Def;

impl<'t> Desugar<'t> {
    pub(super) fn map(&mut self, def: &'t Def, args: &[Val<'t>]) -> Made<Val<'t>> {
        let row = self.type_params(def).pop();
        let fun = &args[0];
        let mut arrays = Vec::new();
        let mut count = None;
        for arg in &args[1..] {
            let (array, n) = self.array_arg(arg)?;
            count.get_or_insert(n);
            arrays.push(array);
        }
        let n = count.unwrap_or(Atom::size(0));
        self.build(n, row.as_ref(), |d, i| {
            let elems = arrays.iter().map(|a| d.element(a, &[i])).collect();
            d.apply_val(fun, elems)
        })
    }

    /// The array with regular rows: operands of a reduction have one shape.
    fn regular(&mut self, array: &Rc<ArrayVal>, like: &Val<'t>) -> Made<Rc<ArrayVal>> {
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
                let fault = (self.combining_site(), vec![Atom::Var(desc)]);
                array = self.made_regular_or(&array, at, default, fault);
            }
        }
        Ok(Rc::new(array))
    }

    /// The steps that hand over each element of an array in a form.
    fn each(&mut self, array: &Rc<ArrayVal>, n: Atom, output: usize) -> Draft<'t> {
        let var = self.b.var(Name::new("i"), Type::I64);
        self.b.open();
        let val = self.element(array, &[var.into()]);
        let stms = self.b.close();
        let emit =
            DraftEmit { output, at: Vec::new(), certs: Vec::new(), stms, val, row: var.into(), span: self.b.span };
        Draft::For { var, count: n, body: vec![Draft::Emit(emit)] }
    }

    /// The form of the operands of a reduction: that of the neutral element.
    fn operand_form(&mut self, neutral: &Val<'t>) -> Made<Form> {
        let mark = self.mark();
        self.join(&[neutral], mark)
    }

    pub(super) fn reduce(&mut self, args: &[Val<'t>], commutes: bool) -> Made<Val<'t>> {
        let (array, n) = self.array_arg(&args[2])?;
        let neutral = &args[1];
        let array = self.regular(&array, neutral)?;
        let neutral = self.without_vectors(neutral)?;
        let form = self.operand_form(&neutral)?;
        let op = self.region(&form, &args[0])?;
        let step = self.each(&array, n, 0);
        let steps = self.finish(vec![step], std::slice::from_ref(&form))?;
        let start = self.components(&neutral, &form, crate::convert::Why::Combining)?;
        let (sizes, elems) = self.formals(&form);
        let mut fresh = crate::form::Fresh::default();
        let val = self.fresh(&form, "r", &[], &mut fresh);
        let kind = Kind::Reduce { op, neutral: start.into_iter().map(|p| p.0).collect(), commutes };
        let bulk = Bulk { outputs: vec![Output { kind, sizes, elems }], steps };
        self.b.bind_all(fresh.all(), Exp::Bulk(bulk));
        Ok(val)
    }

    /// The value with all vectors in memory: elements of arrays are not taken apart.
    pub(crate) fn without_vectors(&mut self, val: &Val<'t>) -> Made<Val<'t>> {
        Ok(match val {
            Val::Vector(..) | Val::Lengths(_) => Val::Array(self.as_array(val)?),
            Val::Record(fields) => Val::Record(fields.iter().map(|f| self.without_vectors(f)).collect::<Made<_>>()?),
            Val::Scalar(..) | Val::Sum(_) | Val::Array(_) | Val::Fun(_) => val.clone(),
        })
    }

    pub(super) fn scan(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.array_arg(&args[2])?;
        let neutral = self.without_vectors(&args[1])?;
        let array = self.regular(&array, &neutral)?;
        let form = self.operand_form(&neutral)?;
        let op = self.region(&form, &args[0])?;
        let step = self.each(&array, n, 0);
        let steps = self.finish(vec![step], std::slice::from_ref(&form))?;
        let start = self.components(&neutral, &form, crate::convert::Why::Combining)?;
        let (sizes, elems) = self.formals(&form);
        let (vars, val) = self.bound(&form, &[Dim::Size(n)]);
        let kind = Kind::Scan { op, neutral: start.into_iter().map(|p| p.0).collect(), count: n };
        let bulk = Bulk { outputs: vec![Output { kind, sizes, elems }], steps };
        self.b.bind_all(vars, Exp::Bulk(bulk));
        Ok(val)
    }

    pub(super) fn filter(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.array_arg(&args[1])?;
        let mut parts = self.parted(&args[..1], &array, n, false)?;
        match parts.pop() {
            Some(val) => Ok(val),
            None => base::bug!("a filter gives one array"),
        }
    }

    /// One part per predicate and one for the rest.
    pub(super) fn partition(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.array_arg(&args[args.len() - 1])?;
        let parts = self.parted(&args[..args.len() - 1], &array, n, true)?;
        Ok(Val::Record(parts.into()))
    }

    fn parted(&mut self, tests: &[Val<'t>], array: &Rc<ArrayVal>, n: Atom, rest: bool) -> Made<Vec<Val<'t>>> {
        let mark = self.mark();
        let var = self.b.var(Name::new("i"), Type::I64);
        self.b.open();
        let elem = self.element(array, &[var.into()]);
        let mut conds = Vec::new();
        for test in tests {
            let holds = self.apply_val(test, vec![elem.clone()])?;
            let Some(holds) = holds.atom() else {
                base::bug!("a predicate gives no scalar");
            };
            // Later parts take what no earlier one took.
            let mut cond = holds;
            for earlier in &conds {
                let not = self.b.scalar("t", Prim::Bool, Exp::Un(UnOp::Not, Prim::Bool, *earlier));
                cond = self.b.and(cond, not);
            }
            conds.push(cond);
        }
        if rest {
            let any = conds.iter().fold(Atom::bool(false), |a, b| self.b.bin(BinOp::LogOr, Prim::Bool, a, *b));
            conds.push(self.b.scalar("t", Prim::Bool, Exp::Un(UnOp::Not, Prim::Bool, any)));
        }
        let lets = self.b.close();
        let emit = |(output, cond): (usize, &Atom)| {
            let emit = DraftEmit {
                output,
                at: Vec::new(),
                certs: Vec::new(),
                stms: Vec::new(),
                val: elem.clone(),
                row: Atom::size(0),
                span: self.b.span,
            };
            Draft::Guard(*cond, vec![Draft::Emit(emit)])
        };
        let guards: Vec<Draft> = conds.iter().enumerate().map(emit).collect();
        let form = self.join_rows(&[&elem], mark, None)?;
        let body = Draft::lets(lets).chain(guards).collect();
        let forms = vec![form.clone(); conds.len()];
        let steps = self.finish(vec![Draft::For { var, count: n, body }], &forms)?;
        let (mut outputs, mut vars, mut vals) = (Vec::new(), Vec::new(), Vec::new());
        for form in &forms {
            let (output, bound, val) = self.keep_output(form);
            outputs.push(output);
            vars.extend(bound);
            vals.push(val);
        }
        self.b.bind_all(vars, Exp::Bulk(Bulk { outputs, steps }));
        Ok(vals)
    }
}
