//! The natural order of values, and sorting.

use crate::arrays::dims::flat;
use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::value::{ArrayVal, Val, is_shape};
use base::Name;
use ir::num::Compute;
use ir::{Atom, Block, Dim, Exp, Limitation, LoopForm, Region, Type};
use scalar::{BinOp, MathOp, Prim};
use std::rc::Rc;

const LESS: i64 = -1;
const SAME: i64 = 0;
const MORE: i64 = 1;

impl<'t> Desugar<'t> {
    pub(super) fn sort_by(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.rows_of(&args[1])?;
        let [i, j] = ["i", "j"].map(|name| self.b.var(Name::new(name), Type::I64));
        let (stms, le) = self.block(|d| {
            let (left, right) = (element(&mut d.b, &array, &[i.into()]), element(&mut d.b, &array, &[j.into()]));
            d.apply_val(&args[0], vec![left, right])
        })?;
        let le = le.scalar("a comparison");
        let region = Region { params: vec![i, j], body: Block { stms, result: vec![le] } };
        let ty = Type::Array(Prim::I64, vec![Dim::Size(n)]);
        let order = self.b.bind("order", ty, Exp::Sort(n, region));
        self.gather(&array, n, |d, i| d.b.bind("i", Type::I64, Exp::Index(order, vec![i])).into())
    }

    /// Whether the first value stands before the second or beside it.
    pub(super) fn less_equal(&mut self, x: &Val<'t>, y: &Val<'t>) -> Made<Atom> {
        let order = self.compare(x, y)?;
        Ok(self.b.num(order.at_most(SAME)))
    }

    /// -1, 0 or 1: from the first difference on.
    fn compare(&mut self, x: &Val<'t>, y: &Val<'t>) -> Made<Atom> {
        match (x, y) {
            (Val::Scalar(prim, a), Val::Scalar(_, b)) => Ok(self.compare_scalars(*prim, *a, *b)),
            (Val::Record(xs), Val::Record(ys)) => self.compare_all(&xs.iter().zip(ys.iter()).collect::<Vec<_>>()),
            (Val::Sum(a), Val::Sum(b)) => {
                let tags = (a.tag_val(), b.tag_val());
                // Parts of other constructors are dummies, which are equal.
                let pairs: Vec<_> = [(&tags.0, &tags.1)].into_iter().chain(a.common_parts(b)).collect();
                self.compare_all(&pairs)
            }
            (Val::Fun(_), _) | (_, Val::Fun(_)) => self.unsupported(Limitation::FunctionComparison),
            (_, _) => {
                let (a, b) = (self.as_array(x)?, self.as_array(y)?);
                self.compare_arrays(&a, &b)
            }
        }
    }

    fn compare_all(&mut self, pairs: &[(&Val<'t>, &Val<'t>)]) -> Made<Atom> {
        let Some(((x, y), rest)) = pairs.split_first() else {
            return Ok(Atom::size(SAME));
        };
        let first = self.compare(x, y)?;
        if rest.is_empty() {
            return Ok(first);
        }
        let same = self.b.num(first.equals(SAME));
        let order = self.choose(same, |d| d.compare_all(rest).map(Val::size), |_| Ok(Val::size(first)))?;
        Ok(order.scalar("a comparison"))
    }

    fn compare_scalars(&mut self, prim: Prim, a: Atom, b: Atom) -> Atom {
        let less = self.b.bin(BinOp::Lt, prim, a, b);
        let more = self.b.bin(BinOp::Gt, prim, a, b);
        let order = self.b.num(less.select(LESS, more.select(MORE, SAME)));
        if !prim.is_float() {
            return order;
        }
        // NaNs are equal to one another and last.
        let nan = |d: &mut Self, x| d.b.scalar("t", Prim::Bool, Exp::Math(MathOp::Isnan, prim, vec![x]));
        let (p, q) = (nan(self, a), nan(self, b));
        self.b.num(p.select(q.not().select(MORE, SAME), q.select(LESS, order)))
    }

    /// Element by element; a shorter array stands before its extensions.
    fn compare_arrays(&mut self, a: &Rc<ArrayVal<'t>>, b: &Rc<ArrayVal<'t>>) -> Made<Atom> {
        // Arrays of one shape differ first where their elements in row-major order do.
        let (a, b) = match a.dims.iter().chain(&b.dims).any(is_shape) {
            true => (&flat(&mut self.b, a), &flat(&mut self.b, b)),
            false => (a, b),
        };
        let (Dim::Size(n), Dim::Size(m)) = (a.dims[0], b.dims[0]) else {
            base::bug!("a comparison gives no scalar");
        };
        let common = self.b.scalar("n", Prim::I64, Exp::Math(MathOp::Min, Prim::I64, vec![n, m]));
        let [i, order] = ["i", "order"].map(|name| self.b.var(Name::new(name), Type::I64));
        // Goes on as long as the elements are equal.
        self.b.open();
        let going = self.b.num(i.below(common).and(order.equals(SAME)));
        let cond = Block { stms: self.b.close(), result: vec![going] };
        let (stms, result) = self.block(|d| {
            let (x, y) = (element(&mut d.b, a, &[i.into()]), element(&mut d.b, b, &[i.into()]));
            let next = d.compare(&x, &y)?;
            Ok(vec![d.b.num(i + 1), next])
        })?;
        let body = Block { stms, result };
        let params = vec![(i, Atom::size(0)), (order, Atom::size(SAME))];
        let [end, found] = ["i", "order"].map(|name| self.b.var(Name::new(name), Type::I64));
        let exp = Exp::Loop { params, form: LoopForm::While(cond), body };
        self.b.bind_all(vec![end, found], exp);
        let lengths = self.compare_scalars(Prim::I64, n, m);
        Ok(self.b.num(found.equals(SAME).select(lengths, found)))
    }
}
