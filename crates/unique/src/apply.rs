//! Calls: which arguments are consumed, and what the result shares.

use super::alias::{Alias, Aliases, FunShares, Shares, Source, meeting};
use super::expr::holds_functions;
use super::known::Instance;
use super::walk::{How, Made, Walk};
use base::{Map, Name, Span};
use typed::{Body, Diet, Expr, ExprKind, FunType, Pat, PatKind, Type};

impl<'a> Walk<'a> {
    pub fn apply(&mut self, call: &'a Expr, fun: &'a Expr, args: &'a [Expr]) -> Shares {
        let callee = self.expr(fun);
        let name = self.callee_name(fun);
        let signature = signature(&fun.ty, args.len());
        let mut walked: Vec<Option<Shares>> = vec![None; args.len()];
        // Arguments are evaluated from the last to the first, operands from the first to the last.
        let in_order = name.is_some_and(is_operator) && args.len() == 2;
        let order: Vec<usize> = if in_order { (0..args.len()).collect() } else { (0..args.len()).rev().collect() };
        for (k, i) in order.iter().enumerate() {
            let earlier: Vec<(&Expr, &Shares)> =
                order[..k].iter().filter_map(|j| Some((&args[*j], walked[*j].as_ref()?))).collect();
            let (expected, diet) = match signature.get(*i).and_then(Option::as_ref) {
                Some(fun) => (Some(&fun.param), self.call_diet(&fun.diet)),
                None => (None, Diet::Observe),
            };
            let shares = self.argument(&args[*i], expected, &diet, How::Call(name), &earlier);
            walked[*i] = Some(shares);
        }
        let made = self.new_made(Made::Call(name, call.span));
        let mut result = callee;
        if let Shares::Fun(callee) = &mut result
            && !(self.precise && (callee.known.is_some() || self.is_intrinsic(fun)))
        {
            // Parts of the result may share memory that nothing else names.
            callee.closure.insert(Alias::whole(Source::Made(made)));
        }
        for shares in walked.into_iter().flatten() {
            result = self.apply_one(result, shares, name, call);
        }
        if let Shares::Fun(fun) = &mut result {
            fun.ty = call.ty.clone();
        }
        result
    }

    /// In Futhark a parameter is consumed as a whole.
    fn call_diet(&self, diet: &Diet) -> Diet {
        if self.precise || !diet.consumes() { diet.clone() } else { Diet::Consume }
    }

    /// Walks an argument (or a loop's first value) and consumes the parts that `diet` says.
    pub fn argument(
        &mut self,
        arg: &'a Expr,
        expected: Option<&Type>,
        diet: &Diet,
        how: How,
        earlier: &[(&Expr, &Shares)],
    ) -> Shares {
        let (shares, consumed) = self.contain(|walk| walk.expr(arg));
        if !consumed.is_empty() && holds_functions(&arg.ty) {
            self.function_from_consumption(arg.span, consumed.first().map(|c| c.span), true);
        }
        self.mark(consumed);
        if let Some(expected) = expected {
            self.functions_agree(expected, &arg.ty, Some(&shares), arg.span);
        }
        if diet.consumes() {
            self.consume_argument(arg, &shares, diet, how, earlier);
        }
        shares
    }

    fn consume_argument(
        &mut self,
        arg: &'a Expr,
        shares: &Shares,
        diet: &Diet,
        how: How,
        earlier: &[(&Expr, &Shares)],
    ) {
        let mut seen: Vec<(bool, Aliases)> = Vec::new();
        let mut gone = Aliases::new();
        for leaf in shares.leaves(diet) {
            let aliases = leaf.part.all();
            let counts = |other: bool| !self.precise || leaf.consumed || other;
            if seen.iter().any(|(other, set)| counts(*other) && meeting(set, &aliases).is_some()) {
                self.self_aliased_argument(arg.span);
            }
            if leaf.consumed {
                gone.extend(aliases.iter().cloned());
            }
            seen.push((leaf.consumed, aliases));
        }
        let row = self.row_of(arg);
        self.consume(&gone, arg.span, how, row);
        for (other, theirs) in earlier {
            let theirs = theirs.all();
            let shared = gone.iter().find(|a| {
                let bound = self.precise || self.in_scope(a.source);
                bound && theirs.iter().any(|t| if self.precise { a.meets(t) } else { a.source == t.source })
            });
            if let Some(alias) = shared.cloned() {
                self.argument_shared(&alias, arg.span, other.span);
                return;
            }
        }
    }

