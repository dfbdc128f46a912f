//! Replacing variables by atoms, and copies of blocks with fresh variables.

use crate::traverse::PartMut;
use crate::{Atom, Block, Dim, Type, Var, VarInfo};
use base::{IdVec, Map};

/// Which atom replaces which variable. One step only: replacements are not replaced again.
#[derive(Clone, Debug, Default)]
pub struct Substitution(pub Map<Var, Atom>);

impl Substitution {
    /// Each variable is replaced by the atom beside it.
    pub fn new(vars: &[Var], atoms: &[Atom]) -> Substitution {
        Substitution(vars.iter().copied().zip(atoms.iter().copied()).collect())
    }

    /// Another variable to replace.
    pub fn insert(&mut self, var: Var, atom: impl Into<Atom>) {
        self.0.insert(var, atom.into());
    }

    /// The replacement of an atom.
    pub fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.0.get(&var).copied().unwrap_or(atom),
            Atom::Const(_) => atom,
        }
    }

    /// The replacement of a variable. Where only a variable is allowed (arrays, descriptors, certificates) it has the
    /// type of one, so it is never replaced by a constant.
    pub fn var(&self, var: Var) -> Var {
        self.0.get(&var).and_then(|atom| atom.var()).unwrap_or(var)
    }

    /// A dimension.
    pub fn dim(&self, dim: Dim) -> Dim {
        match dim {
            Dim::Size(n) => Dim::Size(self.atom(n)),
            Dim::Jagged(d) => Dim::Jagged(self.var(d)),
            Dim::Shape(v) => Dim::Shape(self.var(v)),
        }
    }

    /// Dimensions.
    pub fn dims(&self, dims: &[Dim]) -> Vec<Dim> {
        dims.iter().map(|dim| self.dim(*dim)).collect()
    }

    /// A type.
    pub fn ty(&self, ty: &Type) -> Type {
        match ty {
            Type::Scalar(_) | Type::Cert | Type::Box(_) => ty.clone(),
            Type::Array(prim, dims) => Type::Array(*prim, self.dims(dims)),
            Type::Desc(dims) => Type::Desc(self.dims(dims)),
        }
    }

    /// Replaces what a block uses, also in the types of the variables it binds. Those stay as they are.
    pub fn block(&self, vars: &mut IdVec<Var, VarInfo>, block: &mut Block) {
        block.walk_mut(&mut |part| match part {
            PartMut::Atom(atom) => *atom = self.atom(*atom),
            PartMut::Use(var) => *var = self.var(*var),
            PartMut::Bind(var) => vars[*var].ty = self.ty(&vars[*var].ty),
            PartMut::Block(_) | PartMut::Stm(_) => {}
        });
    }
}

/// Copies of variables, whose types may mention one another.
pub fn copies(vars: &mut IdVec<Var, VarInfo>, originals: &[Var]) -> Vec<Var> {
    copies_in(vars, originals, &mut Substitution::default())
}

/// Copies of variables, whose types may mention one another and what the substitution replaces. It then replaces the
/// originals, too.
pub fn copies_in(vars: &mut IdVec<Var, VarInfo>, originals: &[Var], substitution: &mut Substitution) -> Vec<Var> {
    let mut out = Vec::with_capacity(originals.len());
    for var in originals {
        let mut info = vars[*var].clone();
        info.ty = substitution.ty(&info.ty);
        let copy = vars.push(info);
        substitution.insert(*var, copy);
        out.push(copy);
    }
    out
}

/// A copy of a block in which every bound variable is a new one, and free variables are replaced as the substitution
/// says.
pub fn copy_block(vars: &mut IdVec<Var, VarInfo>, block: &Block, mut substitution: Substitution) -> Block {
    for var in block.bound() {
        let info = vars[var].clone();
        substitution.insert(var, vars.push(info));
    }
    let mut copy = block.clone();
    copy.walk_mut(&mut |part| match part {
        PartMut::Atom(atom) => *atom = substitution.atom(*atom),
        PartMut::Use(var) => *var = substitution.var(*var),
        PartMut::Bind(var) => {
            *var = substitution.var(*var);
            vars[*var].ty = substitution.ty(&vars[*var].ty);
        }
        PartMut::Block(_) | PartMut::Stm(_) => {}
    });
    copy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exp, Stm};
    use base::{FileId, Name, Span};
    use scalar::{BinOp, Prim};

    fn var(vars: &mut IdVec<Var, VarInfo>, name: &str, ty: Type) -> Var {
        vars.push(VarInfo::new(Name::new(name), ty))
    }

    #[test]
    fn copies_have_their_own_variables_and_types() {
        let mut vars = IdVec::new();
        let n = var(&mut vars, "n", Type::I64);
        let xs = var(&mut vars, "xs", Type::Array(Prim::I64, vec![Dim::Size(n.into())]));
        let m = var(&mut vars, "m", Type::I64);
        let ys = var(&mut vars, "ys", Type::Array(Prim::I64, vec![Dim::Size(m.into())]));
        let span = Span::new(FileId(0), 0, 0);
        let plus = Exp::Bin(BinOp::Add, Prim::I64, n.into(), Atom::size(0));
        let block = Block {
            stms: vec![
                Stm { vars: vec![m], certs: vec![], exp: plus, span },
                Stm { vars: vec![ys], certs: vec![], exp: Exp::Retype(xs), span },
            ],
            result: vec![m.into(), ys.into()],
        };
        let free = block.free(&vars);
        assert_eq!(free, [n, xs].into_iter().collect());

        let copy = copy_block(&mut vars, &block, Substitution::new(&[n], &[Atom::size(7)]));
        let [m2, ys2] = copy.bound()[..] else { panic!("two are bound") };
        assert!(![n, xs, m, ys].contains(&m2) && m2 != ys2);
        assert_eq!(vars[ys2].ty, Type::Array(Prim::I64, vec![Dim::Size(m2.into())]));
        assert_eq!(vars[ys].ty, Type::Array(Prim::I64, vec![Dim::Size(m.into())]));
        assert_eq!(copy.result, [m2.into(), ys2.into()]);
        assert!(matches!(copy.stms[0].exp, Exp::Bin(_, _, Atom::Const(_), _)));
    }
}
