//! Script inputs: expressions that call entry points of the program to make a test's arguments.
//!
//! A script is written in the language itself, so it is compiled as one more entry point of the program: `mkdata 10` for
//! `main` becomes `entry ravel_script = main (mkdata 10)`. Data from files are its parameters.

use super::spec::{Case, Input, What};
use crate::disk::{self, Disk};
use crate::inputs;
use base::Map;
use driver::{Compiled, Overlay, render, signature};
use scalar::Math;
use std::fs;
use std::path::{Path, PathBuf};
use typed::{DefId, Program};
use value::{Array, Value};

/// The scripts of a program, by the index of their case.
#[derive(Default)]
pub struct Scripts {
    made: Map<usize, Result<Made, String>>,
}

/// A script, compiled.
struct Made {
    /// The program with the script as one more entry point.
    compiled: Compiled,
    /// The files that the script loads, in the order of its parameters.
    loads: Vec<Load>,
}

/// A file that a script loads; its path is relative to the program.
enum Load {
    /// The value in the file; a tuple if there are several.
    Values(PathBuf),
    /// The bytes of the file.
    Bytes(PathBuf),
}

/// A script ready to run.
pub struct Script<'a> {
    /// The files it was compiled from.
    pub compiled: &'a Compiled,
    /// The program it belongs to.
    pub program: &'a Program,
    /// Its entry point.
    pub entry: DefId,
    /// The data that it loads from files.
    pub args: Vec<Value>,
}

impl Scripts {
    /// Compiles the scripts among some cases of an accepted program, each separately, so that errors in one do not affect
    /// others.
    pub fn new(file: &Path, program: &Program, cases: &[Case]) -> Scripts {
        Scripts::of(file, program, cases, Gives::Results)
    }

    /// Compiles them so that they give only the arguments of the entry point, which is then to be called with these.
    pub fn for_arguments(file: &Path, program: &Program, cases: &[Case]) -> Scripts {
        Scripts::of(file, program, cases, Gives::Arguments)
    }

    fn of(file: &Path, program: &Program, cases: &[Case], gives: Gives) -> Scripts {
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut made = Map::default();
        for (index, case) in cases.iter().enumerate() {
            let What::Run(run) = &case.what else { continue };
            let text = match &run.input {
                Input::Script(text) => Ok(text.clone()),
                Input::ScriptFile(path) => {
                    fs::read_to_string(folder.join(path)).map_err(|e| format!("{path}: {}", disk::reason(&e)))
                }
                Input::Text(_) | Input::File(_) | Input::Random(_) => continue,
            };
            made.insert(index, text.and_then(|text| make(file, program, &run.entry, &text, gives)));
        }
        Scripts { made }
    }

    /// Sets how scripts are compiled: which functions they call, and whether the output of each pass is verified.
    pub fn compile_as(&mut self, math: Math, verify: bool) {
        for made in self.made.values_mut().flatten() {
            (made.compiled.math, made.compiled.verify) = (math, verify);
        }
    }

    /// The script of a case.
    pub fn get(&self, file: &Path, index: usize) -> Result<Script<'_>, String> {
        let Made { compiled, loads } = match self.made.get(&index) {
            Some(Ok(made)) => made,
            Some(Err(why)) => return Err(why.clone()),
            None => return Err("the script is missing".into()),
        };
        let rejected = || {
            let why = render::render_all(&compiled.sources, &compiled.diagnostics, false);
            format!("the script is rejected:\n{why}")
        };
        let program = compiled.program.as_ref().ok_or_else(rejected)?;
        let entry = signature::find_entry(program, NAME).ok_or("the script's entry point is missing")?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let args = loads.iter().map(|load| load.value(folder)).collect::<Result<_, _>>()?;
        Ok(Script { compiled, program, entry, args })
    }
}

