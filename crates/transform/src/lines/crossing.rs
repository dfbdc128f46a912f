//! Two loops that replace the elements of a matrix one after the other, and read one row and one column of it, become an update.
//!
//! ```text
//! loop (a = d) for i < n {                           let x0 = d[p, q]
//!   loop (b = a) for j < m {                         let x1 = f(x0, x0, x0)
//!     let x = b[i, j]                                let c0 = [d[i, q] for i < n]
//!     let c = b[i, q]                                let c1 = [f(c0[i], c0[i], if i <= p then x0 else x1) for i < n]
//!     let r = b[p, j]                         =>     let r0 = [d[p, j] for j < m]
//!     let y = f(x, c, r)                             let r1 = [f(r0[j], if j <= q then x0 else x1, r0[j]) for j < m]
//!     => bulk { update (b) [i, j] => y }             bulk { update (d) .. emit [i, j] =>
//!   }                                                  f(d[i, j], if j <= q then c0[i] else c1[i], if i <= p then r0[j] else r1[j])
//! }                                                  }
//! ```
//!
//! All elements are replaced, in order, and each once. Where an element is read before its turn, and in its own turn, it is the old
//! one, afterwards the new one. So shortest paths by three loops run as those by `update`, and give what the loops give.
//!
//! Limits: the loops go through the whole matrix; its elements are scalars; nothing fails.

use base::{Name, Set, Span};
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::{
    Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, LoopForm, Mark, Output, Program, Step, Stm, Type, Var, VarInfo,
};
use scalar::{BinOp, Prim};

/// The loops.
struct Crossing {
    /// The matrix before, and under its name in a turn.
    matrix: Var,
    inside: Var,
    prim: Prim,
    counters: [Var; 2],
    counts: [Atom; 2],
    /// The row and the column that all turns read.
    fixed: [Atom; 2],
    /// What a turn computes for an element.
    turn: Block,
    certs: Vec<Var>,
    span: Span,
}

/// The statements in the place of two loops.
pub(super) fn updated(program: &mut Program, stm: &Stm) -> Option<Vec<Stm>> {
    let crossing = Crossing::of(program, stm)?;
    let mut out = Out { program, stms: Vec::new(), span: crossing.span };
    let update = crossing.write(&mut out);
    let mut stms = out.stms;
    stms.push(Stm { vars: stm.vars.clone(), certs: Vec::new(), exp: update, span: crossing.span });
    stms.iter_mut().for_each(|one| one.rely_on(&crossing.certs));
    Some(stms)
}

impl Crossing {
    fn of(program: &Program, stm: &Stm) -> Option<Crossing> {
        let (outer, init, i, rows, outside) = one_array(stm)?;
        let (inner, before) = outside.stms.split_last()?;
        let (array, from, j, columns, body) = one_array(inner)?;
        let (last, turn) = body.stms.split_last()?;
        (from == outer && outside.result == [Atom::Var(inner.vars[0])]).then_some(())?;
        let emit = replaced(last, array)?;
        let Type::Array(prim, dims) = program.ty(array) else { return None };
        let is_whole = dims[..] == [Dim::Size(rows), Dim::Size(columns)];
        let plain = body.result == [Atom::Var(last.vars[0])] && emit.at == [Atom::Var(i), Atom::Var(j)];
        (is_whole && plain).then_some(())?;
        let stms: Vec<Stm> = before.iter().chain(turn).chain(&emit.value.stms).cloned().collect();
        let turn = Block { stms, result: emit.value.result.clone() };
        let certs = [&stm.certs[..], &inner.certs, &last.certs, &emit.certs].concat();
        let bound: Set<Var> = turn.bound().into_iter().chain([i, j]).collect();
        let fixed = fixed_reads(&turn, array, outer, [i, j], &bound)?;
        let is_pure = turn.stms.iter().all(|stm| !stm.can_fail() && is_scalar(program, stm));
        let from_outside = certs.iter().all(|cert| !bound.contains(cert));
        (is_pure && from_outside).then_some(Crossing {
            matrix: init,
            inside: array,
            prim: *prim,
            counters: [i, j],
            counts: [rows, columns],
            fixed,
            turn,
            certs,
            span: stm.span,
        })
    }

