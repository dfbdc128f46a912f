//! Reads of elements through names of rows.
//!
//! ```text
//! let row: [len]f64 = xss[i]
//! let x: f64 = row[j]                  is the element `xss[i, j]`
//! ```
//!
//! Rows of regular arrays have lost their names before; those of jagged arrays keep them, since a row is found only once then.

use super::producer::Producer;
use base::Map;
use ir::traverse::Part;
use ir::{Atom, Block, Exp, Program, Stm, Var};

/// What a statement reads.
pub(super) enum Read {
    /// A row: nothing is computed yet.
    Row,
    Element(Element),
}

/// An element of one of the arrays of a producer, and the checks which show that it is inside.
#[derive(Clone)]
pub(super) struct Element {
    pub which: usize,
    pub at: Vec<Atom>,
    pub certs: Vec<Var>,
}

/// The rows that have names, with as many indices as lead to them.
#[derive(Default)]
pub(super) struct Rows(Map<Var, Element>);

impl Rows {
    /// What a statement reads of a producer. The name of a row is noted.
    pub fn read(&mut self, producer: &Producer, stm: &Stm) -> Option<Read> {
        let Exp::Index(array, inner) = &stm.exp else { return None };
        let own = producer.arrays.iter().position(|known| known == array);
        let whole = own.map(|which| Element { which, at: Vec::new(), certs: Vec::new() });
        let mut read = whole.or_else(|| self.0.get(array).cloned())?;
        read.at.extend(inner);
        read.certs.extend(&stm.certs);
        if read.at.len() == producer.loops.len() {
            return Some(Read::Element(read));
        }
        self.0.insert(stm.vars[0], read);
        Some(Read::Row)
    }

    /// Whether a variable is one of them.
    pub fn contains(&self, var: Var) -> bool {
        self.0.contains_key(&var)
    }
}

/// How often each array is read at an index, itself or through names of its rows, for arrays that have no other use and that no
/// type mentions as a shape.
pub(super) fn only_reads(program: &Program, body: &Block) -> Map<Var, usize> {
    let (mut reads, mut uses): (Map<Var, Vec<Var>>, Map<Var, usize>) = (Map::default(), Map::default());
    body.walk(&mut |part| match part {
        Part::Stm(Stm { exp: Exp::Index(array, _), vars, .. }) => reads.entry(*array).or_default().push(vars[0]),
        Part::Atom(Atom::Var(var)) | Part::Use(var) => *uses.entry(*var).or_default() += 1,
        Part::Bind(var) => program.ty(*var).for_each_var(&mut |shape| *uses.entry(shape).or_default() += 1),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    });
    let all = |array: Var| total(program, &reads, &uses, array);
    reads.keys().filter_map(|array| Some((*array, all(*array)?))).collect()
}

/// How often an array is read, if that is its only use.
fn total(program: &Program, reads: &Map<Var, Vec<Var>>, uses: &Map<Var, usize>, array: Var) -> Option<usize> {
    let own = reads.get(&array).map_or(&[][..], |reads| reads);
    (uses.get(&array).copied().unwrap_or(0) == own.len()).then_some(())?;
    let of_rows = own.iter().filter(|read| program.ty(**read).is_array());
    of_rows.map(|row| total(program, reads, uses, *row)).try_fold(own.len(), |sum, more| Some(sum + more?))
}
