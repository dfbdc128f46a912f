//! Names and modules: E0100 to E0199.

use crate::Checker;
use crate::scope::Namespace;
use base::{Diagnostic, Name, Span, spell};
use syntax::ast::{DecKind, Ident, QualName, ValueDec};

/// With more errors than this nobody reads the suggestions, and each costs a look at every name.
const SUGGESTIONS: usize = 100;

impl Checker<'_> {
    /// Adds "did you mean" if something close is known.
    fn suggest<'n>(&self, error: Diagnostic, wrong: &str, known: impl Iterator<Item = &'n str>) -> Diagnostic {
        if self.diagnostics.len() >= SUGGESTIONS {
            return error;
        }
        match spell::closest(wrong, known) {
            Some(close) => error.help(format!("did you mean `{close}`?")),
            None => error,
        }
    }

    pub(crate) fn unknown_name(&mut self, name: &Ident) {
        if self.name_of_other_clause(name) {
            return;
        }
        if let Some(array) = self.headers_of.iter().find(|a| a.name == name.name).copied() {
            return self.structure_depends_on(array, name.span);
        }
        let error = Diagnostic::error("E0101", format!("unknown name `{}`", name.name), name.span, "not in scope here");
        let error = match (foreign_name(name.name.as_str()), self.defined_below(name)) {
            _ if self.defining.contains(&name.name) => error.help(format!(
                "an array whose elements depend on one another is defined with `rec`: `let rec {} = ...`",
                name.name
            )),
            _ if self.functions.contains(&name.name) => {
                error.note("a local function is not in scope of itself, so it cannot call itself").help(
                    if self.is_ravel() { "define it at the top level with `def`, or use `loop`" } else { "use `loop`" },
                )
            }
            (Some(hint), _) => error.help(hint),
            (None, Some(found)) => error.label(found.name.span, "defined here, further down").help(self.order(found)),
            (None, None) => self.suggest(error, name.name.as_str(), self.known_names()),
        };
        self.report(error);
    }

    /// `{ [i] => a; [i + n] => b for i < n }`: a name whose `for` belongs to another clause. Reported once for a name.
    fn name_of_other_clause(&mut self, name: &Ident) -> bool {
        let Some(found) = self.clause_names.iter_mut().rev().find(|n| n.name == name.name) else { return false };
        if std::mem::replace(&mut found.reported, true) {
            return true;
        }
        let (qualifier, in_else) = (found.qualifier, found.in_else);
        // Other names of that clause have the same trouble.
        self.clause_names.iter_mut().for_each(|n| n.reported = true);
        let text = self.sources.slice(qualifier);
        let text = if text.contains('\n') || text.len() > 60 { "for i < n" } else { text };
        let help = match in_else {
            true => format!("`else` names the subscripts itself: `else [{}] => ...`", name.name),
            false => format!("to share it, put the clauses in braces after it: `{text} {{ [i] => a; [i + n] => b }}`"),
        };
        let title = format!("`{}` belongs to another clause", name.name);
        let error = Diagnostic::error("E0101", title, name.span, "not in scope here")
            .label(qualifier, "in scope in this clause only")
            .help(help);
        self.report(error);
        true
    }

    /// A definition of the same file that comes too late to be seen.
    fn defined_below(&self, name: &Ident) -> Option<&'_ ValueDec> {
        if self.diagnostics.len() >= SUGGESTIONS {
            return None;
        }
        let values = self.units[self.current].ast.decs.iter().filter_map(|dec| match &dec.kind {
            DecKind::Value(value) => Some(value),
            DecKind::Type(_) | DecKind::ModuleType { .. } | DecKind::Module { .. } => None,
            DecKind::Open(_) | DecKind::Import { .. } | DecKind::Error => None,
        });
        values.filter(|v| v.name.name == name.name).find(|v| v.name.span.start > name.span.start)
    }

    /// How to make a later definition visible.
    fn order(&self, later: &ValueDec) -> String {
        let name = later.name.name;
        let open = self.open_defs.iter().map(|d| self.program.defs[d.def].name).next();
        match open {
            _ if !self.is_ravel() => format!(
                "put the definition of `{name}` before this one; definitions that call each other need a \
                 file that ends in `.rv`"
            ),
            Some(here) if later.rec => format!(
                "put the definition of `{name}` before this one; if the two call each other, write them directly \
                 after each other: `def rec {here} ...` and `def rec {name} ...`"
            ),
            Some(here) => format!(
                "put the definition of `{name}` before this one; if the two call each other, write both with `rec`, \
                 one directly after the other: `def rec {here} ...` and `def rec {name} ...`"
            ),
            None => format!("put the definition of `{name}` before this one"),
        }
    }

    /// A name in the size of an array type that nothing declares.
    pub(crate) fn undeclared_size(&mut self, name: &Ident) {
        let size = name.name;
        let error = Diagnostic::error("E0101", format!("unknown name `{size}`"), name.span, "not in scope here")
            .note("a size in a type is declared before the parameters, or is an `i64` in scope; `[]` leaves it open")
            .help(format!("declare it: `def f [{size}] (a: [{size}]...) = ...`"));
        // Of one or two letters, anything is close.
        let error = match size.as_str().len() {
            0..=2 => error,
            _ => self.suggest(error, size.as_str(), self.known_names()),
        };
        self.report(error);
    }

    pub(crate) fn unknown_member(&mut self, module: &Ident, name: &Ident, names: &Namespace) {
        let title = format!("module `{}` has no member `{}`", module.name, name.name);
        let error = Diagnostic::error("E0102", title, name.span, "unknown member");
        let known = names.values.keys().chain(names.modules.keys()).map(|n| n.as_str());
        let error = self.suggest(error, name.name.as_str(), known);
        self.report(error);
    }

    pub(crate) fn unknown_type(&mut self, name: &QualName) {
        let text = name.name.name.as_str();
        let error = Diagnostic::error("E0103", format!("unknown type `{text}`"), name.span(), "no type of this name");
        let error = match foreign_type(text) {
            Some(hint) => error.help(hint),
            None => {
                let known = self.env.frames.iter().flat_map(|f| f.types.keys().map(|n| n.as_str()));
                self.suggest(error, text, known)
            }
        };
        self.report(error);
    }

    pub(crate) fn unknown_module(&mut self, name: &Ident) {
        let error =
            Diagnostic::error("E0104", format!("unknown module `{}`", name.name), name.span, "no module of this name");
        let known = self.env.frames.iter().flat_map(|f| f.modules.keys().map(|n| n.as_str()));
        let error = self.suggest(error, name.name.as_str(), known);
        self.report(error);
    }

    pub(crate) fn unknown_module_type(&mut self, name: &QualName) {
        let title = format!("unknown module type `{}`", name.name.name);
        let error = Diagnostic::error("E0105", title, name.span(), "no module type of this name");
        self.report(error);
    }

    pub(crate) fn unknown_size_name(&mut self, name: &Ident, what: &str) {
        let title = format!("unknown {what} `{}`", name.name);
        let declare = if what == "shape" { format!("[..{}]", name.name) } else { format!("[~{}]", name.name) };
        let error = Diagnostic::error("E0106", title, name.span, "not in scope here")
            .note(format!("a {what} is a parameter of the definition, or a vector of `i64` in scope"))
            .help(format!("declare it: `def f {declare} ...`"));
        self.report(error);
    }

    pub(crate) fn module_as_value(&mut self, name: &Ident) {
        let title = format!("`{}` is a module, not a value", name.name);
        let help = match scalar::Prim::from_name(name.name.as_str()) {
            Some(prim) => format!("a conversion names both types: `{}.i32`, `{}.f32`, ...", prim.name(), prim.name()),
            None => format!("name one of its members, as in `{}.name`", name.name),
        };
        let error = Diagnostic::error("E0107", title, name.span, "a module").help(help);
        self.report(error);
    }

    pub(crate) fn parametric_where_plain(&mut self, span: Span) {
        let error = Diagnostic::error("E0108", "this module takes a parameter", span, "not applied to an argument")
            .help("apply it to a module first: `module m = f { ... }`");
        self.report(error);
    }

    pub(crate) fn plain_where_parametric(&mut self, span: Span) {
        let error =
            Diagnostic::error("E0109", "this module takes no parameter", span, "applied like a parametric module");
        self.report(error);
    }

    pub(crate) fn missing_member(&mut self, what: &str, name: &Ident, span: Span) {
        let title = format!("the module lacks the {what} `{}`", name.name);
        let error = Diagnostic::error("E0110", title, span, format!("this module has no {what} `{}`", name.name))
            .label(name.span, "the module type requires it here");
        self.report(error);
    }

    pub(crate) fn member_type_differs(&mut self, name: &Ident, span: Span, why: &str) {
        let title = format!("`{}` does not have the type that the module type gives it", name.name);
        let error = Diagnostic::error("E0111", title, span, "this module").label(name.span, "specified here").note(why);
        self.report(error);
    }

    pub(crate) fn refine_known_type(&mut self, name: &QualName) {
        let title = format!("`{}` is not an abstract type of this module type", name.name.name);
        let error = Diagnostic::error("E0112", title, name.span(), "cannot be refined")
            .note("`with` defines an abstract type, but this one is defined already");
        self.report(error);
    }

    pub(crate) fn bound_twice(&mut self, name: Ident, earlier: Span) {
        let title = format!("`{}` is bound twice", name.name);
        let error = Diagnostic::error("E0113", title, name.span, "bound again here").label(earlier, "also bound here");
        self.report(error);
    }

    pub(crate) fn declared_twice(&mut self, name: Ident, earlier: Span) {
        let title = format!("`{}` is defined twice", name.name);
        let error = Diagnostic::error("E0114", title, name.span, "defined again here")
            .label(earlier, "previously defined here")
            .help("rename or remove one of them");
        self.report(error);
    }

    pub(crate) fn underscore_used(&mut self, name: Name, span: Span) {
        let title = format!("`{name}` is used although its name begins with an underscore");
        let error = Diagnostic::error("E0116", title, span, "used here")
            .note("a name that begins with an underscore says that the value is not needed")
            .help("rename it");
        self.report(error);
    }

    pub(crate) fn lazy_operator_defined(&mut self, name: Ident) {
        let title = format!("`{}` cannot be redefined", name.name);
        let error = Diagnostic::error("E0117", title, name.span, "defined here")
            .note("`&&` and `||` evaluate their right operand only if needed, which no function can do")
            .help("choose another operator, such as `&&&`");
        self.report(error);
    }

    pub(crate) fn anonymous_size_in_spec(&mut self, span: Span) {
        let error = Diagnostic::error("E0118", "a parameter's size has no name here", span, "anonymous")
            .note("in a module type the sizes of parameters must be non-anonymous, so that it is clear which are equal")
            .help("declare it: `val f [n] : [n]i32 -> i32`");
        self.report(error);
    }

    pub(crate) fn entry_in_module(&mut self, name: Ident) {
        let error = Diagnostic::error("E0119", "entry points cannot be inside modules", name.span, "inside a module")
            .help("use `def` here, and add an entry point at top level that calls it");
        self.report(error);
    }

    pub(crate) fn duplicate(&mut self, what: &str, name: Ident) {
        let title = format!("duplicate {what} `{}`", name.name);
        let error = Diagnostic::error("E0115", title, name.span, "given twice");
        self.report(error);
    }
}

