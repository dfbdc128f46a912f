//! Small Core programs with what they give, one file for each part of the language, in `core/`.
//!
//! A line `-- run ARGUMENTS ==> RESULTS` runs the first entry point; `-- fail ARGUMENTS ==> CODE MESSAGE` runs it into an
//! error. Everything else is Core, which must be right as the verifier sees it; `-- unverified` leaves that out.

use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Runs an entry point on values as text.
fn run(program: &ir::Program, args: &str) -> Result<String, String> {
    let mut values = value::Values::new(args.as_bytes());
    let mut given = Vec::new();
    while let Some(value) = values.next_value(None) {
        given.push(value.unwrap_or_else(|e| panic!("{e:?} in {args}")));
    }
    let traced = Arc::new(Mutex::new(String::new()));
    let into = traced.clone();
    let tracer = move |_: &[base::Span], text: &str| write!(into.lock().unwrap(), "trace {text} ").unwrap();
    let entry = program.entries.first().expect("an entry point").name.as_str();
    let results = interp::core::run_core_values(program, entry, given, &tracer);
    let shown = |values: Vec<value::Value>| values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" ");
    let results = results.map(shown).map_err(|e| format!("{} {}", e.fault.code(), e.title))?;
    Ok(traced.lock().unwrap().clone() + &results)
}

/// Checks one file; what is wrong.
fn check(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a file");
    let (notes, core): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("-- "));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let program = match ir::parse(&core.join("\n")) {
        Ok(program) => program,
        Err(e) => return vec![format!("{name}: {e}")],
    };
    let mut wrong = Vec::new();
    if !notes.contains(&"-- unverified")
        && let Err(violations) = ir::verify(&program)
    {
        // The texts rely on the arguments that they list: nothing proves their indices.
        let broken = violations.iter().filter(|violation| !violation.rule.is_proved());
        wrong.extend(broken.map(|v| format!("{name}: {v}")));
    }
    let mut cases = 0;
    for note in notes {
        let Some((head, expected)) = note.split_once(" ==> ").or(note.strip_suffix(" ==>").map(|n| (n, ""))) else {
            continue;
        };
        let (args, expected) = match (head.strip_prefix("-- run"), head.strip_prefix("-- fail")) {
            (Some(args), _) => (args, Ok(expected.to_string())),
            (None, Some(args)) => (args, Err(expected.to_string())),
            (None, None) => continue,
        };
        cases += 1;
        let found = run(&program, args);
        if found != expected {
            wrong.push(format!("{name}: {head}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    if cases == 0 {
        wrong.push(format!("{name}: nothing is run"));
    }
    wrong
}

#[test]
fn texts_give_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/core");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let wrong: Vec<String> = paths.iter().flat_map(|path| check(path)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Sums whose rounding shows the order in which they were made: the same bits as in the interpreter of the source.
#[test]
fn combination_is_by_blocks_and_pairs() {
    let core = "fn f(n: i64, xs: [n]f32) -> (s: f32, m: i64, ys: [m]f32) {
      let s.1: f32 = bulk {
        out reduce of (r: f32) from (0.5f32) by (a: f32, b: f32) { let c: f32 = a + b => c }
        for i < n { let x: f32 = xs[i] emit => x }
      }
      let ys.1: [n]f32 = bulk {
        out gen [n] of (r.1: f32)
        for i.1 < n {
          let x.1: f32 = xs[i.1]
          scan (s.2: f32) from (0.0f32) by (a.1: f32, b.1: f32) { let c.1: f32 = a.1 + b.1 => c.1 } of => x.1
          emit [i.1] => s.2
        }
      }
      => s.1, n, ys.1
    }
    entry main = f(xs: []f32) -> (f32, []f32)";
    let program = ir::parse(core).unwrap();
    ir::verify(&program).unwrap();
    for count in [0, 1, 1024, 1025, 5000] {
        let xs: Vec<f32> = (0..count).map(|i| 1.0 / (1.0 + i as f32)).collect();
        let array = value::Array::regular(&[count], xs.clone()).unwrap();
        let results =
            interp::core::run_core_values(&program, "main", vec![value::Value::Array(array)], &|_, _| ()).unwrap();
        let mut blocks: Vec<f32> = Vec::new();
        for (i, block) in xs.chunks(1024).enumerate() {
            blocks.push(block.iter().copied().fold(if i == 0 { 0.5 } else { -0.0 }, |a, b| a + b));
        }
        while blocks.len() > 1 {
            blocks = blocks.chunks(2).map(|pair| pair.iter().copied().reduce(|a, b| a + b).unwrap()).collect();
        }
        let sum = blocks.first().copied().unwrap_or(0.5);
        assert_eq!(results[0].as_scalar().map(|x| x.bits()), Some(u64::from(sum.to_bits())), "{count}");
        let (mut before, mut sums) = (None, Vec::new());
        for block in xs.chunks(1024) {
            let mut within = None;
            for x in block {
                let sum = within.map_or(*x, |w: f32| w + x);
                within = Some(sum);
                sums.push(before.map_or(sum, |b: f32| b + sum));
            }
            before = before.map_or(within, |b: f32| within.map(|w| b + w));
        }
        let value::Value::Array(scanned) = &results[1] else { panic!("an array") };
        assert!(matches!(scanned.data(), value::PrimVec::F32(found) if *found == sums), "{count}");
    }
}
