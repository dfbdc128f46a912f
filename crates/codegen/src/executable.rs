//! Executables.

use crate::excerpt::Locate;
use crate::forms;
use crate::message::quoted;
use crate::runtime::{self, Caller, FORM, FRONT};
use crate::translate::CProgram;
use crate::translate::translate;
use crate::units::LEADING;
use kernel::{Entry, Program};

/// What an executable says about itself.
#[derive(Clone, Copy)]
pub struct Executable<'a> {
    /// Its name.
    pub name: &'a str,
    /// The file it was made from.
    pub file: &'a str,
    /// The types of its entry points, in order.
    pub types: &'a [String],
    /// How to show a place.
    pub locate: &'a Locate<'a>,
}

/// The text of an executable without its front, which is the same for all (`runtime/c/front.c`): the program, tables of
/// what there is to call, and a main function.
pub fn executable(program: &Program, about: Executable) -> CProgram {
    let mut c = translate(program, Some(about.locate), Caller::Front, false);
    c.text.push_str(&format!("#if RV_HERE({LEADING})\n{FORM}\n{FRONT}"));
    c.text.push_str(&runtime::listener(&c.traces, about.locate));
    c.text.push_str(&tables(program, about));
    c.text.push_str("#endif\n");
    c
}

/// What there is to call.
fn tables(program: &Program, about: Executable) -> String {
    let mut text = String::from("\n");
    let mut points = String::new();
    for (number, entry) in program.entries.iter().enumerate() {
        text.push_str(&forms::table(&format!("rv_params_{number}"), entry.params.iter().map(|(_, layout)| layout)));
        text.push_str(&forms::table(&format!("rv_results_{number}"), &entry.results));
        let ty = about.types.get(number).map_or("", String::as_str);
        points.push_str(&format!("  {},\n", point(number, entry, ty)));
    }
    // C has no empty arrays.
    let points = if points.is_empty() { "  {0}\n".to_owned() } else { points };
    text.push_str(&format!("static const rv_entry_point rv_entry_points[] = {{\n{points}}};\n\n"));
    text.push_str("int main(int count, char **args) {\n");
    text.push_str(&format!(
        "  rv_program program = {{{}, {}, {}, rv_entry_points}};\n",
        quoted(about.name),
        quoted(about.file),
        program.entries.len()
    ));
    text.push_str("  return rv_main(&program, count, args);\n}\n");
    text
}

fn point(number: usize, entry: &Entry, ty: &str) -> String {
    let components = |layout: &scalar::Layout| layout.components().len();
    let inputs: usize = entry.params.iter().map(|(_, layout)| components(layout)).sum();
    let outputs: usize = entry.results.iter().map(components).sum();
    format!(
        "{{{}, {}, {}, {}, rv_params_{number}, rv_results_{number}, {inputs}, {outputs}, {}}}",
        quoted(entry.name.as_str()),
        quoted(ty),
        entry.params.len(),
        entry.results.len(),
        entry.consumed.contains(&true)
    )
}
