//! `map`, `reduce` and `scan`; `scatter` and histograms; sorting and the natural order of values.
//!
//! Where the elements of a `scan op ne xs` are jagged inside, as in `ne: [m][~d]t`, all operands have the row lengths `d`
//! of the neutral element, but the result is an array of such elements, whose descriptor has those lengths once for each
//! element. So the scan runs over *packed* elements, whose rows stand one after the other in a flat array. Each is unpacked
//! where the operator sees it, and the results become rows of a new array.

use crate::arrays::dims::{flat, is_inside};
use crate::arrays::parts::element;
use crate::context::{Desugar, Made};
use crate::data::draft::Draft;
use crate::data::form::{Form, FormDim};
use crate::data::value::{ArrayVal, Val, behind, is_shape};
use crate::faults::Why;
use base::{Name, bug};
use fault::message;
use ir::num::Compute;
use ir::{Atom, Block, Coverage, Dim, Exp, Kind, Limitation, LoopForm, Region, Scan, Tree, Type};
use scalar::{BinOp, MathOp, Prim};
use std::rc::Rc;
use typed::Def;

/// Whether values of a form have jagged dimensions.
fn is_jagged(form: &Form) -> bool {
    form.any_dim(|dim| matches!(dim, FormDim::Jagged | FormDim::Fixed(Dim::Jagged(_))))
}

/// Whether the neutral element, which has this form, tells the row lengths of all operands: it does not for the parts of sums,
/// where other operands may have another constructor.
fn is_fixed(form: &Form) -> bool {
    let is_jagged_sum = form.any(&mut |part| matches!(part, Form::Sum(_)) && is_jagged(part));
    !is_jagged_sum && !form.any_dim(|dim| !matches!(dim, FormDim::Fixed(_)))
}

