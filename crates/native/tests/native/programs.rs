//! Small programs in Kernel, by hand: what the C code does.

use crate::common::samples::*;
use crate::common::*;
use fault::{Argument, Fault};
use kernel::*;
use native::Failure;
use scalar::{BinOp, Layout, Prim};

#[test]
fn parallel_map() {
    assert_eq!(run(&doubling(), &numbers(&[1, 2, 3])).unwrap(), "3i64 [2i64,4i64,6i64]");
    assert_eq!(run(&doubling(), &numbers(&[])).unwrap(), "0i64 []");
    let long: Vec<i64> = (0..10_000).collect();
    assert!(run(&doubling(), &numbers(&long)).unwrap().ends_with("19996i64,19998i64]"));
}

#[test]
fn the_first_failing_iteration_is_reported() {
    let program = checking();
    let mut items = vec![1; 3000];
    assert_eq!(run(&program, &numbers(&items)).unwrap(), "3000i64");
    for at in [2900, 1500, 700, 701, 2999] {
        items[at] = -1;
    }
    let args = vec![Argument::Number(700), Argument::Numbers(vec![1, 1]), Argument::Word("true".into())];
    assert_eq!(run(&program, &numbers(&items)), Err(Failure::Check { site: 0, args }));
}

#[test]
fn nested_parallel_loops_and_calls() {
    let mut m = Maker::default();
    // sum of 0..k, by a parallel loop into a buffer and a plain one over it
    let (k, part, i, j, sum) = (m.int("k"), m.ints("part"), m.int("i"), m.int("j"), m.int("sum"));
    let mut stms = alloc(part, v(k)).to_vec();
    stms.push(each(i, v(k), Mode::Parallel, vec![store(part, v(i), v(i))]));
    stms.push(Stm::Let(sum, n(0)));
    stms.push(each(j, v(k), Mode::Sequential, vec![Stm::Set(sum, m.bin(BinOp::Add, v(sum), m.load(part, v(j))))]));
    stms.push(Stm::Release(part));
    stms.push(Stm::Return(vec![Arg::Scalar(v(sum))]));
    let inner = m.function("triangle", &[k], &[I64], stms);
    let (size, ys, o, r) = (m.int("n"), m.ints("ys"), m.int("o"), m.int("r"));
    let mut stms = alloc(ys, v(size)).to_vec();
    let call = Stm::Call { results: vec![r], function: inner, args: vec![Arg::Scalar(v(o))], span: SPAN };
    stms.push(each(o, v(size), Mode::Parallel, vec![call, store(ys, v(o), v(r))]));
    stms.push(Stm::Return(vec![Arg::Scalar(v(size)), Arg::Buffer(ys)]));
    let f = m.function("main", &[size], &[I64, I64S], stms);
    m.entry("main", f, &[INT], &[vector()]);
    let program = m.finish();
    assert_eq!(run(&program, &[int(6)]).unwrap(), "6i64 [0i64,0i64,1i64,3i64,6i64,10i64]");
    assert!(run(&program, &[int(500)]).unwrap().ends_with("124251i64]"));
}

#[test]
fn attempts_that_stop() {
    let result = run(&attempts(), &numbers(&[1, -1, 2, -5])).unwrap();
    assert_eq!(result, "4i64 [-1i64,101i64,-1i64,103i64]");
}

#[test]
fn growing_trimming_sharing() {
    let mut m = Maker::default();
    let (size, ys, i, start, other, moved) =
        (m.int("n"), m.ints("ys"), m.int("i"), m.int("start"), m.ints("other"), m.ints("moved"));
    let more = m.bin(BinOp::Add, v(i), n(1));
    let stms = vec![
        Stm::Declare(ys),
        each(
            i,
            v(size),
            Mode::Sequential,
            vec![
                Stm::Grow { buffer: ys, used: v(i), needed: more, span: SPAN },
                store(ys, v(i), m.bin(BinOp::Mul, v(i), v(i))),
            ],
        ),
        Stm::Declare(other),
        Stm::Share { to: other, from: ys },
        Stm::Let(start, m.bin(BinOp::Sub, v(size), n(3))),
        Stm::Trim { buffer: ys, start, count: n(3), span: SPAN },
        Stm::Release(other),
        Stm::Declare(moved),
        Stm::Move { to: moved, from: ys },
        Stm::Release(ys),
        Stm::Return(vec![Arg::Scalar(n(3)), Arg::Buffer(moved), Arg::Scalar(v(start))]),
    ];
    let f = m.function("grow", &[size], &[I64, I64S, I64], stms);
    m.entry("grow", f, &[INT], &[vector(), INT]);
    let program = m.finish();
    assert_eq!(run(&program, &[int(10_000)]).unwrap(), "3i64 [99940009i64,99960004i64,99980001i64] 0i64");
}

