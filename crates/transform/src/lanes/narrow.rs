//! Indices that points look for, in 32 bits.
//!
//! ```text
//! loop (i: i64 = n, x: f32 = inf) for k < n {          loop (i: i32 = n, x: f32 = inf) for k < n {
//!   let y = ..                                           let y = ..
//!   let better = y < x || y == x && k < i                let better = y < x || y == x && (k as i32) < i
//!   => select(better, k, i), select(better, y, x)   =>   => select(better, k as i32, i), select(better, y, x)
//! }                                                    }
//! ```
//!
//! The index of the nearest of a few points and the like: a turn keeps such a number or chooses the number of the turn. Numbers of
//! 64 bits would take two vectors for each vector of distances, and two truth values that have to be put together.
//!
//! Loops of points have at most [`LONGEST`] turns, so these numbers fit. All that happens to them are choices and
//! comparisons with one another, which give the same in 32 bits; otherwise they stay as they are.

use super::items::{Item, LONGEST, Repeat};
use base::{Map, Name, Set};
use ir::traverse::Part;
use ir::{Atom, Exp, Program, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim, Scalar};

/// The same items with such indices in 32 bits.
pub(super) fn narrowed(program: &mut Program, items: Vec<Item>) -> Vec<Item> {
    let mut limited = Set::default();
    counts(&items, &mut limited);
    in_items(program, items, &limited)
}

/// The sizes that are numbers of turns.
fn counts(items: &[Item], found: &mut Set<Var>) {
    for item in items {
        if let Item::Repeat(repeat) = item {
            found.extend(repeat.count.var());
            counts(&repeat.body, found);
        }
    }
}

fn in_items(program: &mut Program, items: Vec<Item>, limited: &Set<Var>) -> Vec<Item> {
    let mut made = Vec::new();
    for item in items {
        match item {
            Item::Scalar(_) => made.push(item),
            Item::Repeat(mut repeat) => {
                repeat.body = in_items(program, repeat.body, limited);
                match Indices::of(program, &repeat, limited) {
                    Some(indices) => indices.narrow(program, repeat, &mut made),
                    None => made.push(Item::Repeat(repeat)),
                }
            }
        }
    }
    made
}

/// The numbers of a loop that only are chosen and compared.
struct Indices {
    /// The places of those that the loop carries.
    places: Vec<usize>,
    /// Them and what is chosen of them.
    vars: Set<Var>,
}

impl Indices {
    fn of(program: &Program, repeat: &Repeat, limited: &Set<Var>) -> Option<Indices> {
        (repeat.count.var().is_some() || is_short(repeat.count)).then_some(())?;
        let is_index = |var: Var| *program.ty(var) == Type::I64;
        let is_limited = |atom: &Atom| atom.var().map_or(is_short(*atom), |var| limited.contains(&var));
        let carried = repeat.params.iter().enumerate();
        let begins = carried.filter(|(_, (param, first))| is_index(*param) && is_limited(first));
        let places: Vec<usize> = begins.map(|(place, _)| place).collect();
        let mut indices = Indices { vars: places.iter().map(|place| repeat.params[*place].0).collect(), places };
        for item in &repeat.body {
            if let Item::Scalar(Stm { vars, exp: Exp::Select(_, a, b), .. }) = item
                && is_index(vars[0])
                && indices.have(repeat, *a)
                && indices.have(repeat, *b)
            {
                indices.vars.insert(vars[0]);
            }
        }
        let chooses = indices.vars.len() > indices.places.len();
        (chooses && indices.are_alone(repeat)).then_some(indices)
    }

    /// Whether an atom is one of them, the number of the turn, or a short constant.
    fn have(&self, repeat: &Repeat, atom: Atom) -> bool {
        atom.var().map_or(is_short(atom), |var| var == repeat.index || self.vars.contains(&var))
    }

    /// Whether nothing else is done with them, and the loop goes on with them.
    fn are_alone(&self, repeat: &Repeat) -> bool {
        let is_used = |atom: &Atom| atom.var().is_some_and(|var| self.vars.contains(&var));
        let others = |place: usize| !self.places.contains(&place);
        repeat.result.iter().enumerate().all(|(place, atom)| match others(place) {
            true => !is_used(atom),
            false => self.have(repeat, *atom),
        }) && repeat.body.iter().all(|item| match item {
            Item::Scalar(stm) => match &stm.exp {
                Exp::Select(..) if self.vars.contains(&stm.vars[0]) => true,
                Exp::Bin(op, Prim::I64, a, b) if is_comparison(*op) && (is_used(a) || is_used(b)) => {
                    self.have(repeat, *a) && self.have(repeat, *b)
                }
                _ => !mentions(stm, &self.vars),
            },
            Item::Repeat(_) => self.vars.iter().all(|var| !item.uses(*var)),
        })
    }

