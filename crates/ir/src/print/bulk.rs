//! Bulk forms as text: the outputs, then the steps.

use super::Printer;
use crate::{
    Atom, Block, Bulk, Chunks, Coverage, Emit, Kind, Mark, Output, Parts, Scan, Split, Step, Tables, Tree, Var,
};

impl Printer<'_> {
    pub(super) fn bulk(&mut self, bulk: &Bulk) {
        let Bulk { outputs, steps, scheduled } = bulk;
        self.put(if *scheduled { "bulk scheduled {" } else { "bulk {" });
        self.depth += 1;
        for output in outputs {
            self.line();
            self.output(output);
        }
        self.steps(steps, outputs.len() == 1);
        self.depth -= 1;
        self.line();
        self.put("}");
    }

    fn output(&mut self, output: &Output) {
        let Output { kind, sizes, elems } = output;
        match kind {
            Kind::Gen { shape, otherwise, coverage, rec } => {
                self.put("out gen ");
                self.dims(shape);
                self.value(sizes, elems);
                self.rec(rec);
                self.coverage(coverage);
                if let Some(block) = otherwise {
                    self.put(" otherwise");
                    self.block(block);
                }
            }
            Kind::Update { arrays, skip, rec } => {
                self.consumer("out update (", arrays);
                self.value(sizes, elems);
                self.skip(*skip);
                self.rec(rec);
            }
            Kind::Accum { arrays, skip, op, tree } => {
                self.consumer("out accum (", arrays);
                self.value(sizes, elems);
                self.skip(*skip);
                self.tree(*tree, Tree::Uncut);
                self.put(" by ");
                self.region(op);
            }
            Kind::Reduce { op, neutral, commutes, tree } => {
                self.put("out reduce");
                self.value(sizes, elems);
                self.from(neutral);
                self.put(if *commutes { " commutes" } else { "" });
                self.tree(*tree, Tree::PLAIN);
                self.put(" by ");
                self.region(op);
            }
            Kind::Keep => {
                self.put("out keep");
                self.value(sizes, elems);
            }
        }
    }

    /// ` of (sizes; elems)`.
    fn value(&mut self, sizes: &[Var], elems: &[Var]) {
        self.put(" of (");
        if !sizes.is_empty() {
            self.list(sizes, |p, var| p.binder(*var));
            self.put("; ");
        }
        self.list(elems, |p, var| p.binder(*var));
        self.put(")");
    }

    fn consumer(&mut self, head: &str, arrays: &[Var]) {
        self.put(head);
        self.list(arrays, |p, var| p.var(*var));
        self.put(")");
    }

    fn skip(&mut self, skip: bool) {
        self.put(if skip { " skip" } else { "" });
    }

    fn from(&mut self, neutral: &[Atom]) {
        self.put(" from (");
        self.atoms(neutral);
        self.put(")");
    }

    /// ` in TREE`; nothing if it is the usual one.
    fn tree(&mut self, tree: Tree, usual: Tree) {
        if tree == usual {
            return;
        }
        self.put(&match tree {
            Tree::Free => " in any order".into(),
            Tree::Tables(Tables { each, small, least, weight }) => {
                format!(" in any order tables {each} up to {small} from {least} weight {weight}")
            }
            Tree::InOrder => " in order".into(),
            Tree::Uncut => " uncut".into(),
            Tree::Parts(Parts { parts, least, turns, elements }) => {
                format!(" in parts {parts} from {least} turns {turns} elements {elements}")
            }
            Tree::Chunks(Chunks { block, lanes, chains, loops }) => {
                let width = if lanes * chains == 1 { String::new() } else { format!(" lanes {lanes} chains {chains}") };
                let loops = if loops == 1 { String::new() } else { format!(" loops {loops}") };
                format!(" in blocks {block}{width}{loops}")
            }
        });
    }

    fn rec(&mut self, rec: &[Var]) {
        if !rec.is_empty() {
            self.put(" rec ");
            self.binders(rec);
        }
    }

    fn coverage(&mut self, coverage: &Coverage) {
        match coverage {
            Coverage::Exact => {}
            Coverage::Checked { collision, gap, cycle, called } => {
                self.put(" checked (");
                self.list([collision, gap, cycle], |p, site| {
                    let name = p.names.site(p.program, *site).to_string();
                    p.put(&name);
                });
                self.put(")");
                if let Some(called) = called {
                    self.put(" called ");
                    self.atom(*called);
                }
            }
        }
    }

    /// Steps, a line each. The number of the output is left out if there is but one.
    fn steps(&mut self, steps: &[Step], single: bool) {
        for step in steps {
            self.line();
            match step {
                Step::For { var, count, mark, body } => {
                    self.put("for ");
                    self.var(*var);
                    self.put(" < ");
                    self.atom(*count);
                    self.put(match mark {
                        Mark::Open => "",
                        Mark::Sequential(Split::No) => " sequential",
                        Mark::Sequential(Split::Middle) => " sequential split",
                        Mark::Simd => " simd",
                        Mark::Threads(Split::No) => " threads",
                        Mark::Threads(Split::Middle) => " threads split",
                    });
                    self.nested(body, single);
                }
                Step::Let(stm) => self.stm(stm),
                Step::Guard(cond, body) => {
                    self.put("if ");
                    self.atom(*cond);
                    self.nested(body, single);
                }
                Step::Scan(scan) => self.scan(scan),
                Step::Emit(emit) => self.emit(emit, single),
            }
        }
    }

    fn nested(&mut self, steps: &[Step], single: bool) {
        self.put(" {");
        self.depth += 1;
        self.steps(steps, single);
        self.depth -= 1;
        self.line();
        self.put("}");
    }

    fn emit(&mut self, emit: &Emit, single: bool) {
        let Emit { output, at, certs, value, span } = emit;
        self.put("emit ");
        self.certs(certs);
        if !(single && *output == 0) {
            self.put(&format!("{output} "));
        }
        if !at.is_empty() {
            self.indices(at);
            self.put(" ");
        }
        self.value_block(value);
        self.span(*span);
    }

    fn scan(&mut self, scan: &Scan) {
        let Scan { vars, op, neutral, tree, value, span } = scan;
        self.put("scan ");
        self.binders(vars);
        self.from(neutral);
        self.tree(*tree, Tree::PLAIN);
        self.put(" by ");
        self.region(op);
        self.put(" of ");
        self.value_block(value);
        self.span(*span);
    }

    /// A block after a space; its results alone if it has no statements.
    fn value_block(&mut self, value: &Block) {
        if value.stms.is_empty() {
            self.results(&value.result);
        } else {
            self.out.pop();
            self.block(value);
        }
    }
}
