//! What an entry point takes, as the readers of input files need to know it.

use scalar::Prim;
use typed::{AbstractId, Def, DefId, Dim, Program, Type};
use value::ValueType;

/// The entry point of this name; `main` counts even without `entry`, and so does any other definition of the file.
pub fn find_entry(program: &Program, name: &str) -> Option<DefId> {
    let named = |id: &&DefId| program.defs[**id].name.as_str() == name;
    program.entries.iter().find(named).or_else(|| program.main_defs.iter().rev().find(named)).copied()
}

/// The types of the values that a definition takes, one for each parameter; or why no file can hold such a value.
pub fn parameters(program: &Program, def: &Def) -> Result<Vec<ValueType>, String> {
    let mut types: Vec<Type> = def.params.iter().map(|param| param.pat.ty.clone()).collect();
    let mut ret = def.ret.ty.clone();
    while let Type::Fun(fun) = &ret {
        types.push(fun.param.clone());
        ret = fun.ret.ty.clone();
    }
    types.iter().map(|ty| value_type(program, ty)).collect()
}

/// What a value of this type looks like.
pub fn value_type(program: &Program, ty: &Type) -> Result<ValueType, String> {
    Context { program, opened: Vec::new() }.of(ty)
}

struct Context<'a> {
    program: &'a Program,
    /// Abstract types that are being looked into; a program cannot make them circular, but a bug could.
    opened: Vec<AbstractId>,
}

impl Context<'_> {
    fn of(&mut self, ty: &Type) -> Result<ValueType, String> {
        match ty {
            Type::Prim(prim) => Ok(ValueType::Scalar(*prim)),
            Type::Array(dim, elem) => self.array(dim, elem),
            Type::Record(fields) => match ty.as_tuple() {
                Some(types) => types.into_iter().map(|t| self.of(t)).collect::<Result<_, _>>().map(ValueType::Tuple),
                None => fields
                    .iter()
                    .map(|(name, t)| Ok((*name, self.of(t)?)))
                    .collect::<Result<_, String>>()
                    .map(ValueType::Record),
            },
            Type::Sum(cases) => cases
                .iter()
                .map(|(name, types)| Ok((*name, types.iter().map(|t| self.of(t)).collect::<Result<_, String>>()?)))
                .collect::<Result<_, String>>()
                .map(ValueType::Sum),
            Type::Abstract(id, args) if args.is_empty() && !self.opened.contains(id) => {
                self.opened.push(*id);
                let repr = self.of(&self.program.abstracts[*id].repr);
                self.opened.pop();
                repr
            }
            Type::Var(_) | Type::Abstract(..) => {
                Err(format!("a value of the open type {} cannot be given from outside", self.program.show_type(ty)))
            }
            Type::Fun(_) => Err("a function cannot be given from outside".into()),
            Type::Meta(_) | Type::Error => Err("its type is unknown".into()),
        }
    }

    fn array(&mut self, dim: &Dim, elem: &Type) -> Result<ValueType, String> {
        let dim = match dim {
            Dim::Size(_) => value::Dim::Regular,
            Dim::Jagged(_) => value::Dim::Jagged,
            Dim::Shape(_) => return self.any_rank(elem),
        };
        Ok(match self.of(elem)? {
            ValueType::Scalar(prim) => ValueType::Array(vec![dim], prim),
            ValueType::Array(mut dims, prim) => {
                dims.insert(0, dim);
                ValueType::Array(dims, prim)
            }
            other => ValueType::List(Box::new(other)),
        })
    }

    fn any_rank(&mut self, elem: &Type) -> Result<ValueType, String> {
        let prim = |ty: &ValueType| -> Option<Prim> {
            match ty {
                ValueType::Scalar(prim) => Some(*prim),
                _ => None,
            }
        };
        let elem = self.of(elem)?;
        prim(&elem)
            .map(ValueType::AnyRank)
            .ok_or_else(|| format!("an array of any rank with elements of type {elem} has no text form"))
    }
}

/// How many arguments a definition takes in all.
pub fn arity(def: &Def) -> usize {
    let mut count = def.params.len();
    let mut ret = &def.ret.ty;
    while let Type::Fun(fun) = ret {
        count += 1;
        ret = &fun.ret.ty;
    }
    count
}
