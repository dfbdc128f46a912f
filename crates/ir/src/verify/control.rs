//! Blocks, calls, branches and loops.

use super::rule::Rule;
use super::scope::Verifier;
use crate::facts::Facts;
use crate::rename::Substitution;
use crate::{Atom, Block, BoxId, Dim, FunId, LoopForm, Region, SortKeys, Type, Var};
use scalar::Prim;

impl<'p> Verifier<'p> {
    /// Both branches give what is bound.
    pub(super) fn choice(&mut self, vars: &[Var], cond: Atom, then: &'p Block, otherwise: &'p Block) {
        self.expect(cond, &Type::Scalar(Prim::Bool));
        self.branch(vars, Some((cond, true)), then);
        self.branch(vars, Some((cond, false)), otherwise);
    }

    /// Both versions give what is bound. The second is right whether the condition holds or not.
    pub(super) fn versions(&mut self, vars: &[Var], cond: Atom, one: &'p Block, other: &'p Block) {
        self.expect(cond, &Type::Scalar(Prim::Bool));
        self.branch(vars, Some((cond, true)), one);
        self.branch(vars, None, other);
    }

    fn branch(&mut self, vars: &[Var], known: Option<(Atom, bool)>, block: &'p Block) {
        let mark = self.enter();
        known.into_iter().for_each(|(cond, holds)| self.facts.suppose(cond, holds));
        self.block_fits(block, vars);
        self.leave(mark);
    }

    /// The sorted numbers below `count`.
    pub(super) fn sort(&mut self, vars: &[Var], count: Atom, order: &'p Region) {
        self.expect(count, &Type::I64);
        self.comparison(count, order);
        self.gives(vars, &Type::Array(Prim::I64, vec![Dim::Size(count)]));
    }

    /// Numbers that are sorted, and their indices before.
    pub(super) fn sort_keys(&mut self, vars: &[Var], sort: SortKeys) {
        let Type::Array(prim, dims) = self.ty(sort.keys) else {
            return self.fail(Rule::Operand, "what is sorted is no array".into());
        };
        let &[Dim::Size(count)] = &dims[..] else {
            return self.fail(Rule::Operand, "what is sorted is no vector".into());
        };
        let values = sort.gives.has_values().then_some(prim);
        let prims = values.into_iter().chain(sort.gives.has_order().then_some(Prim::I64));
        let types: Vec<Type> = prims.map(|prim| Type::Array(prim, vec![Dim::Size(count)])).collect();
        self.use_atom(sort.keys.into());
        self.check(vars.len() == types.len(), Rule::Count, || "sorting gives another number of arrays".into());
        vars.iter().zip(&types).for_each(|(var, ty)| self.gives(&[*var], ty));
    }

    /// Checks a block and that its results can replace these variables, whose types may mention one another.
    pub(super) fn block_fits(&mut self, block: &'p Block, vars: &[Var]) {
        self.block(block, |verifier| verifier.fit(&block.result, vars, Rule::Result));
    }

    /// Checks a block, and more while its variables are in scope.
    pub(super) fn block(&mut self, block: &'p Block, inside: impl FnOnce(&mut Self)) {
        let mark = self.enter();
        block.stms.iter().for_each(|stm| self.stm(stm));
        block.result.iter().for_each(|atom| self.use_atom(*atom));
        inside(self);
        self.leave(mark);
    }

    /// A block with one truth value as its result.
    fn condition(&mut self, block: &'p Block) {
        self.block(block, |verifier| match block.result[..] {
            [cond] => verifier.expect(cond, &Type::Scalar(Prim::Bool)),
            _ => verifier.fail(Rule::Count, "a condition is one truth value".into()),
        });
    }

    /// The function of a comparison: it gets numbers below `count`.
    fn comparison(&mut self, count: Atom, region: &'p Region) {
        let mark = self.enter();
        self.bind_all(&region.params);
        region.params.iter().for_each(|param| self.facts.counts(*param, count));
        let fits = region.params.len() == 2 && region.params.iter().all(|param| self.ty(*param) == Type::I64);
        self.check(fits, Rule::Operand, || "a comparison takes two numbers of elements".into());
        self.condition(&region.body);
        self.leave(mark);
    }

