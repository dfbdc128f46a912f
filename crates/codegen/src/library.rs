//! Libraries: a C file with functions that have proper types, and its header.

use crate::excerpt::Locate;
use crate::interface::{Array, Function, Leaf, element, functions};
use crate::message::quoted;
use crate::runtime::{self, Caller, FORM};
use crate::translate::translate;
use crate::units::LEADING;
use crate::writer::Writer;
use kernel::Program;
use scalar::DimKind;

/// A library in C.
#[derive(Clone, Debug)]
pub struct CLibrary {
    /// The text of the C file.
    pub source: String,
    /// How many C compilers can work on it at once, as in [`CProgram`](crate::CProgram).
    pub units: usize,
    /// Whether it can be linked with the run-time system, as in [`CProgram`](crate::CProgram).
    pub linked: bool,
    /// The text of the header.
    pub header: String,
    /// The functions that call entry points.
    pub functions: Vec<Function>,
    /// The types of array objects.
    pub arrays: Vec<Array>,
}

/// The library of this name, which begins the names of all its functions, with entry points of these types. Fails with
/// an entry point and a reason if that cannot be called from C.
pub fn library(program: &Program, name: &str, types: &[String], locate: &Locate) -> Result<CLibrary, (String, String)> {
    let functions = functions(name, &program.entries, types)?;
    let leaves = functions.iter().flat_map(|f| f.params.iter().chain(&f.results)).flatten();
    let mut arrays: Vec<Array> = leaves.filter_map(Leaf::array).collect();
    arrays.sort();
    arrays.dedup();
    let c = translate(program, Some(locate), Caller::Own, false);
    let help = format!("the argument `memory_limit` of `{name}_context_new` sets another limit");
    let mut source = format!("#define RV_MEMORY_HELP {}\n{}", quoted(&help), c.text);
    source.push_str(&format!("#if RV_HERE({LEADING})\n{FORM}"));
    source.push_str(&runtime::listener(&c.traces, locate));
    source.push_str(runtime::LIBRARY);
    source.push_str(&format!("\n#include \"{name}.h\"\n\n"));
    source.push_str("#define RV_API __attribute__((visibility(\"default\")))\n\n");
    source.push_str(&definitions(name, &functions, &arrays));
    source.push_str("#endif\n");
    Ok(CLibrary {
        source,
        units: c.units,
        linked: c.linked,
        header: header(name, &functions, &arrays),
        functions,
        arrays,
    })
}

/// A function of the library: its comment, its type and name and parameters, its body.
struct Piece {
    comment: &'static str,
    head: String,
    body: Vec<String>,
}

