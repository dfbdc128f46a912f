//! Qualifiers as steps, and comprehensions.

use crate::arrays::bulk::Gen;
use crate::arrays::dims::{product, sizes};
use crate::arrays::parts::{as_atoms, element};
use crate::context::{Desugar, Made};
use crate::data::draft::Draft;
use crate::data::value::{ArrayVal, Val};
use crate::exprs::ranges::count_below;
use crate::faults::text;
use base::id::Id;
use base::{Name, Span};
use fault::{Site, message};
use ir::num::Compute;
use ir::{Atom, Dim, Exp, Type as CoreType, Var};
use scalar::{BinOp, Prim};
use std::rc::Rc;
use typed::{Expr, Generator, LocalId, Pat, Qual};

/// A loop around the steps that are being drafted.
#[derive(Clone, Copy)]
pub(crate) struct Loop {
    pub var: Var,
    pub count: Atom,
    /// Whether the program's own name for the index is exactly `var`.
    pub plain: bool,
    /// A loop through a shape of unknown rank: the program's own name for the multi-index, and the shape.
    pub shape: Option<(Var, Var)>,
}

/// Drafts what stands inside of qualifiers, given the loops around it.
pub(crate) type Inner<'f, 't> = &'f mut dyn FnMut(&mut Desugar<'t>, &mut Vec<Loop>) -> Made<Vec<Draft<'t>>>;

/// The bounds of a generator: numbers, or vectors if the index is one, or numbers for all dimensions.
struct Bounds<'t> {
    var: LocalId,
    lo: Option<Val<'t>>,
    hi: Val<'t>,
    step: Option<Val<'t>>,
}

/// A generator whose bounds are atoms.
enum Source<'t> {
    /// The elements of an array, which has as many as the loop has turns by the checks.
    In(&'t Pat, Rc<ArrayVal<'t>>, Vec<Var>),
    /// A box whose rank is known.
    Box {
        var: LocalId,
        /// Whether the index is a vector; else it is the number in the only dimension.
        vector: bool,
        lo: Vec<Atom>,
        step: Vec<Atom>,
        counts: Vec<Atom>,
    },
    /// A box whose rank is not known: its counts are a vector.
    Unknown { var: LocalId, lo: Option<Val<'t>>, step: Option<Val<'t>>, counts: Var },
}

impl<'t> Desugar<'t> {
    pub(crate) fn comprehension(&mut self, body: &'t Expr, quals: &'t [Qual], expr: &'t Expr) -> Made<Val<'t>> {
        let ty = self.mono(&expr.ty);
        let mark = self.mark();
        let sequences = quals.iter().filter(|q| matches!(q, Qual::For(..))).count();
        let dense = sequences == 1 && !quals.iter().any(|q| matches!(q, Qual::If(_)));
        let mut total = None;
        let steps = self.qualified(quals, &mut Vec::new(), &mut |d, loops| {
            let (lets, at) = d.block(|d| Ok(if dense { vec![d.flat_index(loops)] } else { Vec::new() }))?;
            if dense {
                total = Some(loops.to_vec());
            }
            let row = at.first().copied().unwrap_or(Atom::size(0));
            Ok(Draft::after(lets, [d.draft_emit(at, row, |d| d.expr(body))?]))
        })?;
        let Some(loops) = total else {
            return self.keep(steps, mark, ty.elem());
        };
        // Bounds of the one `for` are computed once, outside of the array.
        let steps = self.without_lets(steps);
        // Variables from that of the loop on are bound inside.
        let mark = if let [Draft::For { var, .. }] = steps.as_slice() { var.index() } else { mark };
        let counts: Vec<Atom> = loops.iter().map(|l| l.count).collect();
        let count = product(&mut self.b, &counts);
        self.generate(Gen::exact(count, steps, mark), ty.elem())
    }

    /// The number of an instance among all, counted by loops from the outside to the inside.
    fn flat_index(&mut self, loops: &[Loop]) -> Atom {
        loops.iter().fold(Atom::size(0), |at, l| self.b.num(at * l.count + l.var))
    }

    /// The steps of qualifiers around what `inner` drafts.
    pub(crate) fn qualified(
        &mut self,
        quals: &'t [Qual],
        loops: &mut Vec<Loop>,
        inner: Inner<'_, 't>,
    ) -> Made<Vec<Draft<'t>>> {
        let Some((first, rest)) = quals.split_first() else {
            return inner(self, loops);
        };
        match first {
            Qual::Let(pat, value) => {
                let (lets, ()) = self.block(|d| {
                    let val = d.expr(value)?;
                    d.bind(pat, val)
                })?;
                Ok(Draft::after(lets, self.qualified(rest, loops, inner)?))
            }
            Qual::If(cond) => {
                let (lets, holds) = self.block(|d| d.scalar_of(cond))?;
                let inner = self.qualified(rest, loops, inner)?;
                Ok(Draft::after(lets, [Draft::Guard(holds, inner)]))
            }
            Qual::For(generators, span) => self.for_qual((generators, *span), rest, loops, inner),
        }
    }

