//! Programs under AddressSanitizer and UBSan: no leaks, no use after free, also after failures, and the texts of failures.

use crate::common::samples::*;
use kernel::Program;
use native::Options;
use std::process::Command;

/// Calls the first entry point with the vector `items` a few times and shows what comes.
fn main_function(items: &[i64]) -> String {
    let list: Vec<String> = items.iter().map(i64::to_string).collect();
    format!(
        r#"
int main(void) {{
  static int64_t items[] = {{{}}};
  rv_context *context = rv_context_new(3, 0);
  for (int turn = 0; turn < 4; turn++) {{
    rv_value in[2] = {{{{.bits = {count}}}, {{.data = items}}}}, out[2] = {{{{0}}}};
    if (rv_call(context, 0, in, out)) {{
      char *text = rv_failure_text(context);
      printf("%s", text);
      free(text);
      continue;
    }}
    printf("%lld:", (long long)out[0].bits);
    for (int64_t i = 0; out[1].data && i < (int64_t)out[0].bits; i++) {{
      printf(" %lld", (long long)((int64_t *)out[1].data)[i]);
    }}
    printf("\n");
    rv_drop(context, out[1].block);
  }}
  rv_context_free(context);
  return 0;
}}
"#,
        list.join(", "),
        count = items.len()
    )
}

fn check(program: &Program, items: &[i64], expected: &str) {
    for parallel in [false, true] {
        let locate = |span: base::Span| codegen::Excerpt { place: format!("file.rv:{}", span.start), line: None };
        let c = codegen::c_program(program, Some(&locate));
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("program");
        let flags = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"].map(str::to_owned).to_vec();
        let options = Options { flags, parallel, level: 1, cache: None, ..Options::default() };
        native::build(&(c.text + &main_function(items)), &target, native::Product::Program, &options).unwrap();
        let output = Command::new(&target).env("OMP_NUM_THREADS", "3").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{said}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected.repeat(4));
    }
}

#[test]
fn results() {
    check(&doubling(), &[1, 2, 3], "3: 2 4 6\n");
}

#[test]
fn attempts_are_cleaned_up() {
    check(&attempts(), &[1, -1, 2, -5], "4: -1 101 -1 103\n");
}

#[test]
fn failures_are_cleaned_up() {
    let text = "error[R001]: bad value 1\n  --> file.rv:3: here\n  note: [1][-1]\n";
    check(&checking(), &[1, -1, 2, -5, 3], text);
}
