//! What holds of all elements of an array.
//!
//! ```text
//! let (k, is: [k]i64) = bulk { out keep of (x: i64) for i < n { let c = p i; if c { emit => i } } }
//! let j = is[m]                     // 0 <= j and j <= n - 1
//! ```
//!
//! Every value that goes into an array must be between the same two limits. A limit is found where the first value is
//! handed over: from what is known about the value there, as far as it mentions nothing from inside the bulk form. It is
//! kept if it holds for all other values, too.

use super::selections::{Combined, room_of, selects, turns_around};
use super::terms::{Poly, Sym};
use super::{Bound, Fact, Facts, symbols};
use crate::{
    Atom, Block, Bulk, Dim, Exp, Function, Kind, Output, Program, Region, Scan, SortKeys, Step, Stm, Type, Var,
};
use base::Map;
use scalar::{BinOp, MathOp, Prim, Scalar};
use std::rc::Rc;

/// How many limits of a value are tried.
const MOST: usize = 6;
/// How many views lead from an array to the one that was made.
const VIEWS: usize = 8;

/// The values that went into the outputs of a bulk form so far.
pub(crate) struct Filling {
    /// Symbols from here on are those of the bulk form.
    inside: Sym,
    /// For each component of each output, the limits of its values; nothing before the first one.
    limits: Vec<Vec<Option<Vec<Bound>>>>,
    /// For each output, how many values it keeps.
    kept: Vec<Option<Poly>>,
    /// The limits of the values of running combinations, by the first variable that each binds.
    running: Map<Var, Vec<Option<Vec<Bound>>>>,
}

