//! Known values inside of a function.

use super::defs::Defs;
use super::results::{Given, Results};
use super::rules::{New, Rewriter, Rule, rules_for};
use super::scalarise::{self, Reads, Scalars};
use super::scope::{Check, Scope};
use base::{Map, Set, Span};
use ir::known::Computation;
use ir::rename::Substitution;
use ir::traverse::{Part, PartMut};
use ir::{Atom, Block, Dim, Emit, Exp, FunId, LoopForm, Program, SiteId, Step, Stm, Type, Var};

/// Simplifies the body of a function. `results` are the known results of calls, `silent` functions that print nothing,
/// `known` the known
/// parameters.
pub(super) fn simplify(
    program: &mut Program,
    results: &Map<FunId, Results>,
    silent: &Set<FunId>,
    known: Substitution,
    params: &[Var],
    body: &mut Block,
) {
    let (passed, named) = certificates_in(program, body);
    let nothing_consumed = !consumes(program, body);
    let vouched = vouched_in(body);
    let reads = scalarise::constant_reads(program, body);
    let only_read = analysis::uses::only_read(program, body);
    let mut given_sizes = Set::default();
    for param in params {
        program.ty(*param).for_each_var(&mut |size| {
            given_sizes.insert(size);
        });
    }
    let (certain, scope, defs) = (Set::default(), Scope::default(), Defs::new(vouched));
    Simplify {
        program,
        results,
        silent,
        known,
        certain,
        passed,
        named,
        scope,
        defs,
        reads,
        only_read,
        loops: 0,
        given_sizes,
        nothing_consumed,
    }
    .block(body);
}

/// How many rules may be applied to one statement: more than views or operators are nested in practice.
const MOST_RULES: usize = 100;

struct Simplify<'p> {
    program: &'p mut Program,
    results: &'p Map<FunId, Results>,
    /// Functions that print nothing.
    silent: &'p Set<FunId>,
    /// Variables, and the atoms that replace them. Such an atom is never replaced itself.
    known: Substitution,
    /// Certificates of checks that were removed because they hold.
    certain: Set<Var>,
    /// Certificates that are used as values: their checks stay.
    passed: Set<Var>,
    /// Certificates that statements name.
    named: Set<Var>,
    scope: Scope,
    defs: Defs,
    /// Arrays that are only read at constant indices.
    reads: Reads,
    /// Arrays that are only read element by element.
    only_read: Set<Var>,
    /// How many loops are around the current statement.
    loops: usize,
    /// Sizes of parameters, which are sizes without checks.
    given_sizes: Set<Var>,
    /// Whether nothing in the function consumes memory.
    nothing_consumed: bool,
}

/// The arrays of row lengths and indices. Checks look at their elements; the verifier knows these checks by the names of
/// the arrays, so reads of them stay as they are.
fn vouched_in(body: &Block) -> Set<Var> {
    let mut found = Set::default();
    body.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::DescOf(x) | Exp::IndexVector(_, x), .. }) = part {
            found.insert(*x);
        }
    });
    found
}

/// Whether something in a body consumes memory.
fn consumes(program: &Program, body: &Block) -> bool {
    let mut found = false;
    body.walk(&mut |part| {
        if let Part::Stm(stm) = part {
            found |= !stm.exp.consumes(&program.functions).is_empty();
        }
    });
    found
}

/// The certificates that are used as values, and those that statements name.
fn certificates_in(program: &Program, body: &Block) -> (Set<Var>, Set<Var>) {
    let (mut passed, mut named) = (Set::default(), Set::default());
    body.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) if *program.ty(*var) == Type::Cert => {
            passed.insert(*var);
        }
        Part::Use(var) if *program.ty(*var) == Type::Cert => {
            named.insert(*var);
        }
        _ => {}
    });
    (passed, named)
}

/// Whether a loop of one turn, with this index, does no more than what is inside of the loops in it: no value goes to its place.
fn only_repeats(body: &[Step], index: Var) -> bool {
    let elsewhere = |emit: &&Emit| !emit.at.contains(&Atom::Var(index));
    body.iter().any(|step| matches!(step, Step::For { .. })) && analysis::emits::all(body).iter().all(elsewhere)
}

