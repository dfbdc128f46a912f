//! Arrays of which only columns are read: each element in loops in which the first index moves fastest.
//!
//! ```text
//! for j < m { .. bulk { .. for i < n { let x = xs[i, j]; .. } } }
//! ```
//!
//! An array that is made of another one element by element passes the question on to those who read it.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Emit, Exp, Kind, LoopForm, Program, Step, Stm, Var};

/// The arrays of a function of which only columns are read.
pub(super) fn only_columns(program: &Program, body: &Block) -> Set<Var> {
    let mut reads = Reads { program, reads: Map::default(), loops: Vec::new(), maker: None };
    reads.block(body);
    let mut uses: Map<Var, usize> = Map::default();
    body.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            *uses.entry(*var).or_default() += 1;
        }
    });
    let reads = reads.reads;
    let all_known = |array: &Var| reads.get(array).is_some_and(|reads| uses.get(array) == Some(&reads.len()));
    let mut found: Set<Var> = reads.keys().filter(|array| all_known(array)).copied().collect();
    // What is read through an array that is not read by columns is not either.
    loop {
        let good = |read: &Read| match read {
            Read::Column => true,
            Read::Through(arrays) => arrays.iter().all(|array| found.contains(array)),
            Read::Other => false,
        };
        let next: Set<Var> = found.iter().filter(|array| reads[array].iter().all(good)).copied().collect();
        if next.len() == found.len() {
            return found;
        }
        found = next;
    }
}

/// How an element is read.
enum Read {
    /// Where the first index moves fastest.
    Column,
    /// For the elements of these arrays at the same indices.
    Through(Vec<Var>),
    /// In another way.
    Other,
}

struct Reads<'p> {
    program: &'p Program,
    reads: Map<Var, Vec<Read>>,
    /// The indices of the loops around, the outermost first.
    loops: Vec<Var>,
    /// What the nest around makes, and at which indices.
    maker: Option<(Vec<Var>, Vec<Atom>)>,
}

impl Reads<'_> {
    fn block(&mut self, block: &Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Index(array, at) if at.len() > 1 && at.len() == self.program.ty(*array).dims().len() => {
                let read = self.read(at);
                self.reads.entry(*array).or_default().push(read);
            }
            Exp::Bulk(bulk) => self.bulk(stm, bulk),
            Exp::Loop { form, body, .. } => {
                // A loop that repeats the read is none of the array.
                let around = std::mem::take(&mut self.loops);
                if let LoopForm::While(cond) = form {
                    self.block(cond);
                }
                self.block(body);
                self.loops = around;
            }
            exp => exp.blocks().into_iter().for_each(|block| self.block(block)),
        }
    }

    fn bulk(&mut self, stm: &Stm, bulk: &Bulk) {
        let maker = the_array(&bulk.outputs, &bulk.steps).map(|emit| (stm.vars.clone(), emit.at.clone()));
        let around = std::mem::replace(&mut self.maker, maker);
        let operators = bulk.outputs.iter().filter_map(|output| match &output.kind {
            Kind::Accum { op, .. } | Kind::Reduce { op, .. } => Some(&op.body),
            Kind::Gen { otherwise, .. } => otherwise.as_ref(),
            Kind::Update { .. } | Kind::Keep => None,
        });
        operators.for_each(|block| self.block(block));
        self.steps(&bulk.steps);
        self.maker = around;
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::For { var, body, .. } => {
                    self.loops.push(*var);
                    self.steps(body);
                    self.loops.pop();
                }
                Step::Guard(_, body) => self.steps(body),
                Step::Let(stm) => self.stm(stm),
                Step::Scan(scan) => {
                    self.block(&scan.op.body);
                    self.block(&scan.value);
                }
                Step::Emit(emit) => self.block(&emit.value),
            }
        }
    }

    fn read(&self, at: &[Atom]) -> Read {
        let place = |index: &Atom| self.loops.iter().position(|var| Atom::Var(*var) == *index);
        let places: Option<Vec<usize>> = at.iter().map(place).collect();
        match (places, &self.maker) {
            (Some(places), _) if places[1..].iter().all(|outer| *outer < places[0]) => Read::Column,
            (_, Some((arrays, indices))) if indices == at => Read::Through(arrays.clone()),
            (_, _) => Read::Other,
        }
    }
}

/// The only value of a form that makes one array.
fn the_array<'b>(outputs: &[ir::Output], steps: &'b [Step]) -> Option<&'b Emit> {
    match outputs {
        [output] if matches!(output.kind, Kind::Gen { .. }) => analysis::emits::only(steps),
        _ => None,
    }
}