impl Facts<'_> {
    /// Nothing has gone into a bulk form yet, whose outputs these variables will be.
    pub(crate) fn fill(&mut self, vars: &[Var], bulk: &Bulk) -> Filling {
        let old = |facts: &Self, number: usize, output: &Output| -> Vec<Option<Vec<Bound>>> {
            match &output.kind {
                Kind::Update { arrays, .. }
                    if facts.have_no_values(arrays) || replaces_all(facts.program, bulk, number, arrays) =>
                {
                    vec![None; arrays.len()]
                }
                Kind::Update { arrays, .. } => arrays.iter().map(|x| Some(facts.bounds(*x))).collect(),
                Kind::Reduce { .. } if extreme(output).is_some() || is_sum(output) => vec![None],
                Kind::Reduce { op, .. } => {
                    (0..output.elems.len()).map(|component| (!selects(op, component)).then(Vec::new)).collect()
                }
                Kind::Accum { .. } => vec![Some(Vec::new()); output.elems.len()],
                Kind::Gen { .. } | Kind::Keep => vec![None; output.elems.len()],
            }
        };
        for output in &bulk.outputs {
            // Its memory is there before the first value.
            if let Kind::Gen { shape, .. } = &output.kind {
                self.in_memory(shape);
            }
        }
        let limits = bulk.outputs.iter().enumerate().map(|(number, output)| old(self, number, output)).collect();
        let mut rest = vars;
        let mut count = |output: &Output| {
            let (bound, more) = rest.split_at_checked(output.bound())?;
            rest = more;
            let count = bound.first().filter(|_| matches!(output.kind, Kind::Keep))?;
            Some(self.terms.poly((*count).into()))
        };
        let kept = bulk.outputs.iter().map(&mut count).collect();
        Filling { inside: self.terms.next_symbol(), limits, kept, running: Map::default() }
    }

    /// A running number of the turns that come to these steps. Where each of them keeps a value, there are not more of them than
    /// values are kept.
    pub(crate) fn numbered(&mut self, filling: &Filling, scan: &Scan, steps: &[Step]) {
        let ([number], [Atom::Const(one)]) = (&scan.vars[..], &scan.value.result[..]) else { return };
        if *one != Scalar::I64(1) || scan.neutral[..] != [Atom::size(0)] || !adds(&scan.op) {
            return;
        }
        let number = self.terms.poly((*number).into());
        let kept = |step: &Step| match step {
            Step::Emit(emit) => filling.kept.get(emit.output).cloned().flatten(),
            _ => None,
        };
        let at_most = steps.iter().filter_map(kept).filter_map(|count| self.order(&number, &count, false));
        let facts: Vec<Fact> = at_most.chain(number.add_constant(-1).map(Fact::AtLeastZero)).collect();
        facts.into_iter().for_each(|fact| self.learn(fact));
    }

    /// Whether arrays are memory without values. None of it is read before it has a value.
    fn have_no_values(&self, arrays: &[Var]) -> bool {
        arrays.iter().all(|array| matches!(self.terms.def(*array), Some(Exp::Uninit)))
    }

    /// A value goes into an output. To be called while the variables of its block are in scope.
    pub(crate) fn filled(&mut self, filling: &mut Filling, number: usize, output: &Output, value: &Block) {
        let Some(limits) = filling.limits.get_mut(number) else { return };
        let elems = value.result.iter().skip(output.sizes.len());
        for (limits, atom) in limits.iter_mut().zip(elems) {
            *limits = Some(match limits.take() {
                Some(limits) => limits.into_iter().filter(|bound| self.within(*atom, bound)).collect(),
                None => self.limits(*atom, filling.inside),
            });
        }
    }

    /// All values have gone into the outputs, which these variables are.
    pub(crate) fn full(&mut self, filling: Filling, vars: &[Var], outputs: &[Output]) {
        let mut rest = vars;
        for (output, limits) in outputs.iter().zip(filling.limits) {
            let Some((bound, more)) = rest.split_at_checked(output.bound()) else { return };
            rest = more;
            if let (Some(op), [x]) = (extreme(output), bound) {
                let limits = limits.into_iter().flatten().flatten().collect();
                self.extreme(op, *x, output, limits);
                continue;
            }
            if let (true, [x]) = (is_sum(output), bound) {
                self.sum(*x, output, &limits.into_iter().flatten().flatten().collect::<Vec<Bound>>());
                continue;
            }
            if let Kind::Reduce { neutral, .. } = &output.kind {
                for ((var, neutral), limits) in bound.iter().zip(neutral).zip(limits) {
                    self.selected(*var, *neutral, limits.unwrap_or_default());
                }
                continue;
            }
            if let (Kind::Keep, [count, ..]) = (&output.kind, bound) {
                self.results.push(Fact::AtLeastZero(self.terms.poly((*count).into())));
            }
            for (array, limits) in bound.iter().rev().zip(limits.into_iter().rev()) {
                self.limit(*array, limits.unwrap_or_default());
            }
        }
    }

    /// The smallest or largest of some integers has the limits that they have, if the neutral one has them, too.
    fn extreme(&mut self, op: MathOp, x: Var, output: &Output, limits: Vec<Bound>) {
        let Kind::Reduce { neutral, .. } = &output.kind else { return };
        let [neutral] = neutral[..] else { return };
        let of_neutral = Bound { limit: self.terms.poly(neutral), is_upper: op == MathOp::Min };
        let limits: Vec<Bound> = limits.into_iter().filter(|bound| self.within(neutral, bound)).collect();
        let this = self.terms.poly(x.into());
        for bound in limits.into_iter().chain([of_neutral]) {
            let sides = if bound.is_upper { [&this, &bound.limit] } else { [&bound.limit, &this] };
            self.results.extend(self.order(sides[0], sides[1], false));
        }
    }

    /// What an operator that selects makes of values has their limits, as far as the neutral element does not exceed them.
    fn selected(&mut self, var: Var, neutral: Atom, limits: Vec<Bound>) {
        let this = self.terms.poly(var.into());
        for bound in limits {
            let bound = self.limit_of_selected(neutral, bound);
            let fact = self.on_side(&this, &bound);
            self.results.extend(fact);
        }
    }

    /// That something is on the right side of a limit.
    pub(super) fn on_side(&self, value: &Poly, bound: &Bound) -> Option<Fact> {
        let sides = if bound.is_upper { [value, &bound.limit] } else { [&bound.limit, value] };
        self.order(sides[0], sides[1], false)
    }

    /// Learns what holds of the parameters of a reduction's operator. All values have gone into the form.
    pub(crate) fn reduces(&mut self, filling: &Filling, number: usize, bulk: &Bulk) {
        let Some(Kind::Reduce { op, neutral, .. }) = bulk.outputs.get(number).map(|output| &output.kind) else {
            return;
        };
        let is_value = |step: &Step| matches!(step, Step::Emit(emit) if emit.output == number);
        let turns = turns_around(&bulk.steps, &is_value).unwrap_or_default();
        let limits = &filling.limits[number];
        self.operands(&Combined { op, neutral, limits, turns: &turns, inside: filling.inside });
    }

    /// The value of a running combination. To be called while the variables of its block are in scope.
    pub(crate) fn runs(&mut self, filling: &mut Filling, scan: &Scan) {
        let limits = scan.value.result.iter().enumerate().map(|(component, atom)| {
            let limits = if selects(&scan.op, component) { self.limits(*atom, filling.inside) } else { Vec::new() };
            Some(limits)
        });
        let limits: Vec<_> = limits.collect();
        filling.running.extend(scan.vars.first().map(|first| (*first, limits)));
    }

    /// Learns what holds of the parameters of the operator of a running combination, whose values are known.
    pub(crate) fn combines(&mut self, filling: &Filling, scan: &Scan, steps: &[Step]) {
        let Some(limits) = scan.vars.first().and_then(|first| filling.running.get(first)) else { return };
        let is_this = |step: &Step| matches!(step, Step::Scan(other) if other.vars == scan.vars);
        let turns = turns_around(steps, &is_this).unwrap_or_default();
        let Scan { op, neutral, .. } = scan;
        self.operands(&Combined { op, neutral, limits, turns: &turns, inside: filling.inside });
    }

    /// Learns what holds of what a running combination binds: it has had a value.
    pub(crate) fn has_run(&mut self, filling: &Filling, scan: &Scan) {
        let Some(limits) = scan.vars.first().and_then(|first| filling.running.get(first)).cloned() else { return };
        for ((var, neutral), limits) in scan.vars.iter().zip(&scan.neutral).zip(limits) {
            self.selected(*var, *neutral, limits.unwrap_or_default());
        }
        std::mem::take(&mut self.results).into_iter().for_each(|fact| self.learn(fact));
    }

    /// A sum has no limits that its values have, but it is not negative if none of them is and it does not wrap around.
    fn sum(&mut self, x: Var, output: &Output, limits: &[Bound]) {
        let Kind::Reduce { neutral, .. } = &output.kind else { return };
        let natural = |bound: &Bound| !bound.is_upper && bound.limit.as_constant().is_some_and(|n| n >= 0);
        let from_natural = neutral.iter().all(|atom| atom.as_size().is_some_and(|n| n >= 0));
        if !self.is_exact && from_natural && limits.iter().any(natural) {
            self.results.push(Fact::AtLeastZero(self.terms.poly(x.into())));
        }
    }

    /// What holds after a statement, whatever it relies on.
    pub(crate) fn learn_results(&mut self, stm: &Stm) {
        if let Exp::Call(function, args) = &stm.exp
            && let Some(callee) = self.program.functions.get(*function)
        {
            // A function that checked its argument has come to its end.
            for (param, arg) in callee.params.iter().zip(args) {
                if is_size(self.program, callee, *param) {
                    let size = self.terms.poly(*arg);
                    self.results.push(Fact::AtLeastZero(size));
                }
            }
            for (result, var) in callee.results.iter().zip(&stm.vars) {
                if self.program.vars.get(*result).is_some_and(|info| info.size) {
                    let size = self.terms.poly((*var).into());
                    self.results.push(Fact::AtLeastZero(size));
                }
            }
        }
        if let Exp::If(_, one, other) | Exp::Choose(_, one, other) = &stm.exp {
            for (var, results) in stm.vars.iter().zip(one.result.iter().zip(&other.result)) {
                self.either(*var, results);
            }
        }
        match &stm.exp {
            Exp::Sort(count, _) => self.indices_below(*count, stm.vars.last()),
            Exp::SortKeys(sort) => self.sorted(*sort, &stm.vars),
            _ => {}
        }
        std::mem::take(&mut self.results).into_iter().for_each(|fact| self.learn(fact));
    }

    /// Sorted numbers have the limits that they had before, and their indices are below their number.
    fn sorted(&mut self, sort: SortKeys, vars: &[Var]) {
        if let (true, Some(values)) = (sort.gives.has_values(), vars.first()) {
            let limits = self.bounds(sort.keys);
            self.limit(*values, limits);
        }
        if let Some(Type::Array(_, dims)) = self.type_of(sort.keys.into())
            && let (true, [Dim::Size(count)]) = (sort.gives.has_order(), &dims[..])
        {
            self.indices_below(*count, vars.last());
        }
    }

    /// The elements of an array are indices below a number.
    fn indices_below(&mut self, count: Atom, array: Option<&Var>) {
        let last = self.terms.poly(count).add_constant(-1);
        let upper = last.map(|limit| Bound { limit, is_upper: true });
        let limits: Vec<Bound> =
            [Bound { limit: Poly::constant(0), is_upper: false }].into_iter().chain(upper).collect();
        if let Some(array) = array {
            self.limit(*array, limits);
        }
    }

    /// An array that is one of two has the limits that both have.
    fn either(&mut self, array: Var, (one, other): (&Atom, &Atom)) {
        let (Some(one), Some(other)) = (one.var(), other.var()) else { return };
        let others = self.bounds(other);
        let both: Vec<Bound> = self.bounds(one).into_iter().filter(|bound| others.contains(bound)).collect();
        self.limit(array, both);
    }

    fn limit(&mut self, array: Var, limits: Vec<Bound>) {
        if !limits.is_empty() {
            self.elements.insert(array, limits.into());
            let shape = self.shape_of_elements(array);
            self.results.extend(shape);
        }
    }

    /// The limits of a value that mention nothing from inside.
    fn limits(&mut self, atom: Atom, inside: Sym) -> Vec<Bound> {
        match self.type_of(atom) {
            Some(Type::Scalar(Prim::I64)) => {}
            Some(Type::Array(Prim::I64, _)) => return atom.var().map(|x| self.bounds(x)).unwrap_or_default(),
            _ => return Vec::new(),
        }
        let value = self.terms.poly(atom);
        let mut found: Vec<Bound> = Vec::new();
        for (limit, is_upper) in self.candidates(&value, inside) {
            let bound = Bound { limit, is_upper };
            if found.len() < MOST && !found.contains(&bound) && self.within(atom, &bound) {
                found.push(bound);
            }
        }
        found
    }

    /// What could be a limit of a value: what facts about it say, or what it has to do with.
    pub(super) fn candidates(&mut self, value: &Poly, inside: Sym) -> Vec<(Poly, bool)> {
        let mut all = vec![(Poly::constant(0), false)];
        let of = symbols(value);
        for fact in of.iter().flat_map(|sym| self.about(*sym)).collect::<Vec<_>>() {
            all.extend(value.add(&fact).map(|limit| (limit, true)));
            all.extend(value.sub(&fact).map(|limit| (limit, false)));
        }
        for sym in self.near(value) {
            let limit = Poly::symbol(vec![sym]);
            all.extend(limit.add_constant(-1).map(|limit| (limit, true)));
            all.push((limit, true));
        }
        if value.as_constant().is_some() {
            all.extend([(value.clone(), true), (value.clone(), false)]);
        }
        all.retain(|(limit, _)| symbols(limit).iter().all(|sym| *sym < inside));
        all.truncate(4 * MOST);
        all
    }

    /// Whether a value is on the right side of a limit.
    pub(super) fn within(&mut self, atom: Atom, bound: &Bound) -> bool {
        if let Some(Type::Array(..)) = self.type_of(atom) {
            return atom.var().is_some_and(|x| self.bounds(x).contains(bound));
        }
        let value = self.terms.poly(atom);
        room_of(&value, bound).is_some_and(|room| self.at_least_zero(&room))
    }

    fn type_of(&self, atom: Atom) -> Option<Type> {
        match atom {
            Atom::Var(var) => self.program.vars.get(var).map(|info| info.ty.clone()),
            Atom::Const(x) => Some(Type::Scalar(x.prim())),
        }
    }

    fn bounds(&self, x: Var) -> Vec<Bound> {
        self.bounds_of_elements(x).map(|bounds| bounds.to_vec()).unwrap_or_default()
    }

    /// The limits of the elements of an array, or of the array that it is a view of.
    pub(super) fn bounds_of_elements(&self, x: Var) -> Option<Rc<[Bound]>> {
        let mut x = self.terms.root(x);
        for _ in 0..VIEWS {
            if let Some(bounds) = self.elements.get(&x) {
                return Some(bounds.clone());
            }
            x = match self.terms.def(x)? {
                Exp::Slice(y, _) | Exp::Rearrange(y, _) | Exp::Reshape(y) | Exp::Index(y, _) => self.terms.root(*y),
                _ => return None,
            };
        }
        None
    }

    /// The limits of an element as polynomials that are not negative.
    pub(super) fn limits_of_element(&self, x: Var, this: &Poly) -> Vec<Poly> {
        let bounds = self.bounds(x);
        bounds.iter().filter_map(|bound| room_of(this, bound)).collect()
    }

    /// Whether no element is negative, because a limit says so.
    pub(super) fn elements_at_least_zero(&mut self, x: Var) -> bool {
        let bounds = self.bounds(x);
        bounds.iter().any(|bound| !bound.is_upper && bound.limit.as_constant().is_some_and(|n| n >= 0))
    }

    /// What is known of an array whose elements are not negative.
    fn shape_of_elements(&mut self, x: Var) -> Option<Fact> {
        self.elements_at_least_zero(x).then_some(Fact::Shape(x))
    }
}

