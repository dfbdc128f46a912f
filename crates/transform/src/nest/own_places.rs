//! Values that are combined with the elements at the indices of loops around them are one reduction for each element.
//!
//! ```text
//! out accum (zeros) of (x: f64) by (+)          out gen [n][m] of (x: f64)
//! for k < l {                                   for i < n {
//!   for i < n {                                   for j < m {
//!     for j < m {                         =>        emit [i, j] {
//!       emit [i, j] { .. => v }                       let s: f64 = bulk { out reduce .. for k < l { emit { .. => v } } }
//!     }                                               => s
//!   }                                               }
//! }                                             } }
//! ```
//!
//! So a product of matrices that adds up rows, or turns of a loop that each add to a whole array, has the form of any other
//! product. Where the order shows, the reduction is a loop, and an element takes its values in the same order as before. What was computed before the loops over elements is
//! computed for each of them, so it must be little, for rows of arrays that are read there as well.

use super::around::{Around, around};
use super::row_work::RowWork;
use super::rows;
use crate::write::{Writer, array};
use analysis::emits;
use base::{Map, Name, Set};
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::tree::identities;
use ir::{
    Atom, Block, Bulk, Dim, Emit, Exp, Kind, LoopForm, Mark, Output, Program, Region, Step, Stm, Tree, Type, Var,
    VarInfo,
};
use scalar::Scalar;

/// How many cycles may be spent on what is computed again for each element.
const LITTLE: usize = 12;

/// What is known of the arrays of a function.
pub(super) struct Arrays {
    /// Those with the same number everywhere.
    constant: Map<Var, Scalar>,
    rows: RowWork,
}

impl Arrays {
    pub fn of(program: &Program, body: &Block) -> Arrays {
        let mut arrays = Arrays { constant: Map::default(), rows: RowWork::of(program, body) };
        body.walk(&mut |part| {
            let Part::Stm(stm) = part else { return };
            let number = match &stm.exp {
                Exp::Reshape(from) | Exp::Retype(from) => arrays.constant.get(from).copied(),
                Exp::Bulk(bulk) => everywhere(bulk),
                _ => None,
            };
            if let (Some(number), [var]) = (number, &stm.vars[..]) {
                arrays.constant.insert(*var, number);
            }
        });
        arrays
    }
}

/// The number that all elements of an array are.
fn everywhere(bulk: &Bulk) -> Option<Scalar> {
    let [Output { kind: Kind::Gen { otherwise: None, .. }, sizes, .. }] = &bulk.outputs[..] else { return None };
    match (&emits::all(&bulk.steps)[..], sizes.is_empty()) {
        ([Emit { value, .. }], true) => match value.result[..] {
            [Atom::Const(number)] => Some(number),
            _ => None,
        },
        (_, _) => None,
    }
}

/// Changes a statement that combines values with elements of arrays. Where a reduction of rows became one of elements, it is
/// known that what the arrays hold first is `neutral` to the operator.
pub(super) fn one_sum_each(program: &mut Program, arrays: &Arrays, stm: &mut Stm, neutral: bool) {
    let Exp::Bulk(bulk) = &stm.exp else { return };
    let Some(sums) = Sums::of(program, arrays, bulk) else { return };
    let Some(start) = sums.start(arrays, neutral) else { return };
    let writer = Writer { program, stms: Vec::new(), span: stm.span };
    stm.exp = Exp::Bulk(sums.form(writer, start));
}

/// A form that combines values with elements of arrays, at the indices of some of its loops.
struct Sums {
    arrays: Vec<Var>,
    op: Region,
    tree: Tree,
    elems: Vec<Var>,
    /// What is bound before the first loop.
    before: Vec<Step>,
    /// The loops over elements, in the order of the subscripts.
    own: Vec<(Var, Atom)>,
    /// What else is around the value.
    others: Vec<Around>,
    value: Emit,
}

/// What a reduction begins with.
enum Start {
    /// These numbers, and nothing else.
    Numbers(Vec<Atom>),
    /// What the arrays hold.
    Held,
    /// These numbers; the result is combined with what the arrays hold.
    Beside(Vec<Atom>),
    /// What the arrays hold, with which values are combined one after the other.
    InOrder,
}

