//! Row lengths that types name.
//!
//! A size function `k` of `[n][~k]t` has a length for every row. The same function may stand below further dimensions,
//! as in `[m]([n][~k]t, u)`: then it says the same of the rows of each of the `m` elements.

use crate::arrays::parts::lengths_of;
use crate::context::{Desugar, Made};
use crate::data::value::Val;
use crate::sizes::matching::Matching;
use ir::num::Compute;
use ir::{Atom, Exp, Type as CoreType, Var};
use typed::LocalId;

impl<'t> Desugar<'t> {
    /// Matches a descriptor against the function that a type names; gives the one that the dimension has afterwards.
    pub(crate) fn match_lengths(&mut self, local: LocalId, have: Var, matching: &mut Matching<'_>) -> Made<Var> {
        let Some(known) = self.known_name(local, Val::Lengths(have), matching) else { return Ok(have) };
        let what = format!("row lengths `{}`", self.typed.locals[local].name);
        let dims = self.b.ty(have).dims().to_vec();
        let want = match known {
            Val::Lengths(want) if want == have => return Ok(have),
            Val::Lengths(want) if self.b.ty(want).dims() == dims => want,
            Val::Lengths(want) if dims.len() == 1 && self.b.ty(want).dims().len() == 1 => want,
            lengths => {
                let (want, count) = self.as_vector(&lengths)?;
                let fits = self.repeats(want, count, have)?;
                let cert = self.clash(fits, &what, (want.into(), have.into()), matching);
                // A name of its own, so that whatever has these rows relies on the check.
                return Ok(self.b.under(cert.as_slice(), |b| b.bind("d", CoreType::Desc(dims), Exp::Retype(have))));
            }
        };
        let equal = self.b.equal_lengths(want, have);
        self.clash(equal, &what, (want.into(), have.into()), matching);
        Ok(want)
    }

    /// Whether the row lengths of a descriptor are these `count` ones; below several dimensions, again and again.
    fn repeats(&mut self, want: Var, count: Atom, have: Var) -> Made<Atom> {
        let deep = self.b.ty(have).dims().len() > 1;
        let (lengths, total) = lengths_of(&mut self.b, have);
        let none = self.b.num(total.equals(0));
        let some = self.b.num(count.above(0));
        // Nothing is divided by zero, whatever the lengths are.
        let period = self.b.num_as("n", some.select(count, 1));
        let whole = if deep { total.rem(period).equals(0) } else { total.equals(count) };
        let whole = self.b.num(some.and(whole));
        let equal = |d: &mut Self, i: Atom| {
            let at = d.b.num(i.rem(period));
            let (want, have) = (d.b.number("want", want, at), d.b.number("have", lengths, i));
            Ok(d.b.num(want.equals(have)))
        };
        // Without elements around there are no rows, whatever rows would be like.
        let otherwise = |d: &mut Self| if deep { none } else { d.b.num(total.equals(count)) };
        let all = self.choose(whole, |d| d.all(total, equal).map(Val::bool), |d| Ok(Val::bool(otherwise(d))))?;
        Ok(all.scalar("a comparison"))
    }
}
