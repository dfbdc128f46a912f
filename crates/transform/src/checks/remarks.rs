//! What `ravel explain` says about checks.

use super::hoist::Hoisted;
use super::proved::Proved;
use super::versions::Versions;
use base::{Map, Span};
use ir::traverse::Part;
use ir::{Block, Exp, FunId, Program, Remark, SiteId, Stm, Topic, Var};

/// What was done about the checks of a function.
#[derive(Default)]
pub(super) struct Changed {
    pub proved: Proved,
    /// Whether checks ask for sizes alone, or for a side of an index, that asked for more before.
    pub asks_less: bool,
    pub hoisted: Hoisted,
    pub versions: Versions,
}

impl Changed {
    /// Whether nothing was done, and nothing left that is worth a word.
    pub fn is_nothing(&self) -> bool {
        let Changed { proved, asks_less, hoisted, versions } = self;
        !asks_less
            && proved.is_empty()
            && hoisted.moved.is_empty()
            && hoisted.left.is_empty()
            && versions.left_away.is_empty()
    }
}

/// The checks of a body that a reader of the program knows of: indices of elements. By their certificates.
type Known = Map<Var, (SiteId, Span)>;

/// Finds them.
fn known(program: &Program, body: &Block) -> Known {
    let mut found = Map::default();
    body.walk(&mut |part| {
        if let Part::Stm(Stm { vars, exp: Exp::Assert { site, .. }, span, .. }) = part
            && let [cert] = vars[..]
            && program.sites[*site].message.fault.is_of_element()
        {
            found.insert(cert, (*site, *span));
        }
    });
    found
}

/// Says what was done about the checks of a function whose body was this one.
pub(super) fn say(program: &mut Program, function: FunId, body: &Block, changed: &Changed) {
    let Changed { proved, hoisted, versions, .. } = changed;
    let known = known(program, body);
    let about = |site: SiteId| program.sites[site].message.fault.about();
    let mut said: Vec<Remark> = Vec::new();
    for (cert, reasons) in proved {
        if let Some((site, span)) = known.get(cert) {
            said.push(removed(about(*site), *span, reasons, &known));
        }
    }
    for cert in &hoisted.moved {
        if let Some((site, span)) = known.get(cert) {
            let text = format!("{}: one check before the loop takes the place of one in each turn", about(*site));
            said.push(Remark::done(Topic::Hoisted, *span, text));
        }
    }
    for (cert, why) in &hoisted.left {
        if let Some((site, span)) = known.get(cert) {
            let text = format!("{}: the check stays in the loop, because {why}", about(*site));
            said.push(Remark::not_done(Topic::Hoisted, *span, text));
        }
    }
    let mut decided: Vec<Span> = Vec::new();
    for cert in &versions.left_away {
        if let Some((site, span)) = known.get(cert) {
            let text = format!(
                "{}: a version of the loop does without the check if the sizes say that it holds",
                about(*site)
            );
            said.push(Remark::done(Topic::Hoisted, *span, text));
            decided.push(*span);
        }
    }
    // What was said before these versions were made is no longer so.
    let is_past = |remark: &Remark| remark.topic == Topic::Hoisted && !remark.done && decided.contains(&remark.span);
    program.functions[function].remarks.retain(|remark| !is_past(remark));
    said.sort_by(|a, b| (a.span.start, &a.text).cmp(&(b.span.start, &b.text)));
    said.into_iter().for_each(|remark| program.functions[function].remark(remark));
}

/// A check that holds anyway.
fn removed(fault: &str, span: Span, reasons: &[Var], known: &Known) -> Remark {
    let not_needed = |why: &str| Remark::not_done(Topic::Checked, span, format!("{fault}: {why}"));
    let other = reasons.iter().find_map(|reason| known.get(reason)).filter(|(_, other)| *other != span);
    match (reasons.is_empty(), other) {
        (true, _) => Remark::not_done(Topic::Checked, span, format!("a check that always holds is not made: {fault}")),
        (false, Some((_, other))) => not_needed("no check is made, because that of {} says the same").about(*other),
        (false, None) => not_needed("no second check is made, because another one here says the same"),
    }
}