    fn write(&self, out: &mut Out<'_>) -> Exp {
        let [p, q] = self.fixed;
        let corner = out.bind("x", Type::Scalar(self.prim), Exp::Index(self.matrix, vec![p, q]));
        let new = self.value(out, [p, q], [corner; 4]);
        let new_corner = out.inline(new);
        // The corner as it is in a row or column of the cross.
        let choose = |out: &mut Out<'_>, at, end| out.choose(self.prim, at, end, corner, new_corner);
        let [i, j] = self.counters;
        let column = self.line(out, [i.into(), q], 0, |_, own| own);
        let new_column = self.line(out, [i.into(), q], 0, |out, own| {
            let x = choose(out, i.into(), p);
            let value = self.value(out, [i.into(), q], [own, own, x, x]);
            out.inline(value)
        });
        let row = self.line(out, [p, j.into()], 1, |_, own| own);
        let new_row = self.line(out, [p, j.into()], 1, |out, own| {
            let x = choose(out, j.into(), q);
            let value = self.value(out, [p, j.into()], [own, x, own, x]);
            out.inline(value)
        });
        let [i, j] = [0, 1].map(|_| out.var("i", Type::I64));
        let value = out.block(|out| {
            let own = out.read(self.prim, self.matrix, vec![i.into(), j.into()]);
            let lines = [(column, i), (new_column, i), (row, j), (new_row, j)];
            let [c0, c1, r0, r1] = lines.map(|(line, at)| out.read(self.prim, line, vec![at.into()]));
            let c = out.choose(self.prim, j.into(), q, c0, c1);
            let r = out.choose(self.prim, i.into(), p, r0, r1);
            let x = if self.reads_corner() { self.corner(out, [i.into(), j.into()], corner, new_corner) } else { own };
            let value = self.value(out, [i.into(), j.into()], [own, c, r, x]);
            out.inline(value)
        });
        let emit = Emit { output: 0, at: vec![i.into(), j.into()], certs: Vec::new(), value, span: self.span };
        let inner = Step::For { var: j, count: self.counts[1], mark: Mark::Open, body: vec![Step::Emit(emit)] };
        let steps = vec![Step::For { var: i, count: self.counts[0], mark: Mark::Open, body: vec![inner] }];
        let kind = Kind::Update { arrays: vec![self.matrix], skip: false, rec: Vec::new() };
        let elem = out.var("x", Type::Scalar(self.prim));
        Exp::Bulk(Bulk {
            outputs: vec![Output { kind, sizes: Vec::new(), elems: vec![elem] }],
            steps,
            scheduled: false,
        })
    }

    fn reads_corner(&self) -> bool {
        let mut found = false;
        self.turn.walk(&mut |part| {
            if let Part::Stm(Stm { exp: Exp::Index(array, at), .. }) = part {
                found |= *array == self.inside && at[..] == self.fixed;
            }
        });
        found
    }

    /// The element that the row and the column share, as it is in the turn of another one.
    fn corner(&self, out: &mut Out<'_>, [i, j]: [Atom; 2], old: Atom, new: Atom) -> Atom {
        let [p, q] = self.fixed;
        let in_row = out.choose(self.prim, j, q, old, new);
        let before = out.compare(BinOp::Lt, i, p);
        let after = out.compare(BinOp::Gt, i, p);
        let x = out.select(self.prim, after, new, in_row);
        out.select(self.prim, before, old, x)
    }

