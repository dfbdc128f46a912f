//! Types of definitions, as text and as readers and writers of files need to know them.

use typed::{Def, DefId, Program};
use value::ValueType;

/// The entry point of this name; `main` counts even without `entry`, and so does any other definition of the file.
pub fn find_entry(program: &Program, name: &str) -> Option<DefId> {
    let named = |id: &&DefId| program.defs[**id].name.as_str() == name;
    program.entries.iter().find(named).or_else(|| program.main_defs.iter().rev().find(named)).copied()
}

/// A definition's name and type: `dot : [n] . [n]f64 -> [n]f64 -> f64`.
pub fn show(program: &Program, def: DefId) -> String {
    let def = &program.defs[def];
    format!("{} : {}", def.name, program.show_scheme(&def.type_params, &def.ty()))
}

/// The types of the values that a definition takes, one for each parameter; or why no file can hold such a value.
pub fn parameters(program: &Program, def: &Def) -> Result<Vec<ValueType>, String> {
    def.params
        .iter()
        .map(|param| {
            let refuse = || format!("no value of type {} can be given from outside", program.show_type(&param.pat.ty));
            interp::expected_type(program, &param.pat.ty).ok_or_else(refuse)
        })
        .collect()
}

/// The types of the values that a definition gives: several for a tuple. None for one that has no such type.
pub fn results(program: &Program, def: &Def) -> Vec<Option<ValueType>> {
    let ty = program.concrete(&def.ret.ty);
    match ty.as_tuple() {
        Some(types) if types.len() > 1 => types.into_iter().map(|ty| interp::expected_type(program, ty)).collect(),
        _ => vec![interp::expected_type(program, &ty)],
    }
}
