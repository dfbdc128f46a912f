//! Constructions whose elements are those of another array at evenly spaced indices.
//!
//! ```text
//! let t: [m][k]f64 = bulk {
//!   out gen [m][k] of (x: f64)
//!   for j < m {
//!     for i < k {                            array: a    fixed: [5]
//!       let at: i64 = i * 2            =>    axes: [(2, start 0 stride 1), (1, start 7 stride 2)]
//!       let at.1: i64 = at + 7
//!       emit [j, i] => a[5, at.1, j]
//!     }
//!   }
//! }
//! ```
//!
//! Each subscript of the other array is fixed, or `start + stride * counter`; each counter is in one of them. The new array
//! has an element at `[j, i]` or `[m - 1 - j, i]`, in any order of the counters, so each element has exactly one value.

use affine::Linear;
use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, Kind, Program, Step, Stm, Var};
use scalar::{BinOp, Prim};

/// A number as a sum of multiples of variables.
pub(super) type Form = Linear<Var>;

/// How many definitions a sum goes through.
const DEPTH: usize = 6;

/// What an array is made of.
pub(super) struct Selection {
    /// The array that is made.
    pub name: Var,
    /// The array that is read.
    pub array: Var,
    /// The checks that the reads rely on.
    pub certs: Vec<Var>,
    /// Dimensions of the array that is read at one index, and that index.
    pub fixed: Vec<(usize, Form)>,
    /// For each loop dimension of the new array, what it goes through.
    pub axes: Vec<Axis>,
}

impl Selection {
    /// The dimensions of the array that is read, the fixed ones first and then as in the new array.
    pub fn order(&self, rank: usize) -> Vec<usize> {
        let subscripts = self.fixed.len() + self.axes.len();
        let fixed = self.fixed.iter().map(|(dim, _)| *dim);
        fixed.chain(self.axes.iter().map(|axis| axis.dim)).chain(subscripts..rank).collect()
    }

    /// Whether the elements of a row lie side by side in memory.
    pub fn is_side_by_side(&self, program: &Program) -> bool {
        let rank = program.ty(self.array).dims().len();
        let is_last = self.order(rank).last() == Some(&(rank - 1));
        let last_axis = self.axes.last().filter(|axis| axis.dim == rank - 1);
        is_last && last_axis.is_none_or(|axis| axis.stride.unsigned_abs() == 1)
    }
}

/// The elements of a dimension that are selected.
pub(super) struct Axis {
    /// The dimension of the array that is read.
    pub dim: usize,
    /// The index of the first.
    pub start: Form,
    /// How many there are.
    pub count: Atom,
    /// How far from one to the next.
    pub stride: i64,
}

/// The definitions of the scalars and parts of arrays in a function.
pub(super) struct Definitions<'p>(Map<Var, &'p Stm>);

impl<'p> Definitions<'p> {
    /// Those of a function with this body.
    pub fn of(body: &'p Block) -> Definitions<'p> {
        let mut found = Map::default();
        body.for_each_part(&mut |part| note(part, &mut found));
        Definitions(found)
    }

    /// The statement that binds a variable.
    pub fn get(&self, var: Var) -> Option<&'p Stm> {
        self.0.get(&var).copied()
    }

    /// A number as a sum. A variable is itself if its definition is no sum, or lies behind so many others.
    fn form(&self, atom: Atom, depth: usize) -> Option<Form> {
        let var = match atom {
            Atom::Const(_) => return atom.as_size().map(Form::constant),
            Atom::Var(var) => var,
        };
        let sum = self.get(var).filter(|_| depth > 0).and_then(|stm| self.sum(&stm.exp, depth - 1));
        Some(sum.unwrap_or_else(|| Form::symbol(var)))
    }

    fn sum(&self, exp: &Exp, depth: usize) -> Option<Form> {
        let form = |atom: &Atom| self.form(*atom, depth);
        match exp {
            Exp::Atom(a) => form(a),
            Exp::Bin(BinOp::Add, Prim::I64, a, b) => form(a)?.add(&form(b)?),
            Exp::Bin(BinOp::Sub, Prim::I64, a, b) => form(a)?.sub(&form(b)?),
            Exp::Bin(BinOp::Mul, Prim::I64, a, b) => form(a)?.mul(&form(b)?),
            _ => None,
        }
    }
}

fn note<'p>(part: Part<'p>, found: &mut Map<Var, &'p Stm>) {
    match part {
        Part::Stm(stm) => {
            found.extend(stm.vars.iter().map(|var| (*var, stm)));
            stm.for_each_part(&mut |part| note(part, found));
        }
        Part::Block(block) => block.for_each_part(&mut |part| note(part, found)),
        Part::Atom(_) | Part::Use(_) | Part::Bind(_) => {}
    }
}

/// A construction that emits one value for each element, in a nest of loops with bindings and nothing else.
struct Nest<'p> {
    /// What it binds.
    inside: Set<Var>,
    /// Counters and how many turns the loops have, from the outside.
    loops: Vec<(Var, Atom)>,
    emit: &'p Emit,
    /// For each dimension of the new array, the counter that moves through it, how many elements it has, and whether the
    /// counter moves backwards.
    places: Vec<Place>,
}

struct Place {
    counter: Var,
    count: Atom,
    backwards: bool,
}

/// Those of the arrays that a statement makes which select elements of others, if it makes them in the same loops.
pub(super) fn selections(program: &Program, defs: &Definitions<'_>, recursive: &Set<Var>, stm: &Stm) -> Vec<Selection> {
    let Exp::Bulk(bulk) = &stm.exp else { return Vec::new() };
    let Some(nest) = Nest::of(defs, stm, bulk) else { return Vec::new() };
    let array = |(name, value): (&Var, &Atom)| {
        let selection = nest.selection(program, defs, *name, *value)?;
        let there = program.vars[selection.array].pending.is_none() && !recursive.contains(&selection.array);
        there.then_some(selection)
    };
    stm.vars.iter().zip(&nest.emit.value.result).filter_map(array).collect()
}