impl Simplify<'_> {
    fn block(&mut self, block: &mut Block) {
        let begin = self.scope.enter();
        for stm in std::mem::take(&mut block.stms) {
            self.stm(stm, &mut block.stms);
        }
        block.result.iter_mut().for_each(|atom| *atom = self.known.atom(*atom));
        self.scope.leave(begin);
    }

    fn steps(&mut self, steps: &mut Vec<Step>) {
        let begin = self.scope.enter();
        for step in std::mem::take(steps) {
            match step {
                Step::For { var, count, mark, mut body } => {
                    let count = self.known.atom(count);
                    if count == Atom::size(1) && only_repeats(&body, var) {
                        self.known.insert(var, Atom::size(0));
                        self.steps(&mut body);
                        steps.extend(body);
                        continue;
                    }
                    self.defs.define_index(var, count);
                    self.loops += 1;
                    self.steps(&mut body);
                    self.loops -= 1;
                    steps.push(Step::For { var, count, mark, body });
                }
                Step::Guard(cond, mut body) => {
                    self.steps(&mut body);
                    match self.known.atom(cond) {
                        cond if cond == Atom::bool(true) => steps.extend(body),
                        cond => steps.push(Step::Guard(cond, body)),
                    }
                }
                Step::Scan(mut scan) => {
                    scan.neutral.iter_mut().for_each(|atom| *atom = self.known.atom(*atom));
                    self.block(&mut scan.value);
                    self.types_of(&scan.vars);
                    steps.push(Step::Scan(scan));
                }
                Step::Emit(mut emit) => {
                    emit.at.iter_mut().for_each(|atom| *atom = self.known.atom(*atom));
                    self.certificates(&mut emit.certs);
                    self.block(&mut emit.value);
                    steps.push(Step::Emit(emit));
                }
                Step::Let(stm) => {
                    let mut stms = Vec::new();
                    self.stm(stm, &mut stms);
                    steps.extend(stms.into_iter().map(Step::Let));
                }
            }
        }
        self.scope.leave(begin);
    }

    /// Simplifies the operators of running combinations, which see nothing that steps bind.
    fn scan_operators(&mut self, steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::For { body, .. } => {
                    self.loops += 1;
                    self.scan_operators(body);
                    self.loops -= 1;
                }
                Step::Guard(_, body) => self.scan_operators(body),
                Step::Scan(scan) => {
                    self.types_of(&scan.op.params);
                    self.block(&mut scan.op.body);
                }
                Step::Let(_) | Step::Emit(_) => {}
            }
        }
    }

    /// Simplifies a statement; the result goes to `out`.
    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        if let Some(scalars) = scalarise::scalars(self.program, &self.known, &self.reads, &stm) {
            return self.scalarise(scalars, &stm, out);
        }
        self.certificates(&mut stm.certs);
        self.inside(&mut stm.exp);
        self.types_of(&stm.vars);
        self.rewrite(&mut stm, out);
        if let Some(mut stm) = self.simplified(stm, out) {
            self.note_sizes(&mut stm);
            self.defs.define(self.program, &stm, self.loops);
            out.push(stm);
        }
    }

    /// Computes the elements of a small array one by one.
    fn scalarise(&mut self, scalars: Scalars, array: &Stm, out: &mut Vec<Stm>) {
        scalars.stms.into_iter().for_each(|stm| self.stm(stm, out));
        let mut certs = [&array.certs[..], &scalars.certs].concat();
        self.certificates(&mut certs);
        for (var, at, atom) in scalars.elements {
            self.defs.define_scalar(var, at, self.known.atom(atom), &certs);
        }
        if let Some((var, rest)) = scalars.rest {
            self.defs.define_rest(var, self.known.var(rest), &certs);
        }
    }

    /// Lets a bulk form name the checks that say that its sizes are sizes, since the view with these sizes may vanish.
    fn note_sizes(&mut self, stm: &mut Stm) {
        if let Exp::Slice(root, _) | Exp::Retype(root) | Exp::Reshape(root) = stm.exp
            && !stm.certs.is_empty()
        {
            let known: Vec<&Dim> = self.program.ty(root).dims().iter().collect();
            for dim in self.program.ty(stm.vars[0]).dims().iter().filter(|dim| !known.contains(dim)) {
                if let Dim::Size(Atom::Var(size)) = dim
                    && !self.given_sizes.contains(size)
                {
                    self.scope.add_size(*size, &stm.certs);
                }
            }
        }
        if let Exp::Bulk(bulk) = &stm.exp {
            for count in bulk.steps.iter().filter_map(|step| step.count()).filter_map(|count| count.var()) {
                let certs = self.scope.size(count).iter().filter(|cert| !stm.certs.contains(cert));
                let certs: Vec<Var> = certs.copied().collect();
                stm.certs.extend(certs);
            }
        }
    }

    /// Applies rules to a statement until none fits; new statements before it go to `out`.
    fn rewrite(&mut self, stm: &mut Stm, out: &mut Vec<Stm>) {
        for turn in 1..=MOST_RULES {
            let mut rewriter = Rewriter {
                program: self.program,
                defs: &self.defs,
                nothing_consumed: self.nothing_consumed,
                only_read: &self.only_read,
                loops: self.loops,
                span: stm.span,
                before: Vec::new(),
            };
            let fits = |rule: &Rule| Some((rule.name, (rule.apply)(&mut rewriter, stm)?));
            let Some((name, New { exp, certs })) = rules_for(&stm.exp).iter().find_map(fits) else { return };
            debug_assert!(turn < MOST_RULES, "the rule `{name}` is applied again and again");
            rewriter.before.into_iter().for_each(|new| self.stm(new, out));
            stm.exp = exp;
            self.inside(&mut stm.exp);
            stm.certs.extend(certs);
            self.certificates(&mut stm.certs);
        }
    }

    fn certificates(&self, certs: &mut Vec<Var>) {
        certs.retain(|cert| !self.certain.contains(cert));
        let mut seen = Set::default();
        certs.iter_mut().for_each(|cert| *cert = self.known.var(*cert));
        certs.retain(|cert| seen.insert(*cert));
    }

    fn types_of(&mut self, vars: &[Var]) {
        for var in vars {
            self.program.vars[*var].ty = self.known.ty(&self.program.vars[*var].ty);
        }
    }

    /// Simplifies an expression and everything inside of it.
    fn inside(&mut self, exp: &mut Exp) {
        // The steps of a bulk form come last, because nothing before them may use their values.
        let mut steps = match exp {
            Exp::Bulk(bulk) => std::mem::take(&mut bulk.steps),
            _ => Vec::new(),
        };
        let repeats = usize::from(matches!(exp, Exp::Loop { .. } | Exp::Sort(..) | Exp::Bulk(_)));
        self.loops += repeats;
        exp.for_each_part_mut(&mut |part| match part {
            PartMut::Atom(atom) => *atom = self.known.atom(*atom),
            PartMut::Use(var) => *var = self.known.var(*var),
            PartMut::Bind(var) => self.types_of(&[*var]),
            PartMut::Block(block) => self.block(block),
            PartMut::Stm(_) => base::bug!("only steps hold statements outside of blocks"),
        });
        self.loops -= repeats;
        if let Exp::Bulk(bulk) = exp {
            self.defs.define_recursive(bulk);
            self.scan_operators(&mut steps);
            self.steps(&mut steps);
            bulk.steps = steps;
        }
    }

    /// Simplifies a statement whose parts are simplified already: the result, if any is left; new statements before it go to
    /// `out`.
    fn simplified(&mut self, stm: Stm, out: &mut Vec<Stm>) -> Option<Stm> {
        if let Exp::Assert { cond, site, args: _ } = stm.exp {
            return (!self.holds(cond, site, stm.vars[0])).then_some(stm);
        }
        if let Some(atom) = self.value(&stm) {
            self.known.insert(stm.vars[0], atom);
            return None;
        }
        let Stm { vars, certs, exp, span } = stm;
        match exp {
            Exp::If(cond @ Atom::Const(_), then, otherwise) | Exp::Choose(cond @ Atom::Const(_), then, otherwise) => {
                let taken = if cond == Atom::bool(true) { then } else { otherwise };
                out.extend(taken.stms.into_iter().map(|inner| inner.relying_on(&certs)));
                for (var, atom) in vars.into_iter().zip(taken.result) {
                    out.extend(self.unless_known(Stm {
                        vars: vec![var],
                        certs: certs.clone(),
                        exp: Exp::Atom(atom),
                        span,
                    }));
                }
                None
            }
            Exp::If(cond, then, otherwise) if certs.is_empty() => self.choice(vars, cond, [then, otherwise], span, out),
            Exp::Loop { params, form, body, .. } if certs.is_empty() => {
                let (vars, exp) = self.without_constants(vars, params, form, body);
                Some(Stm { vars, certs, exp, span })
            }
            Exp::Call(fun, args) if certs.is_empty() => {
                self.given(fun, &args, &vars);
                Some(Stm { vars, certs, exp: Exp::Call(fun, args), span })
            }
            exp => Some(Stm { vars, certs, exp, span }),
        }
    }

    /// The atom that a statement only gives another name. A statement that relies on checks keeps its name, because its uses
    /// rely on the checks too.
    fn value(&mut self, stm: &Stm) -> Option<Atom> {
        let [var] = stm.vars[..] else { return None };
        let computation = self.computation(&stm.exp, var);
        let earlier = computation.as_ref().and_then(|computation| self.scope.value(computation));
        if let Some((atom, certs)) = earlier
            && stm.certs.iter().all(|cert| certs.contains(cert))
        {
            return Some(*atom);
        }
        let is_new = earlier.is_none() && stm.exp.known().is_none();
        let sum = self.sum(stm, var);
        if let Some(computation) = computation.filter(|_| is_new) {
            // Under the name that stays, if an earlier sum has the same form.
            self.scope.compute(computation, sum.unwrap_or(var.into()), stm.certs.clone());
        }
        if sum.is_some() {
            return sum;
        }
        match stm.exp {
            // Checks that stay do so without the name.
            _ if !self.defs.stay(&stm.certs) => None,
            Exp::Retype(x) if self.same(x, var) => Some(x.into()),
            _ => stm.exp.known(),
        }
    }

    /// The name of an earlier sum with the same form.
    fn sum(&mut self, stm: &Stm, var: Var) -> Option<Atom> {
        let form = self.defs.forms.of(&stm.exp).filter(|_| stm.certs.is_empty())?;
        let known = self.scope.sum(&form);
        if known.is_none() {
            self.scope.add_sum(form, var.into());
        }
        known
    }

    /// What an expression computes, if it is a scalar that it computes wherever it stands.
    fn computation(&self, exp: &Exp, var: Var) -> Option<Computation> {
        let is_scalar = matches!(self.program.ty(var), Type::Scalar(_));
        match exp {
            Exp::Call(fun, args) if is_scalar && self.silent.contains(fun) => {
                Some(Computation::Call(*fun, args.clone()))
            }
            // Arrays do not change: who consumes one leaves none to read.
            Exp::Index(array, at) if is_scalar => Some(Computation::Element(*array, at.clone())),
            Exp::Math(op, prim, args) => Some(Computation::Math(*op, *prim, args.clone())),
            exp => exp.computation(),
        }
    }

    /// The statement, unless an earlier statement computes the same value.
    fn unless_known(&mut self, stm: Stm) -> Option<Stm> {
        match self.value(&stm) {
            Some(atom) => {
                self.known.insert(stm.vars[0], atom);
                None
            }
            None => Some(stm),
        }
    }

    /// Whether a check is not needed, because its condition holds.
    fn holds(&mut self, cond: Atom, site: SiteId, cert: Var) -> bool {
        match cond {
            Atom::Const(_) => {
                let holds = cond == Atom::bool(true) && !self.passed.contains(&cert);
                holds && self.certain.insert(cert)
            }
            Atom::Var(cond) => self.is_repeated(cond, site, cert),
        }
    }

    /// Whether an earlier check has the same condition: that one fails first.
    fn is_repeated(&mut self, cond: Var, site: SiteId, cert: Var) -> bool {
        let stays = self.program.sites[site].stays || !self.named.contains(&cert);
        match self.scope.check(cond) {
            Some(earlier) if earlier.stays || !stays => {
                self.known.insert(cert, earlier.cert);
                true
            }
            Some(_) => false,
            None => {
                self.scope.hold(cond, Check { cert, stays });
                false
            }
        }
    }

    /// Whether two names refer to the same array.
    fn same(&self, x: Var, y: Var) -> bool {
        let (x, y) = (&self.program.vars[x], &self.program.vars[y]);
        x.ty == y.ty && x.pending.is_none() && y.pending.is_none()
    }

    /// Replaces the known results of a call.
    fn given(&mut self, fun: FunId, args: &[Atom], vars: &[Var]) {
        let Some(results) = self.results.get(&fun) else { return };
        for (var, result) in vars.iter().zip(results) {
            match result {
                Some(Given::Const(atom)) => self.known.insert(*var, *atom),
                Some(Given::Argument(number)) => self.known.insert(*var, args[*number]),
                None => {}
            }
        }
        self.types_of(vars);
    }

    /// A branch without the results that both sides share. A choice between known scalars needs no branch.
    fn choice(
        &mut self,
        vars: Vec<Var>,
        cond: Atom,
        [mut then, mut otherwise]: [Block; 2],
        span: Span,
        out: &mut Vec<Stm>,
    ) -> Option<Stm> {
        let shared: Vec<bool> = then.result.iter().zip(&otherwise.result).map(|(a, b)| a == b).collect();
        for ((var, atom), _) in vars.iter().zip(&then.result).zip(&shared).filter(|(_, shared)| **shared) {
            self.known.insert(*var, *atom);
        }
        let vars = without(vars, &shared);
        then.result = without(then.result, &shared);
        otherwise.result = without(otherwise.result, &shared);
        self.types_of(&vars);
        let scalars = vars.iter().all(|var| matches!(self.program.ty(*var), Type::Scalar(_)));
        if !(then.stms.is_empty() && otherwise.stms.is_empty() && scalars) {
            return Some(Stm { vars, certs: Vec::new(), exp: Exp::If(cond, then, otherwise), span });
        }
        for ((var, a), b) in vars.into_iter().zip(then.result).zip(otherwise.result) {
            let select = Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Select(cond, a, b), span };
            out.extend(self.unless_known(select));
        }
        None
    }

    /// A loop without the values that no iteration changes.
    fn without_constants(
        &mut self,
        vars: Vec<Var>,
        params: Vec<(Var, Atom)>,
        mut form: LoopForm,
        mut body: Block,
    ) -> (Vec<Var>, Exp) {
        let unchanged = |((param, init), next): (&(Var, Atom), &Atom)| *next == Atom::Var(*param) || next == init;
        let constant: Vec<bool> = params.iter().zip(&body.result).map(unchanged).collect();
        if !constant.contains(&true) {
            return (vars, Exp::repeat(params, form, body));
        }
        let mut inside = Substitution::default();
        for ((var, (param, init)), _) in vars.iter().zip(&params).zip(&constant).filter(|(_, constant)| **constant) {
            self.known.insert(*var, *init);
            inside.insert(*param, *init);
        }
        let (vars, params) = (without(vars, &constant), without(params, &constant));
        self.types_of(&vars);
        for (param, _) in &params {
            self.program.vars[*param].ty = inside.ty(&self.program.vars[*param].ty);
        }
        body.result = without(body.result, &constant);
        if let LoopForm::While(cond) = &mut form {
            inside.block(&mut self.program.vars, cond);
        }
        inside.block(&mut self.program.vars, &mut body);
        (vars, Exp::repeat(params, form, body))
    }
}

/// The items that are not marked.
fn without<T>(items: Vec<T>, marked: &[bool]) -> Vec<T> {
    items.into_iter().zip(marked).filter(|(_, marked)| !**marked).map(|(item, _)| item).collect()
}
