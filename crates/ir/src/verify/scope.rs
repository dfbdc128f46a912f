//! Bindings, uses and types.

use super::rule::Rule;
use super::violation::{MOST, Violation, first_line};
use crate::facts::elements::Filling;
use crate::facts::{self, Facts};
use crate::print::{print_stm, print_type, print_var};
use crate::rename::Substitution;
use crate::{Atom, BoxId, BoxKind, Dim, FunId, Function, Program, Stm, Type, Var};
use base::{Map, Set};
use scalar::Prim;

/// The state of the check.
pub(super) struct Verifier<'p> {
    pub(super) program: &'p Program,
    pub(super) found: Vec<Violation>,
    /// How many there were, those included that are not collected.
    failures: usize,
    /// What is bound by statements that break a rule.
    pub(super) broken: Set<Var>,
    pub(super) function: FunId,
    /// All variables bound so far.
    bound: Set<Var>,
    scope: Set<Var>,
    /// What is in scope, in order, so that a block can be left.
    order: Vec<Var>,
    /// Names of recursive arrays that are visible.
    pub(super) rec: Set<Var>,
    /// Names for the same value.
    same: Map<Var, Atom>,
    stms: Vec<&'p Stm>,
    /// What is known about integers.
    pub(super) facts: Facts<'p>,
    /// What went into the outputs of the innermost bulk form so far.
    pub(super) filling: Option<Filling>,
    /// What boxes hold.
    pub(super) boxed: Set<Var>,
}

/// What was in scope at some place.
pub(super) struct Mark {
    order: usize,
    facts: facts::Mark,
}

impl<'p> Verifier<'p> {
    pub(super) fn new(program: &'p Program) -> Verifier<'p> {
        Verifier {
            program,
            found: Vec::new(),
            failures: 0,
            broken: Set::default(),
            function: FunId(0),
            bound: Set::default(),
            scope: Set::default(),
            order: Vec::new(),
            rec: Set::default(),
            same: Map::default(),
            stms: Vec::new(),
            facts: Facts::new(program),
            filling: None,
            boxed: Set::default(),
        }
    }

    pub(super) fn function(&mut self, id: FunId) {
        self.function = id;
        self.facts = Facts::new(self.program);
        let Function { name: _, params, consumed, results, fresh, body, too_deep, span: _, remarks: _ } =
            &self.program.functions[id];
        let mark = self.enter();
        self.bind_all(params);
        let inside = self.enter();
        self.bind_all(results);
        self.leave(inside);
        self.check(consumed.len() == params.len(), Rule::Count, || "marks of consumed parameters".into());
        self.check(fresh.len() == results.len(), Rule::Count, || "marks of fresh results".into());
        for (param, _) in params.iter().zip(consumed).filter(|(_, consumed)| **consumed) {
            let array = self.program.vars.get(*param).is_some_and(|info| info.ty.is_array());
            self.check(array, Rule::Operand, || "a parameter that is consumed is no array".into());
        }
        if let Some(site) = too_deep {
            self.site_exists(*site);
        }
        self.block(body, |verifier| {
            verifier.fit(&body.result, results, Rule::Result);
            verifier.declared_sizes(&body.result, results);
        });
        self.leave(mark);
    }

    /// The cases of a kind of boxes.
    pub(super) fn boxes(&mut self, id: BoxId) {
        let BoxKind { name: _, cases } = &self.program.boxes[id];
        for case in cases {
            let mark = self.enter();
            self.bind_all(case);
            self.leave(mark);
        }
    }

    pub(super) fn fail(&mut self, rule: Rule, detail: String) {
        self.failures += 1;
        self.broken.extend(self.stms.last().into_iter().flat_map(|stm| &stm.vars));
        // Showing names prints the whole function, which takes too long for thousands of errors.
        if self.found.len() < MOST {
            let stm = self.stms.last();
            let statement = stm.map(|stm| first_line(&print_stm(self.program, self.function, stm))).unwrap_or_default();
            let function = self.program.functions.get(self.function).map(|f| f.name.to_string()).unwrap_or_default();
            self.found.push(Violation { rule, function, statement, detail });
        }
    }

    pub(super) fn check(&mut self, holds: bool, rule: Rule, detail: impl FnOnce() -> String) {
        if !holds {
            self.fail(rule, detail());
        }
    }

    /// The name of a variable for messages.
    pub(super) fn name(&self, var: Var) -> String {
        print_var(self.program, self.function, var)
    }

    /// The same of an atom.
    pub(super) fn atom_name(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => format!("`{}`", self.name(var)),
            Atom::Const(x) => format!("`{x}`"),
        }
    }

    pub(super) fn show(&self, ty: &Type) -> String {
        print_type(self.program, self.function, ty)
    }