impl<'p> Nest<'p> {
    fn of(defs: &Definitions<'_>, stm: &Stm, bulk: &'p Bulk) -> Option<Nest<'p>> {
        let [output] = &bulk.outputs[..] else { return None };
        let Kind::Gen { shape, otherwise: None, coverage: _, rec } = &output.kind else { return None };
        if !rec.is_empty() || !output.sizes.is_empty() {
            return None;
        }
        let mut inside = Set::default();
        let mut fails = false;
        stm.walk(&mut |part| match part {
            Part::Bind(var) => _ = inside.insert(*var),
            Part::Stm(inner) => fails |= inner.exp.can_fail(),
            Part::Atom(_) | Part::Use(_) | Part::Block(_) => {}
        });
        let (loops, emit) = around_emit(&bulk.steps)?;
        let mut nest = Nest { inside, loops, emit, places: Vec::new() };
        let fits = !fails && shape.len() == nest.loops.len() && emit.at.len() == shape.len();
        for (at, dim) in emit.at.iter().zip(shape).filter(|_| fits) {
            let place = nest.place(defs, *at, *dim)?;
            nest.places.push(place);
        }
        fits.then_some(nest)
    }

    /// The counter that moves through a dimension, as `i` or `count - 1 - i`. It is that of no other dimension.
    fn place(&self, defs: &Definitions<'_>, at: Atom, dim: Dim) -> Option<Place> {
        let Dim::Size(count) = dim else { return None };
        let at = defs.form(at, DEPTH)?;
        let (counter, turns) = self.loops.iter().find(|(counter, _)| at.mentions(counter))?;
        let extent = defs.form(count, DEPTH)?;
        let last = extent.add_constant(-1)?;
        let step = Form::symbol(*counter);
        let backwards = at != step;
        let taken = self.places.iter().any(|place| place.counter == *counter);
        let fits = !taken && defs.form(*turns, DEPTH)? == extent && (!backwards || at == last.sub(&step)?);
        fits.then_some(Place { counter: *counter, count, backwards })
    }

    /// What an array is made of, whose elements are these.
    fn selection(&self, program: &Program, defs: &Definitions<'_>, name: Var, value: Atom) -> Option<Selection> {
        let (array, at, own) = read(defs, value)?;
        let dims = program.ty(array).dims();
        let certs: Vec<Var> = own.iter().chain(&self.emit.certs).copied().collect();
        let outside = [array].iter().chain(&certs).all(|var| !self.inside.contains(var));
        if !outside || !dims.iter().all(|dim| matches!(dim, Dim::Size(_))) {
            return None;
        }
        let mut fixed = Vec::new();
        let mut moving: Map<Var, (usize, Form, i64)> = Map::default();
        for (dim, index) in at.iter().enumerate() {
            let index = defs.form(*index, DEPTH)?;
            let counter = self.loops.iter().map(|(counter, _)| *counter).find(|counter| index.mentions(counter));
            let stride = counter.map_or(0, |counter| index.coefficient(&counter));
            let start = counter.map_or(Some(index.clone()), |var| index.substitute(&var, &Form::constant(0)))?;
            if start.symbols().any(|var| self.inside.contains(var)) {
                return None;
            }
            match counter {
                None => fixed.push((dim, start)),
                Some(counter) if moving.insert(counter, (dim, start, stride)).is_some() => return None,
                Some(_) => {}
            }
        }
        let axes: Option<Vec<Axis>> = self.places.iter().map(|place| place.axis(defs, &mut moving)).collect();
        let axes = axes?;
        let counts = axes.iter().map(|axis| Dim::Size(axis.count));
        let same = counts.chain(dims[at.len()..].iter().copied()).eq(program.ty(name).dims().iter().copied());
        same.then_some(Selection { name, array, certs, fixed, axes })
    }
}

impl Place {
    fn axis(&self, defs: &Definitions<'_>, moving: &mut Map<Var, (usize, Form, i64)>) -> Option<Axis> {
        let (dim, start, stride) = moving.remove(&self.counter)?;
        if !self.backwards {
            return Some(Axis { dim, start, count: self.count, stride });
        }
        let way = defs.form(self.count, DEPTH)?.add_constant(-1)?.scale(stride)?;
        Some(Axis { dim, start: start.add(&way)?, count: self.count, stride: stride.checked_neg()? })
    }
}

/// The loops around a value, if there is nothing else beside bindings.
fn around_emit(steps: &[Step]) -> Option<(Vec<(Var, Atom)>, &Emit)> {
    let (mut loops, mut steps) = (Vec::new(), steps);
    loop {
        let [lets @ .., last] = steps else { return None };
        if !lets.iter().all(|step| matches!(step, Step::Let(_))) {
            return None;
        }
        match last {
            Step::For { var, count, body, mark: _ } => {
                loops.push((*var, *count));
                steps = body;
            }
            Step::Emit(emit) => return Some((loops, emit)),
            Step::Let(_) | Step::Guard(..) | Step::Scan(_) => return None,
        }
    }
}

/// The array and the indices that a value is read from, and the checks that the read relies on.
fn read<'p>(defs: &Definitions<'p>, value: Atom) -> Option<(Var, &'p [Atom], &'p [Var])> {
    let stm = defs.get(value.var()?)?;
    match &stm.exp {
        Exp::Index(array, at) => Some((*array, at, &stm.certs)),
        Exp::Atom(atom) if stm.certs.is_empty() => read(defs, *atom),
        _ => None,
    }
}