impl Sums {
    fn of(program: &mut Program, arrays: &Arrays, bulk: &Bulk) -> Option<Sums> {
        let [Output { kind: Kind::Accum { arrays: held, op, tree, .. }, elems, .. }] = &bulk.outputs[..] else {
            return None;
        };
        let (around, value) = around(&bulk.steps)?;
        let (around, value) = rows::by_elements(program, around, value);
        let dims = program.ty(*held.first()?).dims().to_vec();
        let (around, at) = with_places(program, around, &value.at, &dims)?;
        let scalars = elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
        let distinct = at.iter().collect::<Set<_>>().len() == at.len() && at.len() == dims.len();
        (scalars && distinct && !bulk.scheduled).then_some(())?;
        let count = |wanted: &Var| {
            around.iter().find_map(|step| match step {
                Around::For(var, count) if var == wanted => Some((*var, *count)),
                Around::For(..) | Around::Guard(_) | Around::Let(_) => None,
            })
        };
        let own: Vec<(Var, Atom)> = at.iter().map(count).collect::<Option<_>>()?;
        own.iter().map(|(_, count)| Dim::Size(*count)).eq(dims.iter().copied()).then_some(())?;
        let is_own = |step: &Around| matches!(step, Around::For(var, _) if at.contains(var));
        let first = around.iter().position(|step| !matches!(step, Around::Let(_)))?;
        let last = around.iter().rposition(is_own)?;
        let again = &around[first..=last];
        let combines = around.iter().any(|step| matches!(step, Around::For(..)) && !is_own(step));
        let moves = again.iter().any(|step| !is_own(step));
        let effort = cycles(again).saturating_add(if moves { arrays.rows.cycles(&bulk.steps) } else { 0 });
        // In another order, another check would be the first that fails.
        let fails = bulk.steps.iter().any(Step::can_fail);
        (combines && effort <= LITTLE && !fails).then_some(())?;
        let others = around[first..].iter().filter(|step| !is_own(step)).cloned().collect();
        let before = around[..first].iter().cloned().map(|step| step.around(Vec::new())).collect::<Vec<_>>().concat();
        Some(Sums {
            arrays: held.clone(),
            op: op.clone(),
            tree: *tree,
            elems: elems.clone(),
            before,
            own,
            others,
            value,
        })
    }

    fn start(&self, arrays: &Arrays, neutral: bool) -> Option<Start> {
        let held: Option<Vec<Scalar>> = self.arrays.iter().map(|array| arrays.constant.get(array).copied()).collect();
        let numbers = |numbers: &[Scalar]| numbers.iter().copied().map(Atom::Const).collect::<Vec<Atom>>();
        match (held, identities(&self.op)) {
            (_, _) if self.tree == Tree::InOrder => Some(Start::InOrder),
            (Some(held), _) if neutral => Some(Start::Numbers(numbers(&held))),
            // `0.0` does as well as `-0.0`, which is the same number.
            (Some(held), Some(identities)) if held == identities => Some(Start::Numbers(numbers(&held))),
            (_, _) if neutral => Some(Start::Held),
            (_, Some(identities)) => Some(Start::Beside(numbers(&identities))),
            (_, None) => None,
        }
    }

    fn form(self, mut writer: Writer<'_>, start: Start) -> Bulk {
        let at: Vec<Atom> = self.own.iter().map(|(var, _)| Atom::Var(*var)).collect();
        let elems: Vec<Var> = self.elems.iter().map(|elem| like(writer.program, *elem)).collect();
        let result = match start {
            Start::Numbers(numbers) => self.reduction(&mut writer, numbers),
            Start::Held => {
                let held = self.held(&mut writer, &at);
                self.reduction(&mut writer, held)
            }
            Start::Beside(numbers) => {
                let held = self.held(&mut writer, &at);
                let sums = self.reduction(&mut writer, numbers);
                self.combined(&mut writer, &held, &sums)
            }
            Start::InOrder => {
                let held = self.held(&mut writer, &at);
                let Block { stms, result } = self.in_order(&mut writer, &self.others, held);
                writer.stms.extend(stms);
                result
            }
        };
        let value = Block { stms: writer.taken(), result };
        let emit = Step::Emit(Emit { output: 0, at, certs: Vec::new(), value, span: writer.span });
        let nest = self.own.iter().rev().fold(vec![emit], |body, (var, count)| {
            vec![Step::For { var: *var, count: *count, mark: Mark::Open, body }]
        });
        let shape = self.own.iter().map(|(_, count)| Dim::Size(*count)).collect();
        let outputs = vec![Output { kind: array(shape), sizes: Vec::new(), elems }];
        Bulk { outputs, steps: self.before.into_iter().chain(nest).collect(), scheduled: false }
    }

