//! Arrays whose elements can be computed one by one.

use base::{Name, Span};
use ir::traverse;
use ir::{Atom, Block, Bulk, Coverage, Dim, Emit, Exp, Kind, Output, Program, Step, Stm, Type, Var, VarInfo};
use scalar::{BinOp, Prim};

/// An element with at most this many statements costs next to nothing.
const CHEAP: usize = 2;
/// An element with at most this many statements may move to where it is read.
const LIGHT: usize = 200;

/// An array of scalars, or several of the same shape.
pub(super) struct Producer {
    /// The arrays.
    pub arrays: Vec<Var>,
    /// The loops around an element: indices and counts.
    pub loops: Vec<(Var, Atom)>,
    /// The element, for each array.
    pub element: Block,
    /// Checks that it relies on.
    pub certs: Vec<Var>,
}

impl Producer {
    /// The producer that a statement is, if it is one.
    pub fn of(program: &Program, stm: &Stm) -> Option<Producer> {
        let Exp::Bulk(Bulk { outputs, steps, .. }) = &stm.exp else { return None };
        let [output] = &outputs[..] else { return None };
        Producer::of_value(program, output, &Part::of(steps)?, &stm.vars, &stm.certs)
    }

    /// The producer of the arrays of an output that has this value.
    pub fn of_value(
        program: &Program,
        output: &Output,
        part: &Part<'_>,
        arrays: &[Var],
        certs: &[Var],
    ) -> Option<Producer> {
        let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
        let known = shape.iter().all(|dim| matches!(dim, Dim::Size(_) | Dim::Jagged(_)));
        let scalars = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
        let at_indices = part.emit.at.iter().copied().eq(part.loops.iter().map(|(var, _)| Atom::Var(*var)));
        let plain = rec.is_empty() && output.sizes.is_empty() && known && scalars;
        if !plain || !at_indices || part.loops.len() != shape.len() {
            return None;
        }
        let (element, more) = part.element();
        let certs = certs.iter().copied().chain(more).collect();
        Some(Producer { arrays: arrays.to_vec(), loops: part.loops.clone(), element, certs })
    }

    /// As [`Producer::of`] for one array behind another: an element is one or the other.
    ///
    /// ```text
    /// for i < n { ..; emit [i] => x }
    /// for j < m { let at = n + j; ..; emit [at] => y }        => at [i]:  if i < n { .. => x } else { let j = i - n; .. => y }
    /// ```
    ///
    /// Where `x` and `y` are rows, an element is one of theirs.
    pub fn of_two(program: &mut Program, stm: &Stm) -> Option<Producer> {
        let Exp::Bulk(Bulk { outputs, steps, .. }) = &stm.exp else { return None };
        let (output, total, extents) = elements(program, outputs)?;
        let [first, second] = &steps[..] else { return None };
        let (one, two) = (Part::of(std::slice::from_ref(first))?, Part::of(std::slice::from_ref(second))?);
        let ([(i, n)], [(j, _)]) = (&one.loops[..], &two.loops[..]) else { return None };
        let behind = |at: Atom| {
            two.stms.iter().any(|stm| {
                let sum =
                    |a: Atom, b: Atom| matches!(stm.exp, Exp::Bin(BinOp::Add, Prim::I64, x, y) if x == a && y == b);
                stm.vars.iter().any(|var| Atom::Var(*var) == at) && (sum(*n, (*j).into()) || sum((*j).into(), *n))
            })
        };
        let fits = one.emit.at == [Atom::Var(*i)] && two.emit.at.len() == 1 && behind(two.emit.at[0]);
        fits.then_some(())?;
        let ((mut then, certs), (mut otherwise, more)) = (one.element(), two.element());
        otherwise.stms.insert(0, binary(*j, BinOp::Sub, (*i).into(), *n, stm.span));
        let inner: Vec<(Var, Atom)> = extents.iter().map(|extent| (index(program), *extent)).collect();
        for block in [&mut then, &mut otherwise] {
            read_rows(program, block, &inner, stm.span);
        }
        let loops = [(*i, total)].into_iter().chain(inner).collect();
        let certs = stm.certs.iter().copied().chain(certs).chain(more).collect();
        Some(chosen(program, output, stm, ((*i, BinOp::Lt, *n), then, otherwise), (loops, certs)))
    }

