//! Writing loops that run side by side.

use super::find::{Counter, Divergent, adds_one};
use crate::write::Writer;
use ir::rename::{Substitution, copies, copy_block};
use ir::{
    Atom, Block, Bulk, Dim, Emit, Exp, Kind, LoopForm, Mark, Output, Program, Region, Step, Stm, Tree, Type, Var,
};
use scalar::{BinOp, MathOp, Prim, Scalar};

/// As many lanes as vectors have.
const LANES: i64 = 16;
/// How many turns pass before someone asks whether one is still going.
const TURNS: i64 = 8;
/// So many statements in a turn keep a processor busy.
const BUSY: usize = 64;

/// A loop over strips of points instead of the loop over points.
pub(super) fn side_by_side(program: &mut Program, found: &Divergent) -> Vec<Step> {
    let statements = found.repeated.condition.stms.len() + found.repeated.turn.stms.len();
    let chains = (BUSY / statements.max(1)).clamp(1, 4).next_power_of_two() as i64;
    let mut writer = Writer { program, stms: Vec::new(), span: found.span };
    let points = LANES * chains;
    let more = writer.int("strips", BinOp::Add, found.count, Atom::size(points - 1));
    let strips = writer.int("strips", BinOp::Div, more, Atom::size(points));
    let mut steps: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
    let strip = writer.index("strip");
    let first = writer.int("first", BinOp::Mul, strip.into(), Atom::size(points));
    let here = Strip { found, chains, first };
    let kept = here.kept(&mut writer);
    let results = here.rounds(&mut writer, &kept);
    let mut body: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
    for (chain, results) in (0..).zip(&results) {
        body.extend(here.last_steps(&mut writer, &kept, chain, results));
    }
    steps.push(Step::For { var: strip, count: strips, mark: Mark::Open, body });
    steps
}

/// Arrays that hold the values of variables, one for each point of a strip.
type Kept = Vec<(Var, Var)>;

/// Points that run side by side.
struct Strip<'f> {
    found: &'f Divergent,
    /// How many points each lane has.
    chains: i64,
    first: Atom,
}