    pub(super) fn enter(&self) -> Mark {
        Mark { order: self.order.len(), facts: self.facts.mark() }
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        for var in self.order.drain(mark.order..) {
            self.scope.remove(&var);
        }
        self.facts.forget(mark.facts);
    }

    pub(super) fn bind(&mut self, var: Var) {
        self.bind_unchecked(var);
        let Some(info) = self.program.vars.get(var) else {
            return;
        };
        if info.pending.is_some() {
            // Its type may mention descriptors that are as little there as it is itself.
            let rec = std::mem::take(&mut self.rec);
            self.well_formed(&info.ty, var);
            self.rec = rec;
            self.rec.insert(var);
        } else {
            self.well_formed(&info.ty, var);
            self.facts.bind(var);
        }
    }

    /// For names of recursive arrays, whose type is that of the statement's variables.
    pub(super) fn bind_unchecked(&mut self, var: Var) {
        if self.program.vars.get(var).is_none() {
            self.fail(Rule::Bound, format!("there is no variable {var:?}"));
        }
        if !self.bound.insert(var) {
            self.fail(Rule::Bound, format!("`{}` is bound more than once", self.name(var)));
        }
        self.show_in_scope(var);
    }

    /// Makes a variable visible that was bound before.
    pub(super) fn show_in_scope(&mut self, var: Var) {
        if self.scope.insert(var) {
            self.order.push(var);
        }
    }

    pub(super) fn bind_all(&mut self, vars: &[Var]) {
        vars.iter().for_each(|var| self.bind(*var));
    }

    pub(super) fn use_var(&mut self, var: Var) {
        if self.rec.contains(&var) {
            self.fail(Rule::Recursive, format!("`{}` is used as a whole", self.name(var)));
        }
        self.use_rec(var);
    }

    /// A use that the names of recursive arrays allow.
    pub(super) fn use_rec(&mut self, var: Var) {
        if !self.scope.contains(&var) {
            self.fail(Rule::Scope, format!("`{}` is not in scope", self.name(var)));
        }
    }

