//! A reduction that chooses one of two indices by what it computes from each carries what it computed.
//!
//! ```text
//! out reduce of (x: i64) from (0) by (a: i64, b: i64) {      out reduce of (x: i64, v: f64) from (0, v0)
//!   let v: f64 = xs[a]                                         by (a: i64, v: f64, b: i64, w: f64) {
//!   let w: f64 = xs[b]                                           let t: bool = w < v
//!   let t: bool = w < v                                  =>      let r: i64 = select(t, b, a)
//!   let r: i64 = select(t, b, a)                                 let u: f64 = select(t, w, v)
//!   => r                                                         => r, u
//! }                                                          }
//! for i < n { emit => i }                                    for i < n { emit { let y: f64 = xs[i] => i, y } }
//! ```
//!
//! So each element is read once, in order, and an array that only the operator reads is never built. For the first index, `v0` is
//! computed before, in a loop of one turn, or of none if the reduction has none: loops can run in the lanes of vectors.

use super::element_wise::nest;
use crate::write::Writer;
use analysis::messages::Messages;
use analysis::same::Same;
use base::{Map, Set, Span};
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Exp, Kind, LoopForm, Program, Region, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// Changes the reductions of a function.
pub(super) fn carry(program: &mut Program, body: &mut Block) {
    let mut made = Made::default();
    let uses = super::combined::uses(program, |f| body.walk(f));
    body.walk(&mut |part| {
        if let Part::Stm(Stm { exp: Exp::Bulk(bulk), vars, certs, .. }) = part
            && let ([var], true) = (&vars[..], certs.is_empty())
        {
            made.insert(*var, (bulk.clone(), uses.get(var).copied().unwrap_or(0)));
        }
    });
    body.replace_stms(&mut |stm| match Choice::of(program, &stm) {
        Some(choice) => choice.carried(program, &made, &stm),
        None => vec![stm],
    });
}

/// The forms that make arrays, and how often these are used.
type Made = Map<Var, (Bulk, usize)>;

/// A reduction that chooses between indices.
struct Choice {
    /// What it computes from the left index: the values, and the statements that they take.
    values: Vec<Var>,
    stms: Vec<Stm>,
    /// The same values, computed from the right index.
    others: Vec<Var>,
    /// How many turns there are.
    turns: Atom,
}

impl Choice {
    fn of(program: &Program, stm: &Stm) -> Option<Choice> {
        let Exp::Bulk(Bulk { outputs, steps, scheduled: false }) = &stm.exp else { return None };
        let ([output], [Step::For { count, body, .. }]) = (&outputs[..], &steps[..]) else { return None };
        let Kind::Reduce { op, .. } = &output.kind else { return None };
        let ([left, right], [_]) = (&op.params[..], &stm.vars[..]) else { return None };
        let (Some(Step::Emit(_)), true) = (body.last(), body.len() == 1) else { return None };
        (*program.ty(*left) == Type::I64 && chooses(op)).then_some(())?;
        let own = Computed::from(&op.body, *left, *right);
        let other = Computed::from(&op.body, *right, *left);
        let values = own.values();
        let found: Vec<Var> = values.iter().map(|value| other.same(program, &own, *value)).collect::<Option<_>>()?;
        (!values.is_empty() && other.values().len() == found.len()).then_some(())?;
        let scalars = values.iter().all(|value| matches!(program.ty(*value), Type::Scalar(_)));
        let needed: Vec<Stm> = values.iter().flat_map(|value| own.slice(*value)).cloned().collect();
        let mut stms: Vec<Stm> = Vec::new();
        for stm in needed {
            if !stms.iter().any(|other| other.vars == stm.vars) {
                stms.push(stm);
            }
        }
        (scalars && !stms.iter().any(Stm::can_fail)).then_some(Choice { values, stms, others: found, turns: *count })
    }

    fn carried(&self, program: &mut Program, made: &Made, stm: &Stm) -> Vec<Stm> {
        let mut stm = stm.clone();
        let Exp::Bulk(Bulk { outputs, steps, .. }) = &mut stm.exp else { return vec![stm] };
        let output = &mut outputs[0];
        let Kind::Reduce { op, neutral, .. } = &mut output.kind else { return vec![stm] };
        let index = op.params[0];
        let (mut out, first) = self.first(program, made, op, neutral[0], stm.span);
        neutral.extend(first);
        self.operator(program, op, stm.span);
        for value in &self.values {
            output.elems.push(like(program, *value));
            stm.vars.push(like(program, *value));
        }
        Step::for_each_emit_mut(steps, &mut |emit| {
            let index = Substitution::new(&[index], &emit.value.result);
            let values = copy_block(&mut program.vars, &self.block(), index);
            emit.value.stms.extend(values.stms);
            emit.value.result.extend(values.result);
        });
        out.push(stm);
        out
    }

