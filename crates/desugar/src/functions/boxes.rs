//! Functions in boxes.
//!
//! A function that is known is applied where it stands. But recursion can make functions that hold functions that hold
//! functions, as deep as the run goes:
//!
//! ```text
//! def longer (f: i64 -> i64) (n: i64): i64 = if n == 0 then f 0 else longer (\\x -> f (x + 1)) (n - 1)
//! ```
//!
//! Such a function goes into a box: the number of its code and what that needs, other boxes among it. All functions of
//! one type are cases of one kind of boxes. To apply a box is to call a function of Core that opens it and has, for every
//! case, the function applied as if it stood there. There is one such function for each place in the text where boxes of
//! a kind are applied, since checks say where. Their bodies are made last, when all cases are known; making them may bring
//! more to light, until nothing new comes.

use crate::context::{Applier, Boxes, Desugar, FunKind, Made};
use crate::data::form::Fresh;
use crate::data::types::{Mono, Sig};
use crate::data::value::{FunCode, FunVal, Val};
use crate::faults::{Why, too_deep_site};
use crate::functions::abstraction::Abstraction;
use crate::functions::instance::consumed_leaves;
use base::{Map, Name, Set};
use ir::{Atom, Block, BoxId, BoxKind, Exp, Function, Limitation, Region, Stm, Type as CoreType, Var};
use std::rc::Rc;
use typed::Diet;

/// How many functions of one type may be in boxes.
const MANY: usize = 2000;

/// With more cases than this the functions in a function that goes into a box are put into boxes, too.
const FEW: usize = 8;

impl<'t> FunVal<'t> {
    /// The type of what is left of it behind the arguments that it has.
    pub fn sig(&self) -> Option<Rc<Sig>> {
        self.args.iter().try_fold(self.sig.clone()?, |sig, _| sig.ret.as_fun().cloned())
    }
}

impl<'t> Desugar<'t> {
    /// The kind of boxes for functions of a type.
    pub(crate) fn box_of(&mut self, sig: &Rc<Sig>) -> BoxId {
        let text = format!("{sig:?}");
        if let Some(id) = self.boxes.by_type.get(&text) {
            return *id;
        }
        self.b.program.boxes.push(BoxKind { name: Name::new("fun"), cases: Vec::new() });
        let id = self.boxes.kinds.push(FunKind { sig: sig.clone(), cases: Vec::new(), by_structure: Map::default() });
        self.boxes.by_type.insert(text, id);
        id
    }