    fn for_qual(
        &mut self,
        (generators, span): (&'t [Generator], Span),
        rest: &'t [Qual],
        loops: &mut Vec<Loop>,
        inner: Inner<'_, 't>,
    ) -> Made<Vec<Draft<'t>>> {
        let (lets, (sources, count)) = self.at(span, |d| d.block(|d| d.sources(generators)))?;
        // A single box of known rank is a nest of loops; anything else is one loop.
        let counts = match sources.as_slice() {
            [Source::Box { counts, .. }] => counts.clone(),
            _ => vec![count],
        };
        let depth = loops.len();
        for count in &counts {
            let var = self.b.var(Name::new("i"), CoreType::I64);
            loops.push(Loop { var, count: *count, plain: false, shape: None });
        }
        let own: Vec<Loop> = loops[depth..].to_vec();
        let (binds, ()) =
            self.at(span, |d| d.block(|d| sources.iter().try_for_each(|s| d.bind_source(s, &own, loops, depth))))?;
        let mut body = Draft::after(binds, self.qualified(rest, loops, inner)?);
        loops.truncate(depth);
        for l in own.iter().rev() {
            body = vec![Draft::For { var: l.var, count: l.count, body }];
        }
        Ok(Draft::after(lets, body))
    }

    /// The generators' sources and their common count.
    fn sources(&mut self, generators: &'t [Generator]) -> Made<(Vec<Source<'t>>, Atom)> {
        let mut all = generators.iter().map(|generator| self.source(generator)).collect::<Made<Vec<_>>>()?;
        let shape = |d: &Self, (source, count): &(Source<'t>, Atom), first: usize| match source {
            Source::Box { counts, .. } => d.describe_shape(&sizes(counts), first),
            Source::In(..) | Source::Unknown { .. } => d.describe_shape(&[Dim::Size(*count)], first),
        };
        let count = all[0].1;
        for k in 1..all.len() {
            let left = shape(self, &all[0], 0);
            let right = shape(self, &all[k], left.args.len());
            let message = message::lockstep(left.text, right.text, "advancing together");
            // Stays even if nothing uses the elements.
            let site = Site { stays: true, ..self.site(message) };
            let cert = self.assert(count.equals(all[k].1), site, left.args.into_iter().chain(right.args));
            if let Source::In(_, _, certs) = &mut all[k].0 {
                certs.extend(cert);
            }
        }
        Ok((all.into_iter().map(|source| source.0).collect(), count))
    }

    fn source(&mut self, generator: &'t Generator) -> Made<(Source<'t>, Atom)> {
        match generator {
            Generator::In(pat, array) => {
                let val = self.expr(array)?;
                let (array, n) = self.at(array.span, |d| d.rows_of(&val))?;
                Ok((Source::In(pat, array, Vec::new()), n))
            }
            Generator::Range { lo, var, hi, step, vector, span } => {
                let bound = |d: &mut Self, e: &'t Expr| if *vector { d.expr(e) } else { Ok(Val::size(d.number(e)?)) };
                let lo = lo.as_ref().map(|e| bound(self, e)).transpose()?;
                let hi = bound(self, hi)?;
                let step = step.as_ref().map(|e| bound(self, e)).transpose()?;
                let bounds = Bounds { var: *var, lo, hi, step };
                self.at(*span, |d| if *vector { d.box_source(bounds) } else { d.known_box(bounds, 1, false) })
            }
        }
    }