/// Types of other languages, and what they are called here.
fn foreign_type(name: &str) -> Option<String> {
    let known = match name {
        "int" | "integer" | "Int" | "Integer" => "integers have a width: `i32` or `i64`",
        "uint" | "unsigned" => "integers have a width: `u32` or `u64`",
        "float" | "Float" | "real" | "number" => "floats have a width: `f32` or `f64`",
        "double" | "Double" => "did you mean `f64`?",
        "half" => "did you mean `f16`?",
        "long" | "isize" => "did you mean `i64`?",
        "short" => "did you mean `i16`?",
        "usize" => "did you mean `i64`? Sizes and indices are signed",
        "byte" | "char" | "Char" => "did you mean `u8`? A string is an array of bytes: `[]u8`",
        "string" | "str" | "String" => "a string is an array of bytes: `[]u8`",
        "boolean" | "Bool" | "Boolean" => "did you mean `bool`?",
        "void" | "unit" => "the type of the empty tuple is `()`",
        "list" | "List" | "array" | "Array" | "vector" => "an array type is written `[]t`, or `[n]t` with its length",
        _ => {
            // `float64`, `int32`, `uint8`: only the word before the width differs.
            let width = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let kind = match &name[..name.len() - width.len()] {
                "float" | "Float" | "real" => 'f',
                "int" | "Int" => 'i',
                "uint" | "UInt" | "Word" => 'u',
                _ => return None,
            };
            let meant = format!("{kind}{width}");
            return scalar::Prim::ALL.iter().any(|p| p.name() == meant).then(|| format!("did you mean `{meant}`?"));
        }
    };
    Some(known.to_string())
}

