//! Removes the messages of checks that were removed.

use base::{IdVec, Map, Set};
use ir::{Block, Exp, Program, SiteId};

/// Removes the sites that no check uses.
pub(super) fn remove_unused(program: &mut Program) {
    let mut used = Set::default();
    for_each_site(program, &mut |site| {
        used.insert(*site);
    });
    if used.len() == program.sites.len() {
        return;
    }
    let (mut kept, mut names) = (IdVec::new(), Map::default());
    for (old, site) in std::mem::take(&mut program.sites).into_items() {
        if used.contains(&old) {
            names.insert(old, kept.push(site));
        }
    }
    program.sites = kept;
    for_each_site(program, &mut |site| *site = names[site]);
}

fn for_each_site(program: &mut Program, f: &mut dyn FnMut(&mut SiteId)) {
    for function in program.functions.values_mut() {
        function.too_deep.iter_mut().for_each(&mut *f);
        for_each_in(&mut function.body, f);
    }
}

fn for_each_in(block: &mut Block, f: &mut dyn FnMut(&mut SiteId)) {
    block.for_each_stm_mut(&mut |stm| match &mut stm.exp {
        Exp::Assert { site, .. } => f(site),
        Exp::Bulk(bulk) => bulk.sites_mut().for_each(&mut *f),
        _ => {}
    });
}
