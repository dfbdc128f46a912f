//! Updates whose places rise from turn to turn, because running counts say where a value goes: no two turns write to one
//! place, so they can run in any order.
//!
//! ```text
//! out update (a) of (x: i32) skip
//! for i < n {
//!   let v = select(f, 1, 0)
//!   scan s by + of v
//!   let p = select(f, s - 1, -1)            a turn with f goes to s - 1, and s is larger than in all turns before
//!   emit [p] => x
//! }
//! ```
//!
//! A place is a *form*: a sum of the counter, running sums and numbers from outside. Conditions and digits (`x & 3`) say which
//! form a turn has, and how much each running sum grows. All their values are tried, together. A form rises if nothing makes
//! it smaller in any turn, and something makes it larger in each turn that has it. Several forms (`if f then s - 1 else m + i
//! - s`) write to different places if their ranges are disjoint; that is asked at run time, when the sums of all are known.

use crate::emits;
use base::{Map, Set};
use ir::{Atom, Bulk, Exp, Kind, Program, Scan, Step, Stm, Type, Var};
use scalar::{BinOp, Prim, Scalar, UnOp};
use std::collections::BTreeMap;

/// The most values that a condition or a digit may have, and the most cases in all.
const MOST_VALUES: i64 = 16;
const MOST_CASES: usize = 64;
/// How many variables are looked at.
const FUEL: usize = 4000;
/// The most by which a place moves in a turn.
const MOST_STEP: i64 = 16;
/// Constants of forms are smaller.
const LARGEST: u64 = 1 << 30;
/// A loop with places of 32 bits has fewer turns than this: then they do not wrap around.
pub const NARROW_TURNS: i64 = 1 << 27;

/// The places of an update.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rising {
    /// Each place is one of these.
    pub forms: Vec<Form>,
    /// Whether places have 32 bits, so that there must be few turns.
    pub narrow: bool,
}

/// A sum.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Form {
    /// How often it has the counter.
    pub counter: i64,
    /// How often it has variables of running combinations.
    pub sums: BTreeMap<Var, i64>,
    /// How often it has variables from outside of the loop.
    pub outside: BTreeMap<Var, i64>,
    /// What is added.
    pub constant: i64,
}

impl Rising {
    /// The places of the only update of a form, if they rise.
    pub fn of(program: &Program, bulk: &Bulk) -> Option<Rising> {
        let (Step::For { var, body, .. }, before) = bulk.steps.split_last()? else { return None };
        let mut updates = bulk.outputs.iter().enumerate().filter_map(|(number, output)| match &output.kind {
            Kind::Update { rec, .. } => Some((number, rec.is_empty())),
            _ => None,
        });
        let (Some((number, true)), None) = (updates.next(), updates.next()) else { return None };
        let plain = before.iter().chain(body).all(|step| !matches!(step, Step::For { .. }));
        let emits = emits::all(body);
        let mut own = emits.iter().filter(|emit| emit.output == number);
        let (Some(emit), None) = (own.next(), own.next()) else { return None };
        let [place] = emit.at[..] else { return None };
        let direct = body.iter().any(|step| matches!(step, Step::Emit(one) if one.output == number));
        if !plain || !direct {
            return None;
        }
        Cases::of(program, *var, body).rising(place)
    }

    /// Whether the places are distinct for any number of turns and any values from outside.
    pub fn is_certain(&self) -> bool {
        self.forms.len() == 1 && !self.narrow
    }
}

/// What is defined in a turn.
struct Cases<'b> {
    program: &'b Program,
    counter: Var,
    defs: Map<Var, (&'b Exp, usize)>,
    bound: Set<Var>,
    /// The running combinations that get a value in each turn.
    scans: Vec<&'b Scan>,
}

/// The values that conditions and digits have in a case.
type Case = BTreeMap<Var, i64>;

/// Why something cannot be evaluated.
enum Unknown {
    /// It depends on a variable with so many values, from 0 on.
    Choice(Var, i64),
    /// It is nothing of that kind.
    Other,
}

