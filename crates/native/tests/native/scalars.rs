//! Every operator, conversion and numeric function at every type: the C code must compute what the `scalar` crate does.

use crate::common::*;
use kernel::*;
use native::{Options, Settings};
use scalar::{BinOp, DimKind, Layout, Math, MathOp, Prim, Scalar, UnOp, convert, eval_bin, eval_math, eval_un};
use value::PrimVec;
use value::components::Component;

/// What is computed.
#[derive(Clone, Copy, Debug)]
enum Op {
    Bin(BinOp, Prim),
    Un(UnOp, Prim),
    Convert(Prim, Prim),
    Math(MathOp, Prim),
}

impl Op {
    fn all() -> Vec<Op> {
        let mut all = Vec::new();
        for prim in Prim::ALL {
            all.extend(BinOp::ALL.into_iter().filter(|op| op.accepts(prim)).map(|op| Op::Bin(op, prim)));
            all.extend([UnOp::Neg, UnOp::Not].into_iter().filter(|op| op.accepts(prim)).map(|op| Op::Un(op, prim)));
            all.extend(Prim::ALL.map(|to| Op::Convert(prim, to)));
            all.extend(MathOp::ALL.iter().filter(|op| op.type_at(prim).is_some()).map(|op| Op::Math(*op, prim)));
        }
        all
    }

    fn params(self) -> Vec<Prim> {
        match self {
            Op::Bin(_, prim) => vec![prim; 2],
            Op::Un(_, prim) | Op::Convert(prim, _) => vec![prim],
            Op::Math(op, prim) => op.type_at(prim).unwrap().params().to_vec(),
        }
    }

    fn result(self) -> Prim {
        match self {
            Op::Bin(op, prim) => op.result(prim).unwrap(),
            Op::Un(_, prim) | Op::Convert(_, prim) => prim,
            Op::Math(op, prim) => op.type_at(prim).unwrap().result,
        }
    }

    fn apply(self, args: Vec<Expr>) -> kernel::Op {
        match self {
            Op::Bin(op, prim) => kernel::Op::Bin(op, prim, args[0], args[1]),
            Op::Un(op, prim) => kernel::Op::Un(op, prim, args[0]),
            Op::Convert(from, to) => kernel::Op::Convert(from, to, args[0]),
            Op::Math(op, prim) => kernel::Op::Math(op, prim, args),
        }
    }

    /// The right value; none where the operation has none.
    fn eval(self, args: &[Scalar]) -> Option<Scalar> {
        match self {
            Op::Bin(op, _) => eval_bin(op, args[0], args[1]).ok(),
            Op::Un(op, _) => eval_un(op, args[0]).ok(),
            Op::Convert(_, to) => Some(convert(args[0], to)),
            Op::Math(op, _) => eval_math(op, args).ok(),
        }
    }

    /// How far results may be apart, relatively; functions without an exact result differ in their last digits.
    fn tolerance(self) -> f64 {
        let loose = match self {
            Op::Bin(op, _) => op == BinOp::Pow,
            Op::Un(..) | Op::Convert(..) => false,
            Op::Math(op, _) => op.is_inexact(),
        };
        let gamma = matches!(self, Op::Math(MathOp::Gamma | MathOp::Lgamma, _));
        match (loose, self.result()) {
            (true, Prim::F64) if gamma => 1e-13,
            (true, Prim::F64) => 2e-15,
            (true, Prim::F32) if gamma => 1e-5,
            (true, Prim::F32) => 1e-6,
            (true, Prim::F16) => 2e-3,
            _ => 0.0,
        }
    }
}

/// Values at the edges of a type and between them.
fn samples(prim: Prim) -> Vec<Scalar> {
    match prim {
        Prim::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        Prim::F16 | Prim::F32 | Prim::F64 => {
            let plain = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -0.5,
                1.5,
                2.5,
                -3.7,
                0.1,
                127.5,
                255.9,
                65504.0,
                65520.0,
                1e-7,
                6e-8,
                1e10,
                -1e10,
                2147483647.5,
                9.3e18,
                -9.3e18,
                1e-300,
                1e300,
                1.9e19,
                3.0,
                100.25,
                1024.5,
                0.99951,
                2049.0,
                4098.0,
                1e-5,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
            ];
            plain.iter().map(|x| convert(Scalar::F64(*x), prim)).collect()
        }
        _ => {
            let (least, greatest) = prim.int_range().unwrap();
            let plain = [
                least,
                least + 1,
                greatest,
                greatest - 1,
                greatest / 3,
                0,
                1,
                2,
                3,
                5,
                7,
                8,
                15,
                16,
                31,
                32,
                33,
                63,
                64,
                65,
                100,
            ];
            let below = [-1, -2, -3, -7, -32, -64];
            plain
                .into_iter()
                .chain(below.into_iter().filter(|_| prim.is_signed()))
                .map(|x| Scalar::from_i128(prim, x))
                .collect()
        }
    }
}

