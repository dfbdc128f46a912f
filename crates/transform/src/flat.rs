//! A loop over all elements of rows of different lengths becomes one loop, where nothing depends on the row.
//!
//! ```text
//! let ys: [n][~d]f64 = bulk {                       let t = total [n][~d]
//!   out gen [n][~d] of (y: f64)                     let flat: [t]f64 = reshape xs
//!   for i < n {                                     let all: [t]f64 = bulk {
//!     let len = desc_length d[i]              =>      out gen [t] of (y: f64)
//!     let row: [len]f64 = xs[i]                       for e < t { let x = flat[e]; emit [e] => f x }
//!     for j < len {                                 }
//!       let x = row[j]; emit [i, j] => f x          let ys: [n][~d]f64 = reshape all
//!   } } }
//! ```
//!
//! This is the flattening of NESL. Threads then share the elements, however they are distributed among rows: one long row is as good
//! as many short ones. Vectors need not end with a row. Reductions, filters and everything else whose values come in order
//! stay what they are, because elements keep their order.
//!
//! The pass comes after those that fuse loops: a row that is read by two loops must still be a row there. Limits: the innermost
//! loop may use of its row only the elements at its place, neither the number of the row nor its length.

use crate::write::Writer;
use base::{Map, Set};
use ir::traverse::{ListMut, Part};
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Mark, Output, Program, Remark, Step, Stm, Topic, Type, Var,
};

const REMARK: &str = "one loop goes through the elements of all rows, so threads share them however long rows are";

/// Makes such loops in all functions.
pub fn flat(program: &mut Program) {
    for fun in program.functions.ids() {
        let mut body: Block = std::mem::take(&mut program.functions[fun].body);
        let recursive = recursive(&body);
        let mut changed = Vec::new();
        body.replace_stms(
            &mut |stm| match Nest::of(program, &recursive, &stm).and_then(|nest| nest.flat(program, &stm)) {
                Some(stms) => {
                    changed.push(stm.span);
                    stms
                }
                None => vec![stm],
            },
        );
        program.functions[fun].body = body;
        changed.into_iter().for_each(|span| program.functions[fun].remark(Remark::done(Topic::Parallel, span, REMARK)));
    }
}

/// The names of recursive arrays that are being made: these have no views.
fn recursive(body: &Block) -> Set<Var> {
    let mut found = Set::default();
    body.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Bulk(bulk), .. }) = part {
            found.extend(bulk.outputs.iter().flat_map(|output| output.rec().iter().copied()));
        }
    });
    found
}

/// A part of an array or descriptor from outside.
#[derive(Clone)]
struct Place {
    root: Var,
    at: Vec<Atom>,
    /// The checks that reading it relies on.
    certs: Vec<Var>,
}

/// The loops of a form around what is done with each element.
struct Nest<'a> {
    recursive: &'a Set<Var>,
    before: &'a [Step],
    vars: Vec<Var>,
    /// The dimensions that the loops go through; the last is jagged.
    dims: Vec<Dim>,
    /// What names of rows, and of their lengths, stand for.
    places: Map<Var, Place>,
    /// Names that go away: those places, and the loops' counters.
    gone: Set<Var>,
    /// What the loops bind.
    inside: Set<Var>,
    /// What is done with an element.
    body: &'a [Step],
}