const LESS: i64 = -1;
const SAME: i64 = 0;
const MORE: i64 = 1;

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
        for at in 1..array.dims.len() {
            let default = match like.split().0.get(at - 1) {
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
        let neutral = self.atoms_of(&neutral, &form, Why::Checked)?;
        let kind = Kind::Reduce { op, neutral, commutes, tree: Tree::PLAIN };
        self.reduced(kind, (&form, "r"), n, |d, i| Ok(element(&mut d.b, &array, &[i])))
    }

    /// The value with all vectors in memory: elements of arrays are single variables.
    pub(crate) fn without_vectors(&mut self, val: &Val<'t>) -> Made<Val<'t>> {
        match val {
            Val::Vector(..) | Val::Lengths(_) => Ok(Val::Array(self.as_array(val)?)),
            Val::Array(_) => Ok(val.clone()),
            _ => val.try_map(|part| self.without_vectors(part)),
        }
    }

    pub(super) fn scan(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let (array, n) = self.rows_of(&args[2])?;
        let neutral = self.without_vectors(&args[1])?;
        let array = self.regular(&array, &neutral)?;
        let form = self.operand_form(&neutral)?;
        if is_jagged(&form) {
            return self.scan_packed(&args[0], &neutral, (&array, n), &form);
        }
        let op = self.region(&form, &args[0])?;
        self.scanned(&form, op, &array, &neutral, n, |_, elem| Ok(elem))
    }

    /// The scan of `n` elements of one form; `each` makes an element of one of the array.
    fn scanned(
        &mut self,
        form: &Form,
        op: Region,
        array: &ArrayVal<'t>,
        neutral: &Val<'t>,
        n: Atom,
        each: impl FnOnce(&mut Self, Val<'t>) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        let neutral = self.atoms_of(neutral, form, Why::Checked)?;
        let step = self.draft_loop(n, |d, i| {
            let (stms, val) = d.block(|d| {
                let elem = element(&mut d.b, array, &[i]);
                each(d, elem)
            })?;
            let value = d.finish_block(stms, &val, form, i)?;
            let (running, fresh) = d.fresh_vars(form, "x");
            let scan = Scan { vars: fresh.data(), op, neutral, tree: Tree::PLAIN, value, span: d.b.place() };
            Ok(vec![Draft::Scan(scan), d.draft_emit(vec![i], i, |_| Ok(running))?])
        })?;
        let shape = vec![Dim::Size(n)];
        let (vars, val) = self.bound(form, &shape);
        let kind = Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec: Vec::new() };
        self.bulk(vec![(kind, form.clone(), vars)], vec![step])?;
        Ok(val)
    }

    /// The scan of elements of a form that is jagged inside.
    fn scan_packed(
        &mut self,
        op: &Val<'t>,
        neutral: &Val<'t>,
        (array, n): (&ArrayVal<'t>, Atom),
        form: &Form,
    ) -> Made<Val<'t>> {
        if !is_fixed(form) {
            return self.unsupported(Limitation::ScanOfSums);
        }
        let packed = self.packed_form(form);
        let start = self.repacked(neutral, form, &packed)?;
        let region = self.region_by(&packed, |d, a, b| {
            let operands = vec![d.repacked(&a, &packed, form)?, d.repacked(&b, &packed, form)?];
            let result = d.apply_val(op, operands)?;
            d.repacked(&result, form, &packed)
        })?;
        let rows = self.scanned(&packed, region, array, &start, n, |d, elem| d.repacked(&elem, form, &packed))?;
        let (rows, _) = self.rows_of(&rows)?;
        self.build(n, None, |d, i| {
            let row = element(&mut d.b, &rows, &[i]);
            d.repacked(&row, &packed, form)
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

    /// The value of one form in another that has the same components with the same elements, but in other dimensions.
    fn repacked(&mut self, val: &Val<'t>, from: &Form, to: &Form) -> Made<Val<'t>> {
        let components = self.atoms_of(val, from, Why::Checked)?;
        let (val, fresh) = self.fresh_vars(to, "x");
        for (var, component) in fresh.all().into_iter().zip(components) {
            let exp = match (self.b.ty(var), component) {
                (Type::Array(..), Atom::Var(from)) => Exp::Reshape(from),
                (_, _) => Exp::Atom(component),
            };
            self.b.bind_all(vec![var], exp);
        }
        Ok(val)
    }

    /// `for i < n { emit [is[i]] => vs[i] }`.
    fn writes(&mut self, dest: &Rc<ArrayVal<'t>>, places: &Val<'t>, values: &Val<'t>) -> Made<Draft<'t>> {
        let (places, n) = self.rows_of(places)?;
        let (values, _) = self.rows_of(values)?;
        self.draft_loop(n, |d, i| {
            let at: Vec<Atom> = match element(&mut d.b, &places, &[i]) {
                Val::Record(parts) => parts.iter().filter_map(Val::atom).collect(),
                place => place.atom().into_iter().collect(),
            };
            let new = |d: &mut Self| element(&mut d.b, &values, &[i]);
            if !behind(dest, at.len().min(dest.dims.len())).any_dim(|_| true) {
                return Ok(vec![d.draft_emit(at, i, |d| Ok(new(d)))?]);
            }
            // What lies outside is left out; the shape of what is there is looked at only inside.
            let inside = d.conjunction(Atom::bool(true), at.iter().zip(&dest.dims), |d, (i, dim)| match dim {
                Dim::Size(n) => Ok(is_inside(&mut d.b, *i, *n)),
                Dim::Jagged(_) | Dim::Shape(_) => Ok(Atom::bool(true)),
            })?;
            let emit = d.draft_emit(at.clone(), i, |d| {
                let new = new(d);
                // Rows keep the shape of what they replace.
                let old = element(&mut d.b, dest, &at);
                d.fitting(&old, new)
            })?;
            Ok(vec![Draft::Guard(inside, vec![emit])])
        })
    }

    pub(super) fn scatter(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let dest = self.as_array(&args[0])?;
        let step = self.writes(&dest, &args[1], &args[2])?;
        self.updated(&dest, vec![step], true)
    }

    pub(super) fn hist(&mut self, args: &[Val<'t>]) -> Made<Val<'t>> {
        let dest = self.as_array(&args[0])?;
        let step = self.writes(&dest, &args[3], &args[4])?;
        let neutral = self.without_vectors(&args[2])?;
        let form = self.operand_form(&neutral)?;
        self.accumulated(&dest, vec![step], &args[1], &form, true)
    }

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
        if let (Val::Scalar(prim, a), Val::Scalar(_, b)) = (x, y) {
            let at_most = self.b.bin(BinOp::Le, *prim, *a, *b);
            if !prim.is_float() {
                return Ok(at_most);
            }
            let last = self.b.scalar("t", Prim::Bool, Exp::Math(MathOp::Isnan, *prim, vec![*b]));
            return Ok(self.b.bin(BinOp::LogOr, Prim::Bool, at_most, last));
        }
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
        let exp = Exp::repeat(params, LoopForm::While(cond), body);
        self.b.bind_all(vec![end, found], exp);
        let lengths = self.compare_scalars(Prim::I64, n, m);
        Ok(self.b.num(found.equals(SAME).select(lengths, found)))
    }
}
