//! What a pass breaks is found, and is our fault.

use driver::passes::{self, Rules};
use driver::stages;
use fault::Fault;

const BROKEN: &str = "fn f(xs: [4]i64) -> (s: i64) {
  let ys: [4]i64 = bulk {
    out update (xs) of (e: i64)
    emit [0] => 7
  }
  let s.1: i64 = ys[0]
  => s.1
}
";

#[test]
fn broken_rules_are_our_fault() {
    let core = ir::parse(BROKEN).unwrap();
    passes::verify_core("sweep", &core, Rules::Types).unwrap();
    let error = passes::verify_core("copies", &core, Rules::All).unwrap_err();
    assert_eq!(error.code, Fault::Internal.code());
    assert_eq!(error.title, "the output of the pass `copies` breaks the rules of Core");
    assert!(error.notes[0].contains("`xs` may not be consumed here"), "{:?}", error.notes);
}

#[test]
fn kernels_are_verified_too() {
    let kernel = kernel::text::parse("fun f.0() -> (i64) {\n}\n").unwrap();
    let error = passes::verify_kernel("lower", &kernel).unwrap_err();
    assert_eq!(error.title, "the output of the pass `lower` breaks the rules of Kernel");
}

/// Every name does something, and what does nothing is no name.
#[test]
fn the_table_is_whole() {
    let listed = stages::listed();
    for name in passes::PASSES.iter().map(|pass| pass.name).chain(stages::STEPS.iter().map(|step| step.0)) {
        assert!(listed.contains(&format!("  {name} ")), "{name}");
        let stage = stages::Stage::C(driver::c(&kernel::Program::default()));
        let Err(error) = stage.step(name) else { panic!("{name} works on C") };
        assert!(error.to_string().starts_with(&format!("`{name}` works on ")), "{error}");
    }
}
