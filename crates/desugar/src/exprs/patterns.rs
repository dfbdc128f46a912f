//! Patterns: binding names, and testing whether a value matches.

use crate::arrays::parts::is_case;
use crate::context::{Desugar, Made};
use crate::data::types::case_of;
use crate::data::value::Val;
use crate::sizes::matching::{About, Mode};
use ir::Atom;
use scalar::BinOp;
use typed::{Pat, PatKind};

impl<'t> Desugar<'t> {
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
