//! Writing points side by side.

use super::find::Points;
use super::innermost::replaced;
use super::items::{Item, LONGEST, Repeat, prim};
use crate::write::{Writer, binds, copy_steps, version};
use base::Map;
use ir::rename::{Substitution, copies, copy_block};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Dim, Emit, Exp, Kind, LoopForm, Mark, Output, Program, Step, Stm, Type, Var};
use scalar::{BinOp, MathOp, Prim};

/// As many lanes as vectors have.
const LANES: i64 = 16;
/// So many statements keep a processor busy.
const BUSY: usize = 48;
/// Longer rows are not packed: they would not stay in the cache.
const LONGEST_ROW: i64 = 512;

/// The statements that compute points side by side, where there are enough.
pub(super) fn in_lanes(program: &mut Program, points: &Points, stm: Stm) -> Vec<Stm> {
    let Exp::Bulk(bulk) = &stm.exp else { base::bug!("points without a form") };
    let limits = limits(points);
    if limits.iter().any(|(_, atom, _)| atom.var().is_some_and(|var| binds(bulk, var))) {
        return vec![stm];
    }
    let chains = chains(points);
    let mut writer = Writer { program, stms: Vec::new(), span: points.span };
    let mut fit = writer.truth(BinOp::Ge, Prim::I64, points.count, Atom::size(LANES * chains));
    for (op, size, limit) in limits.into_iter().skip(1) {
        let holds = writer.truth(op, Prim::I64, size, Atom::size(limit));
        fit = writer.truth(BinOp::LogAnd, Prim::Bool, fit, holds);
    }
    let mut stms = writer.taken();
    let steps = Strip::steps(&mut writer, points, chains);
    let then = version(program, replaced(&stm, points.index, &steps));
    let otherwise = version(program, stm.clone());
    stms.push(Stm { exp: Exp::If(fit, then, otherwise), ..stm });
    stms
}

/// The sizes that decide: the number of points first.
fn limits(points: &Points) -> Vec<(BinOp, Atom, i64)> {
    fn lengths(items: &[Item], found: &mut Vec<(BinOp, Atom, i64)>) {
        for item in items {
            if let Item::Repeat(repeat) = item {
                found.push((BinOp::Ge, repeat.count, 1));
                found.push((BinOp::Le, repeat.count, LONGEST));
                lengths(&repeat.body, found);
            }
        }
    }
    let mut found = vec![(BinOp::Ge, points.count, 0)];
    lengths(&points.items, &mut found);
    let rows = points.reads.packed.iter().flat_map(|packed| &packed.loops);
    found.extend(rows.map(|(_, count)| (BinOp::Le, *count, LONGEST_ROW)));
    found.retain(|(_, size, _)| *size == points.count || size.var().is_some());
    let mut once: Vec<(BinOp, Atom, i64)> = Vec::new();
    for limit in found {
        if !once.contains(&limit) {
            once.push(limit);
        }
    }
    once
}

/// How many points of one lane run at once: where turns are short, one would wait for itself.
fn chains(points: &Points) -> i64 {
    fn statements(items: &[Item]) -> usize {
        let of = |item: &Item| match item {
            Item::Scalar(_) => 1,
            Item::Repeat(repeat) => statements(&repeat.body),
        };
        items.iter().map(of).sum()
    }
    (BUSY / statements(&points.items).max(1)).clamp(1, 4).next_power_of_two() as i64
}

/// The point that a lane has in one of its chains.
struct Chain {
    /// Its place in the strip.
    place: Atom,
    /// What variables of a point are called here.
    names: Substitution,
}

/// Points that are side by side.
struct Strip<'f> {
    points: &'f Points,
    chains: i64,
    /// The first point of each chain.
    firsts: Vec<Atom>,
    /// Copies of what is packed, for each of [`super::reads::Reads::packed`].
    rows: Vec<Var>,
    /// What is the same for all points, and loop indices, under its name outside of the lanes.
    same: Substitution,
    /// Arrays of 16 with the values of a variable, one for each chain.
    held: Map<Var, Vec<Var>>,
}