impl<'b> Cases<'b> {
    fn of(program: &'b Program, counter: Var, body: &'b [Step]) -> Cases<'b> {
        let mut defs = Map::default();
        for step in body {
            if let Step::Let(stm) = step {
                define(stm, &mut defs);
            }
        }
        for scan in emits::scans(body) {
            scan.value.stms.iter().for_each(|stm| define(stm, &mut defs));
        }
        let scans = body.iter().filter_map(|step| match step {
            Step::Scan(scan) => Some(scan),
            Step::For { .. } | Step::Guard(..) | Step::Let(_) | Step::Emit(_) => None,
        });
        Cases { program, counter, defs, bound: Step::bound_in(body), scans: scans.collect() }
    }

    fn rising(&self, place: Atom) -> Option<Rising> {
        let mut reader = Reader { cases: self, narrow: false, fuel: FUEL };
        let mut places: Vec<(Case, Option<Form>)> = Vec::new();
        self.each(Case::new(), &mut |case| {
            let form = reader.number(place, case)?;
            let skipped = form.is_constant() && form.constant < 0;
            places.push((case.clone(), (!skipped).then_some(form)));
            Ok(())
        })?;
        let mut forms: Vec<Form> = Vec::new();
        for form in places.iter().filter_map(|(_, form)| form.as_ref()) {
            if !forms.contains(form) {
                forms.push(form.clone());
            }
        }
        for (case, form) in &places {
            self.each(case.clone(), &mut |case| {
                let rises = |other: &Form, least: i64, reader: &mut Reader<'_, '_>| {
                    let step = reader.step(other, case)?;
                    if step < least || step > MOST_STEP { Err(Unknown::Other) } else { Ok(()) }
                };
                for other in &forms {
                    rises(other, i64::from(form.as_ref() == Some(other)), &mut reader)?;
                }
                Ok(())
            })?;
        }
        let narrow = reader.narrow;
        (!(forms.is_empty() || narrow && forms.len() > 1)).then_some(Rising { forms, narrow })
    }

    /// Does something in each case that a case has. Gives nothing if there are too many, or it fails.
    fn each(&self, case: Case, work: &mut dyn FnMut(&Case) -> Result<(), Unknown>) -> Option<()> {
        let mut waiting = vec![case];
        let mut cases = 0;
        while let Some(case) = waiting.pop() {
            cases += 1;
            match work(&case) {
                Ok(()) => {}
                Err(Unknown::Choice(var, values)) if !case.contains_key(&var) && cases < MOST_CASES => {
                    waiting.extend((0..values).map(|value| {
                        let mut case = case.clone();
                        case.insert(var, value);
                        case
                    }));
                }
                Err(_) => return None,
            }
        }
        Some(())
    }
}

impl Form {
    fn constant(constant: i64) -> Form {
        Form { constant, ..Form::default() }
    }

    fn is_constant(&self) -> bool {
        self.counter == 0 && self.sums.is_empty() && self.outside.is_empty()
    }

    /// Whether it is a number that each type of integers has.
    fn is_small(&self) -> bool {
        self.is_constant() && (0..128).contains(&self.constant)
    }

    fn plus(mut self, other: &Form, times: i64) -> Result<Form, Unknown> {
        let add = |to: &mut i64, more: i64| {
            *to = more.checked_mul(times).and_then(|more| to.checked_add(more)).ok_or(Unknown::Other)?;
            Ok(())
        };
        add(&mut self.counter, other.counter)?;
        add(&mut self.constant, other.constant)?;
        for (own, others) in [(&mut self.sums, &other.sums), (&mut self.outside, &other.outside)] {
            for (var, more) in others {
                add(own.entry(*var).or_default(), *more)?;
            }
            own.retain(|_, times| *times != 0);
        }
        Ok(self)
    }
}

/// Evaluates what is defined in a turn, in a case.
struct Reader<'c, 'b> {
    cases: &'c Cases<'b>,
    /// Whether a number of 32 bits was a part of a form.
    narrow: bool,
    /// How many more variables are looked at.
    fuel: usize,
}

impl Reader<'_, '_> {
    /// How much a form grows in a turn.
    fn step(&mut self, form: &Form, case: &Case) -> Result<i64, Unknown> {
        let mut step = form.counter;
        for (var, times) in &form.sums {
            let grows = self.summand(*var, case)?;
            if !(-MOST_STEP..=MOST_STEP).contains(&grows) {
                return Err(Unknown::Other);
            }
            step = times.checked_mul(grows).and_then(|more| step.checked_add(more)).ok_or(Unknown::Other)?;
        }
        Ok(step)
    }