impl<'a> Nest<'a> {
    fn of(program: &Program, recursive: &'a Set<Var>, stm: &'a Stm) -> Option<Nest<'a>> {
        let Exp::Bulk(Bulk { outputs, steps, scheduled: false }) = &stm.exp else { return None };
        let (step, before) = steps.split_last()?;
        let only_lets = before.iter().all(|step| matches!(step, Step::Let(_)));
        if !only_lets || !outputs.iter().all(is_plain) {
            return None;
        }
        let (vars, dims, places, gone) = Default::default();
        let inside = Step::bound_in([step]);
        let mut nest = Nest { recursive, before, vars, dims, places, gone, inside, body: &[] };
        nest.enter(program, step)?;
        let Nest { gone, places, .. } = &mut nest;
        places.retain(|name, _| gone.contains(name));
        (nest.dims.len() > 1).then_some(nest)
    }

    /// Takes a loop and those directly inside, as far as there is a jagged one.
    fn enter(&mut self, program: &Program, step: &'a Step) -> Option<()> {
        let mut bound = Set::default();
        let mut next = Some(step);
        let (mut vars, mut dims): (Vec<Var>, Vec<Dim>) = (Vec::new(), Vec::new());
        while let Some(Step::For { var, count, mark: Mark::Open, body }) = next {
            let length = count.var().and_then(|count| self.places.get(&count));
            let dim = match length {
                Some(Place { root, at, .. }) => {
                    let own = matches!(program.ty(*root), Type::Desc(around) if *around == dims);
                    let here = at.iter().copied().eq(vars.iter().copied().map(Atom::Var));
                    (own && here).then_some(Dim::Jagged(*root))
                }
                None => count.var().is_none_or(|count| !bound.contains(&count)).then_some(Dim::Size(*count)),
            };
            let Some(dim) = dim else { break };
            vars.push(*var);
            dims.push(dim);
            bound.insert(*var);
            if matches!(dim, Dim::Jagged(_)) {
                (self.vars, self.dims, self.gone, self.body) = (vars.clone(), dims.clone(), bound.clone(), body);
            }
            let (last, lets) = body.split_last()?;
            next = lets.iter().all(|step| self.note(step, &mut bound)).then_some(last);
        }
        Some(())
    }

    /// Notes what a step between loops names, if it names a part of something from outside.
    fn note(&mut self, step: &Step, bound: &mut Set<Var>) -> bool {
        let Step::Let(stm) = step else { return false };
        bound.extend(&stm.vars);
        let place = self.place(stm);
        let fits = place.is_some();
        self.places.extend(place.map(|place| (stm.vars[0], place)));
        fits
    }

    /// What a statement reads, by its root.
    fn place(&self, stm: &Stm) -> Option<Place> {
        let (from, at) = match &stm.exp {
            Exp::Index(from, at) | Exp::DescIndex(from, at) | Exp::DescLength(from, at) => (from, at),
            _ => return None,
        };
        let around = self.places.get(from);
        let mut place = around.cloned().unwrap_or(Place { root: *from, at: Vec::new(), certs: Vec::new() });
        place.at.extend(at);
        place.certs.extend(stm.certs.iter().filter(|cert| !around.is_some_and(|around| around.certs.contains(cert))));
        Some(place)
    }

    /// The statements of the flat form, if nothing depends on the row.
    fn flat(mut self, program: &mut Program, stm: &Stm) -> Option<Vec<Stm>> {
        let mut body = self.body.to_vec();
        self.collect(&body);
        let roots = self.roots(program, &body)?;
        let mut writer = Writer { program, stms: self.statements_before(stm), span: stm.span };
        let total = writer.bind("total", Type::I64, Exp::Total(self.dims.clone()));
        let counter = writer.index("e");
        let mut views: Map<Var, Var> = Map::default();
        for root in roots {
            let ty = self.flattened(writer.program.ty(root), total)?;
            views.extend(writer.bind("flat", ty, Exp::Reshape(root)).var().map(|view| (root, view)));
        }
        let (mut outputs, made, results) = self.outputs(&mut writer, stm, total)?;
        let change = Change { nest: &self, views: &views, counter };
        body = change.steps(body, &outputs)?;
        if self.is_mentioned(writer.program, &body) {
            return None;
        }
        outputs.iter_mut().for_each(|output| self.flatten_shape(output, total));
        let steps = vec![Step::For { var: counter, count: total, mark: Mark::Open, body }];
        let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
        writer.stms.push(Stm { vars: made, certs: stm.certs.clone(), exp, span: stm.span });
        writer.stms.extend(results);
        Some(writer.taken())
    }

    /// What stands before the loops.
    fn statements_before(&self, stm: &Stm) -> Vec<Stm> {
        let statement = |step: &Step| match step {
            Step::Let(inner) => inner.clone().relying_on(&stm.certs),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => {
                base::bug!("bindings stand before loops")
            }
        };
        self.before.iter().map(statement).collect()
    }

    /// Notes what names in the body stand for.
    fn collect(&mut self, body: &[Step]) {
        for step in body {
            match step {
                Step::Let(stm) => {
                    // Elements stay what they are; only their rows have names that go away.
                    if let Some(place) = self.place(stm).filter(|place| self.is_row(place)) {
                        self.gone.insert(stm.vars[0]);
                        self.places.insert(stm.vars[0], place);
                    }
                }
                Step::For { body, .. } | Step::Guard(_, body) => self.collect(body),
                Step::Scan(_) | Step::Emit(_) => {}
            }
        }
    }

    /// The arrays of which the body reads elements at its place: at least one.
    fn roots(&self, program: &Program, body: &[Step]) -> Option<Vec<Var>> {
        let mut roots: Vec<Var> = Vec::new();
        body.iter().for_each(|step| {
            step.walk(&mut |part| {
                if let Part::Stm(stm) = part
                    && let Some(place) = self.place(stm).filter(|place| self.is_own(place))
                    && !roots.contains(&place.root)
                {
                    roots.push(place.root);
                }
            });
        });
        let fits = |root: &Var| {
            let ready = !self.recursive.contains(root) && program.vars[*root].pending.is_none();
            ready && !self.inside.contains(root) && program.ty(*root).dims().starts_with(&self.dims)
        };
        (!roots.is_empty() && roots.iter().all(fits)).then_some(roots)
    }

    /// Whether this is what some of the loops go through.
    fn is_row(&self, place: &Place) -> bool {
        let own = self.vars.iter().copied().map(Atom::Var);
        place.at.len() < self.vars.len() && place.at.iter().copied().zip(own).all(|(at, own)| at == own)
    }

    /// Whether this is an element at the place of the loops, or a part of it.
    fn is_own(&self, place: &Place) -> bool {
        let own = self.vars.iter().copied().map(Atom::Var);
        place.at.len() >= self.vars.len() && place.at.iter().copied().zip(own).all(|(at, own)| at == own)
    }

    /// The type of an array with one dimension in place of those of the loops.
    fn flattened(&self, ty: &Type, total: Atom) -> Option<Type> {
        let Type::Array(prim, dims) = ty else { return None };
        let rest = dims.strip_prefix(&self.dims[..])?;
        let regular = rest.iter().all(|dim| matches!(dim, Dim::Size(_)));
        let dims = [Dim::Size(total)].into_iter().chain(rest.iter().copied()).collect();
        regular.then(|| Type::array(*prim, dims))
    }

    /// The outputs, what the flat form binds, and the arrays in their dimensions.
    fn outputs(&self, writer: &mut Writer<'_>, stm: &Stm, total: Atom) -> Option<(Vec<Output>, Vec<Var>, Vec<Stm>)> {
        let Exp::Bulk(Bulk { outputs, .. }) = &stm.exp else { return None };
        let (mut made, mut results) = (Vec::new(), Vec::new());
        let mut rest = &stm.vars[..];
        for output in outputs {
            let (bound, more) = rest.split_at(output.bound());
            rest = more;
            let Kind::Gen { shape, .. } = &output.kind else {
                made.extend(bound);
                continue;
            };
            if !shape.starts_with(&self.dims) {
                return None;
            }
            for var in bound {
                let ty = self.flattened(writer.program.ty(*var), total)?;
                let all = writer.var("all", ty);
                made.push(all);
                results.push(Stm { vars: vec![*var], certs: Vec::new(), exp: Exp::Reshape(all), span: stm.span });
            }
        }
        Some((outputs.clone(), made, results))
    }

    fn flatten_shape(&self, output: &mut Output, total: Atom) {
        if let Kind::Gen { shape, .. } = &mut output.kind {
            shape.splice(..self.dims.len(), [Dim::Size(total)]);
        }
    }

    /// Whether steps still mention a row.
    fn is_mentioned(&self, program: &Program, steps: &[Step]) -> bool {
        let mut found = false;
        steps.iter().for_each(|step| {
            step.walk(&mut |part| match part {
                Part::Atom(Atom::Var(var)) | Part::Use(var) => found |= self.gone.contains(var),
                Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| found |= self.gone.contains(&var)),
                Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
            });
        });
        found
    }
}

