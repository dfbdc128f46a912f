//! An array of short vectors whose components are read one by one becomes an array for each component.
//!
//! ```text
//! let ps: [n][2]f64 = bulk {                   let (ps.1: [n]f64, ps.2: [n]f64) = bulk {
//!   out gen [n] of (p: [2]f64)                   out gen [n] of (p.1: f64, p.2: f64)
//!   for i < n { emit [i] { .. => p } }    =>     for i < n { emit [i] { .. => p[0], p[1] } }
//! }                                            }
//! let p: [2]f64 = ps[k]                        let x: f64 = ps.1[k]
//! let x: f64 = p[0]
//! ```
//!
//! Arrays that something uses as a whole, such as results, stay as they are.

use super::split::{Split, for_each_value, short};
use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Dim, Exp, Kind, Output, Program, Stm, Type, Var};

/// Separates the arrays of a function.
pub(super) fn separate(program: &mut Program, body: &mut Block) {
    let uses = Uses::of(program, body);
    let mut arrays = Set::default();
    body.walk(&mut |part| {
        if let Part::Stm(Stm { vars, exp: Exp::Bulk(bulk), .. }) = part {
            for made in arrays_of_vectors(program, bulk, vars) {
                if made.iter().all(|array| uses.are_components(program, *array)) {
                    arrays.extend(made);
                }
            }
        }
    });
    if !arrays.is_empty() {
        let mut separate = Separate { program, arrays, parts: Map::default() };
        body.replace_stms(&mut |stm| separate.stm(stm));
    }
}

/// The arrays of short vectors that a form makes, for each output.
fn arrays_of_vectors(program: &Program, bulk: &Bulk, vars: &[Var]) -> Vec<Vec<Var>> {
    let mut rest = vars;
    let mut found = Vec::new();
    for output in &bulk.outputs {
        let (own, behind) = rest.split_at(output.bound());
        rest = behind;
        if is_plain(output) {
            let of_vectors = output.elems.iter().zip(own).filter(|(elem, _)| short(program, **elem).is_some());
            found.push(of_vectors.map(|(_, array)| *array).collect());
        }
    }
    found
}

/// Whether an output is an array in dimensions of known sizes.
fn is_plain(output: &Output) -> bool {
    let Kind::Gen { shape, rec, otherwise: None, .. } = &output.kind else { return false };
    rec.is_empty() && output.sizes.is_empty() && shape.iter().all(|dim| matches!(dim, Dim::Size(_)))
}

/// How the variables of a function are used.
#[derive(Default)]
struct Uses {
    all: Map<Var, usize>,
    reads: Map<Var, Vec<Read>>,
}

/// A read of an array.
struct Read {
    /// With how many indices.
    indices: usize,
    /// The last one, if it is a constant.
    last: Option<i64>,
    /// What is read.
    var: Var,
}

impl Uses {
    fn of(program: &Program, body: &Block) -> Uses {
        let mut uses = Uses::default();
        body.walk(&mut |part| match part {
            Part::Stm(Stm { vars, exp: Exp::Index(array, at), .. }) => {
                let last = at.last().and_then(|last| last.as_size());
                let read = Read { indices: at.len(), last, var: vars[0] };
                uses.reads.entry(*array).or_default().push(read);
            }
            Part::Atom(Atom::Var(var)) | Part::Use(var) => *uses.all.entry(*var).or_default() += 1,
            Part::Bind(var) => program.ty(*var).for_each_var(&mut |var| *uses.all.entry(var).or_default() += 1),
            Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
        });
        uses
    }

    /// Whether all that is used of an array of vectors are components of known number.
    fn are_components(&self, program: &Program, array: Var) -> bool {
        let dims = program.ty(array).dims();
        let Some(Dim::Size(components)) = dims.last() else { return false };
        let Some(components) = components.as_size() else { return false };
        // A read that a failing check guards may have any index.
        let is_known = |read: &Read| read.last.is_some_and(|last| (0..components).contains(&last));
        let is_component = |read: &Read| read.indices == dims.len() && is_known(read);
        let is_row = |read: &Read| read.indices + 1 == dims.len() && self.all_are(read.var, &is_known);
        self.all_are(array, &|read| is_component(read) || is_row(read))
    }