    /// An array of a value for each row (axis 0) or column, made from the element there.
    fn line(
        &self,
        out: &mut Out<'_>,
        at: [Atom; 2],
        axis: usize,
        value: impl FnOnce(&mut Out<'_>, Atom) -> Atom,
    ) -> Var {
        let count = self.counts[axis];
        let value = out.block(|out| {
            let own = out.read(self.prim, self.matrix, at.to_vec());
            value(out, own)
        });
        let counter = self.counters[axis];
        let emit = Emit { output: 0, at: vec![counter.into()], certs: Vec::new(), value, span: self.span };
        let steps = vec![Step::For { var: counter, count, mark: Mark::Open, body: vec![Step::Emit(emit)] }];
        let shape = vec![Dim::Size(count)];
        let kind = Kind::Gen { shape: shape.clone(), otherwise: None, coverage: Coverage::Exact, rec: Vec::new() };
        let elem = out.var("x", Type::Scalar(self.prim));
        let outputs = vec![Output { kind, sizes: Vec::new(), elems: vec![elem] }];
        let line = out.var("line", Type::array(self.prim, shape));
        let exp = Exp::Bulk(Bulk { outputs, steps, scheduled: false });
        let stm = Stm { vars: vec![line], certs: Vec::new(), exp, span: self.span };
        // The counter is bound once in the whole program.
        let block = Block { stms: vec![stm], result: vec![line.into()] };
        let copy = copy_block(&mut out.program.vars, &block, Substitution::default());
        out.inline(copy).var().unwrap_or(line)
    }

    /// What a turn computes for an element, if these are the element, those of the column and the row, and the corner.
    fn value(&self, out: &mut Out<'_>, place: [Atom; 2], [own, column, row, corner]: [Atom; 4]) -> Block {
        let [i, j] = self.counters.map(Atom::Var);
        let [p, q] = self.fixed;
        let read = |exp: &Exp| match exp {
            Exp::Index(array, at) if *array == self.inside => Some(match at[..] {
                [a, b] if [a, b] == [i, j] => own,
                [a, b] if [a, b] == [i, q] => column,
                [a, b] if [a, b] == [p, j] => row,
                _ => corner,
            }),
            _ => None,
        };
        let mut names = Substitution::new(&self.counters, &place);
        let mut block = self.turn.clone();
        block.stms.retain(|stm| match read(&stm.exp) {
            Some(value) => {
                names.insert(stm.vars[0], value);
                false
            }
            None => true,
        });
        block.for_each_stm_mut(&mut |stm| {
            if let Some(value) = read(&stm.exp) {
                stm.exp = Exp::Atom(value);
            }
        });
        copy_block(&mut out.program.vars, &block, names)
    }
}

/// A loop that carries one array: the array in a turn and before, the counter, how many turns, and the body.
fn one_array(stm: &Stm) -> Option<(Var, Var, Var, Atom, &Block)> {
    let Exp::Loop { params, form: LoopForm::For(counter, count), body, .. } = &stm.exp else { return None };
    let [(array, init)] = params[..] else { return None };
    Some((array, init.var()?, *counter, *count, body))
}

/// The value of an update of one element.
fn replaced(stm: &Stm, array: Var) -> Option<&Emit> {
    let Exp::Bulk(Bulk { outputs, steps, .. }) = &stm.exp else { return None };
    let ([Output { kind: Kind::Update { arrays, skip: false, rec }, .. }], [Step::Emit(emit)]) =
        (&outputs[..], &steps[..])
    else {
        return None;
    };
    (arrays[..] == [array] && rec.is_empty()).then_some(emit)
}

/// The row and the column that a turn reads beside its own element, if there are both, and it reads nothing else of the matrix.
fn fixed_reads(turn: &Block, array: Var, outer: Var, own: [Var; 2], bound: &Set<Var>) -> Option<[Atom; 2]> {
    let (mut reads, mut mentions) = (Vec::new(), 0);
    turn.walk(&mut |part| match part {
        Part::Stm(Stm { exp: Exp::Index(of, at), .. }) if *of == array => reads.push(at.clone()),
        Part::Use(var) | Part::Atom(Atom::Var(var)) => mentions += usize::from([array, outer].contains(var)),
        Part::Stm(_) | Part::Atom(Atom::Const(_)) | Part::Bind(_) | Part::Block(_) => {}
    });
    let mut fixed = [None, None];
    for at in &reads {
        let [_, _] = at[..] else { return None };
        for axis in [0, 1] {
            let is_own = at[axis] == Atom::Var(own[axis]);
            if !is_own && *fixed[axis].get_or_insert(at[axis]) != at[axis] {
                return None;
            }
        }
    }
    let [Some(p), Some(q)] = fixed else { return None };
    let from_outside = [p, q].iter().all(|atom| atom.var().is_none_or(|var| !bound.contains(&var)));
    (from_outside && mentions == reads.len()).then_some([p, q])
}

fn is_scalar(program: &Program, stm: &Stm) -> bool {
    let scalars = stm.vars.iter().all(|var| matches!(program.ty(*var), Type::Scalar(_)));
    scalars && (stm.exp.is_simple() || matches!(stm.exp, Exp::If(..)))
}

/// Statements that are written one after the other.
struct Out<'p> {
    program: &'p mut Program,
    stms: Vec<Stm>,
    span: Span,
}

impl Out<'_> {
    fn var(&mut self, name: &str, ty: Type) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), ty))
    }

    fn bind(&mut self, name: &str, ty: Type, exp: Exp) -> Atom {
        let var = self.var(name, ty);
        self.stms.push(Stm { vars: vec![var], certs: Vec::new(), exp, span: self.span });
        var.into()
    }

    fn read(&mut self, prim: Prim, array: Var, at: Vec<Atom>) -> Atom {
        self.bind("x", Type::Scalar(prim), Exp::Index(array, at))
    }

    fn compare(&mut self, op: BinOp, a: Atom, b: Atom) -> Atom {
        self.bind("t", Type::Scalar(Prim::Bool), Exp::Bin(op, Prim::I64, a, b))
    }

    fn select(&mut self, prim: Prim, cond: Atom, a: Atom, b: Atom) -> Atom {
        self.bind("x", Type::Scalar(prim), Exp::Select(cond, a, b))
    }

    /// The old value up to an index, the new one after it.
    fn choose(&mut self, prim: Prim, at: Atom, end: Atom, old: Atom, new: Atom) -> Atom {
        let cond = self.compare(BinOp::Le, at, end);
        self.select(prim, cond, old, new)
    }

    /// Writes the statements of a block and gives its result.
    fn inline(&mut self, block: Block) -> Atom {
        self.stms.extend(block.stms);
        block.result[0]
    }

    /// What is written as a block of its own.
    fn block(&mut self, write: impl FnOnce(&mut Self) -> Atom) -> Block {
        let around = std::mem::take(&mut self.stms);
        let result = write(self);
        Block { stms: std::mem::replace(&mut self.stms, around), result: vec![result] }
    }
}