fn header(name: &str, functions: &[Function], arrays: &[Array]) -> String {
    let mut out = Writer::default();
    let guard = format!("{}_H", name.to_ascii_uppercase());
    out.line(format!("/* The library {name}, compiled by Ravel.\n"));
    out.line("   A context belongs to one thread at a time; several threads each need their own. Functions that return an `int`");
    out.line("   return 0, or 1 after a failure, which the context then tells as text. Array objects belong to the caller, who");
    out.line("   frees them before their context. */");
    out.line(format!("#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n"));
    out.line("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    out.line(format!("typedef struct {name}_context {name}_context;\n"));
    for piece in contexts(name) {
        out.line(format!("/* {} */\n{};", piece.comment, piece.head));
    }
    for array in arrays {
        out.line(format!("\n/* Arrays {}, row after row. */", array.shown()));
        out.line(format!("typedef struct {name}_{0} {name}_{0};", array.name));
        for piece in array_functions(name, array) {
            out.line(format!("/* {} */\n{};", piece.comment, piece.head));
        }
    }
    for function in functions {
        out.line(format!("\n{}", about(function)));
        out.line(format!("{};", head(name, function)));
    }
    out.line("\n#ifdef __cplusplus\n}\n#endif\n#endif");
    out.finish()
}

fn definitions(name: &str, functions: &[Function], arrays: &[Array]) -> String {
    let mut out = Writer::default();
    let pieces = contexts(name).into_iter().chain(arrays.iter().flat_map(|array| array_functions(name, array)));
    for piece in pieces {
        out.open(format!("RV_API {} {{", piece.head));
        piece.body.iter().for_each(|line| out.line(line));
        out.close("}");
    }
    for (number, function) in functions.iter().enumerate() {
        out.open(format!("RV_API {} {{", head(name, function)));
        body(&mut out, name, number, function);
        out.close("}");
    }
    out.finish()
}

fn contexts(name: &str) -> Vec<Piece> {
    let context = format!("{name}_context");
    let piece = |comment, head: String, body: &str| Piece { comment, head, body: vec![body.to_owned()] };
    vec![
        piece(
            "A new context, or null if there is no memory. 0 threads: one a core; limit 0: three quarters of the available memory.",
            format!("{context} *{context}_new(int64_t threads, int64_t memory_limit)"),
            &format!("return ({context} *)rv_host_new(threads, memory_limit);"),
        ),
        piece(
            "Frees a context; null is fine.",
            format!("void {context}_free({context} *context)"),
            "rv_host_free((rv_host *)context);",
        ),
        piece(
            "Why the last function with this context failed, until the next one is called; null if it did not.",
            format!("const char *{context}_error(const {context} *context)"),
            "return context ? ((const rv_host *)context)->error : \"there is no context\\n\";",
        ),
    ]
}

/// What can be done with a type of arrays.
fn array_functions(name: &str, array: &Array) -> Vec<Piece> {
    let ty = format!("{name}_{}", array.name);
    let context = format!("{name}_context *context");
    let mut pieces = constructors(&ty, &context, array);
    pieces.push(Piece {
        comment: "Frees an array; null is fine.",
        head: format!("void {ty}_free({context}, {ty} *array)"),
        body: vec!["rv_array_free((rv_host *)context, (rv_array *)array);".to_owned()],
    });
    pieces.extend(questions(&ty, array));
    pieces
}

/// Functions that make an array, by where its elements are.
fn constructors(ty: &str, context: &str, array: &Array) -> Vec<Piece> {
    let dim = |(i, letter): (usize, char)| match letter {
        'n' => format!(", int64_t n{i}"),
        '~' => format!(", const int64_t *offsets{i}"),
        _ => ", int64_t rank, const int64_t *shape".to_owned(),
    };
    let (elem, dims) = (array.element(), array.dims.chars().enumerate().map(dim).collect::<String>());
    let make = |comment, name: &str, constant: &str, how: &str| {
        let mut body = sides(array);
        body.push(format!("return ({ty} *)rv_array_new((rv_host *)context, data, sizeof *data, rank_, sides, {how});"));
        Piece { comment, head: format!("{ty} *{ty}_{name}({context}, {constant}{elem} *data{dims})"), body }
    };
    vec![
        make("An array with a copy of these elements and offsets; null after a failure.", "new", "const ", "RV_COPIED"),
        make(
            "The same without copies: elements and offsets stay the caller's, and must outlive the array.",
            "wrap",
            "",
            "RV_WRAPPED",
        ),
        make(
            "The same, and nobody writes to the elements: an entry point that overwrites the array gets a copy.",
            "view",
            "const ",
            "RV_VIEWED",
        ),
    ]
}

/// Functions that tell about an array.
fn questions(ty: &str, array: &Array) -> Vec<Piece> {
    let tell = |comment, gives: String, what: &str| Piece {
        comment,
        head: format!("{gives}{ty}_{what}(const {ty} *array)"),
        body: vec![format!("return ((const rv_array *)array)->{what};")],
    };
    let mut pieces = vec![
        tell(
            "Its elements, as long as it lives; null once a call has overwritten them.",
            format!("{} *", array.element()),
            "data",
        ),
        tell("How many elements there are.", "int64_t ".into(), "count"),
        tell("Its extents; -1 for a jagged dimension.", "const int64_t *".into(), "shape"),
    ];
    if array.dims.contains('.') {
        pieces.push(tell("How many dimensions it has.", "int64_t ".into(), "rank"));
    }
    if array.dims.contains('~') {
        pieces.push(Piece {
            comment: "Where rows of a jagged dimension, counted from 0, begin: one number more than there are rows.",
            head: format!("const int64_t *{ty}_offsets(const {ty} *array, int64_t dimension)"),
            body: vec![
                "const rv_array *own = (const rv_array *)array;".to_owned(),
                "return dimension >= 0 && dimension < own->rank ? own->sides[dimension].numbers : NULL;".to_owned(),
            ],
        });
    }
    pieces
}

/// The statements that collect dimensions in `sides` and count them in `rank_`.
fn sides(array: &Array) -> Vec<String> {
    if !array.dims.contains('.') {
        let side = |(i, letter): (usize, char)| match letter {
            '~' => format!("{{.extent = -1, .numbers = offsets{i}}}"),
            _ => format!("{{.extent = n{i}}}"),
        };
        let all: Vec<String> = array.dims.chars().enumerate().map(side).collect();
        let mut lines = vec![format!("rv_side sides[] = {{{}}};", all.join(", "))];
        // Without offsets an array is not jagged, whatever its type says.
        for (i, _) in array.dims.chars().enumerate().filter(|(_, letter)| *letter == '~') {
            lines.push(format!(
                "if (!offsets{i}) return rv_host_fail((rv_host *)context, NULL, \"offsets are missing\"), NULL;"
            ));
        }
        lines.push(format!("int64_t rank_ = {};", array.dims.len()));
        return lines;
    }
    let mut lines = vec![
        "rv_side sides[128];".to_owned(),
        "int64_t rank_ = 0;".to_owned(),
        "if (rank < 0 || rank > 100) return rv_host_fail((rv_host *)context, NULL, \"too many dimensions\"), NULL;"
            .to_owned(),
    ];
    for (i, letter) in array.dims.chars().enumerate() {
        lines.push(match letter {
            'n' => format!("sides[rank_++] = (rv_side){{.extent = n{i}}};"),
            '~' => format!("sides[rank_++] = (rv_side){{.extent = -1, .numbers = offsets{i}}};"),
            _ => "for (int64_t i = 0; i < rank; i++) sides[rank_++] = (rv_side){.extent = shape[i]};".to_owned(),
        });
    }
    lines
}

/// The comment on a function: the entry point as the program has it, and what C does not tell.
fn about(function: &Function) -> String {
    let mut lines = vec![format!("{} : {}", function.entry, function.ty)];
    let names: Vec<&str> =
        function.params.iter().flatten().filter(|leaf| leaf.consumed).map(|leaf| leaf.name.as_str()).collect();
    if !names.is_empty() {
        lines.push(format!("Overwrites {}, which can only be freed then.", names.join(", ")));
    }
    for leaf in function.params.iter().chain(&function.results).flatten().filter(|leaf| !leaf.constructors.is_empty()) {
        let numbered = leaf.constructors.iter().enumerate().map(|(number, name)| format!("{number} #{name}"));
        lines.push(format!("{}: {}.", leaf.name, numbered.collect::<Vec<_>>().join(", ")));
    }
    // Nothing in a name or type may end the comment.
    format!("/* {} */", lines.join("\n   ").replace("*/", "* /"))
}

fn head(name: &str, function: &Function) -> String {
    let mut params = vec![format!("{name}_context *context")];
    for leaf in function.params.iter().flatten() {
        params.push(match leaf.array() {
            // An argument that is overwritten is no constant.
            Some(array) if leaf.consumed => format!("{name}_{} *{}", array.name, leaf.name),
            Some(array) => format!("const {name}_{} *{}", array.name, leaf.name),
            None => format!("{} {}", element(leaf.prim), leaf.name),
        });
    }
    for leaf in function.results.iter().flatten() {
        params.push(match leaf.array() {
            Some(array) => format!("{name}_{} **{}", array.name, leaf.name),
            None => format!("{} *{}", element(leaf.prim), leaf.name),
        });
    }
    format!("int {}({})", function.name, params.join(", "))
}

fn body(out: &mut Writer, name: &str, number: usize, function: &Function) {
    let (inputs, outputs) = function.components;
    out.line("rv_host *host = (rv_host *)context;");
    out.line("if (!host) return 1;");
    out.line(format!("rv_value in[{}] = {{{{0}}}}, out[{}] = {{{{0}}}};", inputs.max(1), outputs.max(1)));
    for leaf in function.results.iter().flatten() {
        let (name, shown) = (&leaf.name, quoted(&leaf.name));
        out.line(format!("if (!{name}) return rv_host_fail(host, {shown}, \"this pointer is null\");"));
        if leaf.array().is_some() {
            out.line(format!("*{name} = NULL;"));
        }
    }
    let mut known = std::collections::BTreeSet::new();
    for leaf in function.params.iter().flatten() {
        argument(out, leaf, &mut known);
    }
    let changed: Vec<String> = function.params.iter().flatten().filter(|leaf| leaf.consumed).map(changed).collect();
    match changed.is_empty() {
        true => out.line("const rv_changed *changed = NULL;"),
        false => out.line(format!("const rv_changed changed[] = {{{}}};", changed.join(", "))),
    }
    let count = changed.len();
    out.line(format!(
        "if (rv_host_call(host, {number}, in, {inputs}, out, {outputs}, changed, {count}) != 0) return 1;"
    ));
    out.line("bool fine = true;");
    for leaf in function.results.iter().flatten() {
        let at = leaf.component;
        match leaf.array() {
            None => out.line(format!("memcpy({0}, &out[{at}].bits, sizeof *{0});", leaf.name)),
            Some(array) => {
                let components: Vec<String> = leaf.dims.iter().map(|(_, at)| at.to_string()).collect();
                let make = format!(
                    "rv_array_out(host, out, {at}, \"{}\", (const int[]){{{}}})",
                    array.dims,
                    components.join(", ")
                );
                out.line(format!("*{} = ({name}_{} *){make};", leaf.name, array.name));
                out.line(format!("fine = fine && *{};", leaf.name));
            }
        }
    }
    out.line(format!("rv_host_done(host, out, {outputs});"));
    out.line("if (fine) return 0;");
    for (leaf, array) in function.results.iter().flatten().filter_map(|leaf| Some((leaf, leaf.array()?))) {
        out.line(format!("{name}_{}_free(context, *{}), *{} = NULL;", array.name, leaf.name, leaf.name));
    }
    out.line("return 1;");
}

/// An argument that the entry point overwrites.
fn changed(leaf: &Leaf) -> String {
    let (name, size) = (&leaf.name, leaf.prim.bytes());
    format!("{{(rv_array *){name}, {}, {}, {size}}}", quoted(name), leaf.component)
}

/// Hands an argument over. `known` are the dimensions that earlier arguments have.
fn argument(out: &mut Writer, leaf: &Leaf, known: &mut std::collections::BTreeSet<usize>) {
    let (name, at) = (&leaf.name, leaf.component);
    let no_constructor =
        format!("return rv_host_fail(host, {}, \"there is no constructor with this number\");", quoted(name));
    if leaf.dims.is_empty() {
        if !leaf.constructors.is_empty() {
            out.line(format!("if ({name} >= {}u) {no_constructor}", leaf.constructors.len()));
        }
        out.line(format!("memcpy(&in[{at}].bits, &{name}, sizeof {name});"));
        return;
    }
    let (shown, object) = (quoted(name), format!("((const rv_array *){name})"));
    out.line(format!("if (!rv_usable(host, {shown}, {object})) return 1;"));
    if !leaf.constructors.is_empty() {
        let count = leaf.constructors.len();
        let tag = format!("((const {} *){object}->data)[i]", element(leaf.prim));
        out.line(format!("for (int64_t i = 0; i < {object}->count; i++) if ({tag} >= {count}u) {no_constructor}"));
    }
    let shape = leaf.dims.iter().position(|(kind, _)| *kind == DimKind::Shape);
    for (i, (kind, component)) in leaf.dims.iter().enumerate() {
        let (was_known, behind) = (!known.insert(*component), leaf.dims.len() - 1 - i);
        let call = match kind {
            DimKind::Shape => {
                format!("rv_shape_in(host, {shown}, {object}, {i}, {behind}, &in[{}], {was_known})", component - 1)
            }
            DimKind::Size | DimKind::Jagged => {
                // Behind an unknown rank dimensions are counted from the end.
                let dim = if shape.is_some_and(|s| s < i) {
                    format!("{object}->rank - {}", behind + 1)
                } else {
                    i.to_string()
                };
                format!("rv_side_in(host, {shown}, {object}, {dim}, &in[{component}], {was_known})")
            }
        };
        out.line(format!("if (!{call}) return 1;"));
    }
    out.line(format!("in[{at}] = (rv_value){{.data = {object}->data, .block = {object}->block}};"));
}
