//! Branches and loops.

use super::alias::{Alias, Aliases, Shares, Source};
use super::errors::LoopClash;
use super::pattern::{self, Named};
use super::walk::{Consumption, How, Made, Role, Walk};
use base::{Map, Span};
use typed::{Diet, Expr, LocalId, LoopForm, Pat, RecArray, Type};

impl<'a> Walk<'a> {
    pub fn branches(&mut self, cond: &'a Expr, then: &'a Expr, otherwise: &'a Expr) -> Shares {
        self.expr(cond);
        let (mut shares, mut consumed) = self.contain(|walk| walk.expr(then));
        let (other, more) = self.contain(|walk| walk.expr(otherwise));
        shares.merge(&other);
        consumed.extend(more);
        self.join(shares, consumed)
    }

    pub fn cases(&mut self, value: &'a Expr, cases: &'a [(Pat, Expr)], ty: &Type) -> Shares {
        let matched = self.expr(value);
        let mut shares = Shares::fresh(ty);
        let mut consumed = Vec::new();
        for (i, (pat, body)) in cases.iter().enumerate() {
            let (one, more) = self.contain(|walk| {
                walk.bind_pat(pat, &matched, &Diet::Consume, Role::Let);
                let one = walk.expr(body);
                walk.unbind_pat(pat);
                one
            });
            if i == 0 {
                shares = one;
            } else {
                shares.merge(&one);
            }
            consumed.extend(more);
        }
        self.join(shares, consumed)
    }

    /// The value of alternatives: what one of them consumed is gone, so the value need not be said to share it.
    fn join(&mut self, mut shares: Shares, consumed: Vec<Consumption<'a>>) -> Shares {
        let precise = self.precise;
        shares.for_each_set(&mut |set| {
            set.retain(|alias| {
                let gone =
                    |c: &&Consumption| if precise { c.alias.meets(alias) } else { c.alias.source == alias.source };
                let mut kept = true;
                for one in consumed.iter().filter(gone) {
                    kept = false;
                    // The other branch returns the row itself, which is then no longer ours to put back.
                    one.row.iter().for_each(|row| row.kept.set(true));
                }
                kept
            });
        });
        self.mark(consumed);
        shares
    }

    pub fn loop_(&mut self, pat: &'a Pat, init: &'a Expr, form: &'a LoopForm, body: &'a Expr, span: Span) -> Shares {
        let elements = match form {
            LoopForm::For(_, bound) => {
                self.expr(bound);
                Shares::Nothing
            }
            LoopForm::ForIn(_, array) => self.expr(array),
            LoopForm::While(_) => Shares::Nothing,
        };
        let (value, consumed) = self.turn(pat, form, body, &elements);
        let names = pattern::names(pat);
        let diets = self.loop_diets(&names, &value, &consumed);
        self.check_turn(&value, &diets, &names, body.span);
        let diet = pattern::diet_of_names(pat, &diets);
        let (first, taken) = self.contain(|walk| walk.argument(init, None, &diet, How::Loop, &[]));
        self.not_taken_by_init(body, &taken);
        if let LoopForm::While(cond) = form {
            self.not_taken_by_init(cond, &taken);
        }
        self.mark(taken);
        self.loop_result(first, value, &diet, &names, span)
    }

    /// Walks the body once: what it returns, and what it consumes.
    fn turn(
        &mut self,
        pat: &'a Pat,
        form: &'a LoopForm,
        body: &'a Expr,
        elements: &Shares,
    ) -> (Shares, Vec<Consumption<'a>>) {
        self.level += 1;
        self.bind_loop_values(pat);
        let result = self.contain(|walk| {
            match form {
                LoopForm::For(index, _) => walk.bind(*index, Shares::Nothing, Diet::Observe, Role::Let, None),
                LoopForm::ForIn(element, _) => walk.bind_elements(element, elements),
                LoopForm::While(cond) => {
                    walk.expr(cond);
                }
            }
            walk.expr(body)
        });
        match form {
            LoopForm::For(index, _) => self.unbind(*index),
            LoopForm::ForIn(element, _) => self.unbind_pat(element),
            LoopForm::While(_) => {}
        }
        self.unbind_pat(pat);
        self.level -= 1;
        result
    }

