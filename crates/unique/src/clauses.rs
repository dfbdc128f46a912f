//! Qualifiers and clauses: what they bind, and that what is bound outside stays.

use super::alias::Shares;
use super::walk::{Role, Walk};
use typed::{Clause, Diet, Generator, Pat, Qual};

impl<'a> Walk<'a> {
    /// Runs `f` under the qualifiers of a comprehension. What the first `for` runs through is computed once, so it may
    /// consume: `[x + 1 for x in f a]`.
    pub fn under_comprehension(&mut self, quals: &'a [Qual], f: &mut dyn FnMut(&mut Self)) {
        match quals.split_first() {
            Some((Qual::For(generators, _), rest)) => {
                let arrays = generators.iter().filter_map(|g| self.generator(g)).collect();
                self.under_for(generators, arrays, rest, f);
            }
            Some((Qual::If(_) | Qual::Let(..), _)) | None => self.under_quals(quals, f),
        }
    }

    /// Runs `f` under qualifiers. Each `for` runs what follows many times, so that nothing bound before may be
    /// consumed there.
    pub fn under_quals(&mut self, quals: &'a [Qual], f: &mut dyn FnMut(&mut Self)) {
        let Some((first, rest)) = quals.split_first() else { return self.inside(f) };
        match first {
            Qual::If(cond) => {
                self.inside(|walk| walk.expr(cond));
                self.under_quals(rest, f);
            }
            Qual::Let(pat, value) => {
                let shares = self.inside(|walk| walk.expr(value));
                // What follows may own the new value, but it runs one level in.
                self.level += 1;
                self.bind_pat(pat, &shares, &Diet::Consume, Role::Let);
                self.level -= 1;
                self.under_quals(rest, f);
                self.unbind_pat(pat);
            }
            Qual::For(generators, _) => {
                let arrays = generators.iter().filter_map(|g| self.inside(|walk| walk.generator(g))).collect();
                self.under_for(generators, arrays, rest, f);
            }
        }
    }

    /// Runs `f` for every round of a `for` whose generators were walked.
    fn under_for(
        &mut self,
        generators: &'a [Generator],
        arrays: Vec<(&'a Pat, Shares)>,
        rest: &'a [Qual],
        f: &mut dyn FnMut(&mut Self),
    ) {
        self.inside(|walk| {
            for (pat, shares) in &arrays {
                walk.bind_elements(pat, shares);
            }
            walk.under_quals(rest, f);
            arrays.iter().for_each(|(pat, _)| walk.unbind_pat(pat));
        });
        for generator in generators {
            if let Generator::Range { var, .. } = generator {
                self.unbind(*var);
            }
        }
    }

    /// Walks a generator's bounds or array; a range's variable comes into scope.
    fn generator(&mut self, generator: &'a Generator) -> Option<(&'a Pat, Shares)> {
        match generator {
            Generator::In(pat, array) => {
                let shares = self.expr(array);
                Some((pat, shares))
            }
            Generator::Range { lo, var, hi, step, vector, span: _ } => {
                lo.iter().chain([hi]).chain(step).for_each(|e| {
                    self.expr(e);
                });
                let shares = if *vector { Shares::Whole(Default::default()) } else { Shares::Nothing };
                self.bind(*var, shares, Diet::Observe, Role::Element, None);
                None
            }
        }
    }

    /// The clauses of `array`, `update` and `accum`: their values are copied.
    pub fn clauses(&mut self, clauses: &'a [Clause]) {
        for clause in clauses {
            match clause {
                Clause::Element { subscripts, value, quals, span: _ } => self.under_quals(quals, &mut |walk| {
                    walk.indices(subscripts);
                    walk.expr(value);
                }),
                Clause::Group { quals, clauses, span: _ } => {
                    self.under_quals(quals, &mut |walk| walk.clauses(clauses));
                }
            }
        }
    }
}