/// Whether a form gives all elements of arrays that it updates another value: it goes through all their dimensions.
fn replaces_all(program: &Program, bulk: &Bulk, number: usize, arrays: &[Var]) -> bool {
    let (mut steps, mut loops) = (&bulk.steps[..], Vec::new());
    while let [.., Step::For { var, count, body, .. }] = steps {
        loops.push((*var, Dim::Size(*count)));
        steps = body;
    }
    let at: Vec<Atom> = loops.iter().map(|(var, _)| Atom::Var(*var)).collect();
    let extents: Vec<Dim> = loops.into_iter().map(|(_, extent)| extent).collect();
    let emits = steps.iter().any(|step| matches!(step, Step::Emit(emit) if emit.output == number && emit.at == at));
    let dims = |array: &Var| program.vars.get(*array).map(|info| info.ty.dims());
    emits && arrays.iter().all(|array| dims(array).is_some_and(|dims| dims.starts_with(&extents)))
}

/// Whether an output is a sum of integers.
fn is_sum(output: &Output) -> bool {
    matches!(&output.kind, Kind::Reduce { op, .. } if adds(op))
}

/// Whether an operator adds integers.
fn adds(Region { params, body }: &Region) -> bool {
    let ([a, b], [Stm { exp: Exp::Bin(BinOp::Add, Prim::I64, x, y), .. }]) = (&params[..], &body.stms[..]) else {
        return false;
    };
    [x, y] == [&Atom::Var(*a), &Atom::Var(*b)]
}