    /// What a running sum adds in a turn.
    fn summand(&mut self, var: Var, case: &Case) -> Result<i64, Unknown> {
        for scan in &self.cases.scans {
            if let Some(number) = scan.vars.iter().position(|own| *own == var) {
                if !adds(scan, number) {
                    return Err(Unknown::Other);
                }
                let value = self.number(scan.value.result[number], case)?;
                return if value.is_constant() { Ok(value.constant) } else { Err(Unknown::Other) };
            }
        }
        Err(Unknown::Other)
    }

    /// A truth value.
    fn truth(&mut self, atom: Atom, case: &Case) -> Result<bool, Unknown> {
        Ok(self.number(atom, case)?.constant != 0)
    }

    /// A number, or a truth value as 0 or 1.
    fn number(&mut self, atom: Atom, case: &Case) -> Result<Form, Unknown> {
        let var = match atom {
            Atom::Const(_) => return atom_constant(atom).map(Form::constant).ok_or(Unknown::Other),
            Atom::Var(var) => var,
        };
        if let Some(value) = case.get(&var) {
            return Ok(Form::constant(*value));
        }
        let Type::Scalar(prim) = *self.cases.program.ty(var) else { return Err(Unknown::Other) };
        self.fuel = self.fuel.checked_sub(1).ok_or(Unknown::Other)?;
        let known = match self.cases.defs.get(&var) {
            Some((exp, number)) => self.value(var, exp, *number, case),
            None => self.leaf(var),
        };
        match known {
            Err(Unknown::Other) if prim == Prim::Bool => Err(Unknown::Choice(var, 2)),
            known => {
                let known = known?;
                self.narrow |= prim == Prim::I32 && !known.is_constant();
                if known.is_small() || matches!(prim, Prim::I32 | Prim::I64) { Ok(known) } else { Err(Unknown::Other) }
            }
        }
    }

    /// A variable that no statement of the turn defines.
    fn leaf(&self, var: Var) -> Result<Form, Unknown> {
        let mut form = Form::default();
        if var == self.cases.counter {
            form.counter = 1;
        } else if self.cases.scans.iter().any(|scan| scan.vars.contains(&var)) {
            form.sums.insert(var, 1);
        } else if self.cases.bound.contains(&var) {
            return Err(Unknown::Other);
        } else {
            form.outside.insert(var, 1);
        }
        match self.cases.program.ty(var) {
            Type::Scalar(Prim::I64 | Prim::I32) => Ok(form),
            _ => Err(Unknown::Other),
        }
    }

    fn value(&mut self, var: Var, exp: &Exp, number: usize, case: &Case) -> Result<Form, Unknown> {
        match exp {
            Exp::Atom(atom) => self.number(*atom, case),
            Exp::Select(cond, a, b) => {
                let chosen = if self.truth(*cond, case)? { *a } else { *b };
                self.number(chosen, case)
            }
            Exp::If(cond, then, otherwise) => {
                let chosen = if self.truth(*cond, case)? { then } else { otherwise };
                self.number(chosen.result[number], case)
            }
            Exp::Convert(from, to, atom) => self.converted(*from, *to, *atom, case),
            Exp::Un(UnOp::Not, Prim::Bool, atom) => Ok(Form::constant(i64::from(!self.truth(*atom, case)?))),
            Exp::Bin(op, prim, a, b) => self.operation(var, *op, *prim, (*a, *b), case),
            _ => Err(Unknown::Other),
        }
    }

    fn converted(&mut self, from: Prim, to: Prim, atom: Atom, case: &Case) -> Result<Form, Unknown> {
        if from.is_float() || to.is_float() {
            return Err(Unknown::Other);
        }
        let known = self.number(atom, case)?;
        let is_number = |prim: Prim| matches!(prim, Prim::I32 | Prim::I64);
        let same = known.is_small() && to != Prim::Bool || is_number(from) && is_number(to);
        self.narrow |= !known.is_constant() && (from == Prim::I32 || to == Prim::I32);
        if same { Ok(known) } else { Err(Unknown::Other) }
    }

