//! Which buffers may be the same memory.
//!
//! ```text
//! share zs = ys                zs and ys may be the same
//! move zs = ys                 ys has nothing any more, so it is not the same; but zs may be what ys was the same as
//! call (r) = f(&ys)            f may return what it was lent, if it returns buffers with elements of that type
//! fetch zs = b at 0            a box may keep any memory: zs may be any
//! ```
//!
//! Looks at the function as a whole, not at the order of its statements.

use crate::walk::for_each_stm;
use crate::{Arg, FunId, Function, Program, Stm, Type, Var};
use base::Set;

/// Something that a function does with references to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// Two buffers may be the same memory.
    Same(Var, Var),
    /// A buffer may be any memory that is not new in this function.
    Any(Var),
}

/// The links of each function. Buffers that no links connect are different memory, unless links say of both that they
/// may be any.
pub struct Aliases<'a> {
    program: &'a Program,
    /// Functions that make boxes, or call one that does.
    packing: Set<FunId>,
}

impl<'a> Aliases<'a> {
    /// Looks at all functions.
    pub fn new(program: &'a Program) -> Self {
        let mut packing = Set::default();
        loop {
            let before = packing.len();
            for (id, function) in program.functions.iter() {
                if packs(&function.body, &packing) {
                    packing.insert(id);
                }
            }
            if packing.len() == before {
                return Aliases { program, packing };
            }
        }
    }

    /// The links of a function.
    pub fn links(&self, function: &Function) -> Vec<Link> {
        let mut links: Vec<Link> = function.params.iter().map(|param| Link::Any(*param)).collect();
        let mut moves = Vec::new();
        for_each_stm(&function.body, &mut |stm| match stm {
            Stm::Share { to, from } => links.push(Link::Same(*to, *from)),
            Stm::Move { to, from } => moves.push((*to, *from)),
            Stm::Pack { to, refs, .. } => links.extend([to].into_iter().chain(refs).map(|var| Link::Any(*var))),
            Stm::Fetch { to, from, .. } => links.extend([Link::Any(*to), Link::Any(*from)]),
            Stm::Call { results, function, args, span: _ } => self.call(&mut links, results, *function, args),
            _ => {}
        });
        moved(&mut links, moves);
        links
    }

    fn call(&self, links: &mut Vec<Link>, results: &[Var], function: FunId, args: &[Arg]) {
        let results: Vec<Var> = results.iter().copied().filter(|var| self.element(*var).is_some()).collect();
        let buffers = args.iter().filter_map(|arg| match arg {
            Arg::Buffer(var) => Some(*var),
            Arg::Scalar(_) => None,
        });
        if self.packing.contains(&function) {
            // A result may be a box that keeps an argument.
            let lent = buffers.filter(|_| !results.is_empty());
            return links.extend(results.iter().copied().chain(lent).map(Link::Any));
        }
        for arg in buffers {
            let same = results.iter().filter(|result| self.element(**result) == self.element(arg));
            links.extend(same.map(|result| Link::Same(*result, arg)));
        }
    }

    fn element(&self, var: Var) -> Option<scalar::Prim> {
        match self.program.vars.get(var)?.ty {
            Type::Buffer(prim) => Some(prim),
            Type::Scalar(_) => None,
        }
    }
}

/// Adds links for references that go from one variable to another: only if the first one has links itself. Otherwise it
/// had the only reference to its memory.
fn moved(links: &mut Vec<Link>, mut moves: Vec<(Var, Var)>) {
    let mut linked: Set<Var> = Set::default();
    for link in &*links {
        match link {
            Link::Same(a, b) => linked.extend([*a, *b]),
            Link::Any(var) => linked.extend([*var]),
        }
    }
    loop {
        let (more, rest): (Vec<_>, Vec<_>) = moves.into_iter().partition(|(_, from)| linked.contains(from));
        if more.is_empty() {
            return;
        }
        linked.extend(more.iter().map(|(to, _)| *to));
        links.extend(more.into_iter().map(|(to, from)| Link::Same(to, from)));
        moves = rest;
    }
}

/// Whether boxes are made, by statements or by functions that they call.
fn packs(stms: &[Stm], packing: &Set<FunId>) -> bool {
    let mut found = false;
    for_each_stm(stms, &mut |stm| match stm {
        Stm::Pack { .. } => found = true,
        Stm::Call { function, .. } => found |= packing.contains(function),
        _ => {}
    });
    found
}