impl Strip<'_> {
    /// How many there are.
    fn points(&self) -> Atom {
        Atom::size(LANES * self.chains)
    }

    fn shape(&self) -> [Dim; 1] {
        [Dim::Size(self.points())]
    }

    /// Computes for all points what is bound before the repetition and used later.
    fn kept(&self, writer: &mut Writer<'_>) -> Kept {
        let vars = self.found.kept();
        if vars.is_empty() {
            return Kept::default();
        }
        let outer = writer.taken();
        let lane = writer.index("lane");
        let end = writer.int("end", BinOp::Sub, self.found.count, Atom::size(1));
        let left = writer.int("left", BinOp::Sub, end, self.first);
        let within = writer.least("within", lane.into(), left);
        let point = writer.int("point", BinOp::Add, self.first, within);
        let result = vars.iter().copied().map(Atom::Var).collect();
        let block = Block { stms: self.found.before.clone(), result };
        let block = copy_block(&mut writer.program.vars, &block, Substitution::new(&[self.found.index], &[point]));
        let mut body: Vec<Step> = writer.taken().into_iter().chain(block.stms).map(Step::Let).collect();
        body.extend(
            block.result.iter().enumerate().map(|(output, value)| writer.emit(output, vec![lane.into()], *value)),
        );
        writer.stms = outer;
        let prims: Vec<Prim> = vars.iter().map(|var| prim(writer.program, *var)).collect();
        let steps = vec![Step::For { var: lane, count: self.points(), mark: Mark::Open, body }];
        let arrays = writer.arrays("kept", &prims, &self.shape(), steps);
        vars.into_iter().zip(arrays).collect()
    }

    /// Repeats turns until all points have ended. Gives what they end with: for each chain, arrays of the lanes' values.
    fn rounds(&self, writer: &mut Writer<'_>, kept: &Kept) -> Vec<Vec<Var>> {
        let params = &self.found.repeated.params;
        let mut prims: Vec<Prim> = params.iter().map(|(param, _)| prim(writer.program, *param)).collect();
        prims.push(going_prim(&prims));
        let mut firsts = Vec::new();
        for chain in 0..self.chains {
            firsts.extend(params.iter().map(|(param, first)| self.first(writer, kept, chain, *param, *first)));
            firsts.push(filled(writer, prims[params.len()]));
        }
        let types = prims.iter().map(|prim| Type::array(*prim, lanes())).cycle().take(firsts.len());
        let types: Vec<Type> = types.collect();
        let states: Vec<Var> = types.iter().map(|ty| writer.var("state", ty.clone())).collect();
        let more = writer.var("more", Type::Scalar(Prim::Bool));
        let counted = self.found.repeated.counter.map(|counter| counter.open(writer));
        let outer = writer.taken();
        let turns = counted.as_ref().map_or(Atom::size(TURNS), |counted| counted.turns(writer));
        let next = self.round(writer, kept, (&states, &prims), turns);
        let still = is_one_going(
            writer,
            prims[params.len()],
            next.chunks(prims.len()).map(|states| states[params.len()]).collect(),
        );
        let mut result: Vec<Atom> = next.into_iter().map(Atom::Var).collect();
        let mut vars: Vec<Var> = types.into_iter().map(|ty| writer.var("state", ty)).collect();
        let ends = vars.chunks(prims.len()).map(<[Var]>::to_vec).collect();
        vars.push(writer.var("more", Type::Scalar(Prim::Bool)));
        let mut params: Vec<(Var, Atom)> = states.into_iter().zip(firsts).collect();
        match counted {
            Some(counted) => {
                let (done, still) = counted.pass(writer, turns, still);
                result.extend([still, done]);
                vars.push(writer.index("done"));
                params.extend([(more, counted.any), (counted.done, counted.first)]);
            }
            None => {
                result.push(still);
                params.push((more, Atom::Const(Scalar::Bool(true))));
            }
        }
        let stms = writer.taken();
        writer.stms = outer;
        let form = LoopForm::While(Block { stms: Vec::new(), result: vec![more.into()] });
        let exp = Exp::repeat(params, form, Block { stms, result });
        writer.stms.push(Stm { vars, certs: Vec::new(), exp, span: writer.span });
        ends
    }

    /// An array with what a variable begins with, for each lane of a chain.
    fn first(&self, writer: &mut Writer<'_>, kept: &Kept, chain: i64, param: Var, first: Atom) -> Atom {
        let outer = writer.taken();
        let lane = writer.index("lane");
        let prim = prim(writer.program, param);
        let value = match kept.iter().find(|(var, _)| first == Atom::Var(*var)) {
            Some((_, array)) => {
                let place = place(writer, lane, chain);
                read(writer, *array, prim, place)
            }
            None => first,
        };
        let mut body: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
        body.push(writer.emit(0, vec![lane.into()], value));
        writer.stms = outer;
        let steps = vec![Step::For { var: lane, count: Atom::size(LANES), mark: Mark::Open, body }];
        writer.arrays("state", &[prim], &lanes(), steps)[0].into()
    }

    /// So many turns of all points, which change their states.
    fn round(&self, writer: &mut Writer<'_>, kept: &Kept, (states, prims): (&[Var], &[Prim]), turns: Atom) -> Vec<Var> {
        let lane = writer.index("lane");
        let outer = writer.taken();
        let (mut params, mut body, mut result) = (Vec::new(), Vec::new(), Vec::new());
        for (chain, states) in (0..).zip(states.chunks(prims.len())) {
            let firsts = states.iter().zip(prims).map(|(state, prim)| read(writer, *state, *prim, lane.into()));
            let firsts: Vec<Atom> = firsts.collect();
            let own: Vec<Var> = prims.iter().map(|prim| writer.var("x", Type::Scalar(*prim))).collect();
            let place = place(writer, lane, chain);
            let turn = self.turn(writer, kept, &own, place);
            params.extend(own.into_iter().zip(firsts));
            body.extend(turn.stms);
            result.extend(turn.result);
        }
        let vars = copies(&mut writer.program.vars, &params.iter().map(|(var, _)| *var).collect::<Vec<_>>());
        let elems = copies(&mut writer.program.vars, &vars);
        let form = LoopForm::For(writer.index("turn"), turns);
        let exp = Exp::repeat(params, form, Block { stms: body, result });
        let result = vars.iter().copied().map(Atom::Var).collect();
        writer.stms.push(Stm { vars, certs: Vec::new(), exp, span: writer.span });
        let mut steps: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
        let value = Block { stms: Vec::new(), result };
        steps.push(Step::Emit(Emit { output: 0, at: vec![lane.into()], certs: Vec::new(), value, span: writer.span }));
        let steps = vec![Step::For { var: lane, count: Atom::size(LANES), mark: Mark::Simd, body: steps }];
        let kind = Kind::Update { arrays: states.to_vec(), skip: false, rec: Vec::new() };
        let exp = Exp::Bulk(Bulk { outputs: vec![Output { kind, sizes: Vec::new(), elems }], steps, scheduled: false });
        let next = copies(&mut writer.program.vars, states);
        writer.stms = outer;
        writer.stms.push(Stm { vars: next.clone(), certs: Vec::new(), exp, span: writer.span });
        next
    }

    /// One turn of one point: it changes what the point holds only if the point has not ended. What the point needs of the time
    /// before is bound outside of the turns.
    fn turn(&self, writer: &mut Writer<'_>, kept: &Kept, own: &[Var], place: Atom) -> Block {
        let repeated = &self.found.repeated;
        let mut names = Substitution::default();
        for (var, array) in kept.iter().filter(|(var, _)| repeated.uses(*var)) {
            let prim = prim(writer.program, *var);
            names.insert(*var, read(writer, *array, prim, place));
        }
        for ((param, _), own) in repeated.params.iter().zip(own) {
            names.insert(*param, *own);
        }
        let outer = writer.taken();
        let going = Atom::Var(own[own.len() - 1]);
        let condition = copy_block(&mut writer.program.vars, &repeated.condition, names.clone());
        writer.stms.extend(condition.stms);
        // As a number: C compilers make vectors of a truth value only where it is used at once.
        let prim = prim(writer.program, own[own.len() - 1]);
        let goes_on = Exp::Select(condition.result[0], going, number_of(prim, 0));
        let going = writer.bind("going", Type::Scalar(prim), goes_on);
        let is = writer.truth(BinOp::Ne, prim, going, number_of(prim, 0));
        let turn = copy_block(&mut writer.program.vars, &repeated.turn, names);
        writer.stms.extend(turn.stms);
        let mut result = Vec::new();
        for (number, (old, new)) in own.iter().zip(turn.result).enumerate() {
            let ty = writer.program.ty(*old).clone();
            let is_number = ty == Type::Scalar(prim);
            result.push(match self.found.is_wanted(number) {
                // One more, or nothing more if the point has ended.
                true if is_number && adds_one(&writer.stms, prim, *old, new) => {
                    writer.bind("x", ty, Exp::Bin(BinOp::Add, prim, (*old).into(), going))
                }
                true => writer.bind("x", ty, Exp::Select(is, new, (*old).into())),
                // Nobody asks what it holds in the end, and a point that has ended stays so.
                false => new,
            });
        }
        result.push(going);
        let stms = writer.taken();
        writer.stms = outer;
        Block { stms, result }
    }

    /// What becomes of the results of a chain.
    fn last_steps(&self, writer: &mut Writer<'_>, kept: &Kept, chain: i64, results: &[Var]) -> Vec<Step> {
        let first = writer.int("first", BinOp::Add, self.first, Atom::size(chain * LANES));
        let left = writer.int("left", BinOp::Sub, self.found.count, first);
        let here = writer.least("here", left, Atom::size(LANES));
        let mut steps: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
        let lane = writer.index("lane");
        let point = writer.int("point", BinOp::Add, first, lane.into());
        let mut names = Substitution::new(&[self.found.index], &[point]);
        for (var, array) in self.found.repeated.vars.iter().zip(results).filter(|(var, _)| self.found.uses_after(**var))
        {
            let prim = prim(writer.program, *var);
            names.insert(*var, read(writer, *array, prim, lane.into()));
        }
        for (var, array) in kept.iter().filter(|(var, _)| *var != self.found.index && self.found.uses_after(*var)) {
            let place = place(writer, lane, chain);
            let prim = prim(writer.program, *var);
            names.insert(*var, read(writer, *array, prim, place));
        }
        let emits = &self.found.emits;
        let result = emits.iter().flat_map(|emit| emit.at.iter().chain(&emit.value.result)).copied().collect();
        let after = Block { stms: self.found.after.clone(), result };
        let after = copy_block(&mut writer.program.vars, &after, names);
        let mut body: Vec<Step> = writer.taken().into_iter().chain(after.stms).map(Step::Let).collect();
        let mut atoms = after.result.into_iter();
        for emit in emits {
            let at = atoms.by_ref().take(emit.at.len()).collect();
            let result = atoms.by_ref().take(emit.value.result.len()).collect();
            let value = Block { stms: Vec::new(), result };
            body.push(Step::Emit(Emit { at, value, ..emit.clone() }));
        }
        steps.push(Step::For { var: lane, count: here, mark: Mark::Open, body });
        steps
    }
}