    /// What applying a function to one more argument gives.
    fn apply_one(&mut self, fun: Shares, arg: Shares, name: Option<Name>, call: &Expr) -> Shares {
        let Shares::Fun(fun) = fun else { return Shares::spread(&call.ty, &arg.all()) };
        let FunShares { ty, mut closure, known, mut given } = *fun;
        let Type::Fun(step) = &ty else { return Shares::spread(&call.ty, &arg.all()) };
        let diet = self.call_diet(&step.diet);
        for leaf in arg.leaves(&diet).iter().filter(|leaf| !leaf.consumed) {
            leaf.part.collect(&mut closure);
        }
        let arity = known.as_ref().map(|k| k.arity);
        given.push(arg);
        if arity != Some(given.len()) && matches!(step.ret.ty, Type::Fun(_)) {
            let known = known.filter(|k| k.arity > given.len());
            return Shares::Fun(Box::new(FunShares { ty: step.ret.ty.clone(), closure, known, given }));
        }
        if arity == Some(given.len())
            && let Some(known) = known
        {
            if self.precise {
                return self.by_summary(&step.ret.ty, &step.ret.unique, &known.result, &given, name, call.span);
            }
            let unique = known.unique.as_ref().unwrap_or(&step.ret.unique);
            return by_type(&step.ret.ty, unique, &closure);
        }
        by_type(&step.ret.ty, &step.ret.unique, &closure)
    }

    fn by_summary(
        &mut self,
        ty: &Type,
        unique: &Diet,
        summary: &Shares,
        given: &[Shares],
        name: Option<Name>,
        span: Span,
    ) -> Shares {
        let mut next = || self.new_made(Made::Call(name, span));
        let mut result = Instance { args: given, made: Map::default(), next: &mut next }.result(ty, summary);
        clear_unique(&mut result, unique);
        result
    }

    fn is_intrinsic(&self, fun: &Expr) -> bool {
        match &*fun.kind {
            ExprKind::Global(def, _) => !matches!(self.program.defs[*def].body, Body::Expr(_)),
            _ => false,
        }
    }

    fn callee_name(&self, fun: &Expr) -> Option<Name> {
        match &*fun.kind {
            ExprKind::Global(def, _) => Some(self.program.defs[*def].name),
            ExprKind::Local(local, _) => Some(self.program.locals[*local].name),
            ExprKind::Apply(inner, _) => self.callee_name(inner),
            _ => None,
        }
    }

    /// Checks that functions in `given` consume no more, and return no less unique, than `expected` says.
    pub fn functions_agree(&mut self, expected: &Type, given: &Type, shares: Option<&Shares>, span: Span) {
        match (expected, given) {
            (Type::Fun(expected), Type::Fun(given)) => self.function_agrees(expected, given, shares, span),
            (Type::Record(expected), Type::Record(given)) => {
                for (i, ((_, e), (_, g))) in expected.iter().zip(given.iter()).enumerate() {
                    let part = shares.map(|s| s.at(&[i as u16]));
                    self.functions_agree(e, g, part, span);
                }
            }
            _ => {}
        }
    }

