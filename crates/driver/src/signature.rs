//! What an entry point takes, as the readers of input files need to know it.

use typed::{Def, DefId, Program};
use value::ValueType;

/// The entry point of this name; `main` counts even without `entry`, and so does any other definition of the file.
pub fn find_entry(program: &Program, name: &str) -> Option<DefId> {
    let named = |id: &&DefId| program.defs[**id].name.as_str() == name;
    program.entries.iter().find(named).or_else(|| program.main_defs.iter().rev().find(named)).copied()
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