    /// The values of an index.
    fn block(&self) -> Block {
        Block { stms: self.stms.clone(), result: self.values.iter().map(|var| Atom::Var(*var)).collect() }
    }

    /// Computes the values of the first index.
    fn first(&self, program: &mut Program, made: &Made, op: &Region, index: Atom, span: Span) -> (Vec<Stm>, Vec<Atom>) {
        let mut block = copy_block(&mut program.vars, &self.block(), Substitution::new(&op.params[..1], &[index]));
        let mut stms = Vec::new();
        for stm in block.stms {
            match element(program, made, op, &stm) {
                Some(Block { stms: own, result }) => {
                    stms.extend(own);
                    stms.push(Stm { exp: Exp::Atom(result[0]), ..stm });
                }
                None => stms.push(stm),
            }
        }
        block.stms = stms;
        // A loop of one turn, or of none: lanes know loops.
        match self.turns.as_size() {
            Some(1..) => (block.stms, block.result),
            _ => self.once(program, block, span),
        }
    }

    /// The values of a block in a loop of one turn, or of none if the reduction has none.
    fn once(&self, program: &mut Program, body: Block, span: Span) -> (Vec<Stm>, Vec<Atom>) {
        let zeros = self.values.iter().map(|var| match program.ty(*var).prim() {
            Some(prim) => Atom::Const(prim.zero()),
            None => base::bug!("a number has no type"),
        });
        let zeros: Vec<Atom> = zeros.collect();
        let params = self.values.iter().map(|var| like(program, *var)).zip(zeros).collect();
        let vars: Vec<Var> = self.values.iter().map(|var| like(program, *var)).collect();
        let result = vars.iter().copied().map(Atom::Var).collect();
        let mut writer = Writer { program, stms: Vec::new(), span };
        let once = writer.least("once", self.turns, Atom::size(1));
        let form = LoopForm::For(writer.index("i"), once);
        let mut out = writer.taken();
        out.push(Stm { vars, certs: Vec::new(), exp: Exp::repeat(params, form, body), span });
        (out, result)
    }

    /// Makes the operator take values and give those of the index that it chooses.
    fn operator(&self, program: &mut Program, op: &mut Region, span: Span) {
        let [left, right] = op.params[..] else { base::bug!("an operator on one number each") };
        let chosen = op.body.result[0];
        let given = |stm: &Stm| stm.vars.iter().any(|var| self.values.contains(var) || self.others.contains(var));
        op.body.stms.retain(|stm| !given(stm));
        let decided = op
            .body
            .stms
            .iter()
            .find(|stm| stm.vars.iter().any(|var| chosen == Atom::Var(*var)))
            .map(|stm| stm.exp.clone());
        let mut writer = Writer { program, stms: std::mem::take(&mut op.body.stms), span };
        let (is_left, is_right) = (Atom::Var(left), Atom::Var(right));
        let (condition, left_first) = match decided {
            Some(Exp::Select(condition, a, b)) if a == is_left && b == is_right => (condition, true),
            Some(Exp::Select(condition, a, b)) if a == is_right && b == is_left => (condition, false),
            _ => (writer.truth(BinOp::Eq, Prim::I64, chosen, is_left), true),
        };
        for (own, other) in self.values.iter().zip(&self.others) {
            let ty = writer.program.ty(*own).clone();
            let (one, another) = if left_first { (*own, *other) } else { (*other, *own) };
            let value = writer.bind("x", ty, Exp::Select(condition, one.into(), another.into()));
            op.body.result.push(value);
        }
        op.body.stms = writer.taken();
        op.params = [&[left][..], &self.values, &[right], &self.others].concat();
    }
}