/// Names from other languages, and what they are called here.
fn foreign_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "len" | "size" => "the length of an array is `length xs`",
        "fold" => "use `foldl`, `foldr`, or `reduce` for an associative operator",
        "range" | "arange" => "use `iota n` or a range such as `0..<n`",
        "print" | "println" => "programs are pure: return the value, or use `trace`",
        "sum" => "sums are by type: `f64.sum xs`, `i32.sum xs`",
        "sqrt" | "exp" | "log" | "sin" | "cos" | "abs" | "max" | "min" | "pow" => {
            "numeric functions are by type: `f64.sqrt`, `i32.max`, ..."
        }
        "zeros" => "use `replicate n 0`",
        "append" => "use `xs ++ ys`",
        "True" | "False" => "the truth values are `true` and `false`",
        "pi" | "PI" => "the constants belong to a type: `f64.pi`, `f64.e`",
        "inf" | "nan" | "infinity" | "NaN" => "these belong to a type: `f64.inf`, `f64.nan`",
        "return" => "a function's result is the expression after `=`: leave out `return`",
        "None" | "null" | "nil" => "there is no such value: use a sum type such as `#none | #some t`",
        "vjp" | "jvp" | "vjp2" | "jvp2" | "grad" => "automatic differentiation is not supported yet",
        "where" => "a condition on what a generator gives is written with `if`: `[x for x in xs if x > 0]`",
        "lambda" => "a function is written `\\x y -> result`",
        "<>" | "/=" | "=/=" | "!==" => "not equal is written `!=`",
        "===" => "equal is written `==`",
        "fst" => "the parts of a tuple are `p.0` and `p.1`",
        "snd" => "the parts of a tuple are `p.0` and `p.1`",
        "+=" | "-=" | "*=" => "names do not change their value: write `let x = x + 1 in ...`, or use `loop`",
        "elif" | "elsif" | "elseif" => "write `else if`",
        "str" | "string" => "text is an array of bytes: `[]u8`",
        "enumerate" => "indices and elements together are `zip (indices xs) xs`, or `[... for i < n, x in xs]`",
        "head" | "first" => "the first element is `xs[0]`",
        _ => return None,
    })
}
