//! Remarks go with the code that they are about.

use base::{FileId, Span};
use ir::{Remark, Topic};

const PROGRAM: &str = "fn scaled(k: i64, x: i64) -> (y: i64) {
  let t: i64 = x * k
  => t
}
fn f(a: i64) -> (r: i64) {
  let b: i64 = scaled(3, a)
  => b
}
entry f = f(a: i64) -> (i64)
";

#[test]
fn inlined_remarks_are_shown_at_the_call() {
    let mut program = ir::parse(PROGRAM).expect("Core");
    let (call, own) = (Span::new(FileId(0), 3, 9), Span::new(FileId(1), 5, 6));
    let [callee, caller] = [0, 1].map(ir::FunId);
    program.functions[caller].body.stms[0].span = call;
    program.functions[callee].remark(Remark::done(Topic::Hoisted, Span::OF_CALLER, "as in {}").about(own));
    program.functions[callee].remark(Remark::not_done(Topic::Checked, own, "no check"));

    transform::inline(&mut program);
    transform::sweep(&mut program);

    assert_eq!(program.functions.len(), 1, "the callee is gone");
    let left = program.functions.values().next().map(|function| function.remarks.clone());
    let wanted = vec![
        Remark::done(Topic::Hoisted, call, "as in {}").about(own),
        Remark::not_done(Topic::Checked, own, "no check"),
    ];
    assert_eq!(left, Some(wanted));
}