/// Turns that all points count alike.
struct Counted {
    counter: Counter,
    /// The first number, and whether there is a turn.
    first: Atom,
    any: Atom,
    /// The number at the beginning of a round.
    done: Var,
}

impl Counter {
    /// Before the first round.
    fn open(self, writer: &mut Writer<'_>) -> Counted {
        let first = as_size(writer, self.prim, self.first);
        let any = writer.truth(BinOp::Lt, self.prim, self.first, self.limit);
        Counted { counter: self, first, any, done: writer.index("done") }
    }
}

impl Counted {
    /// How many turns a round has, which is begun only if there is one left. If the difference has too many bits it counts as one.
    fn turns(&self, writer: &mut Writer<'_>) -> Atom {
        let limit = as_size(writer, self.counter.prim, self.counter.limit);
        let left = writer.int("left", BinOp::Sub, limit, self.done.into());
        let turns = writer.least("turns", left, Atom::size(TURNS));
        writer.bind("turns", Type::I64, Exp::Math(MathOp::Max, Prim::I64, vec![turns, Atom::size(1)]))
    }

    /// Behind a round of so many turns: the number then, and whether there is another one if some points have not ended.
    fn pass(&self, writer: &mut Writer<'_>, turns: Atom, still: Atom) -> (Atom, Atom) {
        let limit = as_size(writer, self.counter.prim, self.counter.limit);
        let done = writer.int("done", BinOp::Add, self.done.into(), turns);
        let is_left = writer.truth(BinOp::Lt, Prim::I64, done, limit);
        (done, writer.truth(BinOp::LogAnd, Prim::Bool, still, is_left))
    }
}

