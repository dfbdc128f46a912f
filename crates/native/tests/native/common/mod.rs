//! Kernel programs made by hand, compiled and run.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod samples;

use base::{FileId, Name, Span};
use codegen::CProgram;
use fault::{Fault, Message, Piece, Site, Text};
use kernel::*;
use native::{Compiled, Failure, Options, Settings};
use scalar::{BinOp, DimKind, Layout, Prim, Scalar};
use std::cell::RefCell;
use value::components::Component;

/// Any place.
pub const SPAN: Span = Span { file: FileId(0), start: 3, end: 5 };

/// A program in the making.
#[derive(Default)]
pub struct Maker {
    pub program: Program,
    exprs: RefCell<Exprs>,
}

impl Maker {
    pub fn finish(self) -> Program {
        Program { exprs: self.exprs.into_inner(), ..self.program }
    }

    pub fn op(&self, op: Op) -> Expr {
        self.exprs.borrow_mut().op(op)
    }

    pub fn bin(&self, op: BinOp, x: Expr, y: Expr) -> Expr {
        self.op(Op::Bin(op, Prim::I64, x, y))
    }

    pub fn load(&self, buffer: Var, at: Expr) -> Expr {
        self.op(Op::Load(buffer, at))
    }

    pub fn var(&mut self, name: &str, ty: Type) -> Var {
        self.program.vars.push(VarInfo::new(Name::new(name), ty))
    }

    pub fn int(&mut self, name: &str) -> Var {
        self.var(name, Type::Scalar(Prim::I64))
    }

    pub fn ints(&mut self, name: &str) -> Var {
        self.var(name, Type::Buffer(Prim::I64))
    }

    pub fn function(&mut self, name: &str, params: &[Var], results: &[Type], body: Vec<Stm>) -> FunId {
        let (name, params, results) = (Name::new(name), params.to_vec(), results.to_vec());
        self.program.functions.push(Function { name, params, results, body, too_deep: None, stops: false, span: SPAN })
    }

    pub fn site(&mut self, fault: Fault, words: &str) -> SiteId {
        let title = Text::words(words).followed_by(Text(vec![Piece::Value(0)]));
        let message = Message::new(fault, title, "here").note(Text(vec![Piece::Shape(1)])).note(Text::default());
        self.program.sites.push(Site::new(message, SPAN))
    }

    pub fn entry(&mut self, name: &str, function: FunId, params: &[Layout], results: &[Layout]) {
        let count = params.iter().map(|p| p.components().len()).sum();
        self.program.entries.push(Entry {
            name: Name::new(name),
            function,
            params: params.iter().map(|p| (Name::new("x"), p.clone())).collect(),
            consumed: vec![false; count],
            results: results.to_vec(),
        });
    }
}

pub fn n(x: i64) -> Expr {
    Expr::Const(Scalar::I64(x))
}

pub fn v(var: Var) -> Expr {
    Expr::Var(var)
}

pub fn store(buffer: Var, at: Expr, value: Expr) -> Stm {
    Stm::Store { buffer, at, value }
}

pub fn alloc(buffer: Var, count: Expr) -> [Stm; 2] {
    [Stm::Declare(buffer), Stm::Alloc { buffer, count, reuse: None, span: SPAN }]
}

pub fn each(var: Var, to: Expr, mode: Mode, body: Vec<Stm>) -> Stm {
    Stm::For { var, from: n(0), to, mode, body }
}

pub const INT: Layout = Layout::Scalar(Prim::I64);
pub const I64: Type = Type::Scalar(Prim::I64);
pub const I64S: Type = Type::Buffer(Prim::I64);

pub fn vector() -> Layout {
    Layout::Array(vec![DimKind::Size], Box::new(INT))
}

/// A vector as components.
pub fn numbers(items: &[i64]) -> Vec<Component> {
    vec![Component::Scalar(Scalar::I64(items.len() as i64)), Component::Data(items.to_vec().into())]
}

pub fn int(x: i64) -> Component {
    Component::Scalar(Scalar::I64(x))
}

pub fn show(components: &[Component]) -> String {
    let one = |c: &Component| match c {
        Component::Scalar(x) => x.to_string(),
        Component::Numbers(numbers) => format!("{numbers:?}"),
        Component::Data(data) => {
            format!("[{}]", data.iter().map(|x| x.to_string()).collect::<Vec<_>>().join(","))
        }
    };
    components.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Ways to compile: plain, with threads and by several compilers at once, and with the other compiler if it is there.
pub fn ways() -> Vec<Options> {
    let base = Options { level: 1, cache: None, ..Options::default() };
    let mut ways = vec![Options { parallel: false, ..base.clone() }, Options { units: 2, ..base.clone() }];
    if native::Compiler::find(Some("clang")).is_ok() {
        ways.push(Options { compiler: Some("clang".into()), ..base });
    }
    ways
}

pub fn compile(program: &Program, options: &Options) -> (CProgram, Compiled) {
    let text = program.to_string();
    assert_eq!(kernel::text::parse(&text).unwrap().to_string(), text);
    if let Err(problems) = kernel::verify::verify(program) {
        panic!("{problems:?}\n{text}");
    }
    let c = codegen::c_program(program, None);
    let options = Options {
        flags: vec![
            "-Wall".into(),
            "-Wextra".into(),
            "-Werror".into(),
            "-Wno-unused".into(),
            "-Wno-unused-parameter".into(),
        ],
        ..options.clone()
    };
    match native::compile(&c.text, &options) {
        Ok(compiled) => (c, compiled),
        Err(error) => panic!("{error}\n{}", c.text.split("RV_EXPORT").last().unwrap_or("")),
    }
}

/// Bytes that the arrays of a program may take.
pub const MEMORY: u64 = 1 << 23;

/// Runs the first entry point every way, on several threads; all must agree.
pub fn run(program: &Program, args: &[Component]) -> Result<String, Failure> {
    let mut first: Option<Result<String, Failure>> = None;
    for options in ways() {
        let (_, compiled) = compile(program, &options);
        for threads in [1, 2, 5] {
            let settings = Settings { threads: Some(threads), memory: Some(MEMORY) };
            let mut context = compiled.library.context(settings).unwrap();
            for _ in 0..3 {
                let result = context.call(0, &mut args.to_vec(), &program.entries[0].results).map(|r| show(&r));
                match &first {
                    None => first = Some(result),
                    Some(known) => assert_eq!(known, &result, "{options:?} on {threads} threads"),
                }
            }
        }
    }
    first.unwrap()
}