    fn function_agrees(&mut self, expected: &FunType, given: &FunType, shares: Option<&Shares>, span: Span) {
        if !expected.diet.consumes() && given.diet.consumes() {
            self.consuming_function(span);
            return;
        }
        let (mut wanted, mut got) = (expected, given);
        let mut depth = 1;
        loop {
            if wanted.ret.unique.consumes()
                && !got.ret.unique.consumes()
                && holds_memory(&wanted.ret.ty)
                && holds_memory(&got.ret.ty)
                && !inferred_unique(shares, depth, &wanted.ret.unique)
            {
                self.function_result_not_unique(span);
                return;
            }
            self.functions_agree(&got.param, &wanted.param, None, span);
            let (Type::Fun(next_wanted), Type::Fun(next_got)) = (&wanted.ret.ty, &got.ret.ty) else { return };
            (wanted, got) = (next_wanted, next_got);
            depth += 1;
            if !wanted.diet.consumes() && got.diet.consumes() {
                self.consuming_function(span);
                return;
            }
        }
    }

    /// An operator of `accum` may not consume its operands.
    pub fn takes_no_argument_away(&mut self, ty: &Type, span: Span) {
        let mut ty = ty;
        while let Type::Fun(fun) = ty {
            if fun.diet.consumes() {
                self.consuming_function(span);
                return;
            }
            ty = &fun.ret.ty;
        }
    }

    /// Types written in a pattern say what the functions in it may do.
    pub fn pattern_agrees(&mut self, pat: &'a Pat, value: &'a Expr, shares: &Shares) {
        if let PatKind::Ascribe(_, ty) = &pat.kind {
            self.functions_agree(ty, &value.ty, Some(shares), value.span);
        }
    }
}

/// Whether values of a type have memory that others could share.
fn holds_memory(ty: &Type) -> bool {
    !matches!(ty, Type::Prim(_)) && !ty.is_plain()
}

/// Whether the function's result was found to be unique though its type does not say so.
fn inferred_unique(shares: Option<&Shares>, depth: usize, wanted: &Diet) -> bool {
    let Some(Shares::Fun(fun)) = shares else { return false };
    let Some(known) = &fun.known else { return false };
    let Some(unique) = &known.unique else { return false };
    known.arity == fun.given.len() + depth && covers(unique, wanted)
}

fn covers(have: &Diet, want: &Diet) -> bool {
    match (have, want) {
        (Diet::Consume, _) | (_, Diet::Observe) => true,
        (Diet::Observe, _) => !want.consumes(),
        (Diet::Fields(parts), Diet::Consume) => parts.iter().all(|p| covers(p, &Diet::Consume)),
        (Diet::Fields(parts), Diet::Fields(wants)) => {
            wants.iter().enumerate().all(|(i, w)| parts.get(i).is_some_and(|p| covers(p, w)))
        }
    }
}

/// The function types of the first `count` arguments.
fn signature(ty: &Type, count: usize) -> Vec<Option<std::sync::Arc<FunType>>> {
    let mut ty = ty.clone();
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let Type::Fun(fun) = &ty else {
            out.push(None);
            continue;
        };
        let fun = fun.clone();
        ty = fun.ret.ty.clone();
        out.push(Some(fun));
    }
    out
}

/// What a result shares when only the type is known: everything the function saw, unless it is unique.
pub(super) fn by_type(ty: &Type, unique: &Diet, seen: &Aliases) -> Shares {
    let mut shares = Shares::spread(ty, seen);
    clear_unique(&mut shares, unique);
    shares
}

fn clear_unique(shares: &mut Shares, unique: &Diet) {
    match (shares, unique) {
        (_, Diet::Observe) => {}
        (shares, Diet::Consume) => shares.clear(),
        (Shares::Record(parts), Diet::Fields(_)) => {
            parts.iter_mut().enumerate().for_each(|(i, p)| clear_unique(p, unique.part(i)));
        }
        (Shares::Nothing | Shares::Whole(_) | Shares::Sum(_) | Shares::Fun(_), Diet::Fields(_)) => {}
    }
}

/// Whether a name is an operator's.
fn is_operator(name: Name) -> bool {
    let text = name.as_str().rsplit('.').next().unwrap_or_default();
    text.chars().next().is_some_and(|c| !c.is_alphabetic() && c != '_')
}
