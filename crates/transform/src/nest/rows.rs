//! Rows of which a turn only reads each element once are computed element by element.
//!
//! ```text
//! for k < l {                                   for k < l {
//!   let row: [m]f64 = bulk {                      for j < m {
//!     out gen [m] of (x: f64)                       emit [j] { let x: f64 = .. j .. => x }
//!     for i < m { emit [i] { .. i .. } }          }
//!   }                                           }
//!   for j < m {                           =>
//!     emit [j] { let x: f64 = row[j] => x }
//!   }
//! }
//! ```

use super::around::Around;
use super::element_wise::nest;
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::{Atom, Block, Emit, Exp, Program, Stm, Var};

/// Puts the elements of such rows in the place of the rows.
pub(super) fn by_elements(program: &mut Program, around: Vec<Around>, value: Emit) -> (Vec<Around>, Emit) {
    let (mut around, mut value) = (around, value);
    // The last rows are made of earlier ones.
    for at in (0..around.len()).rev() {
        if let Some(element) = element(program, &around, at, &value) {
            around.remove(at);
            let stms = std::mem::take(&mut value.value.stms);
            let read = |stm: &Stm| matches!(stm.exp, Exp::Index(array, _) if array == element.row);
            for stm in stms {
                match read(&stm) {
                    true => {
                        value.value.stms.extend(element.block.stms.iter().cloned());
                        value.value.stms.push(Stm { exp: Exp::Atom(element.block.result[0]), ..stm });
                    }
                    false => value.value.stms.push(stm),
                }
            }
        }
    }
    (around, value)
}

/// The element of a row that a value reads.
struct Element {
    row: Var,
    block: Block,
}

fn element(program: &mut Program, around: &[Around], at: usize, value: &Emit) -> Option<Element> {
    let Around::Let(stm) = &around[at] else { return None };
    let (Exp::Bulk(bulk), [row]) = (&stm.exp, &stm.vars[..]) else { return None };
    let (loops, block) = nest(program, bulk)?;
    let inner: Vec<(Var, Atom)> = around[at..]
        .iter()
        .filter_map(|step| match step {
            Around::For(var, count) => Some((*var, *count)),
            Around::Guard(_) | Around::Let(_) => None,
        })
        .collect();
    let indices: Vec<Atom> = inner.iter().map(|(var, _)| Atom::Var(*var)).collect();
    // All loops inside go through the row, so no element is computed twice.
    let same = loops.iter().map(|(_, count)| count).eq(inner.iter().map(|(_, count)| count));
    let reads = |stm: &&Stm| matches!(&stm.exp, Exp::Index(array, at) if array == row && *at == indices);
    let once = value.value.stms.iter().filter(reads).count() == 1 && mentions(program, around, value, *row) == 1;
    (same && once && stm.certs.is_empty() && block.result.len() == 1).then_some(())?;
    let names: Vec<Var> = loops.iter().map(|(var, _)| *var).collect();
    let block = copy_block(&mut program.vars, &block, Substitution::new(&names, &indices));
    Some(Element { row: *row, block })
}

/// How often a variable is mentioned by what is around a value and by the value.
fn mentions(program: &Program, around: &[Around], value: &Emit, var: Var) -> usize {
    let mut found = 0;
    let mut note = |part: Part<'_>| match part {
        Part::Atom(Atom::Var(other)) | Part::Use(other) => found += usize::from(*other == var),
        Part::Bind(bound) => program.ty(*bound).for_each_var(&mut |other| found += usize::from(other == var)),
        Part::Atom(Atom::Const(_)) | Part::Block(_) | Part::Stm(_) => {}
    };
    for step in around.iter().cloned().flat_map(|step| step.around(Vec::new())) {
        step.walk(&mut note);
    }
    value.value.walk(&mut note);
    found
}
