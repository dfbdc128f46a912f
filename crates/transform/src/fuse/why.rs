//! Says of arrays that are still there why they are.
//!
//! Only arrays are meant that loops read element by element: what is a result, or is sorted, is needed as a whole.

use super::reading::Uses;
use analysis::emits;
use base::Set;
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Exp, Kind, Output, Remark, Step, Stm, Topic, Var};

const LOOP: &str = "the array of {} is built first: the turns of a `loop` read it one after the other";
const CHECKS: &str = "the array of {} is built first: all its checks come before those of this loop";
const KEPT: &str = "the array of {} is built first: which elements it keeps is known only at its end";
const ROWS: &str =
    "the array of {} is built first: its elements take loops of their own, and this loop reads them elsewhere";
const READS: &str =
    "the array of {} is built first: this loop reads elements of other turns, and computing them again costs more";

const RUNNING: &str =
    "the array of {} is built first: each of its values takes the one before, and this loop takes them in another way";
const UNLIKE: &str = "the array of {} is built first: its loop and this one do not run alike";

/// Remarks about a function with this body.
pub(super) fn remarks(body: &Block) -> Vec<Remark> {
    let mut uses = Uses::default();
    body.walk(&mut |part| uses.count(&part));
    let mut found = uses.block(body);
    body.walk(&mut |part| {
        if let Part::Block(block) = part {
            found.extend(uses.block(block));
        }
    });
    found
}

impl Uses {
    fn block(&self, block: &Block) -> Vec<Remark> {
        let mut found = Vec::new();
        for (place, stm) in block.stms.iter().enumerate() {
            if let Exp::Bulk(bulk) = &stm.exp {
                found.extend(self.form(stm, bulk, &block.stms[place + 1..]));
            }
        }
        found
    }

    /// About the arrays of a form, with the statements behind it.
    fn form(&self, stm: &Stm, bulk: &Bulk, behind: &[Stm]) -> Vec<Remark> {
        let (mut found, mut rest) = (Vec::new(), &stm.vars[..]);
        for output in &bulk.outputs {
            let (bound, more) = rest.split_at(output.bound());
            rest = more;
            let arrays = &bound[bound.len() - output.elems.len()..];
            let array = arrays.iter().find(|array| self.only_read(**array));
            let reader = array.and_then(|array| {
                let reader = behind.iter().find(|reader| mentions(reader, *array))?;
                Some((*array, reader))
            });
            let text = reader.and_then(|(array, reader)| Some((reader, reason(stm, output, (array, reader))?)));
            found.extend(text.map(|(reader, text)| Remark::not_done(Topic::Fused, reader.span, text).about(stm.span)));
        }
        found
    }
}

fn reason(maker: &Stm, output: &Output, (array, reader): (Var, &Stm)) -> Option<&'static str> {
    let is_new = matches!(output.kind, Kind::Gen { .. } | Kind::Keep) && output.rec().is_empty();
    match &reader.exp {
        _ if !is_new => None,
        Exp::Loop { .. } => Some(LOOP),
        Exp::Bulk(_) if maker.can_fail() && reader.can_fail() => Some(CHECKS),
        Exp::Bulk(_) if matches!(output.kind, Kind::Keep) => Some(KEPT),
        Exp::Bulk(_) if has_loops(maker) => Some(ROWS),
        Exp::Bulk(_) if runs(maker) => Some(RUNNING),
        Exp::Bulk(_) if reads_own_turns(reader, array) => Some(UNLIKE),
        Exp::Bulk(_) => Some(READS),
        _ => None,
    }
}

/// Whether a form has running combinations.
fn runs(stm: &Stm) -> bool {
    matches!(&stm.exp, Exp::Bulk(bulk) if !emits::scans(&bulk.steps).is_empty())
}

/// Whether the loops of a form read an array at their own indices alone.
fn reads_own_turns(stm: &Stm, array: Var) -> bool {
    let Exp::Bulk(bulk) = &stm.exp else { return false };
    let mut indices = Set::default();
    loops(&bulk.steps, &mut indices);
    let mut own = true;
    stm.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Index(read, at), .. }) = part
            && *read == array
        {
            own &= at.iter().all(|at| at.var().is_some_and(|at| indices.contains(&at)));
        }
    });
    own
}

fn loops(steps: &[Step], indices: &mut Set<Var>) {
    for step in steps {
        match step {
            Step::For { var, body, .. } => {
                indices.insert(*var);
                loops(body, indices);
            }
            Step::Guard(_, body) => loops(body, indices),
            Step::Let(_) | Step::Scan(_) | Step::Emit(_) => {}
        }
    }
}

/// Whether there are loops in the loop of a form.
fn has_loops(stm: &Stm) -> bool {
    let mut found = false;
    stm.walk(&mut |part| found |= matches!(part, Part::Stm(Stm { exp: Exp::Bulk(_) | Exp::Loop { .. }, .. })));
    found
}

fn mentions(stm: &Stm, array: Var) -> bool {
    let mut found = false;
    stm.walk(&mut |part| {
        if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
            found |= *var == array;
        }
    });
    found
}
