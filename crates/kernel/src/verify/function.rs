//! The verifier's state: scopes, and what surrounds the current statement.

use super::owners::{Owner, Owners};
use super::problem::Problem;
use crate::facts::{Aliases, Link};
use crate::{Function, Home, Program, Type, Var};
use base::Set;

/// What surrounds a statement: bodies of parallel loops see what is outside only to read it, attempts may also set
/// scalars and grow buffers.
#[derive(Clone, Copy, Default)]
pub(super) struct Around {
    /// Variables of scopes before this one belong to others.
    pub wall: usize,
    /// The same for parallel loops alone.
    pub parallel_wall: usize,
    /// Inside the body of a parallel loop or an attempt: no return.
    pub walled: bool,
    /// Inside an attempt, and no parallel loop between.
    pub attempt: bool,
}

impl Around {
    /// Whether the innermost of so many scopes is the body of a parallel loop itself.
    pub fn is_parallel_body(self, scopes: usize) -> bool {
        self.walled && self.wall == self.parallel_wall && self.wall + 1 == scopes
    }
}

/// Verifies one function.
pub(super) struct Verifier<'a> {
    pub program: &'a Program,
    name: String,
    /// Declared so far in the whole program.
    declared: &'a mut Set<Var>,
    problems: &'a mut Vec<Problem>,
    /// The scopes around, innermost last.
    pub scopes: Vec<Vec<Var>>,
    /// Who owns what at this point; none where no path arrives.
    pub owners: Option<Owners>,
    pub results: Vec<Type>,
    pub around: Around,
    /// Indices of loops, which are not assigned.
    pub indices: Set<Var>,
    /// Bodies of loops are looked at twice: the second time only what is owned matters.
    pub again: bool,
    /// Buffers that keep memory from one turn of a parallel loop to another.
    pub kept: Set<Var>,
}

impl<'a> Verifier<'a> {
    pub fn new(
        program: &'a Program,
        name: String,
        declared: &'a mut Set<Var>,
        problems: &'a mut Vec<Problem>,
    ) -> Verifier<'a> {
        Verifier {
            program,
            name,
            declared,
            problems,
            scopes: Vec::new(),
            owners: Some(Owners::default()),
            results: Vec::new(),
            around: Around::default(),
            indices: Set::default(),
            again: false,
            kept: Set::default(),
        }
    }

    pub fn function(&mut self, aliases: &Aliases<'_>, function: &Function) {
        self.results = function.results.clone();
        self.around.attempt = function.stops;
        self.scopes.push(Vec::new());
        for param in &function.params {
            self.declare(*param, Owner::Lent);
        }
        self.memories(aliases, function);
        if let Some(site) = function.too_deep
            && self.program.sites.get(site).is_none()
        {
            self.wrong(format!("{site:?} does not exist"));
        }
        self.block(&function.body);
        if self.owners.is_some() {
            self.wrong("a path comes to the end without a return");
        }
        self.scopes.pop();
    }

    /// Buffers that may be the same have the same memory, those that may be any have none that is known.
    fn memories(&mut self, aliases: &Aliases<'_>, function: &Function) {
        let home = |var: Var| self.program.vars.get(var).map(|info| info.home);
        for link in aliases.links(function) {
            match link {
                Link::Same(a, b) if home(a) != home(b) => {
                    self.wrong(format!("{} and {} are of different memories", self.show(a), self.show(b)));
                }
                Link::Any(var) if home(var) != Some(Home::Any) => {
                    self.wrong(format!("{} has a memory, but may be any", self.show(var)));
                }
                Link::Same(..) | Link::Any(_) => {}
            }
        }
    }

    /// Notes a broken rule, once.
    pub fn wrong(&mut self, what: impl Into<String>) {
        let problem = Problem { function: self.name.clone(), what: what.into() };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Declares a variable in the innermost scope.
    pub fn declare(&mut self, var: Var, owner: Owner) {
        if self.program.vars.get(var).is_none() {
            return self.wrong(format!("{var:?} is not in the table of variables"));
        }
        if !self.declared.insert(var) && !self.again {
            self.wrong(format!("{} is declared twice", self.show(var)));
        }
        if let Some(Home::Local(0)) = self.program.vars.get(var).map(|info| info.home) {
            self.wrong(format!("{} is a local array without elements", self.show(var)));
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(var);
        }
        let owner = if self.is_local(var) { Owner::Local } else { owner };
        if let (Some(Type::Buffer(_)), Some(owners)) = (self.type_of(var), &mut self.owners) {
            owners.set(var, owner);
        }
    }

    /// Whether a variable is a local array.
    pub fn is_local(&self, var: Var) -> bool {
        self.program.vars.get(var).is_some_and(|info| matches!(info.home, Home::Local(_)))
    }

    /// Looks at the use of a buffer as a whole, which may give others its memory.
    pub fn lends(&mut self, var: Var) {
        if self.is_local(var) {
            self.wrong(format!("{} is a local array and leaves its block", self.show(var)));
        }
    }

    /// The type of a variable.
    pub fn type_of(&self, var: Var) -> Option<Type> {
        self.program.vars.get(var).map(|info| info.ty)
    }

    /// A variable for people.
    pub fn show(&self, var: Var) -> String {
        self.program.vars.get(var).map_or(format!("{var:?}"), |info| format!("{} ({var:?})", info.name))
    }

    /// Whether a variable is in scope, and whether it is declared inside of the current parallel body or attempt.
    fn find(&self, var: Var) -> Option<bool> {
        let depth = self.scopes.iter().rposition(|scope| scope.contains(&var))?;
        Some(depth >= self.around.wall)
    }

    /// Looks at the use of a variable, which must be in scope and of a type.
    pub fn uses(&mut self, var: Var, ty: Type) {
        if self.find(var).is_none() {
            self.wrong(format!("{} is not in scope", self.show(var)));
        } else if self.type_of(var) != Some(ty) {
            self.wrong(format!("{} is {:?}, not {ty:?}", self.show(var), self.type_of(var)));
        }
    }

    /// Looks at an assignment: the variable must be in scope, of a kind, and not come from outside of the body.
    pub fn assigns(&mut self, var: Var) {
        match self.find(var) {
            None => self.wrong(format!("{} is not in scope", self.show(var))),
            Some(false) => self.wrong(format!("{} is changed, but comes from outside of the body", self.show(var))),
            Some(true) => {}
        }
    }

    /// Looks at a change that attempts may make, too: the variable must be in scope, and not come from outside of a
    /// parallel loop.
    pub fn changes(&mut self, var: Var) {
        match self.scopes.iter().rposition(|scope| scope.contains(&var)) {
            Some(depth) if depth >= self.around.parallel_wall => {}
            Some(_) | None => self.assigns(var),
        }
    }

    /// Looks at the use of a buffer, of whatever type of elements.
    pub fn uses_buffer(&mut self, var: Var) {
        match self.type_of(var) {
            Some(ty @ Type::Buffer(_)) => self.uses(var, ty),
            Some(Type::Scalar(_)) | None => self.wrong(format!("{} is no buffer", self.show(var))),
        }
    }
}
