//! Whether a condition that decides between two versions of a form may hold at all in ordinary runs.
//!
//! ```text
//! let t = 0 - m
//! let u = 0 <= t            // only if `m` is not above zero: a version for that would never run
//! ```
//!
//! The condition is computed for a few values of the integers from outside, none of them below 1: all equal, small ones beside
//! large sizes, any others. If it holds for none of them, it is not worth a version.

use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Dim, Exp, Program, Stm, Type, Var};
use scalar::{Scalar, eval_bin, eval_math};

/// Definitions inside of each other that are looked at.
const DEEPEST: usize = 40;

/// How scalars of a function are computed.
#[derive(Default)]
pub(super) struct Scalars {
    computed: Map<Var, Exp>,
    /// Sizes of arrays.
    sizes: Set<Var>,
}

impl Scalars {
    /// Those of a body.
    pub fn of(program: &Program, body: &Block) -> Scalars {
        let mut found = Scalars::default();
        body.walk(&mut |part| {
            if let Part::Stm(stm) = part {
                found.add(stm);
                stm.exp.for_each_part(&mut |part| {
                    if let Part::Use(array) = part {
                        found.add_sizes(program, *array);
                    }
                });
            }
        });
        found
    }

    fn add_sizes(&mut self, program: &Program, array: Var) {
        for dim in program.ty(array).dims() {
            if let Dim::Size(Atom::Var(size)) = dim {
                self.sizes.insert(*size);
            }
        }
    }

    fn add(&mut self, stm: &Stm) {
        if let ([var], Exp::Atom(_) | Exp::Bin(..) | Exp::Select(..) | Exp::Math(..)) = (&stm.vars[..], &stm.exp) {
            self.computed.insert(*var, stm.exp.clone());
        }
    }

    /// Whether a condition that these statements compute holds for some of the values that are tried, or cannot be computed.
    pub fn may_hold(&mut self, program: &Program, stms: &[Stm], cond: Atom) -> bool {
        stms.iter().for_each(|stm| self.add(stm));
        (0..SAMPLES).any(|sample| {
            let mut evaluation = Evaluation { program, scalars: self, sample, known: Map::default() };
            evaluation.value(cond, DEEPEST) != Some(Scalar::Bool(false))
        })
    }
}

/// How many values are tried for each integer from outside.
const SAMPLES: u64 = 24;
/// The ranges that they come from.
const RANGES: [u64; 4] = [4, 64, 4096, 1_000_000];

/// A value for an integer from outside, which is the size of an array or not.
fn chosen(sample: u64, is_size: bool, number: u32) -> i64 {
    // Equal and plain numbers first; then any, always the same ones.
    let mixed = (u64::from(number) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(sample as u32 * 7) >> 20;
    let range = if is_size { 100_000 } else { RANGES[sample as usize % RANGES.len()] };
    match sample {
        0 => 1,
        1 => 1000,
        2 => {
            if is_size {
                1000
            } else {
                2
            }
        }
        _ => 1 + (mixed % range) as i64,
    }
}

/// The values of scalars for one sample.
struct Evaluation<'a> {
    program: &'a Program,
    scalars: &'a Scalars,
    sample: u64,
    known: Map<Var, Option<Scalar>>,
}

impl Evaluation<'_> {
    fn value(&mut self, atom: Atom, depth: usize) -> Option<Scalar> {
        let var = match atom {
            Atom::Const(constant) => return Some(constant),
            Atom::Var(var) => var,
        };
        if let Some(known) = self.known.get(&var) {
            return *known;
        }
        let value = self.computed(var, depth.checked_sub(1)?);
        self.known.insert(var, value);
        value
    }

    fn computed(&mut self, var: Var, depth: usize) -> Option<Scalar> {
        match self.scalars.computed.get(&var) {
            Some(Exp::Atom(a)) => self.value(*a, depth),
            Some(Exp::Bin(op, _, a, b)) => eval_bin(*op, self.value(*a, depth)?, self.value(*b, depth)?).ok(),
            Some(Exp::Math(op, _, args)) => {
                let args: Option<Vec<Scalar>> = args.iter().map(|arg| self.value(*arg, depth)).collect();
                eval_math(*op, &args?).ok()
            }
            Some(Exp::Select(cond, a, b)) => match self.value(*cond, depth)? {
                Scalar::Bool(true) => self.value(*a, depth),
                _ => self.value(*b, depth),
            },
            _ if *self.program.ty(var) == Type::I64 => {
                Some(Scalar::I64(chosen(self.sample, self.scalars.sizes.contains(&var), var.0)))
            }
            _ => None,
        }
    }
}
