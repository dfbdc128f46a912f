//! Puts the steps of rows into the form that stores the rows.

use super::row::{Row, has_rows, may_fail, row};
use analysis::emits;
use base::Map;
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, Kind, Output, Program, Step, Stm, Type, Var, VarInfo};

/// Splits the first output that stores constructed rows, then the next one.
pub(super) fn splice(program: &mut Program, uses: &Map<Var, usize>, stm: &mut Stm) {
    let Exp::Bulk(bulk) = &mut stm.exp else { return };
    let mut number = 0;
    while number < bulk.outputs.len() {
        let fits = has_rows(program, &bulk.outputs[number]) && emits::count(&bulk.steps, number) == 1;
        let added = if fits { splice_output(program, uses, bulk, &mut stm.vars, number) } else { None };
        number += added.unwrap_or(1);
    }
}

/// Replaces an output by those of its rows and one for what is left; says how many there are now.
fn splice_output(
    program: &mut Program,
    uses: &Map<Var, usize>,
    bulk: &mut Bulk,
    vars: &mut Vec<Var>,
    number: usize,
) -> Option<usize> {
    let plan =
        find(&bulk.steps, number, &mut |before, emit| Plan::new(program, uses, &bulk.outputs[number], before, emit))??;
    let old = bulk.outputs[number].clone();
    let outputs: Vec<Output> = plan.outputs(program, &old);
    let count = outputs.len();
    let first = bulk.outputs[..number].iter().map(Output::bound).sum::<usize>();
    let bound: Vec<Var> = vars[first..first + old.elems.len()].to_vec();
    let order = plan.groups.iter().flat_map(|group| &group.positions).chain(&plan.rest);
    let bound: Vec<Var> = order.map(|position| bound[*position]).collect();
    vars.splice(first..first + old.elems.len(), bound);
    bulk.outputs.splice(number..=number, outputs);
    replace(&mut bulk.steps, number, count - 1, &plan);
    Some(count)
}

/// Calls `f` with the only value for an output and the bindings just before it.
fn find<T>(steps: &[Step], number: usize, f: &mut dyn FnMut(&[Step], &Emit) -> T) -> Option<T> {
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Emit(emit) if emit.output == number => return Some(f(&steps[lets_before(steps, at)..at], emit)),
            Step::For { body, .. } | Step::Guard(_, body) => {
                if let Some(found) = find(body, number, f) {
                    return Some(found);
                }
            }
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
        }
    }
    None
}

/// Where the bindings just before a step begin.
fn lets_before(steps: &[Step], at: usize) -> usize {
    steps[..at].iter().rposition(|step| !matches!(step, Step::Let(_))).map_or(0, |before| before + 1)
}

/// Replaces the value for an output by the steps of the plan; later outputs are further back by `more`.
fn replace(steps: &mut Vec<Step>, number: usize, more: usize, plan: &Plan) {
    let mut out = Vec::with_capacity(steps.len());
    for step in std::mem::take(steps) {
        match step {
            Step::Emit(emit) if emit.output == number => {
                out.truncate(lets_before(&out, out.len()));
                out.extend(plan.steps(number));
            }
            Step::Emit(mut emit) => {
                emit.output += if emit.output > number { more } else { 0 };
                out.push(Step::Emit(emit));
            }
            Step::For { var, count, mark, mut body } => {
                replace(&mut body, number, more, plan);
                out.push(Step::For { var, count, mark, body });
            }
            Step::Guard(cond, mut body) => {
                replace(&mut body, number, more, plan);
                out.push(Step::Guard(cond, body));
            }
            step @ (Step::Let(_) | Step::Scan(_)) => out.push(step),
        }
    }
    *steps = out;
}

/// What becomes of a value with rows.
struct Plan {
    /// The statements that compute it.
    stms: Vec<Stm>,
    /// The value: its subscripts, its checks, its results.
    emit: Emit,
    /// The rows, by the output of a construction that makes them.
    groups: Vec<Group>,
    /// The components that are not rows of constructions.
    rest: Vec<usize>,
    /// Whether all other statements come before the rows.
    rows_last: bool,
}

/// An output of a construction whose rows are stored.
struct Group {
    /// The number of the statement and of its output.
    stm: usize,
    output: usize,
    /// The components of the stored value.
    positions: Vec<usize>,
    rows: Vec<Row>,
    /// The extents of the rows that are stored, and the types of their elements.
    shape: Vec<Dim>,
    elems: Vec<Type>,
}

