//! The state of checking, and the order in which files and definitions go through the passes.

use crate::exprs::clauses::Recursive;
use crate::exprs::deferred::Deferred;
use crate::exprs::vectors::Length;
use crate::metas::Metas;
use crate::scope::{ClauseName, Env, LocalVar, Namespace};
use crate::{Checked, FinishGroup, Group, Std, Unit};
use base::{Diagnostic, FileId, Map, Name, Set, Severity, Sources, Span};
use std::rc::Rc;
use syntax::ast::{self, Dialect, Lifted};
use typed::{
    AbstractId, Body, DefId, Expr, ExprKind, Local, LocalId, Program, Shape, Type, TypeArg, TypeParam, TypeVar,
    TypeVarId,
};

/// Everything known so far.
pub(crate) struct Checker<'a> {
    pub sources: &'a Sources,
    /// The later passes.
    pub finish_group: &'a mut FinishGroup<'a>,
    pub units: &'a [Unit],
    pub std: Std,
    pub main: usize,
    /// The file being checked.
    pub current: usize,
    pub dialect: Dialect,
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    /// The files of the standard library.
    pub std_files: Set<FileId>,
    /// What each file exports, once checked.
    pub exports: Vec<Option<Rc<Namespace>>>,
    pub env: Env,
    pub locals: Vec<LocalVar>,
    pub metas: Metas,
    /// The recursive arrays met so far.
    pub rec_arrays: Set<typed::LocalId>,
    pub type_var_lifted: Map<TypeVarId, Lifted>,
    /// How deep in local functions a type parameter is declared.
    pub type_var_level: Map<TypeVarId, u32>,
    pub abstract_lifted: Map<AbstractId, Lifted>,
    /// Whether unification sees through abstract types (when a module is checked against its type).
    pub transparent: bool,
    /// Questions whose answer waits for more of the definition.
    pub deferred: Vec<Deferred>,
    /// Ranks that the uses of an expression may decide.
    pub open_ranks: Vec<(Shape, Span)>,
    /// Names of the modules around the current declaration.
    pub path: Vec<Name>,
    /// Definitions being checked, visible to themselves.
    pub open_defs: Vec<OpenDef>,
    /// What type parameters a recursive call inside a definition passes on.
    pub recursive_args: Map<DefId, Vec<TypeArg>>,
    /// Modules opened in an expression (`m.(e)`), each with the number of locals around it.
    pub opened: Vec<(usize, Rc<Namespace>)>,
    /// Length of vectors bound to locals, where the text shows it.
    pub lengths: Map<LocalId, Length>,
    /// Shapes of names whose written type is `[..]t`.
    pub anonymous_shapes: Set<LocalId>,
    /// Arrays being defined by `let rec`, and what was computed from them.
    pub recursive: Vec<Recursive>,
    /// While the shapes of the arrays of a `let rec` are checked: their names, which are not in scope there.
    pub headers_of: Vec<ast::Ident>,
    /// Names of arrays by clauses that are being defined without `rec`.
    pub defining: Vec<Name>,
    /// Names that the qualifiers of clauses bind, for messages about their use in other clauses.
    pub clause_names: Vec<ClauseName>,
    /// The local functions whose bodies are being looked at.
    pub functions: Vec<Name>,
    /// In clauses: from which recursive array on they are the ones being defined.
    pub clauses_of: Option<usize>,
    /// In what must not depend on the arrays being defined: likewise.
    pub structure_of: Option<usize>,
    /// Right below an index or `shape`, where a recursive array may stand.
    pub operand: bool,
    /// Set at every mention of something recursive.
    pub mentioned_recursive: bool,
    /// Type parameters in scope.
    pub type_scope: Vec<(Name, TypeVarId)>,
    /// The diets of names in patterns whose types are written.
    pub written_diets: Map<LocalId, typed::Diet>,
    /// Applications written as `f <| x`, where the function comes before its argument.
    pub function_first: Set<Span>,
    /// Places of `#[blank] e`.
    pub blanks: Set<Span>,
    /// Whether a hole or unknown was reported already in this definition.
    pub failed: bool,
    /// Definitions in which pass 1 or 2 found an error, and those that use them.
    pub broken: Set<DefId>,
    /// Whether an error was found outside of definitions, which any later definition may depend on.
    pub broken_declaration: bool,
}

