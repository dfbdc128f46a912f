//! Small arrays that are only read at constant indices become scalars.
//!
//! ```text
//! let v: [2]f64 = bulk {                   let x: f64 = a * 2.0
//!   out gen [2] of (y: f64)                let x.1: f64 = b * 2.0
//!   for i < 2 {                            let s: f64 = x + x.1
//!     emit [i] { let x = l[i] * 2.0 } =>
//!   }
//! }
//! let s: f64 = v[0] + v[1]
//! ```
//!
//! The loops are unrolled, and each read gets the value of its element. It relies on the checks of all elements, so that none
//! vanishes. An array in which a constant place is replaced
//! (`v with [1] = x`) is handled likewise: reads of other places read the old array.

use base::{Map, Set};
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Coverage, Emit, Exp, Kind, Output, Program, Step, Stm, Type, Var};

/// Arrays of more elements stay arrays.
const MOST_ELEMENTS: i64 = 16;
/// Unrolling makes at most this many statements.
const MOST_STATEMENTS: usize = 128;

/// How arrays are read.
#[derive(Default)]
pub(super) struct Reads {
    /// Those that are read at constant indices and used in no other way, with these indices.
    constant: Map<Var, Set<Vec<i64>>>,
    /// All that are used.
    used: Set<Var>,
}

impl Reads {
    /// Whether the elements that were made are all that is used of an array.
    fn need_only(&self, made: &Scalars, array: Var) -> bool {
        let found = |at: &Vec<i64>| made.elements.iter().any(|(var, place, _)| *var == array && place == at);
        match self.constant.get(&array) {
            Some(reads) => reads.iter().all(found),
            None => !self.used.contains(&array),
        }
    }
}

/// Looks for them in a body.
pub(super) fn constant_reads(program: &Program, body: &Block) -> Reads {
    let mut reads: Map<Var, Set<Vec<i64>>> = Map::default();
    let mut times: Map<Var, usize> = Map::default();
    let mut uses: Map<Var, usize> = Map::default();
    body.walk(&mut |part| match part {
        Part::Stm(Stm { exp: Exp::Index(array, at), .. }) => {
            if let Some(at) = constants(at) {
                reads.entry(*array).or_default().insert(at);
                *times.entry(*array).or_default() += 1;
            }
        }
        Part::Atom(Atom::Var(var)) | Part::Use(var) => *uses.entry(*var).or_default() += 1,
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| *uses.entry(var).or_default() += 1),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    reads.retain(|array, _| uses.get(array) == times.get(array));
    Reads { constant: reads, used: uses.into_keys().collect() }
}

fn constants(at: &[Atom]) -> Option<Vec<i64>> {
    at.iter().map(|index| index.as_size()).collect()
}

/// What takes the place of an array.
#[derive(Default)]
pub(super) struct Scalars {
    /// The statements that compute its elements.
    pub stms: Vec<Stm>,
    /// The elements.
    pub elements: Vec<(Var, Vec<i64>, Atom)>,
    /// An array that has the other elements.
    pub rest: Option<(Var, Var)>,
    /// The checks that all elements rely on.
    pub certs: Vec<Var>,
}

/// The scalars in place of the arrays that a statement makes, if they are small and `reads` lists them. `known` are the
/// values of variables so far.
pub(super) fn scalars(program: &mut Program, known: &Substitution, reads: &Reads, stm: &Stm) -> Option<Scalars> {
    let Exp::Bulk(bulk @ Bulk { outputs, steps, scheduled: false }) = &stm.exp else { return None };
    let [output] = &outputs[..] else { return None };
    let is_scalar = |elem: &Var| matches!(program.ty(*elem), Type::Scalar(_));
    let is_update = matches!(output.kind, Kind::Update { .. });
    if !stm.vars.iter().any(|var| reads.constant.contains_key(var)) || is_update && !output.elems.iter().all(is_scalar)
    {
        return None;
    }
    let mut unroll =
        Unroll { program, known, vars: &stm.vars, certs: &stm.certs, made: Scalars::default(), left: MOST_STATEMENTS };
    match &output.kind {
        Kind::Gen { .. } if is_small(unroll.program, known, output, stm, bulk) => {
            unroll.steps(steps, &Substitution::default())?
        }
        Kind::Update { arrays, skip: false, rec } if rec.is_empty() && arrays.len() == 1 => {
            let [Step::Emit(emit)] = &steps[..] else { return None };
            unroll.emit(emit, &Substitution::default())?;
            unroll.made.rest = Some((stm.vars[0], arrays[0]));
        }
        _ => return None,
    }
    let made = unroll.made;
    let complete = |var: &Var| match (made.rest, reads.constant.get(var)) {
        (Some(_), Some(reads)) => reads.iter().all(|at| at.len() == program.ty(*var).dims().len()),
        _ => reads.need_only(&made, *var),
    };
    let exact = is_exact(program, known, output, stm.vars[0], &made);
    (exact && stm.vars.iter().all(complete)).then_some(made)
}

/// Whether a form makes arrays of few elements.
fn is_small(program: &Program, known: &Substitution, output: &Output, stm: &Stm, bulk: &Bulk) -> bool {
    let Kind::Gen { otherwise: None, rec, .. } = &output.kind else { return false };
    let mut extents = program.ty(stm.vars[0]).dims().iter().map(|dim| match known.dim(*dim) {
        ir::Dim::Size(n) => n.as_size(),
        ir::Dim::Jagged(_) | ir::Dim::Shape(_) => None,
    });
    let elements = extents.try_fold(1_i64, |total, n| total.checked_mul(n?));
    let few = elements.is_some_and(|elements| (1..=MOST_ELEMENTS).contains(&elements));
    few && rec.is_empty() && output.sizes.is_empty() && analysis::emits::scans(&bulk.steps).is_empty()
}

/// Whether each element has one value: by the form, or because the values are as many as the elements and go to different
/// places.
fn is_exact(program: &Program, known: &Substitution, output: &Output, array: Var, made: &Scalars) -> bool {
    if let Kind::Gen { coverage: Coverage::Exact, .. } | Kind::Update { .. } = &output.kind {
        return true;
    }
    let places: Set<&Vec<i64>> = made.elements.iter().filter(|(var, ..)| *var == array).map(|(_, at, _)| at).collect();
    let values = made.elements.iter().filter(|(var, ..)| *var == array).count();
    let total = program.ty(array).dims().iter().map(|dim| match known.dim(*dim) {
        ir::Dim::Size(n) => n.as_size().unwrap_or_default(),
        ir::Dim::Jagged(_) | ir::Dim::Shape(_) => 0,
    });
    places.len() == values && i64::try_from(values) == Ok(total.product())
}

struct Unroll<'a> {
    program: &'a mut Program,
    known: &'a Substitution,
    vars: &'a [Var],
    certs: &'a [Var],
    made: Scalars,
    /// How many more statements may be made.
    left: usize,
}

