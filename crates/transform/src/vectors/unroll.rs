//! A reduction of a few values that are known by number is the operations that it makes, and so is a loop of a few turns.

use ir::rename::{Substitution, copy_block};
use ir::{Atom, Block, Bulk, Exp, Kind, LoopForm, Program, Region, Step, Stm, Type, Var};
use scalar::Prim;

/// What is unrolled.
pub(super) struct Limits {
    /// Reductions of more values stay loops, and loops of more turns.
    pub values: usize,
    /// So do those whose outermost loop has more turns.
    pub turns: i64,
    /// Unrolling makes at most this many statements.
    pub statements: usize,
}

/// The statements that a short reduction or loop stands for.
pub(super) fn unroll(program: &mut Program, stm: &Stm, limits: &Limits) -> Option<Vec<Stm>> {
    match &stm.exp {
        Exp::Bulk(_) => reduction(program, stm, limits),
        Exp::Loop { .. } => repetition(program, stm, limits),
        _ => None,
    }
}

fn reduction(program: &mut Program, stm: &Stm, limits: &Limits) -> Option<Vec<Stm>> {
    let Exp::Bulk(Bulk { outputs, steps, .. }) = &stm.exp else { return None };
    let [output] = &outputs[..] else { return None };
    let Kind::Reduce { op, neutral, .. } = &output.kind else { return None };
    // Whether all indices of a vector are in bounds is known by its form, a reduction of truth values.
    let is_bool = |elem: &Var| *program.ty(*elem) == Type::Scalar(Prim::Bool);
    if output.elems.iter().any(is_bool) {
        return None;
    }
    let (values, statements) = size(steps)?;
    let turns = steps.iter().filter_map(Step::count).filter_map(|count| count.as_size()).max();
    let is_long = values > limits.values || turns > Some(limits.turns);
    if is_long || statements + values * op.body.stms.len() > limits.statements || !is_light(&op.body) {
        return None;
    }
    let copies = Copies { program, outer: &stm.certs, certs: stm.certs.clone(), made: Vec::new() };
    let mut unroll = Unroll { op, so_far: neutral.clone(), copies };
    unroll.steps(steps, &Substitution::default());
    Some(unroll.copies.results(stm, unroll.so_far))
}

fn repetition(program: &mut Program, stm: &Stm, limits: &Limits) -> Option<Vec<Stm>> {
    let Exp::Loop { params, form: LoopForm::For(index, count), body, .. } = &stm.exp else { return None };
    let count = usize::try_from(count.as_size()?.max(0)).ok()?;
    let statements = body.stms.len().saturating_mul(count);
    if count > limits.values || statements > limits.statements || !is_light(body) {
        return None;
    }
    let (vars, mut so_far): (Vec<Var>, Vec<Atom>) = params.iter().copied().unzip();
    let mut made = Copies { program, outer: &stm.certs, certs: stm.certs.clone(), made: Vec::new() };
    for turn in 0..count {
        let mut values = Substitution::new(&vars, &so_far);
        values.insert(*index, Atom::size(turn as i64));
        so_far = made.copy(body, &values, &[]);
    }
    Some(made.results(stm, so_far))
}

/// How many values steps hand over, and how many statements compute them, if that is known and nothing heavy is among them.
fn size(steps: &[Step]) -> Option<(usize, usize)> {
    let mut total = (0_usize, 0_usize);
    for step in steps {
        let (values, statements) = match step {
            Step::For { count, body, .. } => {
                let count = usize::try_from(count.as_size()?.max(0)).ok()?;
                let (values, statements) = size(body)?;
                (values.checked_mul(count)?, statements.checked_mul(count)?)
            }
            Step::Let(stm) => is_light_stm(stm).then_some((0, 1))?,
            Step::Emit(emit) => is_light(&emit.value).then_some((1, emit.value.stms.len()))?,
            Step::Guard(..) | Step::Scan(_) => return None,
        };
        total = (total.0 + values, total.1 + statements);
    }
    Some(total)
}

fn is_light(block: &Block) -> bool {
    block.stms.iter().all(is_light_stm)
}

fn is_light_stm(stm: &Stm) -> bool {
    stm.exp.blocks().is_empty() && !matches!(stm.exp, Exp::Bulk(_) | Exp::Call(..) | Exp::Trace(..))
}

struct Unroll<'a> {
    op: &'a Region,
    /// The values combined so far.
    so_far: Vec<Atom>,
    copies: Copies<'a>,
}

/// Copies of what a reduction or a loop does.
struct Copies<'a> {
    program: &'a mut Program,
    /// Checks that it relies on.
    outer: &'a [Var],
    /// Those, and the checks in it: what its result relies on.
    certs: Vec<Var>,
    made: Vec<Stm>,
}

impl Unroll<'_> {
    /// Runs steps, with these values of indices and of variables bound before.
    fn steps(&mut self, steps: &[Step], outer: &Substitution) {
        let mut values = outer.clone();
        for step in steps {
            match step {
                Step::For { var, count, body, .. } => {
                    for turn in 0..count.as_size().unwrap_or(0) {
                        let mut inner = values.clone();
                        inner.insert(*var, Atom::size(turn));
                        self.steps(body, &inner);
                    }
                }
                Step::Let(stm) => {
                    let result = stm.vars.iter().map(|var| Atom::Var(*var)).collect();
                    let copy = self.copies.copy(&Block { stms: vec![stm.clone()], result }, &values, &[]);
                    stm.vars.iter().zip(copy).for_each(|(var, atom)| values.insert(*var, atom));
                }
                Step::Emit(emit) => {
                    let certs: Vec<Var> = emit.certs.iter().map(|cert| values.var(*cert)).collect();
                    let value = self.copies.copy(&emit.value, &values, &certs);
                    self.copies.certs.extend(certs);
                    self.combine(value);
                }
                Step::Guard(..) | Step::Scan(_) => base::bug!("a step that `size` does not let pass"),
            }
        }
    }

    fn combine(&mut self, value: Vec<Atom>) {
        let mut values = Substitution::default();
        let operands = std::mem::take(&mut self.so_far).into_iter().chain(value);
        self.op.params.iter().zip(operands).for_each(|(param, atom)| values.insert(*param, atom));
        self.so_far = self.copies.copy(&self.op.body, &values, &[]);
    }
}

impl Copies<'_> {
    /// All statements; the last bind what a statement bound.
    fn results(self, stm: &Stm, values: Vec<Atom>) -> Vec<Stm> {
        let Copies { certs, mut made, .. } = self;
        let result = |(var, atom): (&Var, Atom)| Stm {
            vars: vec![*var],
            certs: certs.clone(),
            exp: Exp::Atom(atom),
            span: stm.span,
        };
        made.extend(stm.vars.iter().zip(values).map(result));
        made
    }

    /// Puts a copy of a block among the new statements; its results.
    fn copy(&mut self, block: &Block, values: &Substitution, certs: &[Var]) -> Vec<Atom> {
        let Block { stms, result } = copy_block(&mut self.program.vars, block, values.clone());
        for mut stm in stms {
            let more = self.outer.iter().chain(certs).filter(|cert| !stm.certs.contains(cert));
            let more: Vec<Var> = more.copied().collect();
            if stm.exp.is_partial() {
                stm.certs.extend(more);
            }
            // What the loop checks, its result relies on.
            if let Exp::Assert { .. } = stm.exp {
                self.certs.extend(&stm.vars);
            }
            self.made.push(stm);
        }
        result
    }
}