impl Load {
    fn value(&self, folder: &Path) -> Result<Value, String> {
        match self {
            Load::Values(path) => {
                let mut values = inputs::from_file(&folder.join(path), &[])?;
                Ok(if values.len() == 1 { values.remove(0) } else { Value::Tuple(values) })
            }
            Load::Bytes(path) => {
                let bytes = inputs::read(&folder.join(path))?;
                Array::regular(&[bytes.len() as i64], bytes).map(Value::Array).map_err(|e| e.to_string())
            }
        }
    }

    /// The parameter that receives it.
    fn parameter(&self, index: usize) -> String {
        match self {
            Load::Values(_) => format!(" loaded_{index}"),
            Load::Bytes(_) => format!(" (loaded_{index}: []u8)"),
        }
    }
}

/// What a script's entry point returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// What the tested entry point returns.
    Results,
    /// The arguments for it.
    Arguments,
}

/// The name of a script's entry point.
const NAME: &str = "ravel_script";

fn make(file: &Path, program: &Program, target: &str, script: &str, gives: Gives) -> Result<Made, String> {
    let (definition, loads) = entry_point(program, target, script, gives)?;
    let text = fs::read_to_string(file).map_err(|e| disk::reason(&e))?;
    let path = driver::imports::normal(&file.to_string_lossy());
    let text = format!("{text}\n{definition}");
    let compiled = driver::compile(&Overlay { below: &Disk, path: &path, text: &text }, &path);
    Ok(Made { compiled, loads })
}

/// The definition of a script's entry point, and the files that it loads.
fn entry_point(program: &Program, target: &str, script: &str, gives: Gives) -> Result<(String, Vec<Load>), String> {
    let def = signature::find_entry(program, target).ok_or_else(|| format!("there is no entry point `{target}`"))?;
    let arity = program.defs[def].params.len();
    let (expression, loads) = without_loads(script)?;
    let params: String = loads.iter().enumerate().map(|(i, load)| load.parameter(i)).collect();
    let body = match arity {
        _ if gives == Gives::Arguments => expression,
        0 => target.to_string(),
        1 => format!("{target} ({expression})"),
        _ => {
            let names: Vec<String> = (0..arity).map(|i| format!("argument_{i}")).collect();
            format!("let ({}) = ({expression}) in {target} {}", names.join(", "), names.join(" "))
        }
    };
    Ok((format!("entry {NAME}{params} = {body}\n"), loads))
}

/// Replaces `$loaddata "file"` and `$loadbytes "file"` by names.
fn without_loads(script: &str) -> Result<(String, Vec<Load>), String> {
    let mut out = String::new();
    let mut loads = Vec::new();
    let mut rest = script;
    while let Some(start) = rest.find('$') {
        out += &rest[..start];
        let call = &rest[start + 1..];
        let end = call.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(call.len());
        let quoted = call[end..].trim_start().strip_prefix('"').and_then(|text| text.split_once('"'));
        let (path, behind) = quoted.ok_or_else(|| format!("`${}` needs a file name in quotes", &call[..end]))?;
        match &call[..end] {
            "loaddata" => loads.push(Load::Values(path.into())),
            "loadbytes" => loads.push(Load::Bytes(path.into())),
            other => return Err(format!("scripts have no function `${other}`")),
        }
        out += &format!("loaded_{}", loads.len() - 1);
        rest = behind;
    }
    out += rest;
    Ok((out.replace('\n', " "), loads))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_become_names() {
        let (text, loads) = without_loads("(2f32, $loaddata \"data/x.in\", $loadbytes \"y\")").unwrap();
        assert_eq!(text, "(2f32, loaded_0, loaded_1)");
        assert!(
            matches!(&loads[..], [Load::Values(a), Load::Bytes(b)] if a == Path::new("data/x.in") && b == Path::new("y"))
        );
        assert!(without_loads("$loadimg \"x\"").is_err());
        assert!(without_loads("$loaddata x").is_err());
    }
}