/// A definition whose body is being checked.
pub(crate) struct OpenDef {
    pub def: DefId,
    /// Whether its type is written in full, so that a recursive call may use it at other types.
    pub polymorphic: bool,
    pub type_params: Vec<TypeParam>,
    pub ty: Type,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        sources: &'a Sources,
        units: &'a [Unit],
        std: Std,
        main: usize,
        finish_group: &'a mut FinishGroup<'a>,
    ) -> Checker<'a> {
        Checker {
            sources,
            finish_group,
            units,
            std,
            main,
            current: 0,
            dialect: Dialect::Ravel,
            program: Program::default(),
            diagnostics: Vec::new(),
            std_files: units[..=std.library].iter().filter_map(|u| u.ast.decs.first()).map(|d| d.span.file).collect(),
            exports: units.iter().map(|_| None).collect(),
            env: Env::default(),
            locals: Vec::new(),
            metas: Metas::default(),
            rec_arrays: Set::default(),
            type_var_lifted: Map::default(),
            type_var_level: Map::default(),
            abstract_lifted: Map::default(),
            transparent: false,
            deferred: Vec::new(),
            open_ranks: Vec::new(),
            path: Vec::new(),
            open_defs: Vec::new(),
            recursive_args: Map::default(),
            opened: Vec::new(),
            lengths: Map::default(),
            anonymous_shapes: Set::default(),
            recursive: Vec::new(),
            headers_of: Vec::new(),
            defining: Vec::new(),
            clause_names: Vec::new(),
            functions: Vec::new(),
            clauses_of: None,
            structure_of: None,
            operand: false,
            mentioned_recursive: false,
            type_scope: Vec::new(),
            written_diets: Map::default(),
            function_first: Set::default(),
            blanks: Set::default(),
            failed: false,
            broken: Set::default(),
            broken_declaration: false,
        }
    }

    /// Checks one file.
    pub(crate) fn unit(&mut self, index: usize) {
        let unit = &self.units[index];
        self.current = index;
        self.dialect = unit.ast.dialect;
        self.env = self.initial_env(index);
        let names = if index == self.std.intrinsics {
            self.intrinsics(&unit.ast.decs)
        } else {
            self.env.frames.push(Rc::default());
            let exported = self.decs(&unit.ast.decs);
            self.env.frames.pop();
            exported
        };
        self.exports[index] = Some(Rc::new(names));
    }

    /// Whether the file being checked belongs to the standard library.
    pub(crate) fn in_std(&self) -> bool {
        self.current <= self.std.library
    }

    fn initial_env(&self, index: usize) -> Env {
        let mut env = Env::default();
        env.frames.push(Rc::new(Namespace::primitive_types()));
        let mut open = |unit: usize| env.frames.extend(self.exports[unit].clone());
        if index > self.std.intrinsics && index <= self.std.library {
            open(self.std.intrinsics);
        }
        if index > self.std.prelude {
            open(self.std.prelude);
        }
        if index > self.std.library && self.units[index].ast.dialect == Dialect::Ravel {
            open(self.std.library);
        }
        env
    }

    /// Runs the later passes on a group of definitions that pass 1 has finished, as far as the earlier ones found no
    /// error in the group itself or in what it uses: independent mistakes are all reported, and nothing that follows
    /// from them.
    pub(crate) fn later_passes(&mut self, group: &[DefId]) {
        if self.failed || self.broken_declaration || self.uses_broken(group) {
            self.broken.extend(group);
            return;
        }
        let group = Group {
            defs: group,
            dialect: if self.in_std() { Dialect::Ravel } else { self.dialect },
            type_vars: &self.type_var_lifted,
            abstracts: &self.abstract_lifted,
            function_first: &self.function_first,
            blanks: &self.blanks,
            written_diets: &self.written_diets,
        };
        if !(self.finish_group)(&mut self.program, &group, &mut self.diagnostics) {
            self.broken.extend(group.defs);
        }
    }

    /// Whether a definition of the group uses one whose type is not known for sure.
    fn uses_broken(&self, group: &[DefId]) -> bool {
        let broken = |def: &DefId| match &self.program.defs[*def].body {
            Body::Expr(body) => mentions_any(body, &self.broken),
            Body::Intrinsic(_) | Body::Specified => false,
        };
        !self.broken.is_empty() && group.iter().any(broken)
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.failed = true;
        }
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn finish(mut self) -> Checked {
        self.diagnostics.sort_by_key(|d| (d.span().file, d.span().start));
        Checked { program: self.program, diagnostics: self.diagnostics }
    }

    pub(crate) fn new_local(&mut self, name: Name, span: Span) -> LocalId {
        self.program.locals.push(Local { name, span })
    }

    pub(crate) fn new_type_var(&mut self, name: Name, span: Span, lifted: Lifted) -> TypeVarId {
        let var = self.program.type_vars.push(TypeVar { name, span });
        self.type_var_lifted.insert(var, lifted);
        self.type_var_level.insert(var, self.metas.level);
        var
    }

    pub(crate) fn lifted(&self, var: TypeVarId) -> Lifted {
        self.type_var_lifted.get(&var).copied().unwrap_or(Lifted::No)
    }

    /// `a.b.name` for a declaration inside modules `a` and `b`.
    pub(crate) fn qualified(&self, name: Name) -> Name {
        if self.path.is_empty() {
            return name;
        }
        let mut text: String = self.path.iter().map(|p| format!("{p}.")).collect();
        text.push_str(name.as_str());
        Name::new(&text)
    }

    /// Runs `f` and forgets the locals and type parameters it brought into scope.
    pub(crate) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (locals, types) = (self.locals.len(), self.type_scope.len());
        let result = f(self);
        self.locals.truncate(locals);
        self.type_scope.truncate(types);
        result
    }

    /// Runs `f` in another environment.
    pub(crate) fn with_env<T>(&mut self, env: Env, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.env, env);
        let result = f(self);
        self.env = outer;
        result
    }

    pub(crate) fn local(&self, name: Name) -> Option<&LocalVar> {
        self.locals.iter().rev().find(|l| l.name == name)
    }

    pub(crate) fn is_ravel(&self) -> bool {
        self.dialect == ast::Dialect::Ravel
    }
}

/// Whether an expression uses one of these definitions.
fn mentions_any(expr: &Expr, defs: &Set<DefId>) -> bool {
    if let ExprKind::Global(def, _) = &*expr.kind {
        return defs.contains(def);
    }
    let mut found = false;
    expr.for_each_child(&mut |child| found = found || mentions_any(child, defs));
    found
}
