//! Patterns, which bind names and test whether a value matches; branches, `match` and loops.

use crate::arrays::parts::{element, is_case};
use crate::context::{Desugar, Made};
use crate::data::form::Form;
use crate::data::types::case_of;
use crate::data::value::{ArrayVal, Val};
use crate::faults::Why;
use crate::sizes::matching::{About, Mode};
use base::{Name, bug};
use ir::{Atom, Block, Exp, Limitation, Stm, Type as CoreType};
use scalar::{BinOp, Prim, Scalar};
use typed::{Expr, LocalId, LoopForm, Pat, PatKind};

/// How often a loop's body is tried before its sizes are given up on.
const TRIES: usize = 6;

impl<'t> Desugar<'t> {
    /// One value or the other.
    pub(crate) fn choose(
        &mut self,
        cond: Atom,
        then: impl FnOnce(&mut Self) -> Made<Val<'t>>,
        otherwise: impl FnOnce(&mut Self) -> Made<Val<'t>>,
    ) -> Made<Val<'t>> {
        match cond {
            Atom::Const(Scalar::Bool(true)) => return then(self),
            Atom::Const(Scalar::Bool(false)) => return otherwise(self),
            Atom::Const(_) | Atom::Var(_) => {}
        }
        let mark = self.mark();
        let (then, a) = self.block(then)?;
        let (otherwise, b) = self.block(otherwise)?;
        if let (Val::Scalar(prim, x), Val::Scalar(_, y), true) = (&a, &b, then.is_empty() && otherwise.is_empty()) {
            return Ok(Val::Scalar(*prim, self.b.scalar("x", *prim, Exp::Select(cond, *x, *y))));
        }
        let form = self.join(&[&a, &b], mark)?;
        let then = self.branch(then, &a, &form)?;
        let otherwise = self.branch(otherwise, &b, &form)?;
        Ok(self.bind_form(&form, "x", Exp::If(cond, then, otherwise)))
    }

    /// A block whose result is a value in a form.
    pub(crate) fn branch(&mut self, stms: Vec<Stm>, val: &Val<'t>, form: &Form) -> Made<Block> {
        let (stms, result) = self.block_after(stms, |d| d.atoms_of(val, form, Why::Checked))?;
        Ok(Block { stms, result })
    }

    /// `match`: the first case whose pattern fits.
    pub(crate) fn cases(&mut self, val: &Val<'t>, cases: &'t [(Pat, Expr)]) -> Made<Val<'t>> {
        let Some(((pat, body), rest)) = cases.split_first() else {
            bug!("a match has no cases, or none of them is certain");
        };
        // The checker made sure that the cases cover everything.
        let cond = if rest.is_empty() { Atom::bool(true) } else { self.matches(pat, val)? };
        self.choose(
            cond,
            |d| {
                d.bind(pat, val.clone())?;
                d.expr(body)
            },
            |d| d.cases(val, rest),
        )
    }

    pub(crate) fn loop_expr(
        &mut self,
        sizes: &'t [LocalId],
        pat: &'t Pat,
        init: &'t Expr,
        form: &'t LoopForm,
        body: &'t Expr,
    ) -> Made<Val<'t>> {
        let init = self.expr(init)?;
        let l = Loop { sizes, pat, turns: self.turns(form)?, body };
        sizes.iter().for_each(|local| self.unset(*local));
        let init = self.at(pat.span, |d| d.matched(&pat.ty, init, About::new(Mode::Full)))?;
        let mark = self.mark();
        let mut carried = self.join(&[&init], mark)?;
        for _ in 0..TRIES {
            // What the body names belongs to this try: a name that it has not reached yet must not mean what it meant in
            // the last one.
            let outer = self.env.clone();
            let tried = self.try_loop(&l, &init, &carried, mark);
            self.env = outer;
            match tried? {
                Ok(val) => return Ok(val),
                Err(form) => carried = form,
            }
        }
        self.unsupported(Limitation::ChangingLoop)
    }

    fn turns(&mut self, form: &'t LoopForm) -> Made<Turns<'t>> {
        Ok(match form {
            LoopForm::For(local, bound) => {
                let bound = self.expr(bound)?;
                let Val::Scalar(prim, bound) = bound else {
                    bug!("a loop bound is no scalar");
                };
                let bound = self.b.convert("n", prim, Prim::I64, bound);
                Turns::For(*local, prim, bound)
            }
            LoopForm::ForIn(pat, array) => {
                let array = self.expr(array)?;
                let (array, n) = self.rows_of(&array)?;
                Turns::ForIn(pat, array, n)
            }
            LoopForm::While(cond) => Turns::While(cond),
        })
    }

    /// The loop, if its value keeps this form; else the form that might do.
    fn try_loop(&mut self, l: &Loop<'t>, init: &Val<'t>, form: &Form, mark: usize) -> Made<Result<Val<'t>, Form>> {
        let name = l.pat.name().map_or(Name::new("x"), |local| self.typed.locals[local].name);
        let (current, fresh) = self.fresh_vars(form, name.as_str());
        let loop_form = self.loop_head(l, &current)?;
        let (stms, next) = self.block(|d| d.turn(l, &current, &loop_form))?;
        // A size that is fixed in the form must be the same after the turn, else it changes from turn to turn.
        let wanted = self.join(&[init, &current, &next], mark)?;
        if wanted != *form {
            return Ok(Err(wanted));
        }
        let body = self.branch(stms, &next, form)?;
        let first = self.atoms_of(init, form, Why::Checked)?;
        let params = fresh.all().into_iter().zip(first).collect();
        Ok(Ok(self.bind_form(form, name.as_str(), Exp::repeat(params, loop_form, body))))
    }

    fn loop_head(&mut self, l: &Loop<'t>, current: &Val<'t>) -> Made<ir::LoopForm> {
        Ok(match &l.turns {
            Turns::For(_, _, n) | Turns::ForIn(_, _, n) => {
                ir::LoopForm::For(self.b.var(Name::new("i"), CoreType::I64), *n)
            }
            Turns::While(cond) => {
                let (stms, cond) = self.block(|d| {
                    d.bind_turn(l, current)?;
                    d.scalar_of(cond)
                })?;
                ir::LoopForm::While(Block { stms, result: vec![cond] })
            }
        })
    }

    fn bind_turn(&mut self, l: &Loop<'t>, current: &Val<'t>) -> Made<()> {
        let pat = l.pat;
        l.sizes.iter().for_each(|local| self.unset(*local));
        let val = self.at(pat.span, |d| d.matched(&pat.ty, current.clone(), About::new(Mode::Bind)))?;
        self.bind(pat, val)
    }

    fn turn(&mut self, l: &Loop<'t>, current: &Val<'t>, form: &ir::LoopForm) -> Made<Val<'t>> {
        let pat = l.pat;
        self.bind_turn(l, current)?;
        match (&l.turns, form) {
            (Turns::For(local, prim, _), ir::LoopForm::For(var, _)) => {
                let exp = Exp::Convert(Prim::I64, *prim, Atom::Var(*var));
                let i = self.at(pat.span, |d| d.b.scalar("i", *prim, exp));
                self.set(*local, Val::Scalar(*prim, i));
            }
            (Turns::ForIn(each, array, _), ir::LoopForm::For(var, _)) => {
                let elem = self.at(pat.span, |d| element(&mut d.b, array, &[Atom::Var(*var)]));
                self.bind(each, elem)?;
            }
            (Turns::For(..) | Turns::ForIn(..) | Turns::While(_), _) => {}
        }
        let next = self.expr(l.body)?;
        // What the pattern's type says of sizes holds in every turn; those that may change are bound anew.
        l.sizes.iter().for_each(|local| self.unset(*local));
        self.at(pat.span, |d| d.matched(&pat.ty, next, About::new(Mode::Full)))
    }

    /// Binds the names of a pattern that matches.
    pub(crate) fn bind(&mut self, pat: &'t Pat, val: Val<'t>) -> Made<()> {
        match &pat.kind {
            PatKind::Wildcard | PatKind::Literal(_) => {}
            PatKind::Bind(local) => {
                self.rename(&val, self.typed.locals[*local].name);
                self.set(*local, val);
            }
            PatKind::Record(pats) => {
                if let Val::Record(fields) = &val {
                    let places = self.field_places(&pat.ty, pats.iter().map(|p| p.0));
                    for ((_, pat), place) in pats.iter().zip(places) {
                        self.bind(pat, fields[place].clone())?;
                    }
                }
            }
            PatKind::Constr(name, pats) => {
                if let Val::Sum(sum) = &val {
                    let case = case_of(&sum.cases, *name);
                    let parts = match &sum.parts[case] {
                        Some(parts) => parts.clone(),
                        // This case is never reached: any value will do.
                        None => {
                            let types = sum.cases[case].1.clone();
                            self.at(pat.span, |d| types.iter().map(|ty| d.dummy(ty)).collect())
                        }
                    };
                    for (pat, part) in pats.iter().zip(parts) {
                        self.bind(pat, part)?;
                    }
                }
            }
            PatKind::Ascribe(inner, ty) => {
                let val = self.at(pat.span, |d| d.matched(ty, val, About::new(Mode::Full)))?;
                self.bind(inner, val)?;
            }
        }
        Ok(())
    }

    /// Gives the variables of a value the name that the program has for it.
    fn rename(&mut self, val: &Val<'t>, name: base::Name) {
        let Some(var) = val.split().1.var() else { return };
        let info = &mut self.b.program.vars[var];
        if matches!(info.name.as_str(), "x" | "xs" | "t" | "i" | "r" | "n" | "len") {
            info.name = name;
        }
    }

    /// Whether a value matches a pattern.
    pub(crate) fn matches(&mut self, pat: &'t Pat, val: &Val<'t>) -> Made<Atom> {
        match (&pat.kind, val) {
            (PatKind::Wildcard | PatKind::Bind(_), _) => Ok(Atom::bool(true)),
            (PatKind::Ascribe(inner, _), val) => self.matches(inner, val),
            (PatKind::Literal(x), Val::Scalar(prim, y)) => Ok(self.b.bin(BinOp::Eq, *prim, Atom::Const(*x), *y)),
            (PatKind::Record(pats), Val::Record(fields)) => {
                let places = self.field_places(&pat.ty, pats.iter().map(|p| p.0));
                let pairs = pats.iter().zip(places);
                self.conjunction(Atom::bool(true), pairs, |d, ((_, pat), place)| d.matches(pat, &fields[place]))
            }
            (PatKind::Constr(name, pats), Val::Sum(sum)) => {
                let case = case_of(&sum.cases, *name);
                let is = is_case(&mut self.b, sum, case);
                // Parts of other constructors are dummies, so looking at them does no harm.
                let parts = sum.parts[case].iter().flatten();
                self.conjunction(is, pats.iter().zip(parts), |d, (pat, part)| d.matches(pat, part))
            }
            (PatKind::Literal(_) | PatKind::Record(_) | PatKind::Constr(..), _) => Ok(Atom::bool(false)),
        }
    }

    /// The places of named fields in values of a record type.
    pub(crate) fn field_places(&mut self, ty: &'t typed::Type, names: impl Iterator<Item = base::Name>) -> Vec<usize> {
        let mono = self.mono(ty);
        names.map(|name| mono.field(name).0).collect()
    }
}

/// A loop whose bound, or array, is evaluated.
struct Loop<'t> {
    /// Sizes that may change from turn to turn.
    sizes: &'t [LocalId],
    pat: &'t Pat,
    turns: Turns<'t>,
    body: &'t Expr,
}

/// How often a loop runs.
enum Turns<'t> {
    For(LocalId, Prim, Atom),
    ForIn(&'t Pat, std::rc::Rc<ArrayVal<'t>>, Atom),
    While(&'t Expr),
}
