//! The calls under way, for the messages of checks in functions of Core.
//!
//! A check knows the calls that were unfolded around it. What called the function itself is known only if that happens at
//! one place of the program: then the checks inside show that call, too, and what is known around it.

use base::site::SHOWN_CALLS;
use base::{Map, Name, Span};
use ir::traverse::Part;
use ir::{Block, Coverage, Exp, FunId, Kind, Program, SiteId, Stm, Var};

/// Calls, innermost first: the function called and where.
pub(crate) type Chain = Vec<(Name, Span)>;

/// What a function has in it.
#[derive(Default)]
struct Found {
    sites: Vec<SiteId>,
    /// Functions called, each with the first of its results.
    calls: Vec<(FunId, Option<Var>)>,
}

/// Completes the messages. `chains` has the calls at each call of a function, by the first of its results.
pub(crate) fn complete(program: &mut Program, chains: &Map<Var, Chain>) {
    let found: Vec<(FunId, Found)> =
        program.functions.ids().map(|fun| (fun, found_in(&program.functions[fun].body))).collect();
    let mut callers: Map<FunId, Vec<(FunId, Option<&Chain>)>> = Map::default();
    for (fun, inside) in &found {
        for (called, result) in &inside.calls {
            callers.entry(*called).or_default().push((*fun, result.and_then(|result| chains.get(&result))));
        }
    }
    for (fun, inside) in &found {
        let outer = chain_of(program, &callers, *fun);
        for site in &inside.sites {
            let site = &mut program.sites[*site];
            site.calls.extend(outer.iter().filter(|call| call.1 != site.span).copied());
            site.calls.truncate(SHOWN_CALLS);
        }
    }
}

/// The calls that lead to a function, as far as there is only one way.
fn chain_of(program: &Program, callers: &Map<FunId, Vec<(FunId, Option<&Chain>)>>, mut fun: FunId) -> Chain {
    let mut chain = Chain::new();
    while chain.len() < SHOWN_CALLS && !program.entries.iter().any(|entry| entry.function == fun) {
        let Some([(outer, Some(calls))]) = callers.get(&fun).map(Vec::as_slice) else { break };
        // A call without a place in the user's text would repeat itself for ever.
        if calls.is_empty() {
            break;
        }
        chain.extend_from_slice(calls);
        fun = *outer;
    }
    chain
}

fn found_in(body: &Block) -> Found {
    let mut found = Found::default();
    body.walk(&mut |part| {
        if let Part::Stm(stm) = part {
            look_at(stm, &mut found);
        }
    });
    found
}

fn look_at(stm: &Stm, found: &mut Found) {
    match &stm.exp {
        Exp::Assert { site, .. } => found.sites.push(*site),
        Exp::Call(function, _) => found.calls.push((*function, stm.vars.first().copied())),
        Exp::Bulk(bulk) => {
            for output in &bulk.outputs {
                if let Kind::Gen { coverage: Coverage::Checked { collision, gap, cycle }, .. } = &output.kind {
                    found.sites.extend([*collision, *gap, *cycle]);
                }
            }
        }
        _ => {}
    }
}
