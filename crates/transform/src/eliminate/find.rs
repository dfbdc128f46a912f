//! Finding triangles that need one another.

use analysis::emits;
use base::Map;
use ir::tree::identities;
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Output, Program, Region, Step, Stm, Type, Var};
use scalar::{BinOp, Prim};

/// A square matrix of two triangles.
pub(super) struct Triangles {
    /// How many rows and columns it has.
    pub size: Atom,
    pub prim: Prim,
    /// The recursive name.
    pub name: Var,
    /// The elements `[i, j]` for `i <= j`.
    pub upper: Clause,
    /// The elements `[i, j]` for `j < i`.
    pub lower: Clause,
}

/// The elements of a triangle.
pub(super) struct Clause {
    pub row: Var,
    /// The counter of the inner loop, and the column that an element is in.
    pub counter: Var,
    pub column: Var,
    /// What is computed before the sum and after it.
    pub before: Vec<Stm>,
    pub after: Vec<Stm>,
    pub result: Atom,
    pub sum: Sum,
}

/// The sum in an element.
pub(super) struct Sum {
    pub var: Var,
    pub turn: Var,
    pub op: Region,
    pub neutral: Atom,
    pub value: Block,
}

impl Triangles {
    pub fn of(program: &Program, stm: &Stm) -> Option<Triangles> {
        let Exp::Bulk(Bulk { outputs, steps, scheduled: true }) = &stm.exp else { return None };
        let ([output], [Step::For { var: row, count, body, .. }]) = (&outputs[..], &steps[..]) else { return None };
        let Output { kind: Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec }, sizes, elems } =
            output
        else {
            return None;
        };
        let ([name], [elem]) = (&rec[..], &elems[..]) else { return None };
        let Type::Scalar(prim) = program.ty(*elem) else { return None };
        (shape[..] == [Dim::Size(*count), Dim::Size(*count)] && sizes.is_empty()).then_some(())?;
        let mut finder = Finder { name: *name, row: *row, size: *count, defs: Map::default() };
        let (mut upper, mut lower, mut lets) = (None, None, Vec::new());
        for step in body {
            match step {
                Step::Let(stm) => {
                    finder.define(stm)?;
                    lets.push(stm.clone());
                }
                Step::For { var, count, body, .. } => {
                    let clause = if finder.resolved(*count) == Atom::Var(*row) { &mut lower } else { &mut upper };
                    let found = finder.clause(&lets, (*var, *count), body)?;
                    clause.replace(found).is_none().then_some(())?;
                }
                Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => return None,
            }
        }
        let found = Triangles { size: *count, prim: *prim, name: *name, upper: upper?, lower: lower? };
        found.have_same_sums().then_some(found)
    }

    /// Whether both triangles sum the same values.
    fn have_same_sums(&self) -> bool {
        let (a, b) = (&self.upper, &self.lower);
        let mut names: Map<Var, Var> = Map::from_iter([(a.row, b.row), (a.column, b.column), (a.sum.turn, b.sum.turn)]);
        names.extend(a.sum.op.params.iter().copied().zip(b.sum.op.params.iter().copied()));
        let same_values = are_same(&a.sum.value, &b.sum.value, &mut names);
        a.sum.neutral == b.sum.neutral && same_values && are_same(&a.sum.op.body, &b.sum.op.body, &mut names)
    }
}

/// Whether two blocks compute the same, but for these names.
fn are_same(a: &Block, b: &Block, names: &mut Map<Var, Var>) -> bool {
    let same_atom = |a: &Atom, b: &Atom, names: &Map<Var, Var>| match a {
        Atom::Var(var) => Atom::Var(names.get(var).copied().unwrap_or(*var)) == *b,
        Atom::Const(_) => a == b,
    };
    for (x, y) in a.stms.iter().zip(&b.stms) {
        let same =
            |a: &[&Atom], b: &[&Atom]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_atom(a, b, names));
        let is_same = match (&x.exp, &y.exp) {
            (Exp::Atom(a), Exp::Atom(b)) => same(&[a], &[b]),
            (Exp::Bin(op, p, a, b), Exp::Bin(other, q, c, d)) => (op, p) == (other, q) && same(&[a, b], &[c, d]),
            (Exp::Un(op, p, a), Exp::Un(other, q, b)) => (op, p) == (other, q) && same(&[a], &[b]),
            (Exp::Convert(p, r, a), Exp::Convert(q, s, b)) => (p, r) == (q, s) && same(&[a], &[b]),
            (Exp::Select(a, b, c), Exp::Select(d, e, f)) => same(&[a, b, c], &[d, e, f]),
            (Exp::Math(op, p, a), Exp::Math(other, q, b)) => {
                (op, p) == (other, q) && same(&Vec::from_iter(a), &Vec::from_iter(b))
            }
            (Exp::Index(array, a), Exp::Index(other, b)) => {
                array == other && same(&Vec::from_iter(a), &Vec::from_iter(b))
            }
            (_, _) => false,
        };
        if !is_same {
            return false;
        }
        names.extend(x.vars.iter().copied().zip(y.vars.iter().copied()));
    }
    let same_results = a.result.iter().zip(&b.result).all(|(a, b)| same_atom(a, b, names));
    a.stms.len() == b.stms.len() && same_results
}