/// Whether an output is the smallest or the largest of some integers.
fn extreme(output: &Output) -> Option<MathOp> {
    let Kind::Reduce { op: Region { params, body }, .. } = &output.kind else { return None };
    let ([a, b], [Atom::Var(result)]) = (&params[..], &body.result[..]) else { return None };
    let def = |var: Var| body.stms.iter().find(|stm| stm.vars == [var]).map(|stm| &stm.exp);
    match def(*result)? {
        Exp::Math(op @ (MathOp::Min | MathOp::Max), Prim::I64, _) => Some(*op),
        Exp::Select(Atom::Var(cond), Atom::Var(x), Atom::Var(y)) => {
            let Exp::Bin(op, Prim::I64, p, q) = def(*cond)? else { return None };
            let of_both = [x, y].into_iter().all(|v| [a, b].contains(&v)) && x != y;
            let in_order = *p == Atom::Var(*x) && *q == Atom::Var(*y);
            let swapped = *p == Atom::Var(*y) && *q == Atom::Var(*x);
            match op {
                _ if !of_both || in_order == swapped => None,
                BinOp::Lt | BinOp::Le => Some(if in_order { MathOp::Min } else { MathOp::Max }),
                BinOp::Gt | BinOp::Ge => Some(if in_order { MathOp::Max } else { MathOp::Min }),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Functions check their arguments first: so many statements are looked at.
const FIRST: usize = 16;

/// Whether a parameter of a function is declared as a size, or the function checks that it is one.
fn is_size(program: &Program, function: &Function, param: Var) -> bool {
    let is_param = |atom: &Atom| *atom == Atom::Var(param);
    let natural = |cond: Var| {
        function.body.stms.iter().take(FIRST).any(|stm| match &stm.exp {
            Exp::Bin(BinOp::Ge, Prim::I64, a, b) => stm.vars == [cond] && is_param(a) && b.as_size() == Some(0),
            Exp::Bin(BinOp::Le, Prim::I64, a, b) => stm.vars == [cond] && is_param(b) && a.as_size() == Some(0),
            _ => false,
        })
    };
    let checks = |stm: &Stm| match &stm.exp {
        Exp::Assert { cond: Atom::Var(cond), site, .. } => program.sites[*site].stays && natural(*cond),
        _ => false,
    };
    let info = &program.vars[param];
    info.ty == Type::I64 && (info.size || function.body.stms.iter().take(FIRST).any(checks))
}