    /// The loop with short indices, what it begins with before it, and the long indices behind it.
    fn narrow(&self, program: &mut Program, mut repeat: Repeat, made: &mut Vec<Item>) {
        let mut names = Short { program, names: Map::default() };
        let turn = names.name(repeat.index);
        let span = first_span(&repeat.body);
        let convert = |vars: Var, from: Prim, to: Prim, atom: Atom| {
            Item::Scalar(Stm { vars: vec![vars], certs: Vec::new(), exp: Exp::Convert(from, to, atom), span })
        };
        let mut behind = Vec::new();
        for place in &self.places {
            let (param, first) = repeat.params[*place];
            let begin = match first {
                Atom::Const(_) => names.atom(first),
                Atom::Var(var) => {
                    let short = names.fresh(var);
                    made.push(convert(short, Prim::I64, Prim::I32, first));
                    short.into()
                }
            };
            repeat.params[*place] = (names.name(param), begin);
            repeat.result[*place] = names.atom(repeat.result[*place]);
            let short = names.fresh(repeat.vars[*place]);
            let long = std::mem::replace(&mut repeat.vars[*place], short);
            behind.push(convert(long, Prim::I32, Prim::I64, short.into()));
        }
        for item in &mut repeat.body {
            let Item::Scalar(stm) = item else { continue };
            match &mut stm.exp {
                Exp::Select(_, a, b) if self.vars.contains(&stm.vars[0]) => {
                    (*a, *b) = (names.atom(*a), names.atom(*b));
                    stm.vars[0] = names.name(stm.vars[0]);
                }
                Exp::Bin(op, prim @ Prim::I64, a, b) if is_comparison(*op) => {
                    let is_own = |atom: &Atom| atom.var().is_some_and(|var| self.vars.contains(&var));
                    if is_own(a) || is_own(b) {
                        (*prim, *a, *b) = (Prim::I32, names.atom(*a), names.atom(*b));
                    }
                }
                _ => {}
            }
        }
        repeat.body.insert(0, convert(turn, Prim::I64, Prim::I32, repeat.index.into()));
        made.push(Item::Repeat(repeat));
        made.extend(behind);
    }
}

/// Names of short indices.
struct Short<'p> {
    program: &'p mut Program,
    names: Map<Var, Var>,
}

impl Short<'_> {
    fn fresh(&mut self, var: Var) -> Var {
        let name = Name::new(self.program.vars[var].name.as_str());
        self.program.vars.push(VarInfo::new(name, Type::Scalar(Prim::I32)))
    }

    fn name(&mut self, var: Var) -> Var {
        if let Some(name) = self.names.get(&var) {
            return *name;
        }
        let name = self.fresh(var);
        self.names.insert(var, name);
        name
    }

    fn atom(&mut self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.name(var).into(),
            Atom::Const(Scalar::I64(number)) => Atom::Const(Scalar::I32(number as i32)),
            Atom::Const(_) => base::bug!("an index that is no number"),
        }
    }
}

/// Whether it is a constant that is not above the number of turns that loops may have.
fn is_short(atom: Atom) -> bool {
    matches!(atom, Atom::Const(Scalar::I64(number)) if (-LONGEST..=LONGEST).contains(&number))
}

fn is_comparison(op: BinOp) -> bool {
    [BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge].contains(&op)
}

fn mentions(stm: &Stm, vars: &Set<Var>) -> bool {
    let mut found = false;
    stm.walk(&mut |part| {
        found |= matches!(part, Part::Atom(Atom::Var(used)) | Part::Use(used) if vars.contains(used));
    });
    found
}

/// The place in the program that a loop belongs to.
fn first_span(items: &[Item]) -> base::Span {
    let first = items.iter().find_map(|item| match item {
        Item::Scalar(stm) => Some(stm.span),
        Item::Repeat(_) => None,
    });
    first.unwrap_or_else(|| base::bug!("a loop that chooses nothing"))
}