impl Plan {
    fn new(program: &Program, uses: &Map<Var, usize>, to: &Output, before: &[Step], emit: &Emit) -> Option<Plan> {
        let lets = before.iter().filter_map(|step| match step {
            Step::Let(stm) => Some(stm.clone()),
            Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
        });
        let values = emit.value.stms.iter().map(|stm| relying_on(stm.clone(), &emit.certs));
        let stms: Vec<Stm> = lets.chain(values).collect();
        let (mut groups, mut rest) = (Vec::<Group>::new(), Vec::new());
        for (position, result) in emit.value.result.iter().enumerate() {
            let ty = program.ty(to.elems[position]);
            match row(program, uses, &stms, *result) {
                Some(row) => add(program, &mut groups, &stms, position, row, ty)?,
                None => rest.push(position),
            }
        }
        groups.retain(|group| !group.positions.is_empty());
        let whole = groups.iter().all(|group| is_whole(group, &groups, &stms));
        let relies_on_more = groups.iter().flat_map(|group| &group.rows).any(|row| !row.certs.is_empty());
        let rows_last = relies_on_more || is_placed_late(emit, &groups, &stms);
        let fails = rows_last && groups.iter().any(|group| may_fail(&stms[group.stm]));
        let fits = !groups.is_empty() && whole && !fails;
        fits.then(|| Plan { stms, emit: emit.clone(), groups, rest, rows_last })
    }

    /// The outputs in place of the old one.
    fn outputs(&self, program: &mut Program, old: &Output) -> Vec<Output> {
        let Kind::Gen { shape, coverage, .. } = &old.kind else { base::bug!("only new arrays store rows") };
        let with = |shape: Vec<Dim>, elems| Output {
            kind: Kind::Gen { shape, otherwise: None, coverage: *coverage, rec: Vec::new() },
            sizes: Vec::new(),
            elems,
        };
        let mut outputs = Vec::new();
        for group in &self.groups {
            let elem = |(position, ty): (&usize, &Type)| {
                let name = program.vars[old.elems[*position]].name;
                program.vars.push(VarInfo::new(name, ty.clone()))
            };
            let elems = group.positions.iter().zip(&group.elems).map(elem).collect();
            outputs.push(with([&shape[..], &group.shape].concat(), elems));
        }
        if !self.rest.is_empty() {
            outputs.push(with(shape.clone(), self.rest.iter().map(|position| old.elems[*position]).collect()));
        }
        outputs
    }

    /// The steps in place of the value. `first` is the number of the first new output.
    fn steps(&self, first: usize) -> Vec<Step> {
        let retypes: Vec<usize> =
            self.groups.iter().flat_map(|g| &g.rows).flat_map(|row| &row.retypes).copied().collect();
        let (mut steps, mut rows) = (Vec::new(), Vec::new());
        for (at, stm) in self.stms.iter().enumerate() {
            let is_row = self.groups.iter().any(|group| group.stm == at);
            let to = if is_row && self.rows_last { &mut rows } else { &mut steps };
            match &stm.exp {
                Exp::Bulk(bulk) if is_row => to.extend(self.row_steps(at, stm, bulk, first)),
                _ if retypes.contains(&at) => {}
                _ => to.push(Step::Let(stm.clone())),
            }
        }
        steps.extend(rows);
        if !self.rest.is_empty() {
            let result = self.rest.iter().map(|position| self.emit.value.result[*position]).collect();
            let value = Block { stms: Vec::new(), result };
            steps.push(Step::Emit(Emit { output: first + self.groups.len(), value, ..self.emit.clone() }));
        }
        steps
    }

