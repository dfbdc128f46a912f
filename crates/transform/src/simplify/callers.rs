//! Messages of checks whose callers are known.
//!
//! A check in a function with several callers gets the active calls as its last argument, packed into one word
//! (`fault::calls`). Where the function was inlined, or has one caller left, the word is a constant: then the message
//! names the calls, and the check needs no such argument.

use base::Map;
use ir::{Block, Coverage, Exp, Kind, Program, SiteId};

/// The sites made so far for a site and a word.
pub(super) type Resolved = Map<(SiteId, i64), SiteId>;

/// Gives the checks of a body whose callers are known messages that name them.
pub(super) fn resolve(program: &mut Program, resolved: &mut Resolved, body: &mut Block) {
    body.for_each_stm_mut(&mut |stm| match &mut stm.exp {
        Exp::Assert { site, args, .. } if !program.sites[*site].callers.is_empty() => {
            if let Some(word) = args.last().and_then(|word| word.as_size()) {
                *site = with_calls(program, resolved, *site, word);
                args.pop();
            }
        }
        Exp::Bulk(bulk) => bulk.outputs.iter_mut().for_each(|output| {
            if let Kind::Gen { coverage: Coverage::Checked { collision, gap, cycle, called }, .. } = &mut output.kind
                && let Some(word) = called.and_then(|called| called.as_size())
            {
                for site in [collision, gap, cycle] {
                    *site = with_calls(program, resolved, *site, word);
                }
                *called = None;
            }
        }),
        _ => {}
    });
}

/// The site with the calls that a word lists.
fn with_calls(program: &mut Program, resolved: &mut Resolved, site: SiteId, word: i64) -> SiteId {
    if let Some(known) = resolved.get(&(site, word)) {
        return *known;
    }
    let new = program.sites.push(program.sites[site].called_by(word));
    resolved.insert((site, word), new);
    new
}
