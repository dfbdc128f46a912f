//! Entry points: from components to parameters, from results to components.

use crate::emitter::Emitter;
use crate::types::{c_type, unsigned_type};
use crate::writer::Writer;
use kernel::{Entry, Type};
use scalar::Prim;

impl Emitter<'_> {
    /// The function that calls an entry point by its number.
    pub(crate) fn entries(&mut self) -> String {
        self.out = Writer::default();
        self.out.open("static void rv_enter(rv_thread *t, int32_t entry, const rv_value *in, rv_value *out) {");
        self.out.line("(void)t, (void)in, (void)out;");
        self.out.open("switch (entry) {");
        for (number, entry) in self.program.entries.iter().enumerate() {
            self.out.open(format!("case {number}: {{ /* {} */", comment(entry.name.as_str())));
            self.entry(entry);
            self.out.line("return;");
            self.out.close("}");
        }
        self.out.close("}");
        self.out.close("}");
        std::mem::take(&mut self.out).finish()
    }

    fn entry(&mut self, entry: &Entry) {
        let function = &self.program.functions[entry.function];
        let mut args = String::new();
        for (index, param) in function.params.iter().enumerate() {
            args.push_str(&match self.program.vars[*param].ty {
                Type::Scalar(prim) => format!(", {}", self.scalar_in(prim, index)),
                Type::Buffer(_) => format!(", in[{index}].data, NULL"),
            });
        }
        let call = format!("{}(t{args})", self.function_name(entry.function));
        match function.results[..] {
            [] => self.out.line(format!("{call};")),
            [Type::Scalar(prim)] => {
                self.out.line(format!("{} result = {call};", c_type(prim)));
                self.scalar_out(prim, "result", 0);
            }
            _ => {
                self.out.line(format!("{}_results results = {call};", self.function_name(entry.function)));
                for (index, ty) in function.results.iter().enumerate() {
                    match ty {
                        Type::Scalar(prim) => self.scalar_out(*prim, &format!("results.r{index}"), index),
                        Type::Buffer(_) => {
                            self.out.line(format!("out[{index}] = rv_give(results.r{index}, results.b{index});"));
                        }
                    }
                }
            }
        }
    }

    fn scalar_in(&mut self, prim: Prim, index: usize) -> String {
        let bits = format!("({})in[{index}].bits", unsigned_type(prim));
        match prim {
            Prim::F32 | Prim::F64 => format!("{}({bits})", self.of_bits(prim)),
            _ => format!("({}){bits}", c_type(prim)),
        }
    }

    fn scalar_out(&mut self, prim: Prim, value: &str, index: usize) {
        let bits = match prim {
            Prim::F32 | Prim::F64 => format!("{}({value})", self.bits_of(prim)),
            _ => format!("({}){value}", unsigned_type(prim)),
        };
        self.out.line(format!("out[{index}] = (rv_value){{.bits = {bits}}};"));
    }
}

/// A name that ends no comment.
fn comment(name: &str) -> String {
    name.replace("*/", "* /")
}