    /// The steps of the rows that a statement makes.
    fn row_steps(&self, at: usize, stm: &Stm, bulk: &Bulk, first: usize) -> Vec<Step> {
        let mut certs: Vec<Var> = stm.certs.clone();
        let own = self.groups.iter().filter(|group| group.stm == at).flat_map(|group| &group.rows);
        certs.extend(own.flat_map(|row| &row.certs));
        certs.extend(&self.emit.certs);
        let mut steps = bulk.steps.clone();
        let number = |output: usize| {
            let place = self.groups.iter().position(|group| group.stm == at && group.output == output);
            first + place.unwrap_or_else(|| base::bug!("a row is stored nowhere"))
        };
        store(&mut steps, &self.emit.at, &certs, &number);
        for group in self.groups.iter().filter(|group| group.stm == at) {
            let Kind::Gen { shape, .. } = &bulk.outputs[group.output].kind else { base::bug!("rows are new arrays") };
            shape.iter().zip(&group.shape).for_each(|(own, stored)| count_as(&mut steps, own, stored));
        }
        steps
    }
}

/// Adds a component to the group of its construction, or begins one. `None` if the component does not fit.
fn add(program: &Program, groups: &mut Vec<Group>, stms: &[Stm], position: usize, row: Row, ty: &Type) -> Option<()> {
    let Exp::Bulk(bulk) = &stms[row.stm].exp else { return None };
    let inner = &bulk.outputs[row.output];
    let Kind::Gen { shape, .. } = &inner.kind else { return None };
    let (extents, rest) = ty.dims().split_at_checked(shape.len())?;
    let elem = Type::array(ty.prim()?, rest.to_vec());
    // Only the extents of the row itself may be named differently.
    (*program.ty(inner.elems[row.elem]) == elem).then_some(())?;
    let (stm, output) = (row.stm, row.output);
    match groups.iter_mut().find(|group| group.stm == stm && group.output == output) {
        Some(group) => {
            let fits = group.shape[..] == *extents && group.rows.len() == row.elem;
            group.positions.push(position);
            group.rows.push(row);
            group.elems.push(elem);
            fits.then_some(())
        }
        None if row.elem == 0 => {
            let (positions, rows) = (vec![position], vec![row]);
            groups.push(Group { stm, output, positions, rows, shape: extents.to_vec(), elems: vec![elem] });
            Some(())
        }
        None => None,
    }
}

/// Whether everything that a group's construction makes is stored.
fn is_whole(group: &Group, all: &[Group], stms: &[Stm]) -> bool {
    let Exp::Bulk(bulk) = &stms[group.stm].exp else { return false };
    let stored = |number: usize, output: &Output| {
        all.iter().any(|g| g.stm == group.stm && g.output == number && g.rows.len() == output.elems.len())
    };
    bulk.outputs.iter().enumerate().all(|(number, output)| stored(number, output))
}

/// Whether the place of a value, or a check that it relies on, is bound behind a row.
fn is_placed_late(emit: &Emit, groups: &[Group], stms: &[Stm]) -> bool {
    let Some(first) = groups.iter().map(|group| group.stm).min() else { return false };
    let mut needed = emit.at.iter().filter_map(|atom| atom.var()).chain(emit.certs.iter().copied());
    needed.any(|var| stms[first..].iter().any(|stm| stm.vars.contains(&var)))
}

/// Lets the steps of a row store its elements behind these subscripts, relying on these checks.
fn store(steps: &mut [Step], at: &[Atom], certs: &[Var], number: &dyn Fn(usize) -> usize) {
    for step in steps {
        match step {
            Step::For { body, .. } | Step::Guard(_, body) => store(body, at, certs, number),
            Step::Let(stm) if stm.exp.is_partial() => stm.rely_on(certs),
            Step::Let(_) => {}
            Step::Emit(emit) => {
                emit.rely_on(certs);
                emit.at.splice(0..0, at.iter().copied());
                emit.output = number(emit.output);
            }
            Step::Scan(_) => base::bug!("a running combination in a row"),
        }
    }
}

/// Loops over an extent of a row count to the extent of the stored row, which is the same: then each nest of loops over this
/// array has the same counts.
fn count_as(steps: &mut [Step], own: &Dim, stored: &Dim) {
    let (Dim::Size(own_size), Dim::Size(size)) = (own, stored) else { return };
    for step in steps {
        match step {
            Step::For { count, body, .. } => {
                if count == own_size {
                    *count = *size;
                }
                count_as(body, own, stored);
            }
            Step::Guard(_, body) => count_as(body, own, stored),
            Step::Let(_) | Step::Emit(_) | Step::Scan(_) => {}
        }
    }
}

fn relying_on(stm: Stm, certs: &[Var]) -> Stm {
    if stm.exp.is_partial() { stm.relying_on(certs) } else { stm }
}