fn as_size(writer: &mut Writer<'_>, prim: Prim, number: Atom) -> Atom {
    match prim {
        Prim::I64 => number,
        _ => writer.bind("size", Type::I64, Exp::Convert(prim, Prim::I64, number)),
    }
}

/// The type of what all lanes hold.
fn lanes() -> Vec<Dim> {
    vec![Dim::Size(Atom::size(LANES))]
}

/// The place of a point in its strip.
fn place(writer: &mut Writer<'_>, lane: Var, chain: i64) -> Atom {
    match chain {
        0 => lane.into(),
        _ => writer.int("place", BinOp::Add, lane.into(), Atom::size(chain * LANES)),
    }
}

/// The type of the numbers that say who has not ended: as wide as the others, so that as many fit into a vector.
fn going_prim(prims: &[Prim]) -> Prim {
    let wide = [Prim::I64, Prim::U64, Prim::F64];
    if prims.iter().any(|prim| wide.contains(prim)) { Prim::I64 } else { Prim::I32 }
}

fn number_of(prim: Prim, value: i32) -> Atom {
    Atom::Const(if prim == Prim::I64 { Scalar::I64(value.into()) } else { Scalar::I32(value) })
}

/// An array that says of all lanes that they have not ended.
fn filled(writer: &mut Writer<'_>, prim: Prim) -> Atom {
    let lane = writer.index("lane");
    let body = vec![writer.emit(0, vec![lane.into()], number_of(prim, 1))];
    let steps = vec![Step::For { var: lane, count: Atom::size(LANES), mark: Mark::Open, body }];
    writer.arrays("going", &[prim], &lanes(), steps)[0].into()
}

/// Whether a point has not ended.
fn is_one_going(writer: &mut Writer<'_>, prim: Prim, going: Vec<Var>) -> Atom {
    let outer = writer.taken();
    let lane = writer.index("lane");
    let mut all = number_of(prim, 0);
    for chain in going {
        let one = read(writer, chain, prim, lane.into());
        all = writer.bind("going", Type::Scalar(prim), Exp::Bin(BinOp::Or, prim, all, one));
    }
    let value = Block { stms: writer.taken(), result: vec![all] };
    let emit = Emit { output: 0, at: Vec::new(), certs: Vec::new(), value, span: writer.span };
    let number = Type::Scalar(prim);
    let [a, b, elem] = [(); 3].map(|()| writer.var("going", number.clone()));
    let result = writer.bind("going", number.clone(), Exp::Bin(BinOp::Or, prim, a.into(), b.into()));
    let op = Region { params: vec![a, b], body: Block { stms: writer.taken(), result: vec![result] } };
    let zero = number_of(prim, 0);
    let kind = Kind::Reduce { op, neutral: vec![zero], commutes: true, tree: Tree::PLAIN };
    let steps = vec![Step::For { var: lane, count: Atom::size(LANES), mark: Mark::Open, body: vec![Step::Emit(emit)] }];
    let outputs = vec![Output { kind, sizes: Vec::new(), elems: vec![elem] }];
    writer.stms = outer;
    let going = writer.bind("going", number, Exp::Bulk(Bulk { outputs, steps, scheduled: false }));
    writer.truth(BinOp::Ne, prim, going, zero)
}

fn read(writer: &mut Writer<'_>, array: Var, prim: Prim, at: Atom) -> Atom {
    writer.bind("x", Type::Scalar(prim), Exp::Index(array, vec![at]))
}

fn prim(program: &Program, var: Var) -> Prim {
    match program.ty(var) {
        Type::Scalar(prim) => *prim,
        _ => base::bug!("a loop carries something else than a number"),
    }
}
