//! Core texts, verified, lowered, compiled and run.
#![allow(dead_code, reason = "each test file uses its own part")]

use fault::Argument;
use native::{Failure, Options, Settings};
use value::Values;
use value::components::{join_all, split_all};

/// What running a program gave.
pub type Outcome = Result<String, String>;

/// Lowers a Core text; what comes out must keep the rules of Kernel.
pub fn lowered(core: &str) -> (ir::Program, kernel::Program) {
    let mut program = ir::parse(core).unwrap_or_else(|e| panic!("{e}\n{core}"));
    // The texts rely on the arguments that tests choose: nothing proves their indices.
    let violations = ir::verify(&program).err().unwrap_or_default();
    if violations.iter().any(|violation| !violation.rule.is_proved()) {
        panic!("{violations:#?}\n{core}");
    }
    transform::schedule(&mut program);
    let kernel = lower::lower(&program).unwrap_or_else(|e| panic!("{}\n{core}", e.title));
    if let Err(problems) = kernel::verify::verify(&kernel) {
        panic!("{problems:#?}\n{core}");
    }
    (program, kernel)
}

/// Runs the first entry point of a Core text on several threads; all must agree.
pub fn run(core: &str, args: &str) -> Outcome {
    let (program, kernel) = lowered(core);
    let mut first: Option<Outcome> = None;
    for parallel in [false, true] {
        let outcome = run_once(&program, &kernel, args, parallel);
        match &first {
            None => first = Some(outcome),
            Some(known) => assert_eq!(known, &outcome, "with threads: {parallel}"),
        }
    }
    first.unwrap_or(Err("nothing ran".into()))
}

fn run_once(program: &ir::Program, kernel: &kernel::Program, args: &str, parallel: bool) -> Outcome {
    let c = codegen::c_program(kernel, None);
    let flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-unused-parameter"].map(str::to_owned).to_vec();
    let units = usize::from(parallel);
    let options = Options { flags, parallel, level: 1, units, cache: None, ..Options::default() };
    let compiled = native::compile(&c.text, &options).unwrap_or_else(|e| panic!("{e}\n{}", c.text));
    let entry = &program.entries[0];
    let mut values = Values::new(args.as_bytes());
    let mut given = Vec::new();
    for (_, layout) in &entry.params {
        let value = values.next_value(None).expect("an argument").expect("a value");
        given.push((value, layout));
    }
    let components = split_all(given).expect("arguments that fit");
    let settings = Settings { threads: Some(3), ..Settings::default() };
    let mut context = compiled.library.context(settings).expect("a context");
    match context.call(0, &mut components.clone(), &entry.results) {
        Ok(results) => {
            let values = join_all(results, &entry.results).expect("results that fit");
            Ok(values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" "))
        }
        Err(Failure::Memory { .. }) => Err("memory".into()),
        Err(Failure::Check { site, args }) => Err(message(kernel, site, &args)),
    }
}

fn message(kernel: &kernel::Program, site: usize, args: &[Argument]) -> String {
    kernel.sites[kernel::SiteId(site as u32)].message.title.fill(args)
}

/// Runs a program and compares.
pub fn gives(core: &str, args: &str, expected: &str) {
    assert_eq!(run(core, args), Ok(expected.to_owned()), "{core}");
}

/// Runs a program that must fail.
pub fn fails(core: &str, args: &str, expected: &str) {
    assert_eq!(run(core, args), Err(expected.to_owned()), "{core}");
}