    /// The certificates that the current statement names.
    pub(super) fn named(&self) -> &'p [Var] {
        self.stms.last().map_or(&[], |stm| &stm.certs)
    }

    /// Whether a variable is in scope.
    pub(super) fn in_scope(&self, var: Var) -> bool {
        self.scope.contains(&var)
    }

    /// A parameter that gets a recursive array under construction must be marked as pending.
    pub(super) fn hand_over(&mut self, atoms: &[Atom], params: &[Var]) {
        for (i, atom) in atoms.iter().enumerate() {
            let pending = params.get(i).and_then(|p| self.program.vars.get(*p)).is_some_and(|p| p.pending.is_some());
            match atom {
                Atom::Var(var) if pending && self.rec.contains(var) => self.use_rec(*var),
                _ if pending => self.fail(Rule::Recursive, "a value that is there for one that is not".into()),
                _ => self.use_atom(*atom),
            }
        }
    }

    pub(super) fn use_atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.use_var(var);
        }
    }

    /// The type of a variable; of one that does not exist, a certificate.
    pub(super) fn ty(&self, var: Var) -> Type {
        self.program.vars.get(var).map_or(Type::Cert, |info| info.ty.clone())
    }

    pub(super) fn atom_ty(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.ty(var),
            Atom::Const(x) => Type::Scalar(x.prim()),
        }
    }

    /// From here on a variable is another name for an atom.
    pub(super) fn also_known_as(&mut self, var: Var, atom: Atom) {
        let atom = self.first_name(atom);
        self.same.insert(var, atom);
    }

    fn first_name(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.same.get(&var).copied().unwrap_or(atom),
            Atom::Const(_) => atom,
        }
    }

    fn first_names(&self, dims: &[Dim]) -> Vec<Dim> {
        let var = |var: Var| self.first_name(var.into()).var().unwrap_or(var);
        let dim = |dim: &Dim| match dim {
            Dim::Size(n) => Dim::Size(self.first_name(*n)),
            Dim::Jagged(d) => Dim::Jagged(var(*d)),
            Dim::Shape(v) => Dim::Shape(var(*v)),
        };
        dims.iter().map(dim).collect()
    }

    pub(super) fn same_dims(&self, a: &[Dim], b: &[Dim]) -> bool {
        a == b || self.first_names(a) == self.first_names(b)
    }

    pub(super) fn same_type(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Scalar(p), Type::Scalar(q)) => p == q,
            (Type::Array(p, a), Type::Array(q, b)) => p == q && self.same_dims(a, b),
            (Type::Desc(a), Type::Desc(b)) => self.same_dims(a, b),
            (Type::Cert, Type::Cert) => true,
            (Type::Box(a), Type::Box(b)) => a == b,
            (Type::Scalar(_) | Type::Array(..) | Type::Desc(_) | Type::Cert | Type::Box(_), _) => false,
        }
    }

    /// Checks the type of something that is bound, or handed on.
    pub(super) fn same(&mut self, what: Atom, is: &Type, should: &Type, rule: Rule) {
        if !self.same_type(is, should) {
            let name = self.atom_name(what);
            let detail = format!("{name} is of type {}, not {}", self.show(is), self.show(should));
            self.fail(rule, detail);
        }
    }

    /// Checks that atoms can replace variables, whose types may mention one another.
    pub(super) fn fit(&mut self, atoms: &[Atom], vars: &[Var], rule: Rule) {
        if atoms.len() != vars.len() {
            return self.fail(Rule::Count, format!("{} values for {} variables", atoms.len(), vars.len()));
        }
        let substitution = Substitution::new(vars, atoms);
        for (atom, var) in atoms.iter().zip(vars) {
            let should = substitution.ty(&self.ty(*var));
            self.same(*atom, &self.atom_ty(*atom), &should, rule);
        }
    }

    fn well_formed(&mut self, ty: &Type, var: Var) {
        let problem = match ty {
            Type::Scalar(_) | Type::Cert => None,
            Type::Box(id) => self.program.boxes.get(*id).is_none().then(|| "a kind that there is not".to_string()),
            Type::Array(_, dims) if dims.is_empty() => Some("an array without dimensions".to_string()),
            Type::Desc(dims) if dims.is_empty() => Some("a descriptor without dimensions".to_string()),
            Type::Array(_, dims) | Type::Desc(dims) => self.dims_problem(dims),
        };
        if let Some(problem) = problem {
            let detail = format!("`{}: {}` has {problem}", self.name(var), self.show(ty));
            self.fail(Rule::Type, detail);
        }
    }

    /// What is wrong with dimensions.
    pub(super) fn dims_problem(&self, dims: &[Dim]) -> Option<String> {
        dims.iter().enumerate().find_map(|(i, dim)| self.dim_problem(*dim, &dims[..i]))
    }

    fn dim_problem(&self, dim: Dim, before: &[Dim]) -> Option<String> {
        let mentioned = match dim {
            Dim::Size(n) => n.var(),
            Dim::Jagged(x) | Dim::Shape(x) => Some(x),
        };
        if let Some(var) = mentioned.filter(|var| !self.scope.contains(var) || self.rec.contains(var)) {
            return Some(format!("`{}`, which is not in scope", self.name(var)));
        }
        match dim {
            Dim::Size(Atom::Const(n)) => {
                let fine = matches!(n, scalar::Scalar::I64(_));
                (!fine).then(|| format!("the size {n}"))
            }
            Dim::Size(Atom::Var(n)) => {
                (self.ty(n) != Type::I64).then(|| format!("the size `{}`, no i64", self.name(n)))
            }
            Dim::Jagged(d) => {
                let inside = Type::Desc(before.to_vec());
                let fits = !before.is_empty() && self.same_type(&self.ty(d), &inside);
                (!fits).then(|| format!("`~{}`, which is of type {}", self.name(d), self.show(&self.ty(d))))
            }
            Dim::Shape(v) => {
                let fits = matches!(&self.ty(v), Type::Array(Prim::I64, dims) if matches!(dims[..], [Dim::Size(_)]));
                (!fits).then(|| format!("`..{}`, which is of type {}", self.name(v), self.show(&self.ty(v))))
            }
        }
    }

    pub(super) fn stm(&mut self, stm: &'p Stm) {
        self.stms.push(stm);
        let Stm { vars, certs, exp, span: _ } = stm;
        self.certs(certs);
        let (mark, before) = (self.facts.mark(), self.failures);
        self.facts.rely_on(certs);
        self.exp(vars, exp);
        self.sizes_of_new(vars, exp);
        self.facts.forget(mark);
        // A statement that breaks rules may be computed from itself.
        for (number, var) in vars.iter().enumerate().filter(|_| self.failures == before) {
            let Some(info) = self.program.vars.get(*var).filter(|_| !self.bound.contains(var)) else { continue };
            self.facts.define(*var, &info.ty, exp, number);
        }
        self.bind_all(vars);
        self.facts.learn_results(stm);
        if let (crate::Exp::Atom(atom), [var]) = (exp, &vars[..]) {
            self.also_known_as(*var, *atom);
        }
        self.stms.pop();
    }

    pub(super) fn certs(&mut self, certs: &[Var]) {
        for cert in certs {
            self.use_var(*cert);
            if self.ty(*cert) != Type::Cert {
                self.fail(Rule::Cert, format!("`{}` is no certificate", self.name(*cert)));
            }
        }
    }
}
