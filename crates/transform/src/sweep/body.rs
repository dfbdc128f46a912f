//! Statements that nothing uses.

use super::results::narrow;
use super::roots::{Roots, rooted};
use base::IdSet;
use ir::traverse::{Part, PartMut};
use ir::{Atom, Block, Exp, Program, Scan, Step, Stm, Var};

/// Removes them from all functions.
pub(super) fn sweep_all(program: &mut Program) {
    let (mut named, rooted) = rooted(program);
    for fun in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[fun].body);
        let roots = Roots::new(program, &rooted, std::mem::take(&mut named[fun]));
        Sweep { program, roots }.sweep_block(&mut body, &mut IdSet::default());
        program.functions[fun].body = body;
    }
}

struct Sweep<'p> {
    program: &'p Program,
    roots: Roots<'p>,
}

impl Sweep<'_> {
    fn sweep_block(&self, block: &mut Block, used: &mut IdSet<Var>) {
        used.extend(block.result.iter().filter_map(|a| a.var()));
        let mut kept = Vec::with_capacity(block.stms.len());
        for mut stm in std::mem::take(&mut block.stms).into_iter().rev() {
            if self.needed(&stm, used) {
                self.sweep_stm(&mut stm, used);
                kept.push(stm);
            }
        }
        kept.reverse();
        block.stms = kept;
    }

    fn needed(&self, stm: &Stm, used: &IdSet<Var>) -> bool {
        stm.vars.iter().any(|v| used.contains(*v)) || self.roots.stays(stm)
    }

    fn sweep_stm(&self, stm: &mut Stm, used: &mut IdSet<Var>) {
        narrow(self.program, stm, used);
        used.extend(stm.certs.iter().copied());
        let mut types: Vec<Var> = stm.vars.clone();
        // The steps of a bulk form are handled separately, because later steps use variables of earlier ones.
        if let Exp::Bulk(bulk) = &mut stm.exp {
            self.sweep_steps(&mut bulk.steps, used);
        }
        let is_bulk = matches!(stm.exp, Exp::Bulk(_));
        stm.exp.for_each_part_mut(&mut |part| match part {
            PartMut::Atom(Atom::Var(var)) | PartMut::Use(var) => {
                used.insert(*var);
            }
            PartMut::Atom(Atom::Const(_)) => {}
            PartMut::Bind(var) => types.push(*var),
            PartMut::Block(block) => self.sweep_block(block, used),
            PartMut::Stm(inner) => {
                debug_assert!(is_bulk);
                types.extend(&inner.vars);
                inner.walk(&mut |part| {
                    if let Part::Atom(Atom::Var(var)) | Part::Use(var) = part {
                        used.insert(*var);
                    }
                });
            }
        });
        for var in types {
            self.program.ty(var).for_each_var(&mut |v| {
                used.insert(v);
            });
        }
    }

    fn sweep_steps(&self, steps: &mut Vec<Step>, used: &mut IdSet<Var>) {
        let mut kept = Vec::with_capacity(steps.len());
        for mut step in std::mem::take(steps).into_iter().rev() {
            match &mut step {
                Step::For { var: _, count, mark: _, body } => {
                    self.sweep_steps(body, used);
                    used.extend(count.var());
                }
                Step::Guard(cond, body) => {
                    self.sweep_steps(body, used);
                    used.extend(cond.var());
                }
                Step::Scan(scan) if !scan.vars.iter().any(|var| used.contains(*var)) && !can_fail(scan) => continue,
                Step::Scan(scan) => {
                    self.sweep_block(&mut scan.op.body, used);
                    self.sweep_block(&mut scan.value, used);
                    used.extend(scan.neutral.iter().filter_map(|a| a.var()));
                    let types = scan.vars.iter().chain(&scan.op.params);
                    for var in types {
                        self.program.ty(*var).for_each_var(&mut |v| {
                            used.insert(v);
                        });
                    }
                }
                Step::Emit(emit) => {
                    self.sweep_block(&mut emit.value, used);
                    used.extend(emit.at.iter().filter_map(|a| a.var()));
                    used.extend(emit.certs.iter().copied());
                }
                Step::Let(stm) => {
                    if !self.needed(stm, used) {
                        continue;
                    }
                    self.sweep_stm(stm, used);
                }
            }
            kept.push(step);
        }
        kept.reverse();
        *steps = kept;
    }
}

/// Whether a running combination makes checks, or shows something.
fn can_fail(scan: &Scan) -> bool {
    let mut found = false;
    for block in [&scan.op.body, &scan.value] {
        block.walk(&mut |part| found |= matches!(part, Part::Stm(stm) if stm.exp.can_fail()));
    }
    found
}
