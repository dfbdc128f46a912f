//! Expressions with one result.

use super::levels::{self, Level};
use super::machine::Machine;
use super::stop::{self, Run};
use super::val::{Array, BoxVal, Desc, Val};
use crate::leaf;
use crate::order::compare_scalars;
use fault::Argument;
use ir::{Atom, Dim, Exp, Layout, SiteId, Type, Var};
use scalar::{Prim, Scalar, ScalarError};
use std::rc::Rc;
use value::{Element, PrimVec};

impl<'p> Machine<'p> {
    /// The value of an expression with one result; `var` is what it will be bound to.
    pub(super) fn single(&mut self, exp: &'p Exp, var: Var) -> Run<Val> {
        match exp {
            Exp::Atom(a) => self.atom(*a),
            Exp::Bin(op, _, a, b) => {
                let result = scalar::eval_bin(*op, self.scalar(*a)?, self.scalar(*b)?);
                self.computed(result)
            }
            Exp::Un(op, _, a) => {
                let result = scalar::eval_un(*op, self.scalar(*a)?);
                self.computed(result)
            }
            Exp::Math(op, _, args) => {
                let args = args.iter().map(|a| self.scalar(*a)).collect::<Run<Vec<Scalar>>>()?;
                self.computed(scalar::eval_math(*op, &args))
            }
            Exp::Convert(_, to, a) => Ok(Val::Scalar(scalar::convert(self.scalar(*a)?, *to))),
            Exp::Select(c, a, b) => self.atom(if self.truth(*c)? { *a } else { *b }),
            Exp::Literal(prim, atoms) => self.literal(*prim, atoms),
            Exp::Uninit => self.uninit(var),
            Exp::Index(x, at) => {
                let at = self.ints(at)?;
                self.index(*x, &at, var)
            }
            Exp::IndexVector(x, at) => {
                let at = self.numbers(*at)?.to_vec();
                self.index(*x, &at, var)
            }
            Exp::Slice(x, ranges) => self.slice(*x, ranges, var),
            Exp::Rearrange(x, order) => self.rearrange(*x, order),
            Exp::Reshape(x) => self.reshape(*x, var),
            Exp::Copy(x) => Ok(Val::Array(self.array(*x)?.clone())),
            Exp::Retype(x) => self.retype(*x, var),
            Exp::Total(dims) => self.total(dims),
            Exp::Unrank { index, shape } => self.unrank(*index, *shape),
            Exp::DescUniform(n) => self.desc_uniform(*n, var),
            Exp::DescOf(x) => self.desc_of(*x),
            Exp::DescLengths(d) => self.desc_lengths(*d),
            Exp::DescLength(d, at) => self.desc_length(*d, at),
            Exp::DescOffset(d, at) => self.desc_offset(*d, at),
            Exp::DescRow(d, element) => self.desc_row(*d, *element),
            Exp::DescIndex(d, at) => self.desc_index(*d, at, var),
            Exp::DescSlice(d, ranges) => self.desc_slice(*d, ranges),
            Exp::DescEqual(d, e) => self.desc_equal(*d, *e),
            Exp::Assert { cond, site, args } => self.assert(*cond, *site, args),
            Exp::Sort(count, order) => self.sort(*count, order),
            Exp::Pack(kind, case, parts) => {
                Ok(Val::Box(Rc::new(BoxVal { kind: *kind, case: *case, parts: self.handed(parts)? })))
            }
            Exp::Call(..)
            | Exp::If(..)
            | Exp::Choose(..)
            | Exp::Ensure { .. }
            | Exp::Open(..)
            | Exp::Loop { .. }
            | Exp::Bulk(_)
            | Exp::SortKeys(_)
            | Exp::Trace(..) => self.internal("an expression with several results"),
        }
    }

    fn total(&self, dims: &[Dim]) -> Run<Val> {
        let total = levels::total(&self.levels_of(dims)?);
        Ok(Val::Scalar(Scalar::I64(i64::try_from(total).unwrap_or(i64::MAX))))
    }

    /// An array of values that nobody expects, so that reading one shows.
    fn uninit(&mut self, var: Var) -> Run<Val> {
        let levels = self.levels_of(self.ty(var).dims())?;
        let Some(prim) = self.ty(var).prim() else { return self.internal("memory for no data") };
        let total = levels::total(&levels);
        self.afford(total, prim.bytes())?;
        let odd = scalar::convert(Scalar::I64(-6_148_914_691_236_517_206), prim);
        Ok(Val::Array(self.make(levels, leaf::repeat(odd, total))?))
    }

    /// The subscripts of an element, from its index in row-major order.
    fn unrank(&mut self, index: Atom, shape: Var) -> Run<Val> {
        let index = self.natural(index)?;
        let extents = self.numbers(shape)?;
        let Some(levels) = extents.iter().map(|n| usize::try_from(*n).ok().map(Level::Regular)).collect() else {
            return self.internal("a negative extent");
        };
        let levels: Vec<Level> = levels;
        Ok(Val::Array(Array::vector(levels::subscripts(&levels, index))))
    }

