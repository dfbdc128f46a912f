//! Script inputs: expressions that call entry points of the program to make a test's arguments.
//!
//! A script is written in the language itself, so it is compiled as one more entry point of the program: `mkdata 10` for
//! `main` becomes `entry ravel_script_0 = main (mkdata 10)`. What lies in files comes in as a parameter of it.

use super::spec::{Case, Input, What};
use crate::disk::Disk;
use crate::inputs;
use base::Map;
use driver::{Compiled, Overlay, render, signature};
use std::fs;
use std::path::{Path, PathBuf};
use typed::{DefId, Program};
use value::{Array, Value};

/// The scripts of a program, by the index of their case.
#[derive(Default)]
pub struct Scripts {
    /// The program with an entry point for each script; why there is none.
    compiled: Option<Result<Compiled, String>>,
    args: Map<usize, Result<Vec<PathOrBytes>, String>>,
    folder: PathBuf,
}

/// What a script loads.
enum PathOrBytes {
    Values(PathBuf),
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
    /// What it loads from files.
    pub args: Vec<Value>,
}

impl Scripts {
    /// Compiles the scripts among some cases of an accepted program.
    pub fn new(file: &Path, program: &Program, cases: &[Case]) -> Scripts {
        let mut scripts = Scripts { folder: file.parent().unwrap_or(Path::new("")).into(), ..Scripts::default() };
        let mut extra = String::new();
        for (index, case) in cases.iter().enumerate() {
            let What::Run(run) = &case.what else { continue };
            let text = match &run.input {
                Input::Script(text) => Ok(text.clone()),
                Input::ScriptFile(path) => fs::read_to_string(scripts.folder.join(path))
                    .map_err(|e| format!("{path}: {}", crate::disk::reason(&e))),
                Input::Text(_) | Input::File(_) | Input::Random(_) => continue,
            };
            let made = text.and_then(|text| entry_point(index, program, &run.entry, &text));
            scripts.args.insert(
                index,
                made.map(|(definition, loads)| {
                    extra += &definition;
                    loads
                }),
            );
        }
        if !extra.is_empty() {
            scripts.compiled = Some(compile(file, &extra));
        }
        scripts
    }

    /// The script of a case.
    pub fn get(&self, index: usize) -> Result<Script<'_>, String> {
        let loads = match self.args.get(&index) {
            Some(Ok(loads)) => loads,
            Some(Err(why)) => return Err(why.clone()),
            None => return Err("the script is missing".into()),
        };
        let compiled = match &self.compiled {
            Some(Ok(compiled)) => compiled,
            Some(Err(why)) => return Err(why.clone()),
            None => return Err("the script is missing".into()),
        };
        let rejected = || {
            let why = render::render_all(&compiled.sources, &compiled.diagnostics, false);
            format!("the script is rejected:\n{why}")
        };
        let program = compiled.program.as_ref().ok_or_else(rejected)?;
        let entry = signature::find_entry(program, &entry_name(index)).ok_or("the script's entry point is missing")?;
        let args = loads.iter().map(|load| self.load(load)).collect::<Result<_, _>>()?;
        Ok(Script { compiled, program, entry, args })
    }

    fn load(&self, load: &PathOrBytes) -> Result<Value, String> {
        match load {
            PathOrBytes::Values(path) => {
                let mut values = inputs::from_file(&self.folder.join(path), &[])?;
                match values.len() {
                    1 => Ok(values.remove(0)),
                    _ => Ok(Value::Tuple(values)),
                }
            }
            PathOrBytes::Bytes(path) => {
                let bytes = inputs::read(&self.folder.join(path))?;
                Array::regular(&[bytes.len() as i64], bytes).map(Value::Array).map_err(|e| e.to_string())
            }
        }
    }
}

fn entry_name(index: usize) -> String {
    format!("ravel_script_{index}")
}

fn compile(file: &Path, extra: &str) -> Result<Compiled, String> {
    let text = fs::read_to_string(file).map_err(|e| crate::disk::reason(&e))?;
    let path = driver::imports::normal(&file.to_string_lossy());
    Ok(driver::compile(&Overlay { below: &Disk, path: &path, text: &format!("{text}\n{extra}") }, &path))
}

/// The definition of a script's entry point, and what it loads.
fn entry_point(
    index: usize,
    program: &Program,
    target: &str,
    script: &str,
) -> Result<(String, Vec<PathOrBytes>), String> {
    let def = signature::find_entry(program, target).ok_or_else(|| format!("there is no entry point `{target}`"))?;
    let arity = signature::arity(&program.defs[def]);
    let (expression, loads) = without_loads(script)?;
    let params: String = loads
        .iter()
        .enumerate()
        .map(|(i, load)| match load {
            PathOrBytes::Values(_) => format!(" loaded_{i}"),
            PathOrBytes::Bytes(_) => format!(" (loaded_{i}: []u8)"),
        })
        .collect();
    let body = match arity {
        0 => target.to_string(),
        1 => format!("{target} ({expression})"),
        _ => {
            let names: Vec<String> = (0..arity).map(|i| format!("argument_{i}")).collect();
            format!("let ({}) = ({expression}) in {target} {}", names.join(", "), names.join(" "))
        }
    };
    Ok((format!("entry {}{params} = {body}\n", entry_name(index)), loads))
}

/// Replaces `$loaddata "file"` and `$loadbytes "file"` by names.
fn without_loads(script: &str) -> Result<(String, Vec<PathOrBytes>), String> {
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
            "loaddata" => loads.push(PathOrBytes::Values(path.into())),
            "loadbytes" => loads.push(PathOrBytes::Bytes(path.into())),
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
            matches!(&loads[..], [PathOrBytes::Values(a), PathOrBytes::Bytes(b)] if a == Path::new("data/x.in") && b == Path::new("y"))
        );
        assert!(without_loads("$loadimg \"x\"").is_err());
        assert!(without_loads("$loaddata x").is_err());
    }
}