impl Unroll<'_> {
    /// Runs steps, with these values of indices and of variables bound before.
    fn steps(&mut self, steps: &[Step], outer: &Substitution) -> Option<()> {
        let mut values = outer.clone();
        for step in steps {
            match step {
                Step::For { var, count, body, .. } => {
                    let count = self.known.atom(values.atom(*count)).as_size()?;
                    for turn in 0..count.min(MOST_ELEMENTS + 1) {
                        let mut inner = values.clone();
                        inner.insert(*var, Atom::size(turn));
                        self.steps(body, &inner)?;
                    }
                }
                Step::Let(stm) => self.bind(stm, &mut values)?,
                Step::Emit(emit) => self.emit(emit, &values)?,
                Step::Guard(..) | Step::Scan(_) => return None,
            }
        }
        Some(())
    }

    /// A copy of a binding.
    fn bind(&mut self, stm: &Stm, values: &mut Substitution) -> Option<()> {
        let result = stm.vars.iter().map(|var| Atom::Var(*var)).collect();
        let copy = self.copy(&Block { stms: vec![stm.clone()], result }, values, &[])?;
        stm.vars.iter().zip(copy).for_each(|(var, atom)| values.insert(*var, atom));
        Some(())
    }

    /// The elements that a value defines.
    fn emit(&mut self, emit: &Emit, values: &Substitution) -> Option<()> {
        let at: Vec<Atom> = emit.at.iter().map(|index| self.known.atom(values.atom(*index))).collect();
        let at = constants(&at)?;
        let certs: Vec<Var> = emit.certs.iter().map(|cert| values.var(*cert)).collect();
        let atoms = self.copy(&emit.value, values, &certs)?;
        self.made.certs.extend(certs);
        for (var, atom) in self.vars.iter().zip(atoms) {
            if at.len() == self.program.ty(*var).dims().len() {
                self.made.elements.push((*var, at.clone(), atom));
            } else {
                self.row(*var, &at, atom)?;
            }
        }
        Some(())
    }

    /// The elements of a row that is a literal.
    fn row(&mut self, var: Var, at: &[i64], row: Atom) -> Option<()> {
        let stm = self.made.stms.iter().rfind(|stm| stm.vars.first().map(|var| Atom::Var(*var)) == Some(row))?;
        let Exp::Literal(_, atoms) = &stm.exp else { return None };
        (at.len() + 1 == self.program.ty(var).dims().len()).then_some(())?;
        let element = |(k, atom): (i64, &Atom)| (var, [at, &[k]].concat(), *atom);
        self.made.elements.extend((0..).zip(atoms).map(element));
        Some(())
    }

    /// Puts a copy of a block among the new statements; its results.
    fn copy(&mut self, block: &Block, values: &Substitution, certs: &[Var]) -> Option<Vec<Atom>> {
        let is_heavy = |exp: &Exp| matches!(exp, Exp::Bulk(_) | Exp::Call(..) | Exp::Trace(..));
        let is_light = |stm: &Stm| stm.exp.blocks().is_empty() && !is_heavy(&stm.exp);
        self.left = self.left.checked_sub(block.stms.len())?;
        block.stms.iter().all(is_light).then_some(())?;
        let Block { stms, result } = copy_block(&mut self.program.vars, block, values.clone());
        for mut stm in stms {
            if stm.exp.is_partial() {
                let more = self.certs.iter().chain(certs).filter(|cert| !stm.certs.contains(cert));
                let more: Vec<Var> = more.copied().collect();
                stm.certs.extend(more);
            }
            // A check of an element must not vanish with the element, because something reads the array.
            if let Exp::Assert { .. } = stm.exp {
                self.made.certs.extend(&stm.vars);
            }
            self.made.stms.push(stm);
        }
        Some(result)
    }
}
