//! Which definitions may call themselves, and what is said of recursion that does not end.
//!
//! Where exactly a stack is full depends on how large it is and what a call takes of it, which differs from back end to
//! back end. So that all say the same, the text alone decides what is shown: of definitions that call one another, the
//! first, and the first place where it calls one of them.

use crate::{Body, DefId, Expr, ExprKind, Program};
use base::{Map, Name, Set, Span};

/// What is shown of recursion that is too deep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooDeep {
    /// The definition.
    pub name: Name,
    /// The call.
    pub call: Span,
}

/// Which definitions use which.
#[derive(Debug)]
pub struct Recursion<'p> {
    program: &'p Program,
    uses: Map<DefId, Set<DefId>>,
    recursive: Set<DefId>,
}

impl<'p> Recursion<'p> {
    /// Looks through a program.
    pub fn new(program: &'p Program) -> Recursion<'p> {
        let mut found = Recursion { program, uses: uses(program), recursive: Set::default() };
        found.recursive = found.recursive();
        found
    }

    /// Whether a definition may call itself, directly or through others.
    pub fn contains(&self, def: DefId) -> bool {
        self.recursive.contains(&def)
    }

    fn recursive(&self) -> Set<DefId> {
        // A definition on a cycle uses itself or a later one, or is used by one that does.
        let forward = self.uses.iter().filter(|(id, used)| used.iter().any(|u| u >= *id)).map(|(id, _)| *id);
        forward.filter(|start| self.reachable(*start).contains(start)).flat_map(|start| self.group(start)).collect()
    }

    /// What to say of the recursion of a definition; none if it is not recursive.
    pub fn too_deep(&self, def: DefId) -> Option<TooDeep> {
        let group = self.group(def);
        let first = group.iter().min_by_key(|def| place(self.program.defs[**def].span))?;
        let definition = &self.program.defs[*first];
        let Body::Expr(body) = &definition.body else { return None };
        let mut calls = Vec::new();
        calls_of(body, &group, &mut calls);
        let call = calls.into_iter().min_by_key(|span| place(*span))?;
        Some(TooDeep { name: definition.name, call })
    }

    /// What to say where a call at this place finds the stack full: that belongs to the definition in whose text it stands.
    /// None if that is not recursive.
    pub fn too_deep_at(&self, call: Span) -> Option<TooDeep> {
        let inside =
            |body: &Expr| body.span.file == call.file && body.span.start <= call.start && call.end <= body.span.end;
        let around = |body: &Body| matches!(body, Body::Expr(body) if inside(body));
        self.program.defs.iter().filter(|(_, def)| around(&def.body)).find_map(|(id, _)| self.too_deep(id))
    }

    /// The definitions that a definition calls and that call it.
    fn group(&self, def: DefId) -> Set<DefId> {
        let mut group = self.reachable(def);
        group.retain(|other| self.reachable(*other).contains(&def));
        group
    }

    /// What a definition uses, directly or through others.
    fn reachable(&self, start: DefId) -> Set<DefId> {
        let mut seen = Set::default();
        let mut todo = vec![start];
        while let Some(def) = todo.pop() {
            for used in self.uses.get(&def).into_iter().flatten() {
                if seen.insert(*used) {
                    todo.push(*used);
                }
            }
        }
        seen
    }
}

fn place(span: Span) -> (u32, u32, u32) {
    (span.file.0, span.start, span.end)
}

fn uses(program: &Program) -> Map<DefId, Set<DefId>> {
    let mut uses: Map<DefId, Set<DefId>> = Map::default();
    for (id, def) in program.defs.iter() {
        if let Body::Expr(body) = &def.body {
            let mut used = Set::default();
            globals(body, &mut used);
            uses.insert(id, used);
        }
    }
    uses
}

fn globals(expr: &Expr, out: &mut Set<DefId>) {
    if let ExprKind::Global(def, _) = &*expr.kind {
        out.insert(*def);
    }
    expr.for_each_child(&mut |child| globals(child, out));
}

/// Calls of some definitions, and other places that name them.
fn calls_of(expr: &Expr, group: &Set<DefId>, out: &mut Vec<Span>) {
    let named = |expr: &Expr| matches!(&*expr.kind, ExprKind::Global(def, _) if group.contains(def));
    match &*expr.kind {
        ExprKind::Apply(fun, args) if named(fun) => {
            out.push(expr.span);
            args.iter().for_each(|arg| calls_of(arg, group, out));
        }
        _ if named(expr) => out.push(expr.span),
        _ => expr.for_each_child(&mut |child| calls_of(child, group, out)),
    }
}
