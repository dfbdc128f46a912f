//! Bodies of parallel loops and attempts, and loops in functions that lead from one parallel loop to the next:
//! functions of their own that take what they use from a structure.

use crate::emitter::Emitter;
use crate::types::c_type;
use crate::units;
use crate::writer::Writer;
use base::Map;
use kernel::walk::{changed_vars, for_each_stm, free_vars};
use kernel::{Expr, Home, Stm, Type, Var};

/// A body that was moved into a function of its own.
struct Outlined {
    /// The function.
    function: String,
    /// The pointer to the structure with the values it uses.
    env: String,
    /// The structure.
    structure: String,
    /// Variables from outside that it changes.
    changed: Vec<Var>,
}

/// What a body takes from outside.
struct Captured {
    vars: Vec<Var>,
    /// Those that it changes.
    changed: Vec<Var>,
    /// Buffers whose blocks it needs, too: most bodies only read and write elements.
    blocks: Vec<Var>,
}

impl Emitter<'_> {
    pub(crate) fn parallel_loop(&mut self, var: Var, from: Expr, to: Expr, body: &[Stm]) {
        let (from, to) = (self.plain(from), self.plain(to));
        let index = self.var(var);
        self.out.open("{");
        let head = format!("for (int64_t {index} = from; {index} < to; {index}++) {{");
        let part = self.unmeasured(|emitter| emitter.outline(body, Some(var), "int64_t from, int64_t to", &head));
        let cost = self.cost(var, body);
        self.out.line("static double pace;");
        let call = if hands_on(body) { "rv_parallel_in_turn" } else { "rv_parallel" };
        self.out.line(format!("{call}(t, {from}, {to}, {cost}, &pace, {}, {});", part.function, part.env));
        self.out.close("}");
    }

    pub(crate) fn attempt(&mut self, stopped: Var, body: &[Stm]) {
        self.out.open("{");
        let part = self.unmeasured(|emitter| emitter.outline(body, None, "", "{"));
        self.out.line(format!("{} = rv_try(t, {}, {});", self.var(stopped), part.function, part.env));
        // What an attempt changed counts if it came to its end; otherwise it changed nothing.
        self.take_back(&part);
        self.out.close("}");
    }

    /// Makes vectors of this loop although the enclosing function is built with -O1.
    pub(crate) fn outlined_loop(&mut self, stm: &Stm) {
        self.out.open("{");
        let part = self.outline(std::slice::from_ref(stm), None, "", "{");
        self.out.line(format!("{}(t, {});", part.function, part.env));
        self.take_back(&part);
        self.out.close("}");
    }

    /// Takes over the variables that a function changed.
    fn take_back(&mut self, part: &Outlined) {
        for var in &part.changed {
            let names = self.names_of(*var);
            names.iter().for_each(|name| self.out.line(format!("{name} = {}.{name};", part.structure)));
        }
    }

    /// Writes the function, and at the present place the structure.
    fn outline(&mut self, body: &[Stm], index: Option<Var>, params: &str, head: &str) -> Outlined {
        let number = self.outlined_count;
        self.outlined_count += 1;
        let (function, structure) = (format!("rv_part_{number}"), format!("struct rv_env_{number}"));
        let vars: Vec<Var> =
            free_vars(&self.program.exprs, body).into_iter().filter(|var| Some(*var) != index).collect();
        let mut changed = changed_vars(body);
        changed.retain(|var| vars.contains(var));

        let outer = std::mem::take(&mut self.out);
        let text = self.outlined_body(body, &changed, head);
        let is_buffer = |var: &Var| matches!(self.program.vars[*var].ty, Type::Buffer(_));
        let needed = |var: &Var| changed.contains(var) || has_word(&text, &self.block(*var));
        let blocks = vars.iter().copied().filter(|var| is_buffer(var) && needed(var));
        let captured = Captured { blocks: blocks.collect(), vars, changed };
        if !captured.vars.is_empty() {
            self.structure(&structure, &captured);
        }
        let definition = std::mem::take(&mut self.out).finish();
        let comma = if params.is_empty() { "" } else { ", " };
        let function_head = format!("void {function}(rv_thread *t, void *from_outside{comma}{params})");
        self.out.open("{");
        if captured.vars.is_empty() {
            self.out.line("(void)from_outside;");
        } else {
            self.out.line(format!("{structure} *env = from_outside;"));
            self.unpack(&captured);
        }
        self.out.lines(&text);
        self.out.close("}");
        let finished = std::mem::replace(&mut self.out, outer).finish();
        let (function, structure) = match self.same_part(&[&definition, &finished], number, &captured.changed) {
            Some(same) => same,
            None => {
                let free = units::is_free(body, &self.leading);
                self.outlined.push(units::Part { structure: definition, head: function_head, body: finished, free });
                (function, structure)
            }
        };

        if captured.vars.is_empty() {
            return Outlined { function, env: "NULL".into(), structure: String::new(), changed: captured.changed };
        }
        let env = format!("rv_env_{number}");
        let values: Vec<String> = captured.vars.iter().map(|var| self.packed(*var, &captured)).collect();
        self.out.line(format!("{structure} {env} = {{{}}};", values.join(", ")));
        Outlined { function, env: format!("&{env}"), structure: env, changed: captured.changed }
    }

    /// The text of a body, as it stands inside of a function.
    fn outlined_body(&mut self, body: &[Stm], changed: &[Var], head: &str) -> String {
        self.out = Writer::inside_braces();
        let kept: Vec<Var> = body.iter().filter_map(kept).collect();
        kept.iter().for_each(|var| self.declare(*var));
        self.out.open(head);
        let leads = std::mem::replace(&mut self.leads, false);
        self.stms(body);
        self.leads = leads;
        for var in changed {
            let names = self.names_of(*var);
            names.iter().for_each(|name| self.out.line(format!("env->{name} = {name};")));
        }
        self.out.close("}");
        kept.into_iter().for_each(|var| self.release(var));
        std::mem::take(&mut self.out).finish()
    }

    /// The function and structure of an earlier part that differs only in the names of variables; otherwise the new
    /// part is remembered. What changes variables is known by their names outside.
    fn same_part(&mut self, texts: &[&str; 2], number: usize, changed: &[Var]) -> Option<(String, String)> {
        if !changed.is_empty() {
            return None;
        }
        let form = form_of(texts, &format!("rv_env_{number}"));
        let first = *self.parts.entry(form).or_insert(number);
        (first != number).then(|| (format!("rv_part_{first}"), format!("struct rv_env_{first}")))
    }

    /// The C variables of a variable.
    fn names_of(&self, var: Var) -> Vec<String> {
        match self.program.vars[var].ty {
            Type::Scalar(_) => vec![self.var(var)],
            Type::Buffer(_) => vec![self.var(var), self.block(var)],
        }
    }

    fn structure(&mut self, name: &str, captured: &Captured) {
        self.out.open(format!("{name} {{"));
        for var in &captured.vars {
            self.out.line(format!("{};", self.declaration(*var)));
            if captured.blocks.contains(var) {
                self.out.line(format!("rv_block *{};", self.block(*var)));
            }
        }
        self.out.close("};");
    }

    /// Locals of the same names: the C compiler need not think that stores to memory change them.
    fn unpack(&mut self, captured: &Captured) {
        for var in &captured.vars {
            let name = self.var(*var);
            let constant = !captured.changed.contains(var);
            match self.program.vars[*var].ty {
                Type::Scalar(prim) => {
                    let word = if constant { "const " } else { "" };
                    self.out.line(format!("{word}{} {name} = env->{name};", c_type(prim)));
                }
                Type::Buffer(prim) => {
                    let word = if constant { "const " } else { "" };
                    let alone = if self.is_alone(*var, &captured.vars) { "restrict " } else { "" };
                    self.out.line(format!("{} *{alone}{word}{name} = env->{name};", c_type(prim)));
                    if captured.blocks.contains(var) {
                        let block = self.block(*var);
                        self.out.line(format!("rv_block *{word}{block} = env->{block};"));
                    }
                }
            }
        }
    }

    /// Whether none of the other variables refers to the memory of a buffer.
    fn is_alone(&self, buffer: Var, vars: &[Var]) -> bool {
        let home = |var: Var| self.program.vars[var].home;
        match home(buffer) {
            Home::Any => false,
            Home::Local(_) => true,
            Home::New(_) => !vars.iter().any(|var| *var != buffer && home(*var) == home(buffer)),
        }
    }

    fn packed(&self, var: Var, captured: &Captured) -> String {
        match captured.blocks.contains(&var) {
            true => format!("{}, {}", self.var(var), self.block(var)),
            false => self.var(var),
        }
    }
}

