//! Which calls are inlined: a cost model on the number of statements.

use base::{Map, Set};
use ir::calls::Calls;
use ir::traverse::Part;
use ir::{Block, Exp, FunId, Function, Program, Stm, Var};
use std::collections::BTreeSet;

/// A function of at most this weight is inlined at all its calls: it is hardly larger than a call.
const TINY: usize = 10;
/// A function of at most this weight is inlined at its calls as long as the budget lasts.
const SMALL: usize = 20;
/// The same for calls in loops, and in functions called there: a call in a loop costs more, and more is gained.
const SMALL_IN_LOOPS: usize = 30;
/// The same for functions that make arrays, and for those with loops that loops call: a call keeps the loops that make an array
/// apart from those that read it, and loops inside of others from those around them. And for functions of scalars alone in
/// loops: a call keeps a loop from running in vectors.
const SMALL_WITH_ARRAYS: usize = 120;
/// A function that is called once is inlined up to this weight. C compilers take more than twice as long for a function of
/// twice the size, and work on several functions at the same time.
const LARGE: usize = 400;
/// The weight of a call, besides its arguments.
const CALL: usize = 3;
/// Small functions together may add this weight, or a part of the weight of the program if that is more.
const BUDGET: usize = 1000;
const BUDGET_SHARE: usize = 4;

/// What calls and functions cost.
pub(super) struct Costs {
    recursive: Set<FunId>,
    /// Functions that loops call, directly or through others.
    repeated: Set<FunId>,
    /// How often the text of the program calls each function.
    calls: Map<FunId, usize>,
    /// Functions that make arrays.
    of_arrays: Set<FunId>,
    /// Functions with loops over many elements.
    of_loops: Set<FunId>,
    /// Functions that only compute scalars.
    arithmetic: Set<FunId>,
    /// The weights of the bodies as they are now.
    weights: Map<FunId, usize>,
    /// The weight that may still be added.
    budget: usize,
}

impl Costs {
    /// The costs before anything is inlined.
    pub fn new(program: &Program, calls: &Calls) -> Costs {
        let weights: Map<FunId, usize> = program.functions.iter().map(|(fun, f)| (fun, weight(&f.body))).collect();
        let budget = BUDGET.max(weights.values().sum::<usize>() / BUDGET_SHARE);
        let repeated = calls.callees_first(called_in_loops(program)).into_iter().collect();
        let makes = |fun: &FunId| makes_arrays(program, &program.functions[*fun]);
        let of_arrays = program.functions.ids().filter(makes).collect();
        let of_loops =
            program.functions.iter().filter(|(_, function)| has_loops(function)).map(|(fun, _)| fun).collect();
        let arithmetic = ir::calls::arithmetic(program);
        let (recursive, calls) = (calls.recursive(), counted(program));
        Costs { recursive, repeated, calls, of_arrays, of_loops, arithmetic, weights, budget }
    }

    /// Records the weight of a body that has changed.
    pub fn measure(&mut self, fun: FunId, body: &Block) {
        self.weights.insert(fun, weight(body));
    }

    /// Whether a call of `callee` in `caller`, maybe in a loop there, is replaced by the body, whose weight is then spent.
    pub fn inlines(&mut self, caller: FunId, callee: FunId, in_loop: bool) -> bool {
        let weight = self.weights[&callee];
        if self.recursive.contains(&callee) {
            return false;
        }
        // A recursive function with a larger frame fills the stack earlier.
        let once = self.calls[&callee] == 1 && weight <= LARGE && !self.recursive.contains(&caller);
        if once || weight <= TINY {
            return true;
        }
        let limit = match in_loop || self.repeated.contains(&caller) {
            _ if self.of_arrays.contains(&callee) => SMALL_WITH_ARRAYS,
            true if self.of_loops.contains(&callee) || self.arithmetic.contains(&callee) => SMALL_WITH_ARRAYS,
            true => SMALL_IN_LOOPS,
            false => SMALL,
        };
        let fits = weight <= limit.min(self.budget);
        if fits {
            self.budget -= weight;
        }
        fits
    }
}

/// Whether a result of a function is an array that a loop of it makes.
fn makes_arrays(program: &Program, function: &Function) -> bool {
    let made = |stm: &&Stm| matches!(stm.exp, Exp::Bulk(_)) && stm.vars.iter().any(|var| program.ty(*var).is_array());
    let made: Set<Var> = function.body.stms.iter().filter(made).flat_map(|stm| &stm.vars).copied().collect();
    function.body.result.iter().filter_map(|atom| atom.var()).any(|var| made.contains(&var))
}

/// Whether a function works on many elements.
fn has_loops(function: &Function) -> bool {
    function.body.stms.iter().any(|stm| matches!(stm.exp, Exp::Bulk(_)))
}

/// Whether an expression runs what is inside of it many times.
pub(super) fn repeats(exp: &Exp) -> bool {
    matches!(exp, Exp::Loop { .. } | Exp::Bulk(_) | Exp::Sort(..))
}

/// The functions that are called in loops.
fn called_in_loops(program: &Program) -> Vec<FunId> {
    let mut called = BTreeSet::new();
    for function in program.functions.values() {
        function.body.walk(&mut |part| {
            if let Part::Stm(stm) = part
                && repeats(&stm.exp)
            {
                stm.walk(&mut |part| called.extend(callee(&part)));
            }
        });
    }
    called.into_iter().collect()
}

/// The function that a statement calls.
fn callee(part: &Part) -> Option<FunId> {
    match part {
        Part::Stm(Stm { exp: Exp::Call(callee, _), .. }) => Some(*callee),
        _ => None,
    }
}

/// How often functions are called.
fn counted(program: &Program) -> Map<FunId, usize> {
    let mut calls = Map::default();
    for function in program.functions.values() {
        function.body.walk(&mut |part| {
            if let Some(callee) = callee(&part) {
                *calls.entry(callee).or_default() += 1;
            }
        });
    }
    // Entry points are called from outside, too.
    for entry in &program.entries {
        *calls.entry(entry.function).or_default() += 1;
    }
    calls
}

/// The number of statements, at any depth; calls count more.
fn weight(body: &Block) -> usize {
    let mut total = 0;
    body.walk(&mut |part| {
        if let Part::Stm(stm) = part {
            total += match &stm.exp {
                Exp::Atom(_) | Exp::Retype(_) => 0,
                Exp::Call(_, args) => CALL + args.len(),
                Exp::Bulk(bulk) => 1 + bulk.outputs.len(),
                _ => 1,
            };
        }
    });
    total
}