    /// As [`Producer::of`] for an array of which the first elements, or one, are replaced. `base` is the array with the others.
    ///
    /// ```text
    /// let ys = bulk { out update (xs) ..; emit [k] => x }      => at [i]:  if i == k { => x } else { let y = base[i]; => y }
    /// ```
    pub fn of_update(program: &mut Program, stm: &Stm, base: Var) -> Option<Producer> {
        let Exp::Bulk(Bulk { outputs, steps, scheduled: false }) = &stm.exp else { return None };
        let ([output], [array]) = (&outputs[..], &stm.vars[..]) else { return None };
        let Kind::Update { skip: false, rec, .. } = &output.kind else { return None };
        let Type::Array(prim, dims) = program.ty(*array).clone() else { return None };
        let ([Dim::Size(total)], true, [_]) = (&dims[..], rec.is_empty(), &steps[..]) else { return None };
        let scalar = output.elems.iter().all(|elem| matches!(program.ty(*elem), Type::Scalar(_)));
        let part = Part::of(steps).filter(|part| scalar && part.emit.at.len() == 1)?;
        let (i, op, limit) = match part.loops[..] {
            [] => (index(program), BinOp::Eq, part.emit.at[0]),
            [(counter, count)] if part.emit.at == [Atom::Var(counter)] => (counter, BinOp::Lt, count),
            _ => return None,
        };
        let (then, more) = part.element();
        let old = program.vars.push(VarInfo::new(Name::new("old"), Type::Scalar(prim)));
        let certs: Vec<Var> = stm.certs.iter().copied().chain(more).collect();
        let read = Stm { vars: vec![old], certs: Vec::new(), exp: Exp::Index(base, vec![i.into()]), span: stm.span };
        let otherwise = Block { stms: vec![read], result: vec![old.into()] };
        Some(chosen(program, output, stm, ((i, op, limit), then, otherwise), (vec![(i, *total)], certs)))
    }

    /// Whether an element costs so little that it may be computed several times.
    pub fn is_cheap(&self) -> bool {
        let cheap = |stm: &Stm| {
            matches!(stm.exp, Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Convert(..) | Exp::Select(..))
        };
        self.element.stms.len() <= CHEAP && self.element.stms.iter().all(cheap)
    }

    /// Whether computing an element takes no loops, calls no functions and prints nothing.
    pub fn is_light(&self) -> bool {
        let (mut light, mut count) = (true, 0);
        self.element.walk(&mut |part| {
            if let traverse::Part::Stm(stm) = part {
                count += 1;
                light &= is_light(&stm.exp);
            }
        });
        light && count <= LIGHT
    }

    /// Whether there are checks in it.
    pub fn can_fail(&self) -> bool {
        self.any(|exp| matches!(exp, Exp::Assert { .. } | Exp::Ensure { .. }))
    }

    /// Whether it is computed from arrays.
    pub fn reads_memory(&self) -> bool {
        self.any(|exp| matches!(exp, Exp::Index(..) | Exp::DescLength(..) | Exp::DescOffset(..) | Exp::DescIndex(..)))
    }

    fn any(&self, holds: impl Fn(&Exp) -> bool) -> bool {
        let mut found = false;
        self.element.walk(&mut |part| {
            if let traverse::Part::Stm(stm) = part {
                found |= holds(&stm.exp);
            }
        });
        found
    }
}

/// The output of a form that makes one vector of scalars or of rows of scalars, its length, and the extents of the rows.
fn elements<'o>(program: &Program, outputs: &'o [Output]) -> Option<(&'o Output, Atom, Vec<Atom>)> {
    let [output] = outputs else { return None };
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
    let [Dim::Size(total)] = shape[..] else { return None };
    let dims = program.ty(*output.elems.first()?).dims();
    let alike = output.elems.iter().all(|elem| program.ty(*elem).dims() == dims);
    let extent = |dim: &Dim| if let Dim::Size(extent) = dim { Some(*extent) } else { None };
    let extents = dims.iter().map(extent).collect::<Option<Vec<Atom>>>()?;
    (alike && rec.is_empty() && output.sizes.is_empty()).then_some((output, total, extents))
}

fn index(program: &mut Program) -> Var {
    program.vars.push(VarInfo::new(Name::new("i"), Type::I64))
}

/// Gives elements of rows in place of rows.
fn read_rows(program: &mut Program, block: &mut Block, inner: &[(Var, Atom)], span: Span) {
    for result in &mut block.result {
        let (Some(row), false) = (result.var(), inner.is_empty()) else { return };
        let at = inner.iter().map(|(var, _)| Atom::Var(*var));
        let made = block.stms.iter().find(|stm| stm.vars == [row]);
        let (exp, certs) = match made.map(|stm| (&stm.exp, &stm.certs)) {
            Some((Exp::Index(root, front), certs)) => {
                (Exp::Index(*root, front.iter().copied().chain(at).collect()), certs.clone())
            }
            _ => (Exp::Index(row, at.collect()), Vec::new()),
        };
        let prim = program.ty(row).prim().unwrap_or(Prim::Bool);
        let element = program.vars.push(VarInfo::new(Name::new("x"), Type::Scalar(prim)));
        block.stms.push(Stm { vars: vec![element], certs, exp, span });
        *result = element.into();
    }
}