/// What a row has bound.
struct Finder {
    name: Var,
    row: Var,
    size: Atom,
    defs: Map<Var, Exp>,
}

impl Finder {
    /// Notes a number that a row binds.
    fn define(&mut self, stm: &Stm) -> Option<()> {
        is_arithmetic(stm).then_some(())?;
        self.defs.insert(stm.vars[0], stm.exp.clone());
        Some(())
    }

    /// An atom by its first name.
    fn resolved(&self, atom: Atom) -> Atom {
        match atom.var().and_then(|var| self.defs.get(&var)) {
            Some(Exp::Atom(other)) => self.resolved(*other),
            _ => atom,
        }
    }

    /// The elements of a row that a loop computes.
    fn clause(&self, lets: &[Stm], (counter, count): (Var, Atom), body: &[Step]) -> Option<Clause> {
        let (Step::Emit(emit), inner) = body.split_last()? else { return None };
        let mut finder = Finder { name: self.name, row: self.row, size: self.size, defs: self.defs.clone() };
        let mut before = lets.to_vec();
        for step in inner {
            let Step::Let(stm) = step else { return None };
            finder.define(stm)?;
            before.push(stm.clone());
        }
        let [row, column] = emit.at[..] else { return None };
        let row_atom = Atom::Var(self.row);
        let column = column.var().filter(|_| finder.resolved(row) == row_atom)?;
        // How many values are summed up: as many as there are elements before in the row, or above in the column.
        let turns = if finder.resolved(count) == row_atom {
            (column == counter).then_some(Atom::Var(counter))?
        } else {
            let behind = matches!(finder.defs.get(&count.var()?)?, Exp::Bin(BinOp::Sub, Prim::I64, end, first)
                if *end == self.size && finder.resolved(*first) == row_atom);
            let moved = matches!(finder.defs.get(&column)?, Exp::Bin(BinOp::Add, Prim::I64, first, step)
                if *step == Atom::Var(counter) && finder.resolved(*first) == row_atom);
            (behind && moved).then_some(row_atom)?
        };
        finder.value(emit, before, (counter, column, turns))
    }

    /// The value of an element that sums up so many values.
    fn value(&self, emit: &Emit, mut before: Vec<Stm>, names: (Var, Var, Atom)) -> Option<Clause> {
        let (counter, column, turns) = names;
        let stms = &emit.value.stms;
        let at = stms.iter().position(|stm| matches!(stm.exp, Exp::Bulk(_)))?;
        let sum = self.sum(&stms[at], column, turns)?;
        before.extend(stms[..at].iter().cloned());
        let after = stms[at + 1..].to_vec();
        let is_lower = turns == Atom::Var(column);
        let is_fit = |stm: &Stm| match &stm.exp {
            Exp::Index(array, at) if *array == self.name => is_lower && at[..] == [Atom::Var(column); 2],
            Exp::Index(..) => true,
            _ => is_arithmetic(stm),
        };
        let all_fit = before.iter().chain(&after).all(is_fit);
        let result = *emit.value.result.first()?;
        all_fit.then_some(Clause { row: self.row, counter, column, before, after, result, sum })
    }

    /// A sum of so many values, which read the row and the column of their element.
    fn sum(&self, stm: &Stm, column: Var, turns: Atom) -> Option<Sum> {
        let ([var], Exp::Bulk(bulk)) = (&stm.vars[..], &stm.exp) else { return None };
        let ([output], [Step::For { var: turn, count, body, .. }]) = (&bulk.outputs[..], &bulk.steps[..]) else {
            return None;
        };
        let Kind::Reduce { op, neutral, .. } = &output.kind else { return None };
        identities(op)?;
        (self.resolved(*count) == turns).then_some(())?;
        let mut value = emits::value(body)?;
        for stm in &mut value.stms {
            let Exp::Index(array, at) = &mut stm.exp else {
                is_arithmetic(stm).then_some(())?;
                continue;
            };
            at.iter_mut().for_each(|atom| *atom = self.resolved(*atom));
            let (row, turn, column) = (Atom::Var(self.row), Atom::Var(*turn), Atom::Var(column));
            (*array == self.name && (at[..] == [row, turn] || at[..] == [turn, column])).then_some(())?;
        }
        Some(Sum { var: *var, turn: *turn, op: op.clone(), neutral: *neutral.first()?, value })
    }
}

/// Whether a statement computes a number of others, and nothing can fail.
fn is_arithmetic(stm: &Stm) -> bool {
    let is_scalar = match &stm.exp {
        Exp::Atom(_) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..) => true,
        Exp::Bin(..) => !stm.exp.is_partial(),
        _ => false,
    };
    is_scalar && stm.vars.len() == 1
}