    /// The function in a box.
    pub(crate) fn boxed_val(&mut self, var: Var, id: BoxId) -> Val<'t> {
        let sig = Some(self.boxes.kinds[id].sig.clone());
        Val::function(FunCode::Boxed(var, id), sig)
    }

    /// Puts a function into a box.
    pub(crate) fn in_box(&mut self, fun: &FunVal<'t>, id: BoxId) -> Made<Var> {
        if let FunCode::Boxed(var, kind) = &fun.code
            && *kind == id
        {
            return Ok(*var);
        }
        let many = self.boxes.kinds[id].cases.len() > FEW;
        let mut walk = Abstraction::new(self);
        let inner = walk.in_box(fun, many)?;
        let Abstraction { structure, params, args, .. } = walk;
        let case = self.case_of(id, structure, Some(inner), params);
        if case >= MANY {
            return self.unsupported(Limitation::EverNewFunctions);
        }
        Ok(self.b.bind("f", CoreType::Box(id), Exp::Pack(id, case, args)))
    }

    /// A box that stands where there is no function.
    pub(crate) fn no_function(&mut self, id: BoxId) -> Val<'t> {
        let case = self.nothing(id);
        let var = self.b.bind("f", CoreType::Box(id), Exp::Pack(id, case, Vec::new()));
        self.boxed_val(var, id)
    }

    fn nothing(&mut self, id: BoxId) -> usize {
        self.case_of(id, "nothing".into(), None, Vec::new())
    }

    /// The number of the case with this structure; a new one if there is none.
    fn case_of(&mut self, id: BoxId, structure: String, fun: Option<Val<'t>>, params: Vec<Var>) -> usize {
        let kind = &mut self.boxes.kinds[id];
        *kind.by_structure.entry(structure).or_insert_with(|| {
            kind.cases.push(fun);
            self.b.program.boxes[id].cases.push(params);
            kind.cases.len() - 1
        })
    }

    /// A value of a type with its functions in boxes, as they are where one constructor or another may come.
    pub(crate) fn with_boxes(&mut self, val: &Val<'t>, ty: &Mono) -> Made<Val<'t>> {
        Ok(match (val, ty) {
            (Val::Fun(fun), Mono::Fun(sig)) => {
                let id = self.box_of(sig);
                let var = self.in_box(fun, id)?;
                self.boxed_val(var, id)
            }
            (Val::Record(fields), Mono::Record(types)) if val.holds_function() => {
                let fields = fields.iter().zip(types.iter()).map(|(field, (_, ty))| self.with_boxes(field, ty));
                Val::Record(fields.collect::<Made<_>>()?)
            }
            // Sums see to it themselves.
            (_, _) => val.clone(),
        })
    }

    /// Applies a box to at least one argument.
    pub(crate) fn apply_boxed(&mut self, of: Var, id: BoxId, args: Vec<Val<'t>>) -> Made<Val<'t>> {
        let number = self.applier(id, args.len())?;
        let Applier { fun, params, result, .. } = &self.boxes.appliers[number];
        let (fun, params, result) = (*fun, params.clone(), result.clone());
        let mut atoms = vec![Atom::Var(of)];
        for (arg, form) in args.iter().zip(&params) {
            atoms.extend(self.atoms_of(arg, form, Why::Checked)?);
        }
        let (val, fresh) = self.fresh_vars(&result, "x");
        self.bind_call(fresh.all(), fun, atoms);
        Ok(val)
    }

    /// The function that applies boxes of a kind to so many arguments at a place.
    fn applier(&mut self, kind: BoxId, count: usize) -> Made<usize> {
        let span = self.b.span;
        let call = self.called_from(span);
        let place = (kind, count, span, call);
        if let Some(number) = self.boxes.by_place.get(&place) {
            return Ok(*number);
        }
        let of = self.b.var(Name::new("f"), CoreType::Box(kind));
        let (mut fresh, mut consumed) = (Fresh::default(), Set::default());
        let (mut params, mut args) = (Vec::new(), Vec::new());
        let mut sig = self.boxes.kinds[kind].sig.clone();
        for left in (0..count).rev() {
            let form = self.form_of(&sig.param, false);
            let arg = self.fresh(&form, "x", &[], &mut fresh);
            consumed_leaves(&sig.diet, &arg, &mut consumed);
            params.push(form);
            args.push(arg);
            match (left, &sig.ret) {
                (0, _) => break,
                (_, Mono::Fun(ret)) => sig = ret.clone(),
                (_, _) => base::bug!("the checker let something be applied that is no function"),
            }
        }
        let result = self.form_of(&sig.ret, false);
        let (_, results) = self.fresh_vars(&result, "result");
        let too_deep = self.recursion.too_deep_at(span).map(|deep| self.b.site(too_deep_site(deep)));
        let word = self.word_param(too_deep.is_some());
        let all: Vec<Var> = [of].into_iter().chain(fresh.all()).chain([word.param]).collect();
        let fun = self.b.program.functions.push(Function {
            consumed: all.iter().map(|var| consumed.contains(var)).collect(),
            params: all,
            fresh: results.vars.iter().map(|_| sig.unique == Diet::Consume).collect(),
            results: results.all(),
            too_deep,
            ..Function::new(Name::new("lambda"), span)
        });
        let calls = if call.is_some() { self.library_calls() } else { Vec::new() };
        let (ret, cases) = (sig.ret.clone(), Vec::new());
        self.boxes.appliers.push(Applier { kind, fun, of, params, args, ret, result, span, calls, word, cases });
        let number = self.boxes.appliers.len() - 1;
        self.boxes.by_place.insert(place, number);
        Ok(number)
    }

    /// Makes the bodies of all functions that apply boxes.
    pub(crate) fn finish_boxes(&mut self) -> Made<()> {
        let unfinished = |boxes: &Boxes<'t>| {
            boxes.appliers.iter().position(|a| a.cases.len() < boxes.kinds[a.kind].cases.len().max(1))
        };
        while let Some(number) = unfinished(&self.boxes) {
            let Applier { kind, cases, .. } = &self.boxes.appliers[number];
            let (kind, next) = (*kind, cases.len());
            if self.boxes.kinds[kind].cases.is_empty() {
                self.nothing(kind);
            }
            let region = self.case(number, next)?;
            self.boxes.appliers[number].cases.push(region);
        }
        for Applier { fun, of, cases, span, .. } in std::mem::take(&mut self.boxes.appliers) {
            let function = &mut self.b.program.functions[fun];
            let results = function.results.clone();
            let vars = ir::rename::copies(&mut self.b.program.vars, &results);
            let result = vars.iter().copied().map(Atom::Var).collect();
            let stm = Stm { vars, certs: Vec::new(), exp: Exp::Open(of, cases), span };
            function.body = Block { stms: vec![stm], result };
        }
        Ok(())
    }

    /// What is done with a case.
    fn case(&mut self, applier: usize, case: usize) -> Made<Region> {
        let Applier { fun, calls, word, span, .. } = &self.boxes.appliers[applier];
        let (fun, calls, word, span) = (*fun, calls.clone(), *word, *span);
        let (stms, (params, result)) = self.isolated(Rc::default(), calls, Some(word), span, |d| {
            d.b.trust_params(d.b.program.functions[fun].params.clone());
            d.case_body(applier, case)
        })?;
        Ok(Region { params, body: Block { stms, result } })
    }

    fn case_body(&mut self, applier: usize, case: usize) -> Made<(Vec<Var>, Vec<Atom>)> {
        let Applier { kind, args, ret, result, .. } = &self.boxes.appliers[applier];
        let (args, ret, result) = (args.clone(), ret.clone(), result.clone());
        let (params, val) = match self.boxes.kinds[*kind].cases[case].clone() {
            None => (Vec::new(), self.dummy(&ret)),
            Some(fun) => {
                // The same walk as when it went into the box: the same components in the same order.
                let mut walk = Abstraction::new(self);
                walk.declares = true;
                let fun = walk.val(&fun)?;
                let params = walk.params;
                self.b.trust_params(params.iter().copied());
                (params, self.apply_val(&fun, args)?)
            }
        };
        Ok((params, self.atoms_of(&val, &result, Why::Checked)?))
    }
}