    /// The elements that a loop or generator runs through.
    pub fn bind_elements(&mut self, pat: &'a Pat, array: &Shares) {
        let aliases = if self.precise { array.all() } else { Aliases::new() };
        self.bind_pat(pat, &Shares::spread(&pat.ty, &aliases), &Diet::Observe, Role::Element);
    }

    /// Loop values may be consumed, unless their type is written without `*`.
    fn bind_loop_values(&mut self, pat: &'a Pat) {
        for Named { local, ty, .. } in pattern::names(pat) {
            let diet = self.written.get(&local).cloned().unwrap_or(Diet::Consume);
            self.bind(local, Shares::fresh(ty), diet, Role::LoopValue, None);
        }
    }

    /// Which loop values are consumed: those the body consumes, and those it returns in the place of such.
    fn loop_diets(&self, names: &[Named<'a>], value: &Shares, consumed: &[Consumption<'a>]) -> Map<LocalId, Diet> {
        let mut gone: Aliases = consumed.iter().map(|c| c.alias.clone()).collect();
        loop {
            let mut diets = Map::default();
            let mut more = Aliases::new();
            for Named { local, ty, path } in names {
                let diet = match self.written.get(local) {
                    Some(diet) => diet.clone(),
                    None => consumed_diet(*local, ty, &gone, self.precise),
                };
                for leaf in value.at(path).leaves(&diet).iter().filter(|l| l.consumed) {
                    more.extend(leaf.part.all());
                }
                diets.insert(*local, diet);
            }
            let before = gone.len();
            gone.extend(more);
            if gone.len() == before {
                return diets;
            }
        }
    }

    /// What the next turn may consume must be its own.
    fn check_turn(&mut self, value: &Shares, diets: &Map<LocalId, Diet>, names: &[Named<'a>], span: Span) {
        let (mut consumed, mut observed) = (Aliases::new(), Aliases::new());
        for Named { local, path, .. } in names {
            let diet = diets.get(local).cloned().unwrap_or(Diet::Observe);
            for leaf in value.at(path).leaves(&diet) {
                let aliases = leaf.part.all();
                let foreign = aliases.iter().find(|a| self.in_scope(a.source)).cloned();
                if let (true, Some(alias)) = (leaf.consumed, foreign) {
                    self.loop_value_aliases(*local, &alias, span);
                }
                let meets = |set: &Aliases| super::alias::meeting(&aliases, set).is_some();
                if meets(&consumed) {
                    self.loop_values_alias(*local, LoopClash::Consumed, span);
                } else if leaf.consumed && meets(&observed) {
                    self.loop_values_alias(*local, LoopClash::Earlier, span);
                }
                if leaf.consumed { consumed.extend(aliases) } else { observed.extend(aliases) }
            }
        }
    }

    /// The body may not use what the first value took away.
    fn not_taken_by_init(&mut self, body: &'a Expr, taken: &[Consumption<'a>]) {
        if taken.is_empty() {
            return;
        }
        for mention in self.free_mentions(body) {
            let Some(entry) = self.entry(mention.local) else { continue };
            let part = if self.precise { entry.shares.at(&mention.path) } else { &entry.shares };
            let hit = part.all().iter().find_map(|a| {
                taken.iter().find(|c| if self.precise { c.alias.meets(a) } else { c.alias.source == a.source })
            });
            if let Some(gone) = hit.cloned() {
                self.used_after_consumption(&gone, Some(mention.local), mention.span);
                return;
            }
        }
    }