#[test]
fn an_argument_comes_back() {
    let mut m = Maker::default();
    let (size, xs, a, b) = (m.int("n"), m.ints("xs"), m.ints("a"), m.ints("b"));
    let stms = vec![
        Stm::Declare(a),
        Stm::Share { to: a, from: xs },
        Stm::Declare(b),
        Stm::Alloc { buffer: b, count: n(2), reuse: None, span: SPAN },
        Stm::Copy { to: b, to_at: n(0), from: a, from_at: n(1), count: n(2), past: false },
        Stm::Return(vec![Arg::Scalar(v(size)), Arg::Buffer(a), Arg::Scalar(n(2)), Arg::Buffer(b)]),
    ];
    let f = m.function("same", &[size, xs], &[I64, I64S, I64, I64S], stms);
    m.entry("same", f, &[vector()], &[vector(), vector()]);
    let program = m.finish();
    assert_eq!(run(&program, &numbers(&[7, 8, 9])).unwrap(), "3i64 [7i64,8i64,9i64] 2i64 [8i64,9i64]");
}

#[test]
fn too_much_memory_and_too_deep() {
    let mut m = Maker::default();
    let (size, ys) = (m.int("n"), m.ints("ys"));
    let mut stms = alloc(ys, v(size)).to_vec();
    stms.push(Stm::Release(ys));
    stms.push(Stm::Return(vec![Arg::Scalar(v(size))]));
    let f = m.function("take", &[size], &[I64], stms);
    m.entry("take", f, &[INT], &[INT]);
    let program = m.finish();
    for absurd in [-1, i64::MAX, i64::MAX / 8, 1 << 50] {
        assert_eq!(run(&program, &[int(absurd)]), Err(too_much(absurd)));
    }
    assert_eq!(run(&program, &[int(1000)]).unwrap(), "1000i64");

    let mut m = Maker::default();
    let site = m.site(Fault::TooDeep, "too deep ");
    let (k, r) = (m.int("k"), m.int("r"));
    let again = Stm::Call {
        results: vec![r],
        function: FunId(0),
        args: vec![Arg::Scalar(m.bin(BinOp::Sub, v(k), n(1)))],
        span: SPAN,
    };
    let stms = vec![
        Stm::If(m.bin(BinOp::Le, v(k), n(0)), vec![Stm::Return(vec![Arg::Scalar(n(0))])], vec![]),
        again,
        Stm::Return(vec![Arg::Scalar(m.bin(BinOp::Mul, m.bin(BinOp::Add, v(r), v(k)), n(3)))]),
    ];
    let f = m.function("deep", &[k], &[I64], stms);
    m.program.functions[f].too_deep = Some(site);
    m.entry("deep", f, &[INT], &[INT]);
    let program = m.finish();
    assert_eq!(run(&program, &[int(3)]).unwrap(), "54i64");
    assert!(run(&program, &[int(100_000)]).is_ok());
    assert_eq!(run(&program, &[int(1 << 40)]), Err(Failure::Check { site: 0, args: vec![] }));
}

fn too_much(count: i64) -> Failure {
    Failure::Memory { place: 0, count, limit: Some(MEMORY) }
}

/// A function that calls itself while it holds an array: small arrays count, too.
#[test]
fn many_small_arrays_are_too_much() {
    let mut m = Maker::default();
    let (size, k, r, ys) = (m.int("size"), m.int("k"), m.int("r"), m.ints("ys"));
    let again = Stm::Call {
        results: vec![r],
        function: FunId(0),
        args: vec![Arg::Scalar(v(size)), Arg::Scalar(m.bin(BinOp::Sub, v(k), n(1)))],
        span: SPAN,
    };
    let mut stms = vec![Stm::If(m.bin(BinOp::Le, v(k), n(0)), vec![Stm::Return(vec![Arg::Scalar(n(0))])], vec![])];
    stms.extend(alloc(ys, v(size)));
    stms.extend([again, Stm::Release(ys), Stm::Return(vec![Arg::Scalar(v(r))])]);
    let f = m.function("hold", &[size, k], &[I64], stms);
    m.entry("hold", f, &[INT, INT], &[INT]);
    let program = m.finish();
    for size in [10, 1000, 50_000] {
        let enough = MEMORY as i64 / (size * 8 + 80);
        assert_eq!(run(&program, &[int(size), int(enough / 2)]).unwrap(), "0i64");
        assert_eq!(run(&program, &[int(size), int(enough + 5000)]), Err(too_much(size)));
    }
}