    /// The lengths of all rows.
    fn desc_lengths(&mut self, d: Var) -> Run<Val> {
        let desc = self.desc(d)?;
        let lengths: Vec<i64> = levels::lengths(&desc.offsets).map(|n| n as i64).collect();
        Ok(Val::Array(self.make(desc.levels.to_vec(), lengths)?))
    }

    /// Whether all rows are as long as those of the other descriptor.
    fn desc_equal(&mut self, d: Var, e: Var) -> Run<Val> {
        let same = levels::agree(&self.desc(d)?.all_levels(), &self.desc(e)?.all_levels());
        Ok(Val::Scalar(Scalar::Bool(same)))
    }

    /// What fails here, the checks let through.
    fn computed(&self, result: Result<Scalar, ScalarError>) -> Run<Val> {
        match result {
            Ok(x) => Ok(Val::Scalar(x)),
            Err(ScalarError::DivisionByZero(..)) => self.internal("a division by zero that no check excludes"),
            Err(ScalarError::NegativeExponent(_)) => self.internal("a negative exponent that no check excludes"),
            Err(ScalarError::WrongTypes) => self.internal("operands of the wrong types"),
        }
    }

    fn literal(&self, prim: Prim, atoms: &[Atom]) -> Run<Val> {
        let mut data = PrimVec::with_capacity(prim, atoms.len());
        for atom in atoms {
            match self.scalar(*atom)? {
                x if x.prim() == prim => data.push(x),
                _ => return self.internal("a vector with elements of another type"),
            }
        }
        Ok(Val::Array(self.make(vec![Level::Regular(atoms.len())], data)?))
    }

    fn reshape(&self, x: Var, var: Var) -> Run<Val> {
        let array = self.array(x)?;
        let levels = self.levels_of(self.ty(var).dims())?;
        if levels::total(&levels) != array.data.len() {
            return self.internal("a reshape to another number of elements");
        }
        Ok(Val::Array(Array { levels: levels.into(), data: array.data.clone() }))
    }

    fn retype(&self, x: Var, var: Var) -> Run<Val> {
        let said = match self.get(x)? {
            Val::Array(_) | Val::Desc(_) => self.levels_of(self.ty(var).dims())?,
            val => return Ok(val.clone()),
        };
        let fits = match self.get(x)? {
            Val::Array(array) => levels::agree(&array.levels, &said),
            // The dimensions around a descriptor say only how many rows it has: some of them may have become one.
            Val::Desc(desc) => levels::total(&desc.levels) == levels::total(&said),
            _ => true,
        };
        if !fits {
            return self.internal(format!("`{}` is retyped to dimensions that it does not have", self.name(x)));
        }
        Ok(match self.get(x)? {
            Val::Array(array) => Val::Array(Array { levels: said.into(), data: array.data.clone() }),
            Val::Desc(desc) => Val::Desc(Desc { levels: said.into(), offsets: desc.offsets.clone() }),
            val => val.clone(),
        })
    }

    fn desc_uniform(&self, n: Atom, var: Var) -> Run<Val> {
        self.uniform(self.int(n)?, var)
    }

    /// The descriptor of a variable's dimensions whose rows all have one length.
    pub(super) fn uniform(&self, n: i64, var: Var) -> Run<Val> {
        let levels = self.levels_of(self.ty(var).dims())?;
        let Ok(n) = usize::try_from(n) else { return self.internal("a negative row length") };
        let rows = levels::total(&levels);
        self.afford(rows, size_of::<usize>())?;
        match levels::offsets(std::iter::repeat_n(n, rows)) {
            Some(offsets) => Ok(Val::Desc(Desc { levels: levels.into(), offsets })),
            None => Err(stop::memory(usize::MAX, self.span).into()),
        }
    }

    fn desc_of(&self, x: Var) -> Run<Val> {
        let array = self.array(x)?;
        let lengths = i64::items(&array.data).unwrap_or(&[]);
        if lengths.len() != array.data.len() || lengths.iter().any(|n| *n < 0) {
            return self.internal("row lengths are negative, or no i64");
        }
        // What is too much stays at the most: a check of the total finds it.
        let mut offsets = vec![0];
        for n in lengths {
            let end = offsets.last().map_or(0, |end: &i64| end.saturating_add(*n));
            offsets.push(end);
        }
        let offsets = offsets.into_iter().map(|n| n as usize).collect();
        Ok(Val::Desc(Desc { levels: array.levels.clone(), offsets }))
    }

    pub(super) fn desc(&self, var: Var) -> Run<&Desc> {
        match self.get(var)? {
            Val::Desc(desc) => Ok(desc),
            _ => self.internal(format!("`{}` is no descriptor", self.name(var))),
        }
    }

