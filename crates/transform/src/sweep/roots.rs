//! Statements that must stay even if their results are not used.

use base::{IdVec, Set};
use ir::calls::Calls;
use ir::traverse::Part;
use ir::{Block, Exp, FunId, Program, Stm, Var};

/// The statements of a body that must stay.
pub(super) struct Roots<'p> {
    program: &'p Program,
    /// Functions that contain a statement that must stay.
    rooted: &'p Set<FunId>,
    /// Certificates that statements name: their checks are removed with the last of these statements.
    attached: Set<Var>,
}

impl<'p> Roots<'p> {
    /// Those of a body, in which statements name these certificates.
    pub fn new(program: &'p Program, rooted: &'p Set<FunId>, attached: Set<Var>) -> Roots<'p> {
        Roots { program, rooted, attached }
    }

    /// Whether a statement, or one inside of it, must stay even if its results are not used.
    pub fn stays(&self, stm: &Stm) -> bool {
        self.is_root(stm) || self.has_root(stm)
    }

    /// Whether a statement prints something, is a check that no statement names or the check of a size, or calls a function
    /// that contains one of these.
    fn is_root(&self, stm: &Stm) -> bool {
        let is_named = || stm.vars.iter().any(|cert| self.attached.contains(cert));
        match &stm.exp {
            Exp::Trace(..) => true,
            Exp::Call(fun, _) => self.rooted.contains(fun),
            Exp::Assert { site, .. } => self.program.sites[*site].stays || !is_named(),
            Exp::Ensure { otherwise, .. } => self.has_lasting(otherwise) || !is_named(),
            _ => false,
        }
    }

    /// Whether one of the checks that are replayed must stay whoever names it.
    fn has_lasting(&self, replayed: &Block) -> bool {
        let mut found = false;
        replayed.walk(&mut |part| {
            if let Part::Stm(Stm { exp: Exp::Assert { site, .. }, .. }) = part {
                found |= self.program.sites[*site].stays;
            }
        });
        found
    }

    /// Whether a statement inside this one must stay.
    fn has_root(&self, stm: &Stm) -> bool {
        let mut found = false;
        // The checks that it replays go or stay with it.
        if matches!(stm.exp, Exp::Ensure { .. }) {
            return false;
        }
        stm.exp.for_each_part(&mut |part| {
            let mut look = |inner: &Stm| {
                found |= self.stays(inner);
            };
            match part {
                Part::Block(block) => block.stms.iter().for_each(look),
                Part::Stm(stm) => look(stm),
                Part::Atom(_) | Part::Use(_) | Part::Bind(_) => {}
            }
        });
        found
    }
}

/// The certificates that statements of a body name.
fn attached(body: &Block) -> Set<Var> {
    let mut attached = Set::default();
    let mut replayed = Set::default();
    body.walk(&mut |part| match part {
        Part::Use(var) => {
            attached.insert(*var);
        }
        // What is replayed is there for its checks alone.
        Part::Stm(Stm { exp: Exp::Ensure { otherwise, .. }, .. }) => replayed.extend(otherwise.bound()),
        Part::Atom(_) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    attached.retain(|var| !replayed.contains(var));
    attached
}

/// For each function, the certificates that its statements name; and the functions that contain, or call a function that
/// contains, a statement that must stay.
pub(super) fn rooted(program: &Program) -> (IdVec<FunId, Set<Var>>, Set<FunId>) {
    let none = Set::default();
    let (mut named, mut rooted) = (IdVec::new(), Set::default());
    for (fun, function) in program.functions.iter() {
        let roots = Roots::new(program, &none, attached(&function.body));
        if function.body.stms.iter().any(|stm| roots.stays(stm)) {
            rooted.insert(fun);
        }
        named.push(roots.attached);
    }
    let calls = Calls::new(program);
    loop {
        let leads = |fun: &FunId| calls.of(*fun).iter().any(|callee| rooted.contains(callee));
        let more: Vec<FunId> = program.functions.ids().filter(leads).collect();
        let before = rooted.len();
        rooted.extend(more);
        if rooted.len() == before {
            return (named, rooted);
        }
    }
}