    /// How many of `lo, lo + step, ...` lie below `hi`; checked.
    fn steps(&mut self, lo: Atom, hi: Atom, step: Atom, open: bool) -> Atom {
        let (zero, one) = (Atom::size(0), Atom::size(1));
        let cert = self.check(step.at_least(one), message::step(), [step]);
        if open {
            let hi = self.extent(hi, "a generator");
            if step == one && lo == zero {
                return hi;
            }
        }
        let count = self.b.under(cert.as_slice(), |b| count_below(b, lo, hi, step));
        if let Some(count) = count.var() {
            self.b.trust(count, cert.as_slice());
        }
        count
    }

    fn box_source(&mut self, bounds: Bounds<'t>) -> Made<(Source<'t>, Atom)> {
        let (mut known, mut ranks) = (None, Vec::new());
        let Bounds { lo, hi, step, .. } = &bounds;
        for bound in [lo.as_ref(), Some(hi), step.as_ref()].into_iter().flatten() {
            if matches!(bound, Val::Scalar(..)) {
                continue;
            }
            match as_atoms(&mut self.b, bound) {
                Some(atoms) => {
                    ranks.push(Atom::size(atoms.len() as i64));
                    known.get_or_insert(atoms.len());
                }
                None => ranks.push(self.as_vector(bound)?.1),
            }
        }
        let rank = ranks[0];
        for other in &ranks[1..] {
            let message = message::lockstep(text("[{0}]"), text("[{1}]"), "the bounds of one generator");
            self.check(rank.equals(*other), message, [rank, *other]);
        }
        match known {
            Some(rank) => self.known_box(bounds, rank, true),
            None => self.unknown_box(bounds, rank),
        }
    }

    fn known_box(&mut self, bounds: Bounds<'t>, rank: usize, vector: bool) -> Made<(Source<'t>, Atom)> {
        let Bounds { var, lo, hi, step } = bounds;
        let open = lo.is_none();
        let lo = self.spread(lo.as_ref(), 0, rank)?;
        let hi = self.spread(Some(&hi), 0, rank)?;
        let step = self.spread(step.as_ref(), 1, rank)?;
        let counts: Vec<Atom> = (0..rank).map(|d| self.steps(lo[d], hi[d], step[d], open)).collect();
        let total = product(&mut self.b, &counts);
        Ok((Source::Box { var, vector, lo, step, counts }, total))
    }

    /// A bound as one atom for each dimension.
    fn spread(&mut self, bound: Option<&Val<'t>>, default: i64, rank: usize) -> Made<Vec<Atom>> {
        match bound.and_then(|val| as_atoms(&mut self.b, val)) {
            Some(atoms) => Ok(atoms.to_vec()),
            None => (0..rank).map(|k| self.bound_at(bound, default, Atom::size(k as i64))).collect(),
        }
    }

    fn unknown_box(&mut self, bounds: Bounds<'t>, rank: Atom) -> Made<(Source<'t>, Atom)> {
        let Bounds { var, lo, hi, step } = bounds;
        let counts = match self.plain_shape(lo.as_ref(), &hi, step.as_ref())? {
            Some(shape) => shape,
            None => {
                let counts = self.build(rank, None, |d, k| {
                    let start = d.bound_at(lo.as_ref(), 0, k)?;
                    let hi = d.bound_at(Some(&hi), 0, k)?;
                    let step = d.bound_at(step.as_ref(), 1, k)?;
                    Ok(Val::size(d.steps(start, hi, step, lo.is_none())))
                })?;
                self.as_vector(&counts)?.0
            }
        };
        let total = self.b.total(vec![Dim::Shape(counts)]);
        Ok((Source::Unknown { var, lo, step, counts }, total))
    }