#[test]
fn loops_with_a_head() {
    let mut m = Maker::default();
    let (k, steps, half) = (m.int("k"), m.int("steps"), m.int("half"));
    let stms = vec![
        Stm::Let(steps, n(0)),
        Stm::While {
            head: vec![Stm::Let(half, m.bin(BinOp::Div, v(k), n(2)))],
            cond: m.bin(BinOp::Gt, v(half), n(0)),
            body: vec![Stm::Set(k, v(half)), Stm::Set(steps, m.bin(BinOp::Add, v(steps), n(1)))],
        },
        Stm::Return(vec![Arg::Scalar(v(steps)), Arg::Scalar(v(k))]),
    ];
    let f = m.function("log", &[k], &[I64, I64], stms);
    m.entry("log", f, &[INT], &[INT, INT]);
    let program = m.finish();
    assert_eq!(run(&program, &[int(1000)]).unwrap(), "9i64 1i64");
}

/// Both compilers take the marks, without a warning.
#[test]
fn marked_loops() {
    let mut m = Maker::default();
    let (size, xs, ys, i, j, sum) = (m.int("n"), m.ints("xs"), m.ints("ys"), m.int("i"), m.int("j"), m.int("sum"));
    m.program.vars[ys].home = Home::New(Memory(0));
    let doubled = m.bin(BinOp::Mul, m.load(xs, v(i)), n(2));
    let added = m.bin(BinOp::Add, v(sum), m.load(ys, v(j)));
    let mut stms = alloc(ys, v(size)).to_vec();
    stms.push(each(i, v(size), Mode::Simd, vec![store(ys, v(i), doubled)]));
    stms.push(Stm::Let(sum, n(0)));
    stms.push(each(j, n(3), Mode::Unrolled, vec![Stm::Set(sum, added)]));
    stms.push(Stm::Return(vec![Arg::Scalar(v(sum)), Arg::Scalar(v(size)), Arg::Buffer(ys)]));
    let f = m.function("main", &[size, xs], &[I64, I64, I64S], stms);
    m.entry("main", f, &[vector()], &[INT, vector()]);
    let program = m.finish();
    assert_eq!(run(&program, &numbers(&[1, 2, 3, 4])).unwrap(), "12i64 4i64 [2i64,4i64,6i64,8i64]");
}

/// A local array that iterations of a parallel loop fill, on whichever thread, and one of each iteration.
#[test]
fn local_arrays() {
    let mut m = Maker::default();
    let (size, shared, own, i, sum, j) =
        (m.int("n"), m.ints("shared"), m.ints("own"), m.int("i"), m.int("sum"), m.int("j"));
    m.program.vars[shared].home = Home::Local(64);
    m.program.vars[own].home = Home::Local(3);
    let square = m.bin(BinOp::Mul, m.load(own, n(2)), m.load(own, n(2)));
    let body = vec![Stm::Declare(own), store(own, n(2), v(i)), store(shared, v(i), square)];
    let added = m.bin(BinOp::Add, v(sum), m.load(shared, v(j)));
    let stms = vec![
        Stm::Declare(shared),
        each(i, v(size), Mode::Parallel, body),
        Stm::Let(sum, n(0)),
        each(j, v(size), Mode::Sequential, vec![Stm::Set(sum, added)]),
        Stm::Return(vec![Arg::Scalar(v(sum))]),
    ];
    let f = m.function("main", &[size], &[I64], stms);
    m.entry("main", f, &[INT], &[INT]);
    let program = m.finish();
    assert_eq!(run(&program, &[int(64)]).unwrap(), "85344i64");
}

#[test]
fn traces() {
    let mut m = Maker::default();
    let (size, xs) = (m.int("n"), m.ints("xs"));
    let pair = Layout::Record(vec![("0".into(), vector()), ("1".into(), Layout::Scalar(Prim::F64))]);
    let half = Expr::Const(0.5.into());
    let stms = vec![
        Stm::Trace(pair, vec![Arg::Scalar(v(size)), Arg::Buffer(xs), Arg::Scalar(half)], base::Span::OF_CALLER),
        Stm::Return(vec![]),
    ];
    let f = m.function("show", &[size, xs], &[], stms);
    m.entry("show", f, &[vector()], &[]);
    let program = m.finish();
    for options in ways() {
        let (c, compiled) = compile(&program, &options);
        let mut context = compiled.library.context(Default::default()).unwrap();
        let seen = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
        let seen_too = seen.clone();
        let layouts: Vec<Layout> = c.traces.iter().map(|trace| trace.0.clone()).collect();
        context.on_trace(
            &layouts,
            Box::new(move |number, components| {
                *seen_too.lock().unwrap() = format!("{number}: {}", show(&components));
            }),
        );
        context.call(0, &mut numbers(&[4, 5]), &[]).unwrap();
        assert_eq!(*seen.lock().unwrap(), "0: 2i64 [4i64,5i64] 0.5f64");
    }
}
