//! The natural order of values, and sorting.

use crate::ranks::is_shape;
use crate::value::{ArrayVal, Val};
use crate::{Desugar, Made};
use base::Name;
use ir::{Atom, Block, Dim, Exp, Limitation, LoopForm, Region, Type};
use scalar::{BinOp, MathOp, Prim, Scalar, UnOp};
use std::rc::Rc;

const LESS: i64 = -1;
const SAME: i64 = 0;
const MORE: i64 = 1;

impl<'t> Desugar<'t> {
    pub(super) fn sort_by(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.array_arg(&args[1])?;
        let number = |d: &mut Self, name: &str| d.b.var(Name::new(name), Type::I64);
        let (i, j) = (number(self, "i"), number(self, "j"));
        self.b.open();
        let left = self.element(&array, &[i.into()]);
        let right = self.element(&array, &[j.into()]);
        let le = self.apply_val(&args[0], vec![left, right]);
        let stms = self.b.close();
        let Some(le) = le?.atom() else {
            base::bug!("a comparison gives no scalar");
        };
        let region = Region { params: vec![i, j], body: Block { stms, result: vec![le] } };
        let ty = Type::Array(Prim::I64, vec![Dim::Size(n)]);
        let order = self.b.bind("order", ty, Exp::Sort(n, region));
        self.gather(&array, n, |d, i| d.b.bind("i", Type::I64, Exp::Index(order, vec![i])).into())
    }

    /// Whether the first value stands before the second or beside it.
    pub(super) fn less_equal(&mut self, x: &Val<'t>, y: &Val<'t>) -> Made<Atom> {
        let order = self.compare(x, y)?;
        Ok(self.b.bin(BinOp::Le, Prim::I64, order, Atom::size(SAME)))
    }

    /// -1, 0 or 1: from the first difference on.
    fn compare(&mut self, x: &Val<'t>, y: &Val<'t>) -> Made<Atom> {
        match (x, y) {
            (Val::Scalar(prim, a), Val::Scalar(_, b)) => Ok(self.compare_scalars(*prim, *a, *b)),
            (Val::Record(xs), Val::Record(ys)) => {
                let pairs: Vec<_> = xs.iter().cloned().zip(ys.iter().cloned()).collect();
                self.compare_all(&pairs)
            }
            (Val::Sum(a), Val::Sum(b)) => {
                let prim = ir::Layout::tag_prim(a.cases.len());
                let tags = (Val::Scalar(prim, a.tag), Val::Scalar(prim, b.tag));
                // Parts of other constructors are dummies, which are equal.
                let parts = a.parts.iter().zip(&b.parts).filter_map(|(x, y)| Some((x.as_ref()?, y.as_ref()?)));
                let parts = parts.flat_map(|(x, y)| x.iter().cloned().zip(y.iter().cloned()));
                let pairs: Vec<_> = [tags].into_iter().chain(parts).collect();
                self.compare_all(&pairs)
            }
            (Val::Fun(_), _) | (_, Val::Fun(_)) => self.unsupported(Limitation::FunctionComparison),
            (_, _) => {
                let (a, b) = (self.as_array(x)?, self.as_array(y)?);
                self.compare_arrays(&a, &b)
            }
        }
    }

    fn compare_all(&mut self, pairs: &[(Val<'t>, Val<'t>)]) -> Made<Atom> {
        let Some(((x, y), rest)) = pairs.split_first() else {
            return Ok(Atom::size(SAME));
        };
        let first = self.compare(x, y)?;
        if rest.is_empty() {
            return Ok(first);
        }
        let same = self.b.bin(BinOp::Eq, Prim::I64, first, Atom::size(SAME));
        let val = self.choose(same, |d| Ok(Val::size(d.compare_all(rest)?)), |_| Ok(Val::size(first)))?;
        Ok(val.atom().unwrap_or(first))
    }

    fn compare_scalars(&mut self, prim: Prim, a: Atom, b: Atom) -> Atom {
        let pick = |d: &mut Self, c, x, y| d.b.scalar("t", Prim::I64, Exp::Select(c, x, y));
        let less = self.b.bin(BinOp::Lt, prim, a, b);
        let more = self.b.bin(BinOp::Gt, prim, a, b);
        let high = pick(self, more, Atom::size(MORE), Atom::size(SAME));
        let order = pick(self, less, Atom::size(LESS), high);
        if !prim.is_float() {
            return order;
        }
        // NaNs are equal to one another and last.
        let nan = |d: &mut Self, x| d.b.scalar("t", Prim::Bool, Exp::Math(MathOp::Isnan, prim, vec![x]));
        let (p, q) = (nan(self, a), nan(self, b));
        let not_q = self.b.scalar("t", Prim::Bool, Exp::Un(UnOp::Not, Prim::Bool, q));
        let when_p = pick(self, not_q, Atom::size(MORE), Atom::size(SAME));
        let when_q = pick(self, q, Atom::size(LESS), order);
        pick(self, p, when_p, when_q)
    }

    /// Element by element; a shorter array stands before its extensions.
    fn compare_arrays(&mut self, a: &Rc<ArrayVal>, b: &Rc<ArrayVal>) -> Made<Atom> {
        // Arrays of one shape differ first where their elements in row-major order do.
        let (a, b) = match a.dims.iter().chain(&b.dims).any(is_shape) {
            true => (&self.flat(a)?, &self.flat(b)?),
            false => (a, b),
        };
        let (Dim::Size(n), Dim::Size(m)) = (a.dims[0], b.dims[0]) else {
            base::bug!("a comparison gives no scalar");
        };
        let common = self.b.scalar("n", Prim::I64, Exp::Math(MathOp::Min, Prim::I64, vec![n, m]));
        let number = |d: &mut Self, name: &str| d.b.var(Name::new(name), Type::I64);
        let (i, order) = (number(self, "i"), number(self, "order"));
        // Goes on as long as the elements are equal.
        self.b.open();
        let more = self.b.bin(BinOp::Lt, Prim::I64, i.into(), common);
        let same = self.b.bin(BinOp::Eq, Prim::I64, order.into(), Atom::size(SAME));
        let going = self.b.and(more, same);
        let cond = Block { stms: self.b.close(), result: vec![going] };
        self.b.open();
        let (x, y) = (self.element(a, &[i.into()]), self.element(b, &[i.into()]));
        let next = self.compare(&x, &y);
        let step = self.b.add(i.into(), Atom::size(1));
        let stms = self.b.close();
        let body = Block { stms, result: vec![step, next?] };
        let params = vec![(i, Atom::size(0)), (order, Atom::size(SAME))];
        let (end, found) = (number(self, "i"), number(self, "order"));
        let exp = Exp::Loop { params, form: LoopForm::While(cond), body };
        self.b.bind_all(vec![end, found], exp);
        let lengths = self.compare_scalars(Prim::I64, n, m);
        let same = self.b.bin(BinOp::Eq, Prim::I64, found.into(), Atom::Const(Scalar::I64(SAME)));
        Ok(self.b.scalar("t", Prim::I64, Exp::Select(same, lengths, found.into())))
    }
}
