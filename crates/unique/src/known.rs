//! What is known of a function beyond its type: inferred uniqueness, and what its result really shares.

use super::alias::{Alias, Aliases, FunShares, Known, Shares, Source};
use base::Map;
use std::collections::BTreeMap;
use std::rc::Rc;
use typed::{DefId, Diet, LocalId, Type};

/// What is known of definitions checked so far.
#[derive(Default)]
pub struct Summaries {
    pub(super) defs: Map<DefId, Rc<Known>>,
}

/// Which parameter, and which part of it, a local is bound to.
pub(super) type ParamParts = BTreeMap<LocalId, (u32, Vec<u16>)>;

/// Turns what a body's value shares into terms of the function's parameters. `outside` says whether a source is
/// older than the function.
pub(super) fn summarise(
    value: &Shares,
    ty: &Type,
    params: &ParamParts,
    diets: &[Diet],
    outside: &dyn Fn(Source) -> bool,
) -> Shares {
    let mut inner: Map<Source, u32> = Map::default();
    let mut rename = |alias: &Alias| match alias.source {
        Source::Local(local) if params.contains_key(&local) => {
            let (index, prefix) = &params[&local];
            let path: Vec<u16> = prefix.iter().chain(&alias.path).copied().collect();
            let consumed = diets.get(*index as usize).is_some_and(|d| d.at(&path).consumes());
            // A consumed argument is never used again, but two parts of the result may share it.
            let source = if consumed { None } else { Some(Source::Param(*index)) };
            match source {
                Some(source) => Alias { source, path },
                None => Alias { source: inner_source(&mut inner, alias.source), path: alias.path.clone() },
            }
        }
        source if outside(source) => alias.clone(),
        source => Alias { source: inner_source(&mut inner, source), path: alias.path.clone() },
    };
    let mut out = value.clone();
    forget_functions(&mut out);
    out.for_each_set(&mut |set| *set = set.iter().map(&mut rename).collect());
    drop_private(&mut out, ty);
    out
}

fn inner_source(inner: &mut Map<Source, u32>, source: Source) -> Source {
    let next = inner.len() as u32;
    Source::Inner(*inner.entry(source).or_insert(next))
}

/// Returned functions are described by their type and closure alone.
fn forget_functions(shares: &mut Shares) {
    match shares {
        Shares::Nothing | Shares::Whole(_) => {}
        Shares::Fun(fun) => {
            fun.known = None;
            fun.given.clear();
        }
        Shares::Record(fields) => fields.iter_mut().for_each(forget_functions),
        Shares::Sum(constrs) => constrs.iter_mut().flatten().for_each(forget_functions),
    }
}

/// Drops memory allocated by the call that only one part of the result refers to: it has no other aliases.
fn drop_private(shares: &mut Shares, ty: &Type) {
    let mut uses: Map<Source, u32> = Map::default();
    let mut opaque = Vec::new();
    opaque_sources(shares, ty, &mut opaque);
    shares.for_each_set(&mut |set| {
        let mut sources: Vec<Source> = set.iter().map(|a| a.source).collect();
        sources.dedup();
        sources.iter().for_each(|s| *uses.entry(*s).or_default() += 1);
    });
    let private = |source: Source| uses.get(&source) == Some(&1) && !opaque.contains(&source);
    shares.for_each_set(&mut |set| set.retain(|a| !(matches!(a.source, Source::Inner(_)) && private(a.source))));
}

/// Sources of values with unknown structure, whose parts may share with one another.
fn opaque_sources(shares: &Shares, ty: &Type, out: &mut Vec<Source>) {
    match (shares, ty) {
        (Shares::Whole(set), Type::Var(_) | Type::Abstract(..)) => out.extend(set.iter().map(|a| a.source)),
        (Shares::Record(parts), Type::Record(fields)) => {
            parts.iter().zip(fields.iter()).for_each(|(p, f)| opaque_sources(p, &f.1, out));
        }
        (Shares::Sum(parts), Type::Sum(constrs)) => {
            let types = constrs.iter().flat_map(|c| &c.1);
            parts.iter().flatten().zip(types).for_each(|(p, t)| opaque_sources(p, t, out));
        }
        _ => {}
    }
}

/// What the result of a call shares, by the function's summary.
pub(super) struct Instance<'s> {
    pub args: &'s [Shares],
    /// Numbers given out for memory of the call's own.
    pub made: Map<u32, u32>,
    pub next: &'s mut dyn FnMut() -> u32,
}

impl Instance<'_> {
    /// A value of type `ty` (the result type at this call) that shares what `summary` says.
    pub fn result(&mut self, ty: &Type, summary: &Shares) -> Shares {
        match (ty, summary) {
            (Type::Record(fields), Shares::Record(parts)) if fields.len() == parts.len() => {
                Shares::Record(fields.iter().zip(parts).map(|((_, t), p)| self.result(t, p)).collect())
            }
            (Type::Sum(constrs), Shares::Sum(parts)) if constrs.len() == parts.len() => {
                let each = constrs
                    .iter()
                    .zip(parts)
                    .map(|((_, types), payload)| types.iter().zip(payload).map(|(t, p)| self.result(t, p)).collect());
                Shares::Sum(each.collect())
            }
            _ => {
                let pieces: Vec<Shares> = summary.all().iter().map(|a| self.piece(a)).collect();
                assemble(ty, &pieces.iter().collect::<Vec<_>>())
            }
        }
    }

    fn piece(&mut self, alias: &Alias) -> Shares {
        match alias.source {
            Source::Param(index) => match self.args.get(index as usize) {
                Some(arg) => arg.at(&alias.path).clone(),
                None => Shares::Nothing,
            },
            Source::Inner(number) => {
                let next = &mut *self.next;
                let made = *self.made.entry(number).or_insert_with(next);
                Shares::Whole(Aliases::from([Alias { source: Source::Made(made), path: alias.path.clone() }]))
            }
            Source::Local(_) | Source::Global(_) | Source::Made(_) => Shares::Whole(Aliases::from([alias.clone()])),
        }
    }
}

/// A value of type `ty` that may be any of `pieces`. Where a type parameter is instantiated to a record, its fields stay
/// separate: a function that does not know them cannot mix them.
fn assemble(ty: &Type, pieces: &[&Shares]) -> Shares {
    match ty {
        Type::Prim(_) | Type::Error | Type::Meta(_) => Shares::Nothing,
        Type::Record(fields) => {
            let part = |i: usize| pieces.iter().map(|p| field_of(p, i, fields.len())).collect::<Vec<_>>();
            Shares::Record(fields.iter().enumerate().map(|(i, (_, t))| assemble(t, &part(i))).collect())
        }
        Type::Fun(_) => {
            if let [Shares::Fun(fun)] = pieces {
                return Shares::Fun(fun.clone());
            }
            Shares::Fun(Box::new(FunShares::of_type(ty, union(pieces))))
        }
        Type::Var(_) | Type::Abstract(..) | Type::Array(..) | Type::Sum(_) => Shares::spread(ty, &union(pieces)),
    }
}

/// Field `index` of a record with so many fields; of anything else, the whole.
fn field_of(piece: &Shares, index: usize, fields: usize) -> &Shares {
    match piece {
        Shares::Record(parts) if parts.len() == fields => &parts[index],
        whole => whole,
    }
}

fn union(pieces: &[&Shares]) -> Aliases {
    let mut out = Aliases::new();
    pieces.iter().for_each(|p| p.collect(&mut out));
    out
}
