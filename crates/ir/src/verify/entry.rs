//! Entries: their functions take and give what the layouts say.

use super::rule::Rule;
use super::scope::Verifier;
use super::violation::Violation;
use crate::{Atom, Entry, Layout, Var, component_types};

impl Verifier<'_> {
    pub(super) fn entry(&mut self, entry: &Entry) {
        let Entry { name, function, params, results } = entry;
        let Some(called) = self.program.functions.get(*function) else {
            return self.entry_fault(name.as_str(), "there is no such function");
        };
        self.function = *function;
        if !self.components_fit(params.iter().map(|(_, layout)| layout), &called.params) {
            self.entry_fault(name.as_str(), "the parameters are not the components of the arguments");
        }
        if !self.components_fit(results.iter(), &called.results) {
            self.entry_fault(name.as_str(), "the results are not the components of the layouts");
        }
    }

    fn components_fit<'l>(&self, layouts: impl Iterator<Item = &'l Layout>, vars: &[Var]) -> bool {
        let mut rest = vars;
        for layout in layouts {
            let count = layout.components().len();
            let Some((these, more)) = rest.split_at_checked(count) else { return false };
            let atoms: Vec<Atom> = these.iter().copied().map(Atom::Var).collect();
            let Some(types) = component_types(layout, &atoms) else { return false };
            if !these.iter().zip(&types).all(|(var, ty)| self.same_type(&self.ty(*var), ty)) {
                return false;
            }
            rest = more;
        }
        rest.is_empty()
    }

    fn entry_fault(&mut self, name: &str, detail: &str) {
        self.found.push(Violation {
            rule: Rule::Entry,
            function: name.to_string(),
            statement: String::new(),
            detail: detail.to_string(),
        });
    }
}
