//! The parts of the run-time system that a program needs.

use crate::excerpt::Locate;
use crate::forms;
use crate::message::quoted;
use crate::needs::Needs;
use crate::units::{LEADING, SYSTEM};
use base::Span;
use kernel::{Program, Stm};
use scalar::Layout;
use std::collections::BTreeSet;

const BASE: &str = include_str!("../../../runtime/c/base.h");
const MEMORY: &str = include_str!("../../../runtime/c/memory.h");
const ATTEMPTS: &str = include_str!("../../../runtime/c/attempts.h");
const STATS: &str = include_str!("../../../runtime/c/stats.h");
const POOL: &str = include_str!("../../../runtime/c/pool.h");
const LOOPS: &str = include_str!("../../../runtime/c/loops.h");
const INTEGERS: &str = include_str!("../../../runtime/c/integers.h");
const FLOATS: &str = include_str!("../../../runtime/c/floats.h");
const MATH: [&str; 5] = [
    include_str!("../../../runtime/c/math.h"),
    include_str!("../../../runtime/c/exp.h"),
    include_str!("../../../runtime/c/log.h"),
    include_str!("../../../runtime/c/trig.h"),
    include_str!("../../../runtime/c/erf.h"),
];
const PREFIX: &str = include_str!("../../../runtime/c/prefix.h");
const TRANSPOSE: &str = include_str!("../../../runtime/c/transpose.h");
const SORT: &str = include_str!("../../../runtime/c/sort.h");
const LIMITS: &str = include_str!("../../../runtime/c/limits.h");
const HALF: &str = include_str!("../../../runtime/c/half.h");
const INTERFACE: &str = include_str!("../../../runtime/c/interface.h");
const TEXT: &str = include_str!("../../../runtime/c/text.h");
const MESSAGE: &str = include_str!("../../../runtime/c/message.h");
const VALUES: &str = include_str!("../../../runtime/c/values.h");

/// What the tables of an executable are made of.
pub(crate) const FORM: &str = include_str!("../../../runtime/c/form.h");
pub(crate) const FRONT: &str = include_str!("../../../runtime/c/front.h");

/// The text after the functions of a library.
pub(crate) const LIBRARY: &str = include_str!("../../../runtime/c/library.h");

/// How many values every program has room for: `RV_ARGS` in `runtime/c/base.h`.
const VALUES_OF_ALL: usize = 32;

/// Who calls the functions of the run-time system that begin and end a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A program that loads the code.
    Loader,
    /// The front of an executable, which is linked with it.
    Front,
    /// Only other functions of the same text.
    Own,
}

/// What stands before the program's own functions. `texts` says whether the program contains the messages of its failures; `measured` is the number of its places if it
/// counts what it does.
pub(crate) fn before(program: &Program, needs: &Needs, caller: Caller, texts: bool, measured: Option<usize>) -> String {
    let mut text = String::new();
    if most_values(program) > VALUES_OF_ALL {
        text.push_str(&format!("#define RV_ARGS {}\n", most_values(program)));
    }
    match caller {
        Caller::Loader => {}
        Caller::Front => text.push_str("#define RV_EXPORT __attribute__((visibility(\"hidden\")))\n"),
        Caller::Own => text.push_str("#define RV_EXPORT static __attribute__((unused))\n"),
    }
    if let Some(places) = measured {
        text.push_str(&format!("#define RV_STATS {}\n", places.max(1)));
    }
    let stats = if measured.is_some() { STATS } else { "" };
    let half = if needs.half || texts { HALF } else { "" };
    let texts = if texts { [TEXT, MESSAGE] } else { [""; 2] };
    let math = if needs.math { MATH } else { [""; 5] };
    let prefix = if needs.prefix { PREFIX } else { "" };
    for part in [BASE, stats, MEMORY, ATTEMPTS, POOL, LOOPS, INTEGERS, FLOATS, half, prefix].into_iter().chain(math) {
        text.push_str(part);
        text.push('\n');
    }
    text.push_str(&transposing(needs));
    text.push_str(&sorting(needs));
    text.push_str(&format!("#if RV_HERE({LEADING})\n"));
    for part in [LIMITS, INTERFACE, texts[0], texts[1]] {
        text.push_str(part);
        text.push('\n');
    }
    text.push_str("#endif\n");
    text
}