/// The buffer that a statement keeps from one turn to another.
fn kept(stm: &Stm) -> Option<Var> {
    match stm {
        Stm::Keep(var) => Some(*var),
        _ => None,
    }
}

/// Texts of C with variables numbered in the order in which they occur: equal if one is the other with other names.
fn form_of(texts: &[&str; 2], own_structure: &str) -> String {
    let mut numbers: Map<&str, usize> = Map::default();
    let mut form = String::new();
    for text in texts {
        let mut rest = *text;
        while let Some(start) = rest.find(is_word) {
            form.push_str(&rest[..start]);
            let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
            let word = &rest[start..end];
            if word == own_structure {
                form.push_str("$env");
            } else if is_variable(word) {
                let next = numbers.len();
                let number = *numbers.entry(word).or_insert(next);
                form.push_str(&format!("${number}"));
            } else {
                form.push_str(word);
            }
            rest = &rest[end..];
        }
        form.push_str(rest);
        form.push('\n');
    }
    form
}

/// Whether a name occurs in a text of C.
fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_word) && !behind.starts_with(is_word)
    })
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

/// Whether a word is the name of a variable (see `names.rs`) and surely of nothing else: a name, a number, and perhaps
/// the variables of the block or of the end of a loop.
fn is_variable(word: &str) -> bool {
    let word = word.strip_suffix("_b").or_else(|| word.strip_suffix("_end")).unwrap_or(word);
    match word.rsplit_once('_') {
        Some((name, number)) if !word.starts_with("rv_") || name == "rv_results" => {
            !name.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        }
        _ => false,
    }
}

/// Whether iterations wait for those before them: then threads take them one by one.
fn hands_on(body: &[Stm]) -> bool {
    let mut found = false;
    for_each_stm(body, &mut |stm| found |= matches!(stm, Stm::Relay { .. }));
    found
}
