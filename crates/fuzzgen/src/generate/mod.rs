//! From a seed to a program.

mod arrays;
mod clauses;
mod common;
mod definitions;
mod entries;
mod growing;
mod inputs;
mod jagged;
mod matrices;
mod recursive;
mod risky;
mod scalars;
mod shapes;
mod types;

use crate::random::Random;
use crate::tree::{Exp, Program, Size, Ty};
use scalar::Prim;

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut g = Generator::new(seed);
    g.definitions();
    let count = 6 + g.random.below(4);
    let entries = (0..count).map(|number| g.entry(number)).collect();
    Program { defs: g.defs, entries }
}

/// A function that generated code may call: its sizes are names that each call fixes.
#[derive(Clone)]
struct Function {
    name: String,
    sizes: Vec<String>,
    params: Vec<Ty>,
    result: Ty,
}

/// What is known while a program is made.
struct Generator {
    random: Random,
    /// How many names were made.
    names: usize,
    /// Variables in scope.
    vars: Vec<(String, Ty)>,
    /// Sizes in scope.
    sizes: Vec<Size>,
    /// Functions that may be called.
    functions: Vec<Function>,
    /// Functions for arrays of any rank, and the types of their elements.
    generics: Vec<(String, Prim)>,
    /// The sum types.
    sums: Vec<Ty>,
    /// Definitions so far.
    defs: Vec<Exp>,
    /// In how many functions, loops or clauses we are: big sizes are taboo there.
    inside: usize,
    /// In how many arrays that generators of clauses run over.
    sources: usize,
}

/// How much was in scope.
struct Mark {
    vars: usize,
    sizes: usize,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        Generator {
            random: Random::new(seed),
            names: 0,
            vars: Vec::new(),
            sizes: Vec::new(),
            functions: Vec::new(),
            generics: Vec::new(),
            sums: Vec::new(),
            defs: Vec::new(),
            inside: 0,
            sources: 0,
        }
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn mark(&self) -> Mark {
        Mark { vars: self.vars.len(), sizes: self.sizes.len() }
    }

    fn leave(&mut self, mark: &Mark) {
        self.vars.truncate(mark.vars);
        self.sizes.truncate(mark.sizes);
    }

    /// An expression that sees more variables, evaluated perhaps many times.
    fn within(&mut self, vars: &[(&str, &Ty)], ty: &Ty, depth: usize) -> Exp {
        let mark = self.mark();
        self.inside += 1;
        self.vars.extend(vars.iter().map(|(name, ty)| ((*name).to_owned(), (*ty).clone())));
        let out = self.exp(ty, depth);
        self.inside -= 1;
        self.leave(&mark);
        out
    }

    /// An expression that sees more variables, evaluated once.
    fn with(&mut self, vars: &[(&str, &Ty)], ty: &Ty, depth: usize) -> Exp {
        let mark = self.mark();
        self.vars.extend(vars.iter().map(|(name, ty)| ((*name).to_owned(), (*ty).clone())));
        let out = self.exp(ty, depth);
        self.leave(&mark);
        out
    }

    /// `(\(x: t) -> body)`
    fn lambda(&mut self, params: &[&Ty], body: &Ty, depth: usize) -> Exp {
        let names: Vec<String> = params.iter().map(|_| self.fresh("x")).collect();
        let vars: Vec<(&str, &Ty)> = names.iter().map(String::as_str).zip(params.iter().copied()).collect();
        let body = self.within(&vars, body, depth);
        let heads: Vec<String> = vars.iter().map(|(name, ty)| format!("({name}: {})", ty.text())).collect();
        Exp::piece(format!("(\\{} -> @)", heads.join(" ")), vec![body])
    }

    /// An expression of the type.
    fn exp(&mut self, ty: &Ty, depth: usize) -> Exp {
        if let Some(exp) = self.common(ty, depth) {
            return exp;
        }
        match ty {
            Ty::Prim(prim) => self.scalar(*prim, depth),
            Ty::Tuple(items) => self.tuple(ty, items, depth),
            Ty::Record(fields) => self.record(ty, fields, depth),
            Ty::Sum(_, cases) => self.sum(ty, cases, depth),
            Ty::Array(n, elem) => self.array(n, elem, depth),
            Ty::Jagged(n, elem) => self.jagged(n, elem, depth),
            Ty::Deep(n, elem) => self.deep(n, elem, depth),
        }
    }

    fn int(&mut self, depth: usize) -> Exp {
        self.exp(&Ty::I64, depth)
    }

    fn condition(&mut self, depth: usize) -> Exp {
        self.exp(&Ty::Prim(Prim::Bool), depth)
    }

    /// A smaller depth.
    fn less(&mut self, depth: usize) -> usize {
        depth.saturating_sub(1 + self.random.below(2))
    }

    /// Some size that may be used here.
    fn some_size(&mut self) -> Size {
        let usable: Vec<Size> = self.sizes.iter().filter(|n| self.inside == 0 || !n.is_big()).cloned().collect();
        if !usable.is_empty() && self.random.percent(65) {
            return self.random.pick(&usable);
        }
        // The longest vectors that are kept in registers have 8 elements.
        Size::Const(if self.random.percent(5) { 8 } else { self.random.between(1, 5) })
    }

    /// A size that is not big.
    fn small_size(&mut self) -> Size {
        self.inside += 1;
        let size = self.some_size();
        self.inside -= 1;
        size
    }

    /// Whether an array of this size may be made here.
    fn affordable(&self, n: &Size) -> bool {
        self.inside == 0 || !n.is_big()
    }

    /// A variable of the type.
    fn variable(&mut self, ty: &Ty) -> Option<Exp> {
        let fitting: Vec<String> = self.vars.iter().filter(|(_, t)| t == ty).map(|(name, _)| name.clone()).collect();
        (!fitting.is_empty()).then(|| Exp::new(ty, self.random.pick(&fitting), vec![]))
    }
}
