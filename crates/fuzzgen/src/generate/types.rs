//! Random types.

use super::Generator;
use crate::tree::{Size, Ty};
use scalar::Prim;

impl Generator {
    /// Any primitive type, the common ones more often.
    pub(super) fn prim(&mut self) -> Prim {
        if self.random.percent(50) {
            return self.random.pick(&[Prim::I64, Prim::I32, Prim::F64, Prim::I64]);
        }
        self.random.pick(&Prim::ALL)
    }

    /// A primitive type with numbers.
    pub(super) fn number_type(&mut self) -> Prim {
        loop {
            let prim = self.prim();
            if prim != Prim::Bool {
                return prim;
            }
        }
    }

    /// A type without arrays.
    pub(super) fn flat_type(&mut self) -> Ty {
        match self.random.below(12) {
            0 | 1 => {
                let count = 2 + self.random.below(2);
                Ty::Tuple((0..count).map(|_| Ty::Prim(self.prim())).collect())
            }
            2 => Ty::Record(vec![("fa".into(), Ty::Prim(self.prim())), ("fb".into(), Ty::Prim(self.prim()))]),
            3 if !self.sums.is_empty() => {
                let sums = self.sums.clone();
                self.random.pick(&sums)
            }
            4 => Ty::Tuple(vec![Ty::Prim(self.prim()), Ty::Tuple(vec![Ty::I64, Ty::Prim(self.prim())])]),
            _ => Ty::Prim(self.prim()),
        }
    }

    /// The element type of an array.
    pub(super) fn elem_type(&mut self) -> Ty {
        if self.random.percent(75) { Ty::Prim(self.prim()) } else { self.flat_type() }
    }

    /// Any type that may be computed here.
    pub(super) fn any_type(&mut self) -> Ty {
        match self.random.below(12) {
            0..=3 => Ty::Prim(self.prim()),
            4 => self.flat_type(),
            5..=7 => {
                let (n, elem) = (self.some_size(), self.elem_type());
                Ty::array(&n, &elem)
            }
            8 => self.matrix_type(),
            9 => {
                let (n, elem) = (self.small_size(), self.elem_type());
                Ty::jagged(&n, &elem)
            }
            10 => Ty::Tuple(vec![self.part_type(), self.part_type()]),
            _ => Ty::Record(vec![("ga".into(), self.part_type()), ("gb".into(), Ty::Prim(self.prim()))]),
        }
    }

    fn part_type(&mut self) -> Ty {
        match self.random.below(4) {
            0 => Ty::Prim(self.prim()),
            1 => {
                let (n, elem) = (self.some_size(), self.prim());
                Ty::array(&n, &Ty::Prim(elem))
            }
            2 => self.matrix_type(),
            _ => {
                let (n, elem) = (self.small_size(), Ty::Prim(self.prim()));
                Ty::jagged(&n, &elem)
            }
        }
    }

    /// Two or three dimensions.
    pub(super) fn matrix_type(&mut self) -> Ty {
        let elem = self.elem_type();
        let (n, m) = (self.small_size(), self.small_size());
        let matrix = Ty::array(&n, &Ty::array(&m, &elem));
        if self.random.percent(20) {
            let outer: Size = Size::Const(self.random.between(1, 3));
            return Ty::array(&outer, &matrix);
        }
        matrix
    }
}