    /// What the loop's value shares: the first value's part, or what some turn returned.
    fn loop_result(
        &mut self,
        mut first: Shares,
        value: Shares,
        diet: &Diet,
        names: &[Named<'a>],
        span: Span,
    ) -> Shares {
        let made = Alias::whole(Source::Made(self.new_made(Made::Loop(span))));
        forget_consumed(&mut first, diet);
        if !self.precise {
            let consumed = |path: &[u16]| diet.at(path).consumes();
            add_made(&mut first, &made, &mut Vec::new(), &consumed);
            first.merge(&value);
            return first;
        }
        // A loop value may be its initial value or the result of any iteration.
        let mut result = first;
        loop {
            let before = result.clone();
            let mut turned = value.clone();
            turned.for_each_set(&mut |set| {
                let mut more = Aliases::new();
                for alias in set.iter() {
                    if let Some(Named { path, .. }) = names.iter().find(|n| alias.source == Source::Local(n.local)) {
                        let whole: Vec<u16> = path.iter().chain(&alias.path).copied().collect();
                        before.at(&whole).collect(&mut more);
                    }
                }
                set.extend(more);
            });
            result.merge(&turned);
            if count(&result) == count(&before) {
                return result;
            }
        }
    }

    pub fn let_rec(&mut self, arrays: &'a [RecArray], body: &'a Expr) -> Shares {
        // Nothing may consume the arrays while they are being defined.
        for array in arrays {
            self.bind(array.name, Shares::fresh(&array.ty), Diet::Observe, Role::Recursive, None);
        }
        let values: Vec<Shares> = arrays.iter().map(|a| self.expr(&a.value)).collect();
        for (array, shares) in arrays.iter().zip(values) {
            self.bind(array.name, shares, Diet::Consume, Role::Let, None);
        }
        let result = self.expr(body);
        arrays.iter().for_each(|a| self.unbind(a.name));
        result
    }
}

/// Which parts of a local are among those consumed.
fn consumed_diet(local: LocalId, ty: &Type, gone: &Aliases, precise: bool) -> Diet {
    let paths: Vec<&[u16]> =
        gone.iter().filter(|a| a.source == Source::Local(local)).map(|a| a.path.as_slice()).collect();
    if !precise {
        return if paths.is_empty() { Diet::Observe } else { Diet::Consume };
    }
    diet_of_paths(ty, &paths)
}

fn diet_of_paths(ty: &Type, paths: &[&[u16]]) -> Diet {
    if paths.is_empty() {
        return Diet::Observe;
    }
    let Type::Record(fields) = ty else { return Diet::Consume };
    if paths.iter().any(|p| p.is_empty()) {
        return Diet::Consume;
    }
    let part = |i: usize| -> Vec<&[u16]> { paths.iter().filter(|p| usize::from(p[0]) == i).map(|p| &p[1..]).collect() };
    Diet::Fields(fields.iter().enumerate().map(|(i, f)| diet_of_paths(&f.1, &part(i))).collect())
}

/// An initial value that the loop consumes is not used by anyone else, so sharing it does no harm.
fn forget_consumed(shares: &mut Shares, diet: &Diet) {
    match shares {
        Shares::Record(parts) => {
            parts.iter_mut().enumerate().for_each(|(i, p)| forget_consumed(p, diet.part(i)));
        }
        Shares::Nothing | Shares::Whole(_) | Shares::Sum(_) | Shares::Fun(_) => {
            if diet.consumes() {
                shares.clear();
            }
        }
    }
}

/// Adds the loop's own memory to the parts that are not consumed.
fn add_made(shares: &mut Shares, made: &Alias, path: &mut Vec<u16>, consumed: &dyn Fn(&[u16]) -> bool) {
    if let Shares::Record(parts) = shares {
        for (i, part) in parts.iter_mut().enumerate() {
            path.push(i as u16);
            add_made(part, made, path, consumed);
            path.pop();
        }
    } else if !consumed(path) {
        shares.for_each_set(&mut |set| {
            set.insert(made.clone());
        });
    }
}

/// How many aliases a value has in all its parts.
fn count(shares: &Shares) -> usize {
    match shares {
        Shares::Nothing => 0,
        Shares::Whole(set) => set.len(),
        Shares::Fun(fun) => fun.closure.len(),
        Shares::Record(parts) => parts.iter().map(count).sum(),
        Shares::Sum(constrs) => constrs.iter().flatten().map(count).sum(),
    }
}