/// The element that a statement reads from an array that only an operator reads, computed anew.
fn element(program: &mut Program, made: &Made, op: &Region, stm: &Stm) -> Option<Block> {
    let Exp::Index(array, at) = &stm.exp else { return None };
    let (bulk, uses) = made.get(array)?;
    let mut here = 0;
    op.body.walk(&mut |part| here += usize::from(matches!(part, Part::Use(var) if var == array)));
    let (loops, element) = nest(program, bulk)?;
    let fits = here == *uses && loops.len() == at.len() && !element.stms.iter().any(Stm::can_fail);
    let names: Vec<Var> = loops.iter().map(|(var, _)| *var).collect();
    fits.then(|| copy_block(&mut program.vars, &element, Substitution::new(&names, at)))
}

/// Whether the result of an operator on two indices is one of them.
fn chooses(op: &Region) -> bool {
    fn is_one(op: &Region, atom: Atom) -> bool {
        let Some(var) = atom.var() else { return false };
        let def = op.body.stms.iter().find(|stm| stm.vars == [var]);
        op.params.contains(&var)
            || match def.map(|stm| &stm.exp) {
                Some(Exp::Select(_, one, other)) => is_one(op, *one) && is_one(op, *other),
                Some(Exp::If(_, one, other)) => is_one(op, one.result[0]) && is_one(op, other.result[0]),
                _ => false,
            }
    }
    matches!(op.body.result[..], [chosen] if is_one(op, chosen))
}

/// What an operator computes from one of its parameters and nothing of the other.
struct Computed<'b> {
    param: Var,
    stms: Vec<&'b Stm>,
}

impl<'b> Computed<'b> {
    fn from(body: &'b Block, param: Var, other: Var) -> Computed<'b> {
        let (mut own, mut foreign): (Set<Var>, Set<Var>) =
            ([param].into_iter().collect(), [other].into_iter().collect());
        let mut stms = Vec::new();
        for stm in &body.stms {
            let used = used(stm);
            let (depends, mixed) =
                (used.iter().any(|var| own.contains(var)), used.iter().any(|var| foreign.contains(var)));
            if mixed {
                foreign.extend(stm.vars.iter().copied());
            } else if depends {
                own.extend(stm.vars.iter().copied());
                stms.push(stm);
            }
        }
        Computed { param, stms }
    }

    /// What is read or takes long, and the last of that: only arithmetic is done with it afterwards.
    fn values(&self) -> Vec<Var> {
        let takes = |stm: &&&Stm| {
            !matches!(
                stm.exp,
                Exp::Bin(..) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..) | Exp::If(..)
            )
        };
        let all: Vec<&Stm> = self.stms.iter().filter(takes).copied().collect();
        let needed = |stm: &Stm| {
            all.iter().any(|other| {
                other.vars != stm.vars && self.slice(other.vars[0]).iter().any(|part| part.vars == stm.vars)
            })
        };
        all.iter().filter(|stm| !needed(stm)).flat_map(|stm| stm.vars.iter().copied()).collect()
    }

    /// The statements that a value takes.
    fn slice(&self, value: Var) -> Vec<&'b Stm> {
        let mut wanted: Set<Var> = [value].into_iter().collect();
        let mut found = Vec::new();
        for stm in self.stms.iter().rev() {
            if stm.vars.iter().any(|var| wanted.contains(var)) {
                wanted.extend(used(stm));
                found.push(*stm);
            }
        }
        found.reverse();
        found
    }

    /// The value that is the same as one computed from the other parameter.
    fn same(&self, program: &Program, other: &Computed<'_>, value: Var) -> Option<Var> {
        let theirs = other.slice(value);
        let (messages, merged) = (Messages::default(), Substitution::default());
        self.values().into_iter().find(|own| {
            let ours = self.slice(*own);
            let mut same = Same::new(program, &messages, &merged);
            same.rename(other.param, self.param);
            ours.len() == theirs.len() && theirs.iter().zip(&ours).all(|(a, b)| same.are(a, b))
        })
    }
}

/// The variables that a statement uses, those it relies on included.
fn used(stm: &Stm) -> Vec<Var> {
    let mut found = stm.certs.clone();
    stm.walk(&mut |part| match part {
        Part::Atom(Atom::Var(var)) | Part::Use(var) => found.push(*var),
        Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) | Part::Stm(_) => {}
    });
    found
}

fn like(program: &mut Program, var: Var) -> Var {
    let VarInfo { name, ty, .. } = &program.vars[var];
    let info = VarInfo::new(*name, ty.clone());
    program.vars.push(info)
}
