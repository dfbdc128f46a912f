//! A loop over kept values whose number has another name goes by the number that the filter gives.
//!
//! ```text
//! let (m, xs: [m]i64) = bulk { out keep .. }           let (m, xs: [m]i64) = bulk { out keep .. }
//! let t = n - k                                        let s' = bulk { out reduce ..; for i < m { let x = xs[i]; emit => x } }
//! let same = t == m                              =>    let t = n - k
//! let c = assert same else ..                          let same = t == m
//! let <c> s = bulk {                                   let c = assert same else ..
//!   out reduce ..                                      let <c> s = s'
//!   for i < t { let <c> x = xs[i]; emit => x }
//! }
//! ```
//!
//! The loop can then be merged with the filter, which comes before the check. The second part of a `partition` is of this form: by its
//! type it has as many elements as the first part leaves. Nothing in the loop may fail, because the check comes first.

use super::equal_sizes::EqualSizes;
use super::merge::{OneLoop, in_block};
use base::Map;
use ir::rename::copies;
use ir::traverse::{ListMut, Part};
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, Output, Program, Step, Stm, Type, Var};

/// Changes such loops in a block, and in the blocks inside.
pub(super) fn rename(program: &mut Program, block: &mut Block) {
    let mut known = Known::default();
    for mut stm in std::mem::take(&mut block.stms) {
        stm.exp.for_each_list_mut(&mut |list| match list {
            ListMut::Block(inner) => rename(program, inner),
            ListMut::Steps(steps) => Step::for_each_emit_mut(steps, &mut |emit| rename(program, &mut emit.value)),
        });
        known.note(&stm);
        match known.renamed(program, &stm) {
            Some(stms) => block.stms.extend(stms),
            None => block.stms.push(stm),
        }
    }
}

/// What the statements before say.
#[derive(Default)]
struct Known {
    /// Arrays of kept values, and how many there are.
    kept: Map<Var, Var>,
    sizes: EqualSizes,
}

/// A loop over kept values.
struct Reader<'a> {
    one: OneLoop<'a>,
    /// The number of values that the filter gives.
    count: Var,
    /// What says that the loop has as many turns.
    check: Var,
}

impl Known {
    fn note(&mut self, stm: &Stm) {
        self.sizes.note(stm);
        let Exp::Bulk(bulk) = &stm.exp else { return };
        let mut rest = &stm.vars[..];
        for output in &bulk.outputs {
            let (bound, more) = rest.split_at(output.bound());
            rest = more;
            if matches!(output.kind, Kind::Keep) && output.sizes.is_empty() {
                self.kept.extend(bound[1..].iter().map(|array| (*array, bound[0])));
            }
        }
    }

    /// What a loop becomes.
    fn renamed(&self, program: &mut Program, stm: &Stm) -> Option<Vec<Stm>> {
        let Exp::Bulk(bulk) = &stm.exp else { return None };
        let reader = self.reader(stm, bulk)?;
        let index = Atom::Var(reader.one.var);
        let body = in_block(reader.one.body.to_vec(), |block| {
            block.for_each_stm_mut(&mut |stm| {
                if matches!(&stm.exp, Exp::Index(array, at) if at[..] == [index] && self.kept.get(array) == Some(&reader.count)) {
                    stm.certs.retain(|cert| *cert != reader.check);
                }
            });
        });
        let count = Atom::Var(reader.count);
        let mut form = Bulk { outputs: bulk.outputs.clone(), steps: Vec::new(), scheduled: false };
        form.steps.push(Step::For { var: reader.one.var, count, mark: ir::Mark::Open, body });
        Step::for_each_emit_mut(&mut form.steps, &mut |emit| emit.certs.retain(|cert| *cert != reader.check));
        form.outputs.iter_mut().for_each(|output| shorten(output, count));
        let certs = stm.certs.iter().copied().filter(|cert| *cert != reader.check).collect();
        let vars = copies(&mut program.vars, &stm.vars);
        let made = Stm { vars, certs, exp: Exp::Bulk(form), span: stm.span };
        if [reader.one.count, reader.check.into()]
            .into_iter()
            .filter_map(Atom::var)
            .any(|old| mentions(program, &made, old))
        {
            return None;
        }
        let made_vars = made.vars.clone();
        let names = stm.vars.iter().zip(made_vars).map(|(var, own)| under_check(program, *var, own, &reader, stm));
        Some([made].into_iter().chain(names).collect())
    }

    fn reader<'a>(&self, stm: &Stm, bulk: &'a Bulk) -> Option<Reader<'a>> {
        let one = OneLoop::of(bulk).filter(|one| one.before.is_empty())?;
        let mut fails = false;
        let mut found = None;
        stm.walk(&mut |part| {
            let Part::Stm(inner) = part else { return };
            fails |= inner.exp.can_fail();
            if let Exp::Index(array, at) = &inner.exp
                && at[..] == [Atom::Var(one.var)]
                && let Some(count) = self.kept.get(array)
            {
                let certs: Vec<Var> = inner.certs.iter().chain(&stm.certs).copied().collect();
                let why = self.sizes.why(&certs, one.count, (*count).into()).flatten();
                found = found.or(why.map(|check| (*count, check)));
            }
        });
        let (count, check) = found.filter(|_| !fails && bulk.outputs.iter().all(|output| fits(output, one.count)))?;
        Some(Reader { one, count, check })
    }
}

/// Whether an output has an element for each turn, or combines values.
fn fits(output: &Output, count: Atom) -> bool {
    match &output.kind {
        Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, .. } => {
            output.sizes.is_empty() && shape.first() == Some(&Dim::Size(count))
        }
        Kind::Reduce { .. } => true,
        Kind::Gen { .. } | Kind::Update { .. } | Kind::Accum { .. } | Kind::Keep => false,
    }
}

fn shorten(output: &mut Output, count: Atom) {
    if let Kind::Gen { shape, .. } = &mut output.kind {
        shape[0] = Dim::Size(count);
    }
}

/// A result under the name and type that it had, relying on the check. Gives the new variable its type.
fn under_check(program: &mut Program, var: Var, made: Var, reader: &Reader<'_>, stm: &Stm) -> Stm {
    let exp = match &mut program.vars[made].ty {
        Type::Array(_, dims) if dims.first() == Some(&Dim::Size(reader.one.count)) => {
            dims[0] = Dim::Size(reader.count.into());
            Exp::Retype(made)
        }
        _ => Exp::Atom(made.into()),
    };
    Stm { vars: vec![var], certs: vec![reader.check], exp, span: stm.span }
}

/// Whether a form mentions a variable, also in the types of what it binds inside.
fn mentions(program: &Program, form: &Stm, var: Var) -> bool {
    let mut found = false;
    form.walk(&mut |part| match part {
        Part::Atom(Atom::Var(used)) | Part::Use(used) => found |= *used == var,
        Part::Bind(bound) if !form.vars.contains(bound) => {
            program.ty(*bound).for_each_var(&mut |used| found |= used == var);
        }
        Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    found
}