    /// Whether all uses of an array are such reads.
    fn all_are(&self, array: Var, good: &dyn Fn(&Read) -> bool) -> bool {
        let reads = self.reads.get(&array).map(Vec::as_slice).unwrap_or_default();
        !reads.is_empty() && self.all.get(&array) == Some(&reads.len()) && reads.iter().all(good)
    }
}

struct Separate<'p> {
    program: &'p mut Program,
    arrays: Set<Var>,
    /// For each array those of its components.
    parts: Map<Var, Vec<Var>>,
}

impl Separate<'_> {
    fn stm(&mut self, mut stm: Stm) -> Vec<Stm> {
        match &mut stm.exp {
            Exp::Bulk(bulk) => self.bulk(bulk, &mut stm.vars, stm.span),
            Exp::Index(array, at) if self.parts.contains_key(array) => return self.read(*array, at.clone(), &stm),
            _ => {}
        }
        vec![stm]
    }

    /// A form that makes arrays to be separated.
    fn bulk(&mut self, bulk: &mut Bulk, vars: &mut Vec<Var>, span: base::Span) {
        let mut bound = Vec::new();
        let mut rest = std::mem::take(vars);
        for (number, output) in bulk.outputs.iter_mut().enumerate() {
            let behind = rest.split_off(output.bound());
            let own = std::mem::replace(&mut rest, behind);
            if own.iter().any(|var| self.arrays.contains(var)) {
                let mut split = Split::new(self.program, span);
                for_each_value(&mut bulk.steps, number, &mut |value| split.values(value));
                let elems: Vec<Vec<Var>> = output.elems.iter().map(|elem| split.components(*elem)).collect();
                let arrays = own.iter().zip(&elems).map(|(array, parts)| self.separated(*array, parts.len()));
                bound.extend(arrays.collect::<Vec<_>>().concat());
                output.elems = elems.concat();
            } else {
                bound.extend(own);
            }
        }
        *vars = bound;
    }

    /// The arrays of the components of one.
    fn separated(&mut self, array: Var, components: usize) -> Vec<Var> {
        if !self.arrays.contains(&array) {
            return vec![array];
        }
        let mut info = self.program.vars[array].clone();
        if let Type::Array(_, dims) = &mut info.ty {
            dims.pop();
        }
        let parts: Vec<Var> = (0..components).map(|_| self.program.vars.push(info.clone())).collect();
        self.parts.insert(array, parts.clone());
        parts
    }

    /// Reads a vector or one of its components.
    fn read(&mut self, array: Var, at: Vec<Atom>, stm: &Stm) -> Vec<Stm> {
        let parts = self.parts[&array].clone();
        let from = |part: Var, at: &[Atom], var: Var| Stm {
            vars: vec![var],
            certs: stm.certs.clone(),
            exp: Exp::Index(part, at.to_vec()),
            span: stm.span,
        };
        if at.len() == self.program.ty(array).dims().len() {
            let (last, at) = at.split_last().unwrap_or_else(|| base::bug!("a read without an index"));
            let number = last.as_size().and_then(|last| usize::try_from(last).ok());
            let part = number.and_then(|number| parts.get(number)).unwrap_or_else(|| base::bug!("no such component"));
            return vec![from(*part, at, stm.vars[0])];
        }
        let mut split = Split::new(self.program, stm.span);
        let components = split.components(stm.vars[0]);
        let mut stms: Vec<Stm> = parts.iter().zip(&components).map(|(part, var)| from(*part, &at, *var)).collect();
        stms.extend(split.vector(stm.vars[0], &components));
        stms
    }
}
