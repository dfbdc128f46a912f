//! What points read: the same element for all, elements side by side, or rows that are laid out first.

use super::items::{Item, Repeat};
use base::{Map, Set};
use ir::traverse::Part;
use ir::{Atom, Exp, Program, Stm, Type, Var};
use scalar::{BinOp, Prim};

/// A read of an element in a row of its own for each point. It is copied to where points lie side by side.
pub(super) struct Packed {
    /// The variable that holds the element.
    pub var: Var,
    /// The read itself.
    pub read: Stm,
    /// The loops that its subscripts name: indices and counts.
    pub loops: Vec<(Var, Atom)>,
    /// The first of these reads that reads the same rows.
    pub row: usize,
    /// How many loops repeat the read.
    depth: usize,
}

impl Packed {
    /// Whether another read goes through the same rows.
    fn reads_like(&self, other: &Packed) -> bool {
        let (Exp::Index(array, at), Exp::Index(others, places)) = (&self.read.exp, &other.read.exp) else {
            return false;
        };
        let ((own, count), (index, length)) = (self.loops[0], other.loops[0]);
        let renamed = |atom: &Atom| if *atom == Atom::Var(own) { Atom::Var(index) } else { *atom };
        array == others && count == length && at.iter().map(renamed).eq(places.iter().copied())
    }
}

/// How a variable differs from point to point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Same,
    /// An index that is one more for the next point.
    Next,
    Differs,
}

/// What points have in common.
pub(super) struct Reads {
    /// The reads that have to be packed.
    pub packed: Vec<Packed>,
    /// The variables, of those that a point binds, that are the same for all points.
    pub same: Set<Var>,
}

/// Looks at what points read. None if they cannot be side by side.
pub(super) fn of(program: &Program, index: Var, items: &[Item]) -> Option<Reads> {
    let mut forms = Forms { program, known: Map::default(), index, loops: Vec::new(), packed: Vec::new(), reads: 0 };
    forms.known.insert(index, Form::Next);
    forms.items(items)?;
    // It does not pay to lay out rows for a loop that reads each element once.
    let read_again = |row: usize| forms.packed.iter().any(|other| other.row == row && other.depth > 1);
    forms.packed.iter().all(|packed| read_again(packed.row)).then_some(())?;
    // If points have nothing of their own there is nothing to gain.
    let same = forms.known.iter().filter(|(_, form)| **form == Form::Same).map(|(var, _)| *var).collect();
    (forms.reads > 0).then_some(Reads { packed: forms.packed, same })
}

struct Forms<'p> {
    program: &'p Program,
    known: Map<Var, Form>,
    index: Var,
    /// The loops around, inside of a point.
    loops: Vec<(Var, Atom)>,
    packed: Vec<Packed>,
    /// How many reads differ from point to point.
    reads: usize,
}

impl Forms<'_> {
    fn of(&self, atom: Atom) -> Form {
        atom.var().and_then(|var| self.known.get(&var).copied()).unwrap_or(Form::Same)
    }

    fn items(&mut self, items: &[Item]) -> Option<()> {
        for item in items {
            match item {
                Item::Scalar(stm) => {
                    let form = self.scalar(stm)?;
                    self.known.insert(stm.vars[0], form);
                }
                Item::Repeat(repeat) => self.repeat(repeat)?,
            }
        }
        Some(())
    }

    fn repeat(&mut self, repeat: &Repeat) -> Option<()> {
        (self.of(repeat.count) == Form::Same).then_some(())?;
        self.known.extend(repeat.params.iter().map(|(param, _)| (*param, Form::Differs)));
        self.loops.push((repeat.index, repeat.count));
        self.items(&repeat.body)?;
        self.loops.pop();
        self.known.extend(repeat.vars.iter().map(|var| (*var, Form::Differs)));
        Some(())
    }

    fn scalar(&mut self, stm: &Stm) -> Option<Form> {
        match &stm.exp {
            Exp::Index(array, at) => self.read(stm, *array, at),
            Exp::Atom(atom) => Some(self.of(*atom)),
            Exp::Bin(BinOp::Add, Prim::I64, a, b) => Some(match (self.of(*a), self.of(*b)) {
                (Form::Same, other) | (other, Form::Same) => other,
                _ => Form::Differs,
            }),
            Exp::Bin(BinOp::Sub, Prim::I64, a, b) if self.of(*b) == Form::Same => Some(self.of(*a)),
            exp => {
                let mut same = true;
                exp.for_each_part(&mut |part| {
                    if let Part::Atom(atom) = part {
                        same &= self.of(*atom) == Form::Same;
                    }
                });
                Some(if same { Form::Same } else { Form::Differs })
            }
        }
    }

    fn read(&mut self, stm: &Stm, array: Var, at: &[Atom]) -> Option<Form> {
        let (last, others) = at.split_last()?;
        let whole = self.program.ty(array).dims().len() == at.len();
        let regular = matches!(self.program.ty(array), Type::Array(_, dims) if dims.iter().all(|dim| matches!(dim, ir::Dim::Size(_))));
        let same = |atom: &Atom| self.of(*atom) == Form::Same;
        (whole && regular).then_some(())?;
        if at.iter().all(same) {
            return Some(Form::Same);
        }
        let side_by_side = others.iter().all(same) && self.of(*last) == Form::Next;
        self.reads += 1;
        // What is read once for each point may lie anywhere.
        if !side_by_side && !self.loops.is_empty() {
            self.pack(stm, at)?;
        }
        Some(Form::Differs)
    }

    /// Rows are packed if a loop reads them again and again: one that no subscript names.
    fn pack(&mut self, stm: &Stm, at: &[Atom]) -> Option<()> {
        let named = |atom: &Atom| self.loops.iter().find(|(index, _)| *atom == Atom::Var(*index)).copied();
        let own = at.iter().filter(|atom| **atom == Atom::Var(self.index)).count();
        let loops: Vec<(Var, Atom)> = at.iter().filter_map(named).collect();
        let inside = |atom: &Atom| atom.var().is_some_and(|var| self.known.contains_key(&var));
        let plain = at.iter().all(|atom| *atom == Atom::Var(self.index) || named(atom).is_some() || !inside(atom));
        let outer = |(_, count): &(Var, Atom)| !inside(count);
        (own == 1 && plain && loops.len() == 1 && loops.iter().all(outer)).then_some(())?;
        let read =
            Packed { var: stm.vars[0], read: stm.clone(), loops, row: self.packed.len(), depth: self.loops.len() };
        let row = self.packed.iter().position(|earlier| earlier.reads_like(&read)).unwrap_or(read.row);
        self.packed.push(Packed { row, ..read });
        Some(())
    }
}