/// Whether the values of an output come in order, or have places that loops say.
fn is_plain(output: &Output) -> bool {
    let exact = match &output.kind {
        Kind::Gen { otherwise, coverage, .. } => otherwise.is_none() && *coverage == Coverage::Exact,
        Kind::Update { .. } | Kind::Accum { .. } | Kind::Reduce { .. } | Kind::Keep => true,
    };
    exact && output.rec().is_empty() && output.sizes.is_empty()
}

/// How the body becomes that of the flat loop.
struct Change<'a> {
    nest: &'a Nest<'a>,
    views: &'a Map<Var, Var>,
    counter: Var,
}

impl Change<'_> {
    fn steps(&self, steps: Vec<Step>, outputs: &[Output]) -> Option<Vec<Step>> {
        let mut out = Vec::with_capacity(steps.len());
        for step in steps {
            match step {
                Step::Let(stm) if self.nest.gone.contains(&stm.vars[0]) => {}
                Step::Let(mut stm) => {
                    self.stm(&mut stm);
                    out.push(Step::Let(stm));
                }
                Step::For { var, count, mark, body } => {
                    out.push(Step::For { var, count, mark, body: self.steps(body, outputs)? });
                }
                Step::Guard(cond, body) => out.push(Step::Guard(cond, self.steps(body, outputs)?)),
                Step::Scan(mut scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                    out.push(Step::Scan(scan));
                }
                Step::Emit(mut emit) => {
                    self.block(&mut emit.value);
                    if matches!(outputs[emit.output].kind, Kind::Gen { .. }) {
                        self.move_to_counter(&mut emit)?;
                    }
                    out.push(Step::Emit(emit));
                }
            }
        }
        Some(out)
    }

    /// Stores a value at the number of the element.
    fn move_to_counter(&self, emit: &mut Emit) -> Option<()> {
        let depth = self.nest.vars.len();
        let own = self.nest.vars.iter().copied().map(Atom::Var);
        let fits = emit.at.len() >= depth && emit.at[..depth].iter().copied().eq(own);
        fits.then(|| _ = emit.at.splice(..depth, [Atom::Var(self.counter)]))
    }

    fn block(&self, block: &mut Block) {
        block.stms.iter_mut().for_each(|stm| self.stm(stm));
    }

    /// Reads elements by their numbers.
    fn stm(&self, stm: &mut Stm) {
        if let Some(place) = self.nest.place(stm).filter(|place| self.nest.is_own(place))
            && let (Exp::Index(..), Some(view)) = (&stm.exp, self.views.get(&place.root))
        {
            let rest = place.at[self.nest.vars.len()..].iter().copied();
            stm.exp = Exp::Index(*view, [Atom::Var(self.counter)].into_iter().chain(rest).collect());
            stm.rely_on(&place.certs);
        }
        let mut exp = std::mem::replace(&mut stm.exp, Exp::Uninit);
        exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.inner(steps),
        });
        stm.exp = exp;
    }

    /// The steps of a form inside.
    fn inner(&self, steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::Let(stm) => self.stm(stm),
                Step::For { body, .. } | Step::Guard(_, body) => self.inner(body),
                Step::Scan(scan) => {
                    self.block(&mut scan.op.body);
                    self.block(&mut scan.value);
                }
                Step::Emit(emit) => self.block(&mut emit.value),
            }
        }
    }
}
