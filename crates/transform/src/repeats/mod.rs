//! Computes once what is computed again from the same values (thesis of Henriksen, chapter 6).
//!
//! ```text
//! let xs: [n][n]f64 = bulk { ..a[k, i] * a[k, j].. }       let xs: [n][n]f64 = bulk { ..a[k, i] * a[k, j].. }
//! let is: [n][n]f64 = inverse(xs)                          let is: [n][n]f64 = inverse(xs)
//! let ys: [n][n]f64 = bulk { ..a[k, i] * a[k, j].. }  =>   ..is[i, j] + is[j, i]..
//! let js: [n][n]f64 = inverse(ys)
//! ..is[i, j] + js[j, i]..
//! ```
//!
//! Expressions are the same if they differ only in the names that they bind, in where they stand in the source, and in what their
//! checks would say ([`analysis::same`]): where the first one comes to its end the second one does, too. So calls may differ in arguments
//! that only messages use ([`analysis::messages`]). Scalars and views are the business of `simplify`.
//!
//! Only what takes long: calls, loops, sorting, reductions, and arrays of which an element takes long. Other arrays may be cheaper
//! to compute again, inside of the loops that use them, than to keep. If one user consumes the value, `copies` keeps a copy for the
//! others.

use analysis::messages::Messages;
use analysis::same::{Same, shell};
use base::{Map, Set, Span};
use ir::rename::Substitution;
use ir::traverse::{ListMut, Part};
use ir::{Block, Exp, FunId, Kind, Program, Remark, Step, Stm, Topic, Type, Var};

/// Removes repeated computations from all functions.
pub fn repeats(program: &mut Program) {
    let silent = ir::calls::silent(program);
    let messages = Messages::of(program);
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let mut repeats = Repeats {
            program,
            silent: &silent,
            messages: &messages,
            seen: Map::default(),
            entered: Vec::new(),
            merged: Substitution::default(),
            places: Vec::new(),
        };
        repeats.block(&mut body);
        let Repeats { merged, places, .. } = repeats;
        if !places.is_empty() {
            merged.block(&mut program.vars, &mut body);
        }
        program.functions[fun].body = body;
        for span in places {
            let text = "this was computed before from the same values, so it is not computed again";
            program.functions[fun].remark(Remark::done(Topic::Hoisted, span, text));
        }
    }
}

struct Repeats<'p> {
    program: &'p Program,
    /// Functions that print nothing.
    silent: &'p Set<FunId>,
    messages: &'p Messages,
    /// What was computed before the current place, by what statements that compute the same have in common.
    seen: Map<Key, Vec<Stm>>,
    /// The same in order, for the end of a block.
    entered: Vec<Key>,
    /// What stands for the variables of computations that are gone.
    merged: Substitution,
    /// Where those were.
    places: Vec<Span>,
}

/// The outermost form of an expression, and the variables that it uses.
type Key = (String, Vec<Var>);

impl Repeats<'_> {
    fn block(&mut self, block: &mut Block) {
        let before = self.entered.len();
        block.stms.retain_mut(|stm| self.stays(stm));
        self.forget(before);
    }

    /// Forgets what was computed in a block that ends.
    fn forget(&mut self, before: usize) {
        for key in self.entered.drain(before..) {
            self.seen.get_mut(&key).and_then(Vec::pop);
        }
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        let before = self.entered.len();
        steps.retain_mut(|step| match step {
            Step::Let(stm) => self.stays(stm),
            Step::For { body, .. } | Step::Guard(_, body) => {
                self.steps(body);
                true
            }
            Step::Scan(scan) => {
                self.block(&mut scan.op.body);
                self.block(&mut scan.value);
                true
            }
            Step::Emit(emit) => {
                self.block(&mut emit.value);
                true
            }
        });
        self.forget(before);
    }

    /// Whether a statement is to stay; it was not computed before.
    fn stays(&mut self, stm: &mut Stm) -> bool {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(block) => self.block(block),
            ListMut::Steps(steps) => self.steps(steps),
        });
        if !takes_long(&stm.exp) || self.prints(stm) {
            return true;
        }
        let key = self.key(stm);
        let same = |earlier: &&Stm| Same::new(self.program, self.messages, &self.merged).are(earlier, stm);
        match self.seen.get(&key).and_then(|seen| seen.iter().find(same)) {
            Some(earlier) => {
                stm.vars.iter().zip(&earlier.vars).for_each(|(var, same)| self.merged.insert(*var, *same));
                self.places.push(stm.span);
                false
            }
            None => {
                self.entered.push(key.clone());
                self.seen.entry(key).or_default().push(stm.clone());
                true
            }
        }
    }

    fn key(&self, stm: &Stm) -> Key {
        let (form, uses) = match &stm.exp {
            Exp::Call(fun, args) => {
                let used = args.iter().enumerate().filter(|(k, _)| !self.messages.are_all(*fun, *k));
                (format!("{fun:?}"), used.filter_map(|(_, arg)| arg.var()).collect())
            }
            exp => {
                let alone = Block { stms: vec![Stm { vars: Vec::new(), ..stm.clone() }], result: Vec::new() };
                (shell(exp), alone.free(&self.program.vars).into_iter().collect::<Vec<Var>>())
            }
        };
        // Which checks it relies on does not matter.
        let is_value = |var: &Var| *self.program.ty(*var) != Type::Cert;
        let mut uses: Vec<Var> = uses.into_iter().filter(is_value).map(|var| self.merged.var(var)).collect();
        uses.sort_unstable();
        (form, uses)
    }

    fn prints(&self, stm: &Stm) -> bool {
        ir::calls::prints(&Block { stms: vec![stm.clone()], result: Vec::new() }, self.silent)
    }
}

/// Whether a computation, or an element of it, may take longer than reading the result.
fn takes_long(exp: &Exp) -> bool {
    match exp {
        Exp::Call(..) | Exp::Loop { .. } | Exp::Sort(..) | Exp::SortKeys(_) => true,
        Exp::Bulk(bulk) => {
            let reduces = bulk.outputs.iter().all(|output| matches!(output.kind, Kind::Reduce { .. }));
            let mut inside = false;
            for step in &bulk.steps {
                step.walk(&mut |part| inside |= matches!(part, Part::Stm(stm) if takes_long(&stm.exp)));
            }
            reduces || inside
        }
        _ => false,
    }
}