    fn operation(
        &mut self,
        var: Var,
        op: BinOp,
        prim: Prim,
        (a, b): (Atom, Atom),
        case: &Case,
    ) -> Result<Form, Unknown> {
        if prim.is_float() {
            return Err(Unknown::Other);
        }
        if let Some(values) = digits(op, prim, b) {
            return match self.number(a, case) {
                Err(Unknown::Choice(other, many)) => Err(Unknown::Choice(other, many)),
                // A mask has as many values as a remainder, and the same ones.
                Ok(known) if known.is_small() => Ok(Form::constant(known.constant % values)),
                Ok(_) | Err(Unknown::Other) => Err(Unknown::Choice(var, values)),
            };
        }
        let (x, y) = (self.number(a, case)?, self.number(b, case)?);
        let both = x.is_constant() && y.is_constant();
        let (own, other) = (x.constant, y.constant);
        let truth = |holds: bool| Ok(Form::constant(i64::from(holds)));
        let sum = |form: Result<Form, Unknown>| {
            let form = form?;
            // Sums of other types, and large ones, may wrap around.
            let fits = matches!(prim, Prim::I32 | Prim::I64) && form.constant.unsigned_abs() < LARGEST;
            if fits { Ok(form) } else { Err(Unknown::Other) }
        };
        match op {
            BinOp::Add => sum(x.plus(&y, 1)),
            BinOp::Sub => sum(x.plus(&y, -1)),
            BinOp::Mul if y.is_constant() => sum(Form::default().plus(&x, other)),
            BinOp::Mul if x.is_constant() => sum(Form::default().plus(&y, own)),
            BinOp::Eq if both => truth(own == other),
            BinOp::Ne if both => truth(own != other),
            BinOp::Lt if both => truth(own < other),
            BinOp::Le if both => truth(own <= other),
            BinOp::Gt if both => truth(own > other),
            BinOp::Ge if both => truth(own >= other),
            BinOp::LogAnd if both => truth(own != 0 && other != 0),
            BinOp::LogOr if both => truth(own != 0 || other != 0),
            _ => Err(Unknown::Other),
        }
    }
}

/// What a statement and those in its branches define.
fn define<'b>(stm: &'b Stm, defs: &mut Map<Var, (&'b Exp, usize)>) {
    defs.extend(stm.vars.iter().enumerate().map(|(number, var)| (*var, (&stm.exp, number))));
    if let Exp::If(_, then, otherwise) = &stm.exp {
        then.stms.iter().chain(&otherwise.stms).for_each(|stm| define(stm, defs));
    }
}

/// How many values `a & b` or `a % b` has, if these are few: a mask of ones, or a remainder that is not negative.
fn digits(op: BinOp, prim: Prim, b: Atom) -> Option<i64> {
    let b = atom_constant(b)?;
    match op {
        BinOp::And if b > 0 && (b + 1) & b == 0 && b < MOST_VALUES && prim.is_int() => Some(b + 1),
        BinOp::Mod if (1..=MOST_VALUES).contains(&b) && prim.is_int() => Some(b),
        _ => None,
    }
}

/// A constant integer or truth value.
fn atom_constant(atom: Atom) -> Option<i64> {
    let Atom::Const(value) = atom else { return None };
    match value {
        Scalar::Bool(value) => Some(i64::from(value)),
        value => i64::try_from(value.as_int()?).ok().filter(|value| value.unsigned_abs() < LARGEST),
    }
}

/// Whether a component of a running combination is a sum of its own values.
fn adds(scan: &Scan, number: usize) -> bool {
    let (left, right) = (scan.op.params[number], scan.op.params[scan.vars.len() + number]);
    let result = scan.op.body.result[number];
    scan.op.body.stms.iter().any(|stm| {
        let sum = |a: Atom, b: Atom| {
            matches!(stm.exp, Exp::Bin(BinOp::Add, Prim::I64 | Prim::I32, x, y) if (x, y) == (a, b) || (y, x) == (a, b))
        };
        stm.vars.iter().any(|var| Atom::Var(*var) == result) && sum(left.into(), right.into())
    })
}