impl Strip<'_> {
    /// The loop over strips.
    fn steps(writer: &mut Writer<'_>, points: &Points, chains: i64) -> Vec<Step> {
        let width = Atom::size(LANES * chains);
        let more = writer.int("strips", BinOp::Add, points.count, Atom::size(LANES * chains - 1));
        let strips = writer.int("strips", BinOp::Div, more, width);
        let end = writer.int("end", BinOp::Sub, points.count, width);
        let mut steps: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
        let strip = writer.index("strip");
        let begin = writer.int("begin", BinOp::Mul, strip.into(), width);
        let first = writer.least("first", begin, end);
        let mut firsts = vec![first];
        firsts.extend((1..chains).map(|chain| writer.int("first", BinOp::Add, first, Atom::size(chain * LANES))));
        let mut here =
            Strip { points, chains, firsts, rows: Vec::new(), same: Substitution::default(), held: Map::default() };
        here.pack(writer);
        let results = here.results();
        let atoms: Vec<Atom> = results.iter().copied().map(Atom::Var).collect();
        let values = here.scope(writer, &points.items, &atoms, None);
        let mut body: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
        body.extend(here.hand_over(writer, begin, &results, &values));
        steps.push(Step::For { var: strip, count: strips, mark: Mark::Open, body });
        steps
    }

    fn width(&self) -> Atom {
        Atom::size(LANES * self.chains)
    }

    /// Lays out side by side what points have in rows.
    fn pack(&mut self, writer: &mut Writer<'_>) {
        for (number, packed) in self.points.reads.packed.iter().enumerate() {
            if packed.row < number {
                self.rows.push(self.rows[packed.row]);
                continue;
            }
            let outer = writer.taken();
            let lane = writer.index("lane");
            let point = writer.int("point", BinOp::Add, self.firsts[0], lane.into());
            let lets: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
            let read = Block { stms: vec![packed.read.clone()], result: vec![packed.var.into()] };
            let (index, count) = packed.loops[0];
            let own = writer.index("k");
            let names = Substitution::new(&[self.points.index, index], &[point, own.into()]);
            let read = copy_block(&mut writer.program.vars, &read, names);
            let mut inner: Vec<Step> = read.stms.into_iter().map(Step::Let).collect();
            inner.push(writer.emit(0, vec![own.into(), lane.into()], read.result[0]));
            let inner = Step::For { var: own, count, mark: Mark::Open, body: inner };
            let body = lets.into_iter().chain([inner]).collect();
            let steps = vec![Step::For { var: lane, count: self.width(), mark: Mark::Open, body }];
            writer.stms = outer;
            let prim = prim(writer.program, packed.var);
            let shape = [Dim::Size(count), Dim::Size(self.width())];
            self.rows.extend(writer.arrays("rows", &[prim], &shape, steps));
        }
    }

    /// The variables that are used in the end and differ from point to point.
    fn results(&self) -> Vec<Var> {
        let mut found: Vec<Var> = Vec::new();
        for step in &self.points.tail {
            step.walk(&mut |part| {
                let (Part::Atom(Atom::Var(var)) | Part::Use(var)) = part else { return };
                let own = self.points.items.iter().any(|item| item.vars().contains(var));
                if own && !self.points.reads.same.contains(var) && !found.contains(var) {
                    found.push(*var);
                }
            });
        }
        found
    }

    /// Computes items for all points. The results go into new arrays of all points, or replace those of a loop around.
    fn scope(&mut self, writer: &mut Writer<'_>, items: &[Item], results: &[Atom], into: Option<&[Var]>) -> Vec<Var> {
        let mut pending: Vec<&Item> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Scalar(stm) if self.points.reads.same.contains(&stm.vars[0]) => self.once(writer, stm),
                Item::Repeat(repeat) if !repeat.is_innermost() => {
                    self.segment(writer, &std::mem::take(&mut pending), &items[at..], results);
                    self.deep(writer, repeat);
                }
                _ if !fits(writer.program, &pending, item) => {
                    self.segment(writer, &std::mem::take(&mut pending), &items[at..], results);
                    pending.push(item);
                }
                Item::Scalar(_) | Item::Repeat(_) => pending.push(item),
            }
        }
        match into {
            Some(arrays) => self.replace(writer, &pending, results, arrays),
            None => self.finish(writer, &pending, results),
        }
    }

    /// A statement that is the same for all points.
    fn once(&mut self, writer: &mut Writer<'_>, stm: &Stm) {
        let block = Block { stms: vec![stm.clone()], result: vec![stm.vars[0].into()] };
        let copy = copy_block(&mut writer.program.vars, &block, self.same.clone());
        writer.stms.extend(copy.stms);
        self.same.insert(stm.vars[0], copy.result[0]);
    }

    /// Computes some items in lanes, and holds what later ones need.
    fn segment(&mut self, writer: &mut Writer<'_>, items: &[&Item], later: &[Item], results: &[Atom]) {
        let bound = items.iter().flat_map(|item| item.vars()).copied();
        let needed = |var: &Var| results.contains(&Atom::Var(*var)) || later.iter().any(|item| item.uses(*var));
        let wanted: Vec<Var> = bound.filter(needed).collect();
        if wanted.is_empty() {
            return;
        }
        let prims: Vec<Prim> = wanted.iter().map(|var| prim(writer.program, *var)).collect();
        let atoms: Vec<Atom> = wanted.iter().copied().map(Atom::Var).collect();
        let (lane, mut body, values) = self.lane(writer, items, &atoms);
        for (output, value) in values.iter().enumerate() {
            body.push(writer.emit(output, vec![lane.into()], *value));
        }
        let all: Vec<Prim> = prims.iter().copied().cycle().take(values.len()).collect();
        let arrays = writer.arrays("held", &all, &[Dim::Size(Atom::size(LANES))], in_lanes_of(lane, body));
        for (number, var) in wanted.iter().enumerate() {
            let own = arrays.iter().skip(number).step_by(wanted.len()).copied().collect();
            self.held.insert(*var, own);
        }
    }

    /// Computes the last items of a loop: the results replace what the loop holds.
    fn replace(&mut self, writer: &mut Writer<'_>, items: &[&Item], results: &[Atom], arrays: &[Var]) -> Vec<Var> {
        let (lane, mut body, values) = self.lane(writer, items, results);
        let elems = values.iter().zip(arrays).map(|(_, array)| element(writer, *array)).collect();
        let value = Block { stms: Vec::new(), result: values };
        body.push(Step::Emit(Emit { output: 0, at: vec![lane.into()], certs: Vec::new(), value, span: writer.span }));
        let kind = Kind::Update { arrays: arrays.to_vec(), skip: false, rec: Vec::new() };
        let outputs = vec![Output { kind, sizes: Vec::new(), elems }];
        let exp = Exp::Bulk(Bulk { outputs, steps: in_lanes_of(lane, body), scheduled: false });
        let next = copies(&mut writer.program.vars, arrays);
        writer.stms.push(Stm { vars: next.clone(), certs: Vec::new(), exp, span: writer.span });
        next
    }

    /// Computes the last items of all: the results of all chains go into one array each.
    fn finish(&mut self, writer: &mut Writer<'_>, items: &[&Item], results: &[Atom]) -> Vec<Var> {
        let prims = results.iter().filter_map(|atom| atom.var()).map(|var| prim(writer.program, var));
        let prims: Vec<Prim> = prims.collect();
        let (lane, mut body, values) = self.lane(writer, items, results);
        let outer = writer.taken();
        for (chain, values) in (0..).zip(values.chunks(results.len().max(1))) {
            let place = place(writer, lane, chain);
            body.extend(writer.taken().into_iter().map(Step::Let));
            body.extend(values.iter().enumerate().map(|(output, value)| writer.emit(output, vec![place], *value)));
        }
        writer.stms = outer;
        writer.arrays("value", &prims, &[Dim::Size(self.width())], in_lanes_of(lane, body))
    }

    /// What one lane computes: its index, steps, and the results, those of the first chain first.
    fn lane(&mut self, writer: &mut Writer<'_>, items: &[&Item], results: &[Atom]) -> (Var, Vec<Step>, Vec<Atom>) {
        let counts: Vec<Atom> = items.iter().map(|item| self.turns(writer, item)).collect();
        let outer = writer.taken();
        let lane = writer.index("lane");
        let mut chains: Vec<Chain> = Vec::new();
        for chain in 0..self.chains {
            let point = writer.int("point", BinOp::Add, self.firsts[chain as usize], lane.into());
            let place = place(writer, lane, chain);
            let mut names = self.same.clone();
            names.insert(self.points.index, point);
            let mut held: Vec<(&Var, &Vec<Var>)> = self.held.iter().collect();
            held.sort_unstable();
            for (var, arrays) in held {
                if results.contains(&Atom::Var(*var)) || items.iter().any(|item| item.uses(*var)) {
                    let ty = writer.program.ty(*var).clone();
                    let read = Exp::Index(arrays[chain as usize], vec![lane.into()]);
                    names.insert(*var, writer.bind("x", ty, read));
                }
            }
            chains.push(Chain { place, names });
        }
        for (item, count) in items.iter().zip(counts) {
            match item {
                Item::Scalar(stm) => chains.iter_mut().for_each(|chain| self.scalar(writer, chain, stm)),
                Item::Repeat(repeat) => self.repeat(writer, &mut chains, repeat, count),
            }
        }
        let values = chains.iter().flat_map(|chain| results.iter().map(|atom| chain.names.atom(*atom))).collect();
        let body = writer.taken().into_iter().map(Step::Let).collect();
        writer.stms = outer;
        (lane, body, values)
    }

    /// How many turns a loop has. There is one at least; so C compilers see it.
    fn turns(&self, writer: &mut Writer<'_>, item: &Item) -> Atom {
        match item {
            Item::Scalar(_) => Atom::size(1),
            Item::Repeat(repeat) if repeat.count.var().is_none() => repeat.count,
            Item::Repeat(repeat) => {
                let at_least = vec![self.same.atom(repeat.count), Atom::size(1)];
                writer.bind("turns", Type::I64, Exp::Math(MathOp::Max, Prim::I64, at_least))
            }
        }
    }

    /// A statement for one chain.
    fn scalar(&self, writer: &mut Writer<'_>, chain: &mut Chain, stm: &Stm) {
        let mut stm = stm.clone();
        let number = self.points.reads.packed.iter().position(|packed| packed.var == stm.vars[0]);
        if let Some(number) = number {
            let (index, _) = self.points.reads.packed[number].loops[0];
            stm.exp = Exp::Index(self.rows[number], vec![index.into(), chain.place]);
        }
        let var = stm.vars[0];
        let block = Block { stms: vec![stm], result: vec![var.into()] };
        let copy = copy_block(&mut writer.program.vars, &block, chain.names.clone());
        writer.stms.extend(copy.stms);
        chain.names.insert(var, copy.result[0]);
    }

    /// A loop for all chains together.
    fn repeat(&self, writer: &mut Writer<'_>, chains: &mut [Chain], repeat: &Repeat, count: Atom) {
        let outer = writer.taken();
        let turn = writer.index("turn");
        let names: Vec<Var> = repeat.params.iter().map(|(param, _)| *param).collect();
        let (mut params, mut result, mut vars) = (Vec::new(), Vec::new(), Vec::new());
        for chain in chains {
            let own = copies(&mut writer.program.vars, &names);
            let firsts = repeat.params.iter().map(|(_, first)| chain.names.atom(*first));
            params.extend(own.iter().copied().zip(firsts));
            let mut inside = Chain { place: chain.place, names: chain.names.clone() };
            names.iter().zip(&own).for_each(|(name, own)| inside.names.insert(*name, *own));
            inside.names.insert(repeat.index, turn);
            for item in &repeat.body {
                let Item::Scalar(stm) = item else { base::bug!("a loop inside of the innermost loop") };
                self.scalar(writer, &mut inside, stm);
            }
            result.extend(repeat.result.iter().map(|atom| inside.names.atom(*atom)));
            let after = copies(&mut writer.program.vars, &repeat.vars);
            repeat.vars.iter().zip(&after).for_each(|(var, after)| chain.names.insert(*var, *after));
            vars.extend(after);
        }
        let body = Block { stms: writer.taken(), result };
        writer.stms = outer;
        let exp = Exp::repeat(params, LoopForm::For(turn, count), body);
        writer.stms.push(Stm { vars, certs: Vec::new(), exp, span: writer.span });
    }

    /// A loop with loops inside: it carries arrays of the lanes' values.
    fn deep(&mut self, writer: &mut Writer<'_>, repeat: &Repeat) {
        let mut firsts = Vec::new();
        for chain in 0..self.chains as usize {
            firsts.extend(repeat.params.iter().map(|(param, first)| self.filled(writer, chain, *param, *first)));
        }
        let carried = copies(&mut writer.program.vars, &firsts);
        for (number, (param, _)) in repeat.params.iter().enumerate() {
            let own = carried.iter().skip(number).step_by(repeat.params.len()).copied().collect();
            self.held.insert(*param, own);
        }
        let outer = writer.taken();
        let index = writer.index("k");
        self.same.insert(repeat.index, index);
        let next = self.scope(writer, &repeat.body, &repeat.result, Some(&carried));
        let stms = writer.taken();
        writer.stms = outer;
        let vars = copies(&mut writer.program.vars, &firsts);
        let params = carried.into_iter().zip(firsts.into_iter().map(Atom::Var)).collect();
        let form = LoopForm::For(index, self.same.atom(repeat.count));
        let body = Block { stms, result: next.into_iter().map(Atom::Var).collect() };
        let exp = Exp::repeat(params, form, body);
        writer.stms.push(Stm { vars: vars.clone(), certs: Vec::new(), exp, span: writer.span });
        for (number, var) in repeat.vars.iter().enumerate() {
            let own = vars.iter().skip(number).step_by(repeat.vars.len()).copied().collect();
            self.held.insert(*var, own);
        }
    }

    /// An array of what a variable begins with in a chain.
    fn filled(&self, writer: &mut Writer<'_>, chain: usize, param: Var, first: Atom) -> Var {
        let outer = writer.taken();
        let lane = writer.index("lane");
        let prim = prim(writer.program, param);
        let value = match first.var().and_then(|var| self.held.get(&var)) {
            Some(arrays) => writer.bind("x", Type::Scalar(prim), Exp::Index(arrays[chain], vec![lane.into()])),
            None => self.same.atom(first),
        };
        let mut body: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
        body.push(writer.emit(0, vec![lane.into()], value));
        writer.stms = outer;
        let steps = vec![Step::For { var: lane, count: Atom::size(LANES), mark: Mark::Open, body }];
        writer.arrays("held", &[prim], &[Dim::Size(Atom::size(LANES))], steps)[0]
    }

    /// Does what is left for the points that no strip before this one has.
    fn hand_over(&self, writer: &mut Writer<'_>, begin: Atom, results: &[Var], values: &[Var]) -> Vec<Step> {
        let skipped = writer.int("skipped", BinOp::Sub, begin, self.firsts[0]);
        let new = writer.int("new", BinOp::Sub, self.width(), skipped);
        let mut steps: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
        let turn = writer.index("turn");
        let place = writer.int("place", BinOp::Add, skipped, turn.into());
        let point = writer.int("point", BinOp::Add, self.firsts[0], place);
        let mut names = self.same.clone();
        names.insert(self.points.index, point);
        for (var, array) in results.iter().zip(values) {
            let ty = writer.program.ty(*var).clone();
            names.insert(*var, writer.bind("x", ty, Exp::Index(*array, vec![place])));
        }
        let mut body: Vec<Step> = writer.taken().into_iter().map(Step::Let).collect();
        body.extend(copy_steps(writer.program, &self.points.tail, names));
        steps.push(Step::For { var: turn, count: new, mark: Mark::Open, body });
        steps
    }
}

