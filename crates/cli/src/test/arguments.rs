//! The arguments of a case: written in its block, read from a file or random.

use super::spec::Input;
use super::{random, values};
use crate::inputs;
use driver::signature;
use std::path::{Path, PathBuf};
use typed::{DefId, Program};
use value::Value;

/// One value for each parameter of an entry point. `file` is the program's file.
pub fn read(file: &Path, program: &Program, entry: DefId, input: &Input) -> Result<Vec<Value>, String> {
    let types = signature::parameters(program, &program.defs[entry])?;
    values::grouped(&types, |types| match input {
        Input::Text(text) | Input::Script(text) => {
            inputs::from_bytes(text.as_bytes(), types).map_err(|e| format!("input: {e}"))
        }
        Input::File(path) | Input::ScriptFile(path) => inputs::from_file(&beside(file, path), types),
        Input::Random(block) => {
            let values = random::values(block)?;
            if values.len() != types.len() {
                return Ok(values);
            }
            values.into_iter().zip(types).map(|(value, ty)| value.fit(ty)).collect()
        }
    })
}

/// The path of a file named by a test, relative to the program.
pub fn beside(file: &Path, path: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(path)
}