/// A producer whose elements are those of one block or another, depending on an index.
fn chosen(
    program: &mut Program,
    output: &Output,
    stm: &Stm,
    ((i, op, limit), then, otherwise): ((Var, BinOp, Atom), Block, Block),
    (loops, certs): (Vec<(Var, Atom)>, Vec<Var>),
) -> Producer {
    let is_first = program.vars.push(VarInfo::new(Name::new("first"), Type::Scalar(Prim::Bool)));
    let mut vars = Vec::new();
    for elem in &output.elems {
        let info = program.vars[*elem].clone();
        let ty = info.ty.prim().map_or(info.ty.clone(), Type::Scalar);
        vars.push(program.vars.push(VarInfo { ty, ..info }));
    }
    let result = vars.iter().map(|var| Atom::Var(*var)).collect();
    let choice = Exp::If(is_first.into(), then, otherwise);
    let stms = vec![
        binary(is_first, op, i.into(), limit, stm.span),
        Stm { vars, certs: Vec::new(), exp: choice, span: stm.span },
    ];
    Producer { arrays: stm.vars.clone(), loops, element: Block { stms, result }, certs }
}

fn binary(var: Var, op: BinOp, a: Atom, b: Atom, span: Span) -> Stm {
    Stm { vars: vec![var], certs: Vec::new(), exp: Exp::Bin(op, Prim::I64, a, b), span }
}

/// Loops directly inside of each other, and the value of their turns.
pub(super) struct Part<'a> {
    /// Indices and counts.
    pub loops: Vec<(Var, Atom)>,
    /// What is bound in the loops and between them; it is computed with each element.
    pub stms: Vec<Stm>,
    pub emit: &'a Emit,
}

impl<'a> Part<'a> {
    fn of(steps: &'a [Step]) -> Option<Part<'a>> {
        let (mut loops, mut stms, mut list) = (Vec::new(), Vec::new(), steps);
        while let Some((Step::For { var, count, body, .. }, before)) = list.split_last() {
            stms.extend(bindings(before)?);
            loops.push((*var, *count));
            list = body;
        }
        let (Step::Emit(emit), before) = list.split_last()? else { return None };
        stms.extend(bindings(before)?);
        Some(Part { loops, stms, emit })
    }

    /// The value, and the checks outside of the loops that it relies on.
    fn element(&self) -> (Block, Vec<Var>) {
        let mut stms = self.stms.clone();
        let inner: Vec<Var> = stms.iter().flat_map(|stm: &Stm| &stm.vars).copied().collect();
        let (within, outer): (Vec<Var>, Vec<Var>) = self.emit.certs.iter().partition(|cert| inner.contains(cert));
        for stm in &self.emit.value.stms {
            let mut stm = stm.clone();
            stm.certs.extend(&within);
            stms.push(stm);
        }
        (Block { stms, result: self.emit.value.result.clone() }, outer)
    }
}

/// The statements of steps that are nothing else.
fn bindings(steps: &[Step]) -> Option<Vec<Stm>> {
    let binding = |step: &Step| match step {
        Step::Let(stm) => Some(stm.clone()),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
    };
    steps.iter().map(binding).collect()
}

fn is_light(exp: &Exp) -> bool {
    match exp {
        Exp::Atom(_) | Exp::Bin(..) | Exp::Un(..) | Exp::Math(..) | Exp::Convert(..) | Exp::Select(..) => true,
        Exp::Index(..) | Exp::DescLength(..) | Exp::DescOffset(..) | Exp::DescIndex(..) | Exp::Assert { .. } => true,
        Exp::If(..) | Exp::Choose(..) => true,
        Exp::Uninit
        | Exp::Literal(..)
        | Exp::IndexVector(..)
        | Exp::Slice(..)
        | Exp::Rearrange(..)
        | Exp::Reshape(_) => false,
        Exp::Copy(_) | Exp::Retype(_) | Exp::Total(_) | Exp::Unrank { .. } | Exp::Sort(..) => false,
        Exp::SortKeys(_) => false,
        Exp::DescRow(..) | Exp::DescUniform(_) | Exp::DescOf(_) | Exp::DescLengths(_) => false,
        Exp::DescSlice(..) | Exp::DescEqual(..) | Exp::Pack(..) | Exp::Open(..) => false,
        Exp::Call(..) | Exp::Loop { .. } | Exp::Bulk(_) | Exp::Trace(..) | Exp::Ensure { .. } => false,
    }
}
