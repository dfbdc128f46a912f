//! Which values are rows that a construction makes.

use base::Map;
use ir::traverse::Part;
use ir::{Atom, Bulk, Coverage, Dim, Exp, Kind, LoopForm, Output, Program, Stm, Type, Var};

/// Where a component of a value comes from.
#[derive(Clone)]
pub(super) struct Row {
    /// The number of the statement that constructs it, of its output there, and of the component of the output.
    pub stm: usize,
    pub output: usize,
    pub elem: usize,
    /// The statements that only change its type, and the checks these rely on.
    pub retypes: Vec<usize>,
    pub certs: Vec<Var>,
}

/// Whether a statement makes arrays whose elements are arrays.
pub(super) fn makes_rows(program: &Program, stm: &Stm) -> bool {
    let Exp::Bulk(bulk) = &stm.exp else { return false };
    !bulk.scheduled && bulk.outputs.iter().any(|output| has_rows(program, output))
}

/// Whether elements of an output are rows, in dimensions of known number.
pub(super) fn has_rows(program: &Program, output: &Output) -> bool {
    is_plain(output) && output.elems.iter().any(|elem| is_listed_array(program.ty(*elem)))
}

/// Whether a type lists all its dimensions: jagged ones have descriptors that are there before the rows.
fn is_listed_array(ty: &Type) -> bool {
    matches!(ty, Type::Array(_, dims) if dims.iter().all(|dim| !matches!(dim, Dim::Shape(_))))
}

/// Whether an output is an array of elements of one size, each of which some value defines.
fn is_plain(output: &Output) -> bool {
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return false };
    rec.is_empty() && output.sizes.is_empty() && shape.iter().all(|dim| !matches!(dim, Dim::Shape(_)))
}

/// Whether the steps of a construction can run as part of another one.
fn is_spliceable(bulk: &Bulk) -> bool {
    !bulk.scheduled && bulk.outputs.iter().all(is_plain) && analysis::emits::scans(&bulk.steps).is_empty()
}

/// The row that a result of these statements is. `uses` counts the uses of variables in the whole form.
pub(super) fn row(program: &Program, uses: &Map<Var, usize>, stms: &[Stm], result: Atom) -> Option<Row> {
    let mut var = result.var()?;
    let (mut retypes, mut certs) = (Vec::new(), Vec::new());
    loop {
        let at = stms.iter().rposition(|stm| stm.vars.contains(&var))?;
        if uses.get(&var) != Some(&1) {
            return None;
        }
        match &stms[at].exp {
            Exp::Retype(from) if is_listed_array(program.ty(*from)) => {
                retypes.push(at);
                certs.extend(&stms[at].certs);
                var = *from;
            }
            Exp::Bulk(bulk) if is_spliceable(bulk) => {
                let (output, elem) = component(bulk, &stms[at].vars, var)?;
                return Some(Row { stm: at, output, elem, retypes, certs });
            }
            _ => return None,
        }
    }
}

/// Which output of a construction, and which component of it, a variable is.
fn component(bulk: &Bulk, vars: &[Var], var: Var) -> Option<(usize, usize)> {
    let mut place = vars.iter().position(|bound| *bound == var)?;
    for (number, output) in bulk.outputs.iter().enumerate() {
        match place.checked_sub(output.elems.len()) {
            Some(rest) => place = rest,
            None => return Some((number, place)),
        }
    }
    None
}

/// Whether a statement may end the program, print something, or run forever.
pub(super) fn may_fail(stm: &Stm) -> bool {
    let is_while = |stm: &Stm| matches!(stm.exp, Exp::Loop { form: LoopForm::While(_), .. });
    let mut found = stm.can_fail() || is_while(stm);
    stm.walk(&mut |part| found |= matches!(part, Part::Stm(inner) if is_while(inner)));
    found
}
