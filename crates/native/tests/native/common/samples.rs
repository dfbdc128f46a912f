//! Programs that several tests use.

use super::*;
use scalar::BinOp;

/// `map (*2)`, in parallel.
pub fn doubling() -> Program {
    let mut m = Maker::default();
    let (size, xs, ys, i) = (m.int("n"), m.ints("xs"), m.ints("ys"), m.int("i"));
    let body = vec![store(ys, v(i), m.bin(BinOp::Mul, m.load(xs, v(i)), n(2)))];
    let mut stms = alloc(ys, v(size)).to_vec();
    stms.push(each(i, v(size), Mode::Parallel, body));
    stms.push(Stm::Return(vec![Arg::Scalar(v(size)), Arg::Buffer(ys)]));
    let f = m.function("double", &[size, xs], &[I64, I64S], stms);
    m.entry("double", f, &[vector()], &[vector()]);
    m.finish()
}

/// Tries to take `xs[i]`, stops with i where it is negative.
pub fn attempts() -> Program {
    let mut m = Maker::default();
    let (size, xs, ys) = (m.int("n"), m.ints("xs"), m.ints("ys"));
    let (i, stopped, tmp) = (m.int("i"), m.int("stopped"), m.ints("tmp"));
    let mut attempt = alloc(tmp, n(1000)).to_vec();
    attempt.push(store(tmp, n(5), m.load(xs, v(i))));
    attempt.push(Stm::If(
        m.bin(BinOp::Lt, m.load(tmp, n(5)), n(0)),
        vec![Stm::Stop(m.bin(BinOp::Add, v(i), n(100)))],
        vec![],
    ));
    attempt.push(Stm::Release(tmp));
    let body = vec![Stm::Declare(stopped), Stm::Try { stopped, body: attempt }, store(ys, v(i), v(stopped))];
    let mut stms = alloc(ys, v(size)).to_vec();
    stms.push(each(i, v(size), Mode::Parallel, body));
    stms.push(Stm::Return(vec![Arg::Scalar(v(size)), Arg::Buffer(ys)]));
    let f = m.function("try", &[size, xs], &[I64, I64S], stms);
    m.entry("try", f, &[vector()], &[vector()]);
    m.finish()
}

/// Fails where an element is negative, each iteration with memory of its own.
pub fn checking() -> Program {
    let mut m = Maker::default();
    let site = m.site(Fault::Index, "bad value ");
    let (size, xs, i, tmp) = (m.int("n"), m.ints("xs"), m.int("i"), m.ints("tmp"));
    // Each iteration takes memory, so that the failing ones leave some behind.
    let mut body = alloc(tmp, n(100)).to_vec();
    body.push(Stm::If(
        m.bin(BinOp::Lt, m.load(xs, v(i)), n(0)),
        vec![Stm::Fail {
            site,
            args: vec![
                FailArg::Scalar(Prim::I64, v(i)),
                FailArg::Numbers { buffer: xs, at: n(0), count: n(2) },
                FailArg::Scalar(Prim::Bool, Expr::Const(true.into())),
            ],
        }],
        vec![],
    ));
    body.push(Stm::Release(tmp));
    let stms = vec![each(i, v(size), Mode::Parallel, body), Stm::Return(vec![Arg::Scalar(v(size))])];
    let f = m.function("check", &[size, xs], &[I64], stms);
    m.entry("check", f, &[vector()], &[INT]);
    m.finish()
}