/// Whether an item can be in one loop over lanes with those before it. C compilers want a loop inside to be alone there, and
/// without choices and truth values beside it.
fn fits(program: &Program, before: &[&Item], item: &Item) -> bool {
    let chooses = |item: &Item| match item {
        Item::Scalar(stm) => matches!(stm.exp, Exp::Select(..)) || prim(program, stm.vars[0]) == Prim::Bool,
        Item::Repeat(_) => false,
    };
    match item {
        Item::Repeat(_) => !before.iter().any(|item| matches!(item, Item::Repeat(_)) || chooses(item)),
        Item::Scalar(_) => !chooses(item) || !before.iter().any(|item| matches!(item, Item::Repeat(_))),
    }
}

/// The loop over lanes.
fn in_lanes_of(lane: Var, body: Vec<Step>) -> Vec<Step> {
    vec![Step::For { var: lane, count: Atom::size(LANES), mark: Mark::Simd, body }]
}

/// The place of a point in its strip.
fn place(writer: &mut Writer<'_>, lane: Var, chain: i64) -> Atom {
    match chain {
        0 => lane.into(),
        _ => writer.int("place", BinOp::Add, lane.into(), Atom::size(chain * LANES)),
    }
}

/// A name for an element of an array.
fn element(writer: &mut Writer<'_>, array: Var) -> Var {
    let Some(prim) = writer.program.ty(array).prim() else { base::bug!("an array without elements") };
    writer.var("x", Type::Scalar(prim))
}
