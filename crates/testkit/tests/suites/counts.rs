//! What is counted in the entry points of a program before and after optimisation: `pass=counts`.
//!
//! ```text
//!          nests   operations  arrays  checks  in loops
//! sums     2 -> 1  2 -> 1      1 -> 0  1 -> 1  0 -> 0
//! ```
//!
//! *Operations* are bulk forms, *nests* those inside of no other. *Arrays* are those in memory between operations: new ones
//! that are no result of the function, and no row of another array. *Checks* are counted wherever they are, and those that
//! run for each turn of a loop again. Before is behind inlining, after is where each array gets its memory, without the passes that
//! make other versions of loops. Of a version without checks and one with them the first counts.

use analysis::loops::has_fewer_checks;
use driver::pipeline::ORDER;
use driver::{Compiled, pipeline};
use ir::traverse::Part;
use ir::{Atom, Block, Exp, FunId, Kind, Program, Step, Stm, Var};
use std::collections::BTreeSet;

/// Passes that make other versions of loops.
const VERSIONS: [&str; 6] = ["eliminate", "masks", "tile", "columns", "lanes", "trees"];

/// The table of a program, with a row for each entry point.
pub fn table(compiled: &Compiled) -> Result<String, String> {
    let Some(program) = &compiled.program else { return Err("the program is rejected".into()) };
    let titles = ["", "nests", "operations", "arrays", "checks", "in loops"].map(str::to_owned);
    let mut rows = vec![titles];
    for entry in &program.entries {
        let name = program.defs[*entry].name.to_string();
        let mut core =
            pipeline::desugar(compiled, program, &[*entry]).map_err(|error| driver::render::words(&error))?;
        let inlined = ORDER.iter().position(|pass| pass.name == "views").unwrap_or_default();
        let memory = ORDER.iter().position(|pass| pass.name == "in_place").unwrap_or_default();
        let mut run = |from: usize, to: usize| {
            let passes = ORDER[from..to].iter().filter(|pass| !VERSIONS.contains(&pass.name));
            let ran = passes.into_iter().try_for_each(|pass| pass.run(&mut core, true));
            ran.map_err(|error| driver::render::words(&error))?;
            Ok::<_, String>(Counts::of(&core))
        };
        let before = run(0, inlined)?;
        let after = run(inlined, memory)?;
        let [nests, operations, arrays, checks, in_loops] = before.changes(&after);
        rows.push([name, nests, operations, arrays, checks, in_loops]);
    }
    Ok(aligned(&rows))
}

fn aligned(rows: &[[String; 6]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or_default();
    let line = |row: &[String; 6]| {
        let cells = row.iter().enumerate().map(|(column, cell)| format!("{cell:<0$}", width(column)));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

#[derive(Default)]
struct Counts {
    nests: usize,
    operations: usize,
    arrays: usize,
    checks: usize,
    in_loops: usize,
}

impl Counts {
    fn of(program: &Program) -> Counts {
        let mut counts = Counts::default();
        for fun in reached(program) {
            let results = results(program, &program.functions[fun].body);
            let mut walk = Walk { program, results, counts: &mut counts };
            walk.block(&program.functions[fun].body, false, false);
        }
        counts
    }

    fn all(&self) -> [usize; 5] {
        [self.nests, self.operations, self.arrays, self.checks, self.in_loops]
    }

    fn changes(&self, after: &Counts) -> [String; 5] {
        let (before, after) = (self.all(), after.all());
        std::array::from_fn(|number| format!("{} -> {}", before[number], after[number]))
    }
}

/// The functions that the entry points call.
fn reached(program: &Program) -> BTreeSet<FunId> {
    let mut found: BTreeSet<FunId> = program.entries.iter().map(|entry| entry.function).collect();
    let mut left: Vec<FunId> = found.iter().copied().collect();
    while let Some(fun) = left.pop() {
        program.functions[fun].body.walk(&mut |part| {
            if let Part::Stm(Stm { exp: Exp::Call(called, _), .. }) = part
                && found.insert(*called)
            {
                left.push(*called);
            }
        });
    }
    found
}

/// What is a result of some block, or the memory of one.
fn results(program: &Program, body: &Block) -> BTreeSet<Var> {
    let mut found: BTreeSet<Var> = body.result.iter().filter_map(|atom| atom.var()).collect();
    let mut same: Vec<(Vec<Var>, Vec<Var>)> = Vec::new();
    body.walk(&mut |part| match part {
        Part::Block(block) => found.extend(block.result.iter().filter_map(|atom| atom.var())),
        Part::Stm(Stm { vars, exp: Exp::Retype(of) | Exp::Reshape(of) | Exp::Atom(Atom::Var(of)), .. }) => {
            same.push((vars.clone(), vec![*of]));
        }
        Part::Stm(stm) => same.push((stm.vars.clone(), stm.exp.consumes(&program.functions).into_iter().collect())),
        Part::Atom(_) | Part::Use(_) | Part::Bind(_) => {}
    });
    for (vars, memory) in same.into_iter().rev() {
        if vars.iter().any(|var| found.contains(var)) {
            found.extend(memory);
        }
    }
    found
}

struct Walk<'a> {
    program: &'a Program,
    results: BTreeSet<Var>,
    counts: &'a mut Counts,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, in_bulk: bool, in_loop: bool) {
        block.stms.iter().for_each(|stm| self.stm(stm, in_bulk, in_loop));
    }

    fn steps(&mut self, steps: &[Step], in_loop: bool) {
        for step in steps {
            match step {
                Step::For { body, .. } => self.steps(body, true),
                Step::Guard(_, body) => self.steps(body, in_loop),
                Step::Let(stm) => self.stm(stm, true, in_loop),
                Step::Scan(scan) => self.block(&scan.value, true, in_loop),
                Step::Emit(emit) => self.block(&emit.value, true, in_loop),
            }
        }
    }

    fn stm(&mut self, stm: &Stm, in_bulk: bool, in_loop: bool) {
        match &stm.exp {
            Exp::Bulk(bulk) => {
                self.counts.operations += 1;
                self.counts.nests += usize::from(!in_bulk);
                let changes = |kind: &Kind| matches!(kind, Kind::Update { .. } | Kind::Accum { .. });
                let mut rest = &stm.vars[..];
                for output in &bulk.outputs {
                    let (bound, more) = rest.split_at(output.bound());
                    rest = more;
                    self.arrays(if changes(&output.kind) { &[] } else { bound });
                }
                self.steps(&bulk.steps, in_loop);
            }
            Exp::Loop { body, .. } => self.block(body, in_bulk, true),
            Exp::Assert { .. } | Exp::Ensure { .. } => {
                self.counts.checks += 1;
                self.counts.in_loops += usize::from(in_loop);
            }
            Exp::Choose(_, one, other) if has_fewer_checks(one, other) => self.block(one, in_bulk, in_loop),
            Exp::Copy(_) | Exp::Literal(..) => self.arrays(&stm.vars),
            exp => {
                exp.blocks().into_iter().for_each(|block| self.block(block, in_bulk, in_loop));
            }
        }
    }

    fn arrays(&mut self, vars: &[Var]) {
        let is_between = |var: &&Var| self.program.ty(**var).is_array() && !self.results.contains(var);
        self.counts.arrays += vars.iter().filter(is_between).count();
    }
}