    /// The bound of a generator that runs through a whole shape: nothing in it is negative.
    fn plain_shape(&mut self, lo: Option<&Val<'t>>, hi: &Val<'t>, step: Option<&Val<'t>>) -> Made<Option<Var>> {
        if lo.is_some() || step.is_some() || matches!(hi, Val::Scalar(..)) {
            return Ok(None);
        }
        let (vector, _) = self.as_vector(hi)?;
        Ok(self.b.trusted(vector).is_some_and(<[Var]>::is_empty).then_some(vector))
    }

    /// A bound in dimension `k`.
    fn bound_at(&mut self, bound: Option<&Val<'t>>, default: i64, k: Atom) -> Made<Atom> {
        match bound {
            None => Ok(Atom::size(default)),
            Some(Val::Scalar(_, n)) => Ok(*n),
            Some(val) => {
                let (vector, _) = self.as_vector(val)?;
                Ok(self.b.number("n", vector, k))
            }
        }
    }

    /// Binds a generator's name for one turn.
    fn bind_source(&mut self, source: &Source<'t>, own: &[Loop], loops: &mut [Loop], depth: usize) -> Made<()> {
        let turn = |own: &[Loop]| own.first().map_or(Atom::size(0), |l| Atom::Var(l.var));
        match source {
            Source::In(pat, array, certs) => {
                let elem = self.b.under(certs, |b| element(b, array, &[turn(own)]));
                self.bind(pat, elem)
            }
            Source::Box { var, vector, lo, step, counts } => {
                let parts = self.box_parts(own, counts);
                let mut atoms = Vec::with_capacity(parts.len());
                for (d, part) in parts.iter().enumerate() {
                    let i = self.b.num(lo[d] + *part * step[d]);
                    if own.len() == counts.len() && i == *part {
                        loops[depth + d].plain = true;
                    }
                    atoms.push(i);
                }
                self.set(*var, if *vector { Val::Vector(Prim::I64, atoms.into()) } else { Val::size(atoms[0]) });
                Ok(())
            }
            Source::Unknown { var, lo, step, counts } => {
                let dims = self.b.ty(*counts).dims().to_vec();
                let exp = Exp::Unrank { index: turn(own), shape: *counts };
                let iv = self.b.bind("iv", CoreType::Array(Prim::I64, dims.clone()), exp);
                if lo.is_none() && step.is_none() {
                    self.multi_indices.insert(iv, *counts);
                    loops[depth].shape = Some((iv, *counts));
                }
                let mut val = Val::array(dims, Val::size(iv.into()));
                for (op, operand) in [(BinOp::Mul, step), (BinOp::Add, lo)] {
                    if let Some(operand) = operand {
                        val = self.lifted(op, &val, operand)?;
                    }
                }
                self.set(*var, val);
                Ok(())
            }
        }
    }

    /// The index of a box in each dimension: the loops' own, or parts of one flat number.
    fn box_parts(&mut self, own: &[Loop], counts: &[Atom]) -> Vec<Atom> {
        if own.len() == counts.len() {
            return own.iter().map(|l| Atom::Var(l.var)).collect();
        }
        let mut rest = own.first().map_or(Atom::size(0), |l| Atom::Var(l.var));
        let mut parts = Vec::new();
        for count in counts.iter().rev() {
            // Inside the loop no count is 0.
            let part = self.b.scalar("i", Prim::I64, Exp::Bin(BinOp::Rem, Prim::I64, rest, *count));
            rest = self.b.scalar("i", Prim::I64, Exp::Bin(BinOp::Quot, Prim::I64, rest, *count));
            parts.push(part);
        }
        parts.reverse();
        parts
    }

    /// The steps behind the statements in front of them, which go into the open block.
    pub(crate) fn without_lets(&mut self, steps: Vec<Draft<'t>>) -> Vec<Draft<'t>> {
        let mut steps = steps.into_iter().peekable();
        while let Some(Draft::Let(stm)) = steps.next_if(|step| matches!(step, Draft::Let(_))) {
            self.b.push(stm);
        }
        steps.collect()
    }
}
