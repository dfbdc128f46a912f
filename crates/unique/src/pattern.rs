//! Which part of a value each name of a pattern gets.
//!
//! In `(a, {x, y = b})` the name `b` gets the part at the path `[1, 1]`: field 1 of the tuple, then field 1 of the record
//! (fields are numbered in the order of the type). What a constructor carries has the path of the whole sum.

use base::{Map, Name, bug};
use typed::{Diet, LocalId, Pat, PatKind, Type};

/// A name of a pattern.
pub(super) struct Named<'p> {
    pub local: LocalId,
    pub ty: &'p Type,
    /// The fields that lead to its part.
    pub path: Vec<u16>,
}

/// The names of a pattern.
pub(super) fn names(pat: &Pat) -> Vec<Named<'_>> {
    let mut out = Vec::new();
    names_into(pat, &mut Vec::new(), &mut out);
    out
}

fn names_into<'p>(pat: &'p Pat, path: &mut Vec<u16>, out: &mut Vec<Named<'p>>) {
    match &pat.kind {
        PatKind::Wildcard | PatKind::Literal(_) => {}
        PatKind::Bind(local) => out.push(Named { local: *local, ty: &pat.ty, path: path.clone() }),
        PatKind::Ascribe(inner, _) => names_into(inner, path, out),
        PatKind::Record(fields) => {
            for (name, field) in fields {
                path.push(field_index(&pat.ty, *name) as u16);
                names_into(field, path, out);
                path.pop();
            }
        }
        PatKind::Constr(_, pats) => pats.iter().for_each(|p| names_into(p, path, out)),
    }
}

impl Named<'_> {
    /// What the diet of the whole pattern says of the name.
    pub fn diet<'d>(&self, whole: &'d Diet) -> &'d Diet {
        whole.at(&self.path)
    }
}

/// The diet of a whole pattern, from those of its names; others are only observed.
pub(super) fn diet_of_names(pat: &Pat, diets: &Map<LocalId, Diet>) -> Diet {
    match &pat.kind {
        PatKind::Wildcard | PatKind::Literal(_) => Diet::Observe,
        PatKind::Bind(local) => diets.get(local).cloned().unwrap_or(Diet::Observe),
        PatKind::Ascribe(inner, _) => diet_of_names(inner, diets),
        PatKind::Record(fields) => {
            let mut parts = vec![Diet::Observe; fields.len()];
            for (name, field) in fields {
                parts[field_index(&pat.ty, *name)] = diet_of_names(field, diets);
            }
            Diet::Fields(parts)
        }
        PatKind::Constr(_, pats) => {
            let any = pats.iter().any(|p| diet_of_names(p, diets).consumes());
            if any { Diet::Consume } else { Diet::Observe }
        }
    }
}

/// The position of a field in a record type, which must have it.
pub(super) fn field_index(ty: &Type, name: Name) -> usize {
    let position = match ty {
        Type::Record(fields) => typed::field_position(fields, name),
        _ => None,
    };
    position.unwrap_or_else(|| bug!("the type has no field `{name}`"))
}