    /// The values of an element as a reduction.
    fn reduction(&self, writer: &mut Writer<'_>, neutral: Vec<Atom>) -> Vec<Atom> {
        let sums: Vec<Var> = self.elems.iter().map(|elem| like(writer.program, *elem)).collect();
        let value = Step::Emit(Emit { at: Vec::new(), certs: Vec::new(), ..self.value.clone() });
        let steps = self.others.iter().rev().fold(vec![value], |inner, step| step.clone().around(inner));
        let kind = Kind::Reduce { op: self.op.clone(), neutral, commutes: true, tree: Tree::PLAIN };
        let outputs = vec![Output { kind, sizes: Vec::new(), elems: self.elems.clone() }];
        let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
        writer.stms.push(Stm { vars: sums.clone(), certs: Vec::new(), exp, span: writer.span });
        sums.into_iter().map(Atom::Var).collect()
    }

    /// The values of an element, combined with what it was in the order in which they come: what is inside of these steps.
    fn in_order(&self, writer: &mut Writer<'_>, steps: &[Around], carried: Vec<Atom>) -> Block {
        let span = writer.span;
        let (mut stms, mut steps) = (Vec::new(), steps);
        while let [Around::Let(stm), rest @ ..] = steps {
            stms.push(stm.clone());
            steps = rest;
        }
        let mut copies = || self.elems.iter().map(|elem| like(writer.program, *elem)).collect::<Vec<Var>>();
        let (vars, exp) = match steps {
            [Around::For(var, count), inner @ ..] => {
                let (vars, params) = (copies(), copies());
                let body = self.in_order(writer, inner, params.iter().copied().map(Atom::Var).collect());
                let params = params.into_iter().zip(carried).collect();
                (vars, Exp::repeat(params, LoopForm::For(*var, *count), body))
            }
            [Around::Guard(cond), inner @ ..] => {
                let vars = copies();
                let then = self.in_order(writer, inner, carried.clone());
                (vars, Exp::If(*cond, then, Block { stms: Vec::new(), result: carried }))
            }
            _ => {
                stms.extend(self.value.value.stms.iter().cloned());
                let around = std::mem::take(&mut writer.stms);
                let result = self.combined(writer, &carried, &self.value.value.result);
                stms.extend(std::mem::replace(&mut writer.stms, around));
                return Block { stms, result };
            }
        };
        let result = vars.iter().copied().map(Atom::Var).collect();
        stms.push(Stm { vars, certs: Vec::new(), exp, span });
        Block { stms, result }
    }

    /// Combines what is there with values.
    fn combined(&self, writer: &mut Writer<'_>, there: &[Atom], values: &[Atom]) -> Vec<Atom> {
        let names = Substitution::new(&self.op.params, &[there, values].concat());
        let both = copy_block(&mut writer.program.vars, &self.op.body, names);
        writer.stms.extend(both.stms);
        both.result
    }

    /// Reads what the arrays hold.
    fn held(&self, writer: &mut Writer<'_>, at: &[Atom]) -> Vec<Atom> {
        let read = |(array, elem): (&Var, &Var)| {
            let ty = writer.program.ty(*elem).clone();
            writer.bind("x", ty, Exp::Index(*array, at.to_vec()))
        };
        self.arrays.iter().zip(&self.elems).map(read).collect()
    }
}

/// What is around a value and the subscripts of the value, each the index of a loop: that of one turn for an array's only
/// element.
fn with_places(
    program: &mut Program,
    around: Vec<Around>,
    at: &[Atom],
    dims: &[Dim],
) -> Option<(Vec<Around>, Vec<Var>)> {
    let (mut all, mut places) = (Vec::new(), Vec::new());
    for (atom, dim) in at.iter().zip(dims) {
        match atom.var() {
            Some(var) => places.push(var),
            None => {
                (*atom == Atom::size(0) && *dim == Dim::Size(Atom::size(1))).then_some(())?;
                let index = program.vars.push(VarInfo::new(Name::new("i"), Type::I64));
                all.push(Around::For(index, Atom::size(1)));
                places.push(index);
            }
        }
    }
    all.extend(around);
    Some((all, places))
}

/// How many cycles it takes to compute what is bound.
fn cycles(around: &[Around]) -> usize {
    let one = |step: &Around| match step {
        Around::Let(stm) => super::row_work::cycles(stm),
        Around::For(..) | Around::Guard(_) => 0,
    };
    around.iter().map(one).fold(0, usize::saturating_add)
}

fn like(program: &mut Program, var: Var) -> Var {
    let VarInfo { name, ty, .. } = &program.vars[var];
    let info = VarInfo::new(*name, ty.clone());
    program.vars.push(info)
}
