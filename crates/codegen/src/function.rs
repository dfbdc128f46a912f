//! Functions.

use crate::emitter::Emitter;
use crate::types::c_type;
use crate::units;
use crate::writer::Writer;
use kernel::{FunId, Type};

impl Emitter<'_> {
    /// The type of the results, if it needs a definition, and the head of the function.
    pub(crate) fn prototype(&self, id: FunId) -> String {
        let results = &self.program.functions[id].results;
        let mut out = String::new();
        if let Some(name) = self.results_name(id) {
            let field = |(index, ty): (usize, &Type)| match ty {
                Type::Scalar(prim) => format!("{} r{index};", c_type(*prim)),
                Type::Buffer(prim) => format!("{} *r{index}; rv_block *b{index};", c_type(*prim)),
            };
            let fields: Vec<String> = results.iter().enumerate().map(field).collect();
            out.push_str(&format!("typedef struct {{ {} }} {name};\n", fields.join(" ")));
        }
        out + &self.head(id) + ";\n"
    }

    /// The structure of several results or of buffers.
    fn results_name(&self, id: FunId) -> Option<String> {
        match self.program.functions[id].results[..] {
            [] | [Type::Scalar(_)] => None,
            _ => Some(format!("{}_results", self.function_name(id))),
        }
    }

    fn head(&self, id: FunId) -> String {
        let function = &self.program.functions[id];
        let result = match function.results[..] {
            [] => "void".to_owned(),
            [Type::Scalar(prim)] => c_type(prim).to_owned(),
            _ => self.results_name(id).unwrap_or_default(),
        };
        let mut params = vec!["rv_thread *t".to_owned()];
        for param in &function.params {
            params.push(self.declaration(*param));
            if let Type::Buffer(_) = self.program.vars[*param].ty
                && self.counted.contains(param)
            {
                params.push(format!("rv_block *{}", self.block(*param)));
            }
        }
        format!("RV_PART {result} {}({})", self.function_name(id), params.join(", "))
    }

    /// The function, after the parts that were outlined from it.
    pub(crate) fn function(&mut self, id: FunId) -> units::Function {
        let function = &self.program.functions[id];
        self.out = Writer::default();
        self.outlined.clear();
        self.function = Some(self.function_name(id));
        self.out.open(format!("{} {{", self.head(id)));
        if let Some(site) = function.too_deep {
            self.out.line(format!("if (RV_TOO_DEEP(t)) rv_fail(t, {}, 0, NULL);", site.0));
        }
        self.leads = self.leading.contains(&id);
        self.stms(&function.body);
        self.out.close("}");
        let (parts, text) = (std::mem::take(&mut self.outlined), std::mem::take(&mut self.out).finish());
        units::Function { parts, text, leads: self.leads }
    }
}