    fn assert(&self, cond: Atom, site: SiteId, args: &[Atom]) -> Run<Val> {
        if self.truth(cond)? {
            return Ok(Val::Cert);
        }
        let args = args.iter().map(|arg| self.argument(*arg)).collect::<Run<Vec<Argument>>>()?;
        self.fail(site, &args)
    }

    /// Ends the run with a site's message.
    pub(super) fn fail<T>(&self, site: SiteId, args: &[Argument]) -> Run<T> {
        match self.program.sites.get(site) {
            Some(site) => Err(stop::at_site(site, args).into()),
            None => self.internal("a check without a site"),
        }
    }

    /// The same, at a part of the site's place.
    pub(super) fn fail_at<T>(&self, site: SiteId, args: &[Argument], span: base::Span) -> Run<T> {
        match self.program.sites.get(site) {
            Some(site) => Err(stop::at_site(&site.narrowed(span), args).into()),
            None => self.internal("a check without a site"),
        }
    }

    pub(super) fn argument(&self, atom: Atom) -> Run<Argument> {
        match atom {
            Atom::Var(var) if matches!(self.ty(var), Type::Array(..)) => {
                Ok(Argument::Numbers(self.numbers(var)?.to_vec()))
            }
            Atom::Var(var) if matches!(self.ty(var), Type::Desc(_)) => {
                Ok(Argument::Numbers(levels::lengths(&self.desc(var)?.offsets).map(|n| n as i64).collect()))
            }
            Atom::Var(_) | Atom::Const(_) => Ok(self.scalar(atom)?.into()),
        }
    }

    pub(super) fn trace(&mut self, layout: &Layout, args: &[Atom]) -> Run<()> {
        let vals = self.atoms(args)?;
        let components = self.components(layout, vals)?;
        match value::components::join(components, layout) {
            Ok(value) => (self.tracer)(&[self.span], &value.to_string()),
            Err(why) => return self.internal(format!("`trace` shows no value: {why}")),
        }
        Ok(())
    }

    /// A number that is not negative.
    fn natural(&mut self, atom: Atom) -> Run<usize> {
        match usize::try_from(self.int(atom)?) {
            Ok(n) => Ok(n),
            Err(_) => self.internal("a negative number in the place of an index or a count"),
        }
    }

    /// The order in which numbered elements stand: a stable merge sort, as in the interpreter of the source.
    fn sort(&mut self, count: Atom, order: &'p ir::Region) -> Run<Val> {
        let count = self.natural(count)?;
        self.afford(count, 2 * size_of::<i64>())?;
        let mut sorted: Vec<i64> = (0..count as i64).collect();
        let mut buffer = sorted.clone();
        let mut width = 1;
        while width < count {
            for start in (0..count).step_by(2 * width) {
                let (middle, end) = ((start + width).min(count), (start + 2 * width).min(count));
                self.merge(order, &sorted[start..middle], &sorted[middle..end], &mut buffer[start..end])?;
            }
            std::mem::swap(&mut sorted, &mut buffer);
            width *= 2;
        }
        Ok(Val::Array(Array { levels: Rc::new([Level::Regular(count)]), data: Rc::new(sorted.into()) }))
    }

    /// Numbers in their natural order, and the indices that they had.
    pub(super) fn sort_keys(&mut self, sort: ir::SortKeys) -> Run<Vec<Val>> {
        let keys = self.array(sort.keys)?.clone();
        self.afford(keys.data.len(), size_of::<i64>() + size_of::<Scalar>())?;
        let all: Vec<Scalar> = keys.data.iter().collect();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|a, b| {
            let (a, b) = if sort.descending { (b, a) } else { (a, b) };
            compare_scalars(all[*a], all[*b])
        });
        let mut values = PrimVec::with_capacity(keys.data.prim(), all.len());
        order.iter().for_each(|index| values.push(all[*index]));
        let order: Vec<i64> = order.into_iter().map(|index| index as i64).collect();
        let values = sort.gives.has_values().then(|| Array { data: Rc::new(values), ..keys });
        let order = sort.gives.has_order().then(|| Array::vector(order));
        Ok(values.into_iter().chain(order).map(Val::Array).collect())
    }

    fn merge(&mut self, order: &'p ir::Region, left: &[i64], right: &[i64], out: &mut [i64]) -> Run<()> {
        let (mut i, mut j) = (0, 0);
        for slot in out {
            let from_left = match (left.get(i), right.get(j)) {
                (Some(a), Some(b)) => {
                    let pair = [*a, *b].map(|n| Val::Scalar(Scalar::I64(n))).to_vec();
                    match self.apply(order, pair)?[..] {
                        [Val::Scalar(Scalar::Bool(first))] => first,
                        _ => return self.internal("a comparison is no truth value"),
                    }
                }
                (Some(_), None) => true,
                (None, _) => false,
            };
            let (from, at) = if from_left { (left, &mut i) } else { (right, &mut j) };
            *slot = from[*at];
            *at += 1;
        }
        Ok(())
    }
}
