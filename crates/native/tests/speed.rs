//! How long things take; run by hand with `--ignored --nocapture`.

mod common;
use common::*;
use kernel::*;
use native::{Options, Settings};
use scalar::{BinOp, DimKind, Layout, Prim};
use std::time::Instant;
use value::PrimVec;
use value::components::Component;

/// `map (\x -> x * 2 + 1)` over doubles in blocks.
fn program() -> Program {
    let mut m = Maker::default();
    let buffer = Type::Buffer(Prim::F64);
    let (size, xs, ys) = (m.int("n"), m.var("xs", buffer), m.var("ys", buffer));
    let (block, i, to) = (m.int("block"), m.int("i"), m.int("to"));
    let f = |op, x, y| Expr::Bin(op, Prim::F64, Box::new(x), Box::new(y));
    let value = f(BinOp::Add, f(BinOp::Mul, load(xs, v(i)), Expr::Const(2.0.into())), Expr::Const(1.0.into()));
    let end = bin(BinOp::Mul, bin(BinOp::Add, v(block), n(1)), n(16384));
    let body = vec![
        Stm::Let(to, Expr::Math(scalar::MathOp::Min, Prim::I64, vec![end, v(size)])),
        Stm::For {
            var: i,
            from: bin(BinOp::Mul, v(block), n(16384)),
            to: v(to),
            mode: Mode::Sequential,
            body: vec![store(ys, v(i), value)],
        },
    ];
    let blocks = bin(BinOp::Div, bin(BinOp::Add, v(size), n(16383)), n(16384));
    let mut stms = alloc(ys, v(size)).to_vec();
    stms.push(each(block, blocks, Mode::Parallel, body));
    stms.push(Stm::Return(vec![Arg::Scalar(v(size)), Arg::Buffer(ys)]));
    let function = m.function("map", &[size, xs], &[I64, buffer], stms);
    let layout = Layout::Array(vec![DimKind::Size], Box::new(Layout::Scalar(Prim::F64)));
    m.entry("map", function, std::slice::from_ref(&layout), std::slice::from_ref(&layout));
    m.program
}

#[test]
#[ignore = "takes long and says nothing about correctness"]
fn compile_and_map() {
    let program = program();
    for compiler in ["gcc", "clang"] {
        let c = codegen::c_program(&program, codegen::Options { parallel: true, locate: None });
        if let Ok(path) = std::env::var("DUMP") {
            std::fs::write(path, &c.text).unwrap();
        }
        let start = Instant::now();
        let options = Options { compiler: Some(compiler.into()), cache: None, ..Options::default() };
        let compiled = native::compile(&c.text, &options).unwrap();
        println!("{compiler}: compiled in {:?}", start.elapsed());
        let count = 50_000_000;
        let data = PrimVec::from(vec![1.5f64; count]);
        let mut args = [int(count as i64), Component::Data(data)];
        for threads in [1, 2] {
            let mut context = compiled.library.context(Settings { threads: Some(threads), memory: None }).unwrap();
            for _ in 0..3 {
                let start = Instant::now();
                context.call(0, &mut args, &program.entries[0].results).unwrap();
                println!("{compiler}, {threads} threads, with copying the result: {:?}", start.elapsed());
            }
        }
    }
}