    /// The function of a combination: takes two values and gives one. Something is known of its operands.
    pub(super) fn operator(&mut self, region: &'p Region, elems: &[Var], learn: impl FnOnce(&mut Facts<'p>)) {
        let mark = self.enter();
        self.bind_all(&region.params);
        learn(&mut self.facts);
        if region.params.len() != 2 * elems.len() {
            self.fail(
                Rule::Count,
                format!("an operator on {} values with {} parameters", elems.len(), region.params.len()),
            );
        }
        for (param, elem) in region.params.iter().zip(elems.iter().chain(elems)) {
            self.same((*param).into(), &self.ty(*param), &self.ty(*elem), Rule::Operand);
        }
        self.block_fits(&region.body, elems);
        self.leave(mark);
    }

    pub(super) fn pack(&mut self, vars: &[Var], id: BoxId, case: usize, parts: &[Atom]) {
        match self.program.boxes.get(id).and_then(|kind| kind.cases.get(case)) {
            Some(wanted) => {
                self.hand_over(parts, wanted);
                self.fit(parts, wanted, Rule::Operand);
                self.declared_sizes(parts, wanted);
            }
            None => return self.fail(Rule::Box, format!("there is no case {case}")),
        }
        self.gives(vars, &Type::Box(id));
    }

    pub(super) fn open(&mut self, vars: &[Var], x: Var, cases: &'p [Region]) {
        self.use_var(x);
        let kind = match self.ty(x) {
            Type::Box(id) => self.program.boxes.get(id),
            _ => None,
        };
        let Some(kind) = kind else {
            return self.fail(Rule::Operand, format!("`{}` is no box", self.name(x)));
        };
        let fits = kind.cases.len() == cases.len();
        self.check(fits, Rule::Box, || format!("{} regions for {} cases", cases.len(), kind.cases.len()));
        for (region, case) in cases.iter().zip(&kind.cases) {
            let mark = self.enter();
            self.bind_all(&region.params);
            self.boxed.extend(&region.params);
            let params: Vec<Atom> = region.params.iter().copied().map(Atom::Var).collect();
            self.hand_over(&params, case);
            self.fit(&params, case, Rule::Operand);
            self.declared_in_kind(&region.params, case);
            self.block_fits(&region.body, vars);
            self.leave(mark);
        }
    }

    /// What a region says is a size was one when it was packed.
    fn declared_in_kind(&mut self, params: &[Var], case: &[Var]) {
        let program = self.program;
        let declares = |var: &Var| program.vars.get(*var).is_some_and(|info| info.size);
        for (param, _) in params.iter().zip(case).filter(|(param, part)| declares(param) && !declares(part)) {
            self.fail(Rule::Size, format!("the box does not say that `{}` is a size", self.name(*param)));
        }
    }

    pub(super) fn call(&mut self, vars: &[Var], function: FunId, args: &[Atom]) {
        let Some(callee) = self.program.functions.get(function) else {
            return self.fail(Rule::Call, format!("there is no function {function:?}"));
        };
        self.hand_over(args, &callee.params);
        self.fit(args, &callee.params, Rule::Operand);
        self.declared_sizes(args, &callee.params);
        if vars.len() != callee.results.len() {
            return self.fail(Rule::Count, format!("{} variables for {} results", vars.len(), callee.results.len()));
        }
        let mut substitution = Substitution::new(&callee.params, args);
        callee.results.iter().zip(vars).for_each(|(result, var)| substitution.insert(*result, *var));
        for (result, var) in callee.results.iter().zip(vars) {
            let should = substitution.ty(&self.ty(*result));
            self.same((*var).into(), &self.ty(*var), &should, Rule::Result);
        }
    }

    pub(super) fn repetition(&mut self, vars: &[Var], params: &'p [(Var, Atom)], form: &'p LoopForm, body: &'p Block) {
        let with_inits = params;
        let (params, inits): (Vec<Var>, Vec<Atom>) = params.iter().copied().unzip();
        inits.iter().for_each(|init| self.use_atom(*init));
        self.fit(&inits, &params, Rule::Operand);
        let mark = self.enter();
        match form {
            LoopForm::For(var, bound) => {
                self.expect(*bound, &Type::I64);
                self.bind_all(&params);
                self.bind(*var);
                self.same((*var).into(), &self.ty(*var), &Type::I64, Rule::Operand);
                self.facts.counts(*var, *bound);
                self.facts.steps_of(with_inits, Some(*var), body);
                self.facts.keeps(with_inits, Some(*var), None, body);
            }
            LoopForm::While(cond) => {
                self.bind_all(&params);
                self.facts.steps_of(with_inits, None, body);
                self.facts.keeps(with_inits, None, Some(cond), body);
                self.condition(cond);
                cond.result.iter().for_each(|cond| self.facts.suppose(*cond, true));
                self.facts.keeps_in_turns(with_inits, cond, body);
            }
        }
        self.block_fits(body, &params);
        self.leave(mark);
        let atoms: Vec<Atom> = vars.iter().copied().map(Atom::Var).collect();
        self.fit(&atoms, &params, Rule::Result);
    }
}