/// All arguments on which the operation has a value.
fn cases(op: Op) -> Vec<Vec<Scalar>> {
    let mut cases = vec![Vec::new()];
    for prim in op.params() {
        let samples = samples(prim);
        // Three arguments: a third of the samples each.
        let step = if op.params().len() == 3 { 3 } else { 1 };
        cases = cases
            .into_iter()
            .flat_map(|case: Vec<Scalar>| samples.iter().step_by(step).map(move |x| [&case[..], &[*x]].concat()))
            .collect();
    }
    cases.retain(|case| op.eval(case).is_some());
    cases
}

/// A function that applies the operation to each element.
fn function(m: &mut Maker, op: Op) -> FunId {
    let size = m.int("n");
    let params: Vec<Var> = op.params().iter().map(|p| m.var("x", Type::Buffer(*p))).collect();
    let (out, i) = (m.var("out", Type::Buffer(op.result())), m.int("i"));
    let args = params.iter().map(|p| m.load(*p, v(i))).collect();
    let mut stms = alloc(out, v(size)).to_vec();
    stms.push(each(i, v(size), Mode::Sequential, vec![store(out, v(i), m.op(op.apply(args)))]));
    stms.push(Stm::Return(vec![Arg::Scalar(v(size)), Arg::Buffer(out)]));
    let all: Vec<Var> = [size].into_iter().chain(params).collect();
    m.function("op", &all, &[I64, Type::Buffer(op.result())], stms)
}

fn array(prim: Prim) -> Layout {
    Layout::Array(vec![DimKind::Size], Box::new(Layout::Scalar(prim)))
}

fn close(got: Scalar, expected: Scalar, tolerance: f64) -> bool {
    if got.same(expected) {
        return true;
    }
    let (Some(x), Some(y)) = (got.as_float(), expected.as_float()) else { return false };
    tolerance > 0.0 && (x - y).abs() <= tolerance * y.abs().max(1e-280)
}

fn check(math: Math, options: &Options) {
    let ops = Op::all();
    let mut m = Maker::default();
    for op in &ops {
        let f = function(&mut m, *op);
        // An array of tuples is one array for each field.
        let fields =
            op.params().into_iter().enumerate().map(|(i, p)| (i.to_string().as_str().into(), Layout::Scalar(p)));
        let params = Layout::Array(vec![DimKind::Size], Box::new(Layout::Record(fields.collect())));
        m.entry("op", f, &[params], &[array(op.result())]);
    }
    let (_, compiled) = compile(&kernel::Program { math, ..m.finish() }, options);
    let mut context = compiled.library.context(Settings::default()).unwrap();
    let mut wrong = Vec::new();
    for (number, op) in ops.iter().enumerate() {
        let cases = cases(*op);
        let mut args = vec![int(cases.len() as i64)];
        for (index, prim) in op.params().into_iter().enumerate() {
            let mut column = PrimVec::new(prim);
            cases.iter().for_each(|case| column.push(case[index]));
            args.push(Component::Data(column));
        }
        let results = context.call(number, &mut args, &[array(op.result())]).unwrap();
        let Component::Data(data) = &results[1] else { panic!("no data") };
        for (case, got) in cases.iter().zip(data.iter()) {
            let expected = op.eval(case).unwrap();
            if !close(got, expected, op.tolerance()) {
                wrong.push(format!("{op:?} {case:?}: {got} instead of {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}

fn options(compiler: Option<&str>) -> Options {
    Options { compiler: compiler.map(str::to_owned), level: 1, parallel: false, cache: None, ..Options::default() }
}

#[test]
fn all_scalars_by_the_default_compiler() {
    check(Math::Fast, &options(None));
}

#[test]
fn all_scalars_with_the_functions_of_the_c_library() {
    check(Math::Strict, &options(None));
}

#[test]
fn all_scalars_by_clang() {
    if native::Compiler::find(Some("clang")).is_ok() {
        check(Math::Fast, &options(Some("clang")));
    }
}
