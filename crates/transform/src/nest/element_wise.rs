//! Operators that combine two rows element by element, as operators on their elements.

use base::Map;
use ir::rename::{Substitution, copy_block};
use ir::traverse::Part;
use ir::{Atom, Block, Bulk, Coverage, Dim, Exp, Kind, Program, Region, Step, Stm, Type, Var, VarInfo};

/// The type of the elements of a row.
pub(super) fn scalar(program: &Program, row: Var) -> Type {
    match program.ty(row).prim() {
        Some(prim) => Type::Scalar(prim),
        None => base::bug!("a row has no elements"),
    }
}

/// Whether an array has only regular dimensions.
pub(super) fn is_regular(program: &Program, array: Var) -> bool {
    let dims = program.ty(array).dims();
    !dims.is_empty() && dims.iter().all(|dim| matches!(dim, Dim::Size(_)))
}

/// The loops over a row and the operator on its elements, if an operator on rows combines element by element.
pub(super) fn element_wise(program: &mut Program, op: &Region) -> Option<(Vec<(Var, Atom)>, Region)> {
    let params = op.params.iter().map(|row| {
        let info = VarInfo::new(program.vars[*row].name, scalar(program, *row));
        program.vars.push(info)
    });
    let params: Vec<Var> = params.collect();
    let known = op.params.iter().copied().zip(params.iter().map(|var| Atom::Var(*var))).collect();
    let mut row = RowOperator { known, loops: Vec::new(), stms: Vec::new() };
    for stm in &op.body.stms {
        row.add(program, stm)?;
    }
    let result: Option<Vec<Atom>> = op.body.result.iter().map(|atom| row.known.get(&atom.var()?).copied()).collect();
    let body = Block { stms: row.stms, result: result? };
    (!row.loops.is_empty()).then_some((row.loops, Region { params, body }))
}

/// What is known of an operator on rows.
struct RowOperator {
    /// The element of each row, at the indices of the loops.
    known: Map<Var, Atom>,
    loops: Vec<(Var, Atom)>,
    /// What computes an element.
    stms: Vec<Stm>,
}

impl RowOperator {
    fn add(&mut self, program: &mut Program, stm: &Stm) -> Option<()> {
        match &stm.exp {
            Exp::Bulk(bulk) if !super::row::may_fail(stm) => {
                let (loops, element) = nest(program, bulk)?;
                let indices = self.common(&loops)?;
                let names: Vec<Var> = loops.iter().map(|(var, _)| *var).collect();
                let block = copy_block(&mut program.vars, &element, Substitution::new(&names, &indices));
                let Block { stms, result } = self.with_elements(block, &indices)?;
                self.stms.extend(stms);
                self.known.extend(stm.vars.iter().copied().zip(result));
                Some(())
            }
            exp if exp.is_simple() && !self.mentions(stm) => {
                self.stms.push(stm.clone());
                Some(())
            }
            _ => None,
        }
    }

    /// The indices of the loops, which are the same for all rows.
    fn common(&mut self, loops: &[(Var, Atom)]) -> Option<Vec<Atom>> {
        if self.loops.is_empty() {
            self.loops = loops.to_vec();
        }
        let same = self.loops.iter().map(|(_, count)| count).eq(loops.iter().map(|(_, count)| count));
        same.then(|| self.loops.iter().map(|(var, _)| Atom::Var(*var)).collect())
    }

    /// Elements in place of reads; none if something else is done with rows.
    fn with_elements(&self, mut block: Block, indices: &[Atom]) -> Option<Block> {
        block.for_each_stm_mut(&mut |stm| {
            if let Exp::Index(row, at) = &stm.exp
                && let Some(element) = self.known.get(row).filter(|_| at == indices)
            {
                stm.exp = Exp::Atom(*element);
            }
        });
        (!block.stms.iter().any(|stm| self.mentions(stm))).then_some(block)
    }

    fn mentions(&self, stm: &Stm) -> bool {
        let mut found = false;
        stm.walk(&mut |part| {
            if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                found |= self.known.contains_key(var);
            }
        });
        found
    }
}

/// The loops of a form and the element that it gives in each turn, if it only makes an array of scalars.
pub(super) fn nest(program: &Program, bulk: &Bulk) -> Option<(Vec<(Var, Atom)>, Block)> {
    let [output] = &bulk.outputs[..] else { return None };
    let (mut loops, mut stms, mut list) = (Vec::new(), Vec::new(), &bulk.steps[..]);
    while let Some((Step::For { var, count, body, .. }, before)) = list.split_last() {
        loops.push((*var, *count));
        stms.extend(bindings(before)?);
        list = body;
    }
    let (Step::Emit(emit), before) = list.split_last()? else { return None };
    stms.extend(bindings(before)?);
    stms.extend(emit.value.stms.iter().cloned());
    let at_indices = emit.at.iter().copied().eq(loops.iter().map(|(var, _)| Atom::Var(*var)));
    let Kind::Gen { shape, otherwise: None, coverage: Coverage::Exact, rec } = &output.kind else { return None };
    let whole = shape.iter().copied().eq(loops.iter().map(|(_, count)| Dim::Size(*count)));
    let scalars = output.elems.iter().all(|elem| program.ty(*elem).dims().is_empty());
    let fits = at_indices && whole && scalars && rec.is_empty() && output.sizes.is_empty();
    fits.then(|| (loops, Block { stms, result: emit.value.result.clone() }))
}

/// The statements of steps that are nothing else.
fn bindings(steps: &[Step]) -> Option<Vec<Stm>> {
    let binding = |step: &Step| match step {
        Step::Let(stm) => Some(stm.clone()),
        Step::For { .. } | Step::Guard(..) | Step::Scan(_) | Step::Emit(_) => None,
    };
    steps.iter().map(binding).collect()
}