/// Functions that make columns of rows with elements of these sizes.
fn transposing(needs: &Needs) -> String {
    if needs.transposes.is_empty() {
        return String::new();
    }
    let declared = needs.transposes.iter().map(|size| format!("RV_SYSTEM RV_TRANSPOSE_HEAD({size});\n"));
    let defined = needs.transposes.iter().map(|size| format!("RV_TRANSPOSE_{size}\n"));
    let (declared, defined): (String, String) = (declared.collect(), defined.collect());
    format!("{TRANSPOSE}\n{declared}#if RV_HERE({SYSTEM})\n{defined}#endif\n")
}

/// Functions that sort numbers of these sizes.
fn sorting(needs: &Needs) -> String {
    if needs.sorts.is_empty() {
        return String::new();
    }
    // Keys are also sorted together with their indices, in 8 or 16 bytes.
    let (counted, moved): (BTreeSet<usize>, BTreeSet<usize>) =
        (needs.sorts.iter().copied().chain([8]).collect(), needs.sorts.iter().copied().chain([8, 16]).collect());
    let declared: String = needs.sorts.iter().map(|size| format!("RV_SYSTEM RV_SORT_HEAD({size});\n")).collect();
    let counts = counted.iter().map(|size| format!("RV_COUNT({size})\n"));
    let steps: String = counts.chain(moved.iter().map(|size| format!("RV_MOVE({size})\n"))).collect();
    let sorts: String = needs.sorts.iter().map(|size| format!("RV_SORT({size})\n")).collect();
    format!("{SORT}\n{declared}#if RV_HERE({SYSTEM})\n{steps}{sorts}#endif\n")
}

/// The function that has traced values shown.
pub(crate) fn listener(traces: &[(Layout, Span)], locate: &Locate) -> String {
    let mut text = String::from("\nRV_EXPORT void rv_listen(rv_context *context);\n");
    if traces.is_empty() {
        text.push_str("void rv_listen(rv_context *context) { (void)context; }\n");
        return text;
    }
    text.push_str(VALUES);
    let layouts: Vec<Layout> = traces.iter().map(|trace| trace.0.clone()).collect();
    text.push_str(&forms::separate_table("rv_traces", &layouts));
    let place = |span: Span| if span == Span::OF_CALLER { String::new() } else { format!("{}: ", locate(span).place) };
    let places: Vec<String> = traces.iter().map(|trace| quoted(&place(trace.1))).collect();
    text.push_str(&format!("static const char *const rv_trace_places[] = {{{}}};\n", places.join(", ")));
    text.push_str(
        "static void rv_show_trace(void *data, int32_t number, const rv_value *components) {
  rv_text out = {0};
  (void)data;
  rv_words(&out, rv_trace_places[number]);
  rv_words(&out, \"trace: \");
  rv_write(&out, &rv_traces[number], components, 0, false);
  rv_words(&out, \"\\n\");
  if (out.text) fwrite(out.text, 1, out.length, stderr);
  free(out.text);
}
void rv_listen(rv_context *context) { rv_context_trace(context, rv_show_trace, NULL); }
",
    );
    text
}

/// Whether the functions of the run-time system that are compiled apart (`runtime/c/linked.c`) fit a program.
pub(crate) fn is_usual(program: &Program, measured: bool) -> bool {
    !measured && most_values(program) <= VALUES_OF_ALL
}

/// How many values the longest message of a program needs.
fn most_values(program: &Program) -> usize {
    program.functions.values().map(|f| most_arguments(&f.body)).max().unwrap_or(0)
}

/// The same for some statements.
fn most_arguments(stms: &[Stm]) -> usize {
    let one = |stm: &Stm| match stm {
        Stm::Fail { args, .. } => args.len(),
        _ => stm.blocks().into_iter().map(most_arguments).max().unwrap_or(0),
    };
    stms.iter().map(one).max().unwrap_or(0)
}
