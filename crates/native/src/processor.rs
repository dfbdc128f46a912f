//! The processor that code is compiled for.
//!
//! Intel's processors of the Skylake family do not keep a jump decoded that crosses a boundary of 32 bytes or ends at one
//! (Intel, "Mitigations for Jump Conditional Code Erratum", 2019). A loop with a few checks can take twice its time,
//! depending on where the linker happens to put it. The assembler can move such jumps ([`ALIGNED_JUMPS`]).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How compilers are asked to move jumps away from such boundaries: GCC with an assembler of 2020 or later, Clang. Others
/// are not asked.
const ALIGNED_JUMPS: [&[&str]; 3] =
    [&["-Wa,-mbranches-within-32B-boundaries"], &["-mbranches-within-32B-boundaries"], &[]];
/// What these flags and messages about them have in common.
const ALIGNED_JUMPS_NAME: &str = "-mbranches-within-32B-boundaries";
/// The models of Intel's family 6 that have the erratum.
const AFFECTED: [u32; 7] = [78, 85, 94, 142, 158, 165, 166];

/// Which of the ways to ask the compiler understands, as far as this is known.
static UNDERSTOOD: AtomicUsize = AtomicUsize::new(0);

/// What tells this processor from others: `-march=native` makes code for it, and other machines may use the same folder.
pub(crate) fn identity() -> String {
    let fields = ["model name", "flags", "Features", "CPU part"];
    description().lines().filter(|line| fields.iter().any(|word| line.starts_with(word))).take(2).collect()
}

/// Whether jumps at boundaries of 32 bytes are slow.
pub(crate) fn has_slow_jumps() -> bool {
    cfg!(target_arch = "x86_64") && is_affected(description())
}

/// The flags that keep jumps away from such boundaries, if that matters here.
pub(crate) fn aligned_jumps() -> &'static [&'static str] {
    if has_slow_jumps() { ALIGNED_JUMPS[UNDERSTOOD.load(Ordering::Relaxed)] } else { &[] }
}

/// Whether the compiler failed because it does not understand these flags. It is not given them again.
pub(crate) fn refuses(flags: &[&str], output: &str) -> bool {
    let refused = !flags.is_empty() && output.contains(ALIGNED_JUMPS_NAME);
    if let (true, Some(place)) = (refused, ALIGNED_JUMPS.iter().position(|asked| *asked == flags)) {
        UNDERSTOOD.fetch_max(place + 1, Ordering::Relaxed);
    }
    refused
}

fn is_affected(description: &str) -> bool {
    let field = |name: &str| {
        let mut fields = description.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(key, _)| key.trim() == name).map_or("", |(_, value)| value.trim())
    };
    field("vendor_id") == "GenuineIntel"
        && field("cpu family") == "6"
        && field("model").parse().is_ok_and(|model: u32| AFFECTED.contains(&model))
}

/// What the system says of the first processor.
fn description() -> &'static str {
    static DESCRIPTION: OnceLock<String> = OnceLock::new();
    DESCRIPTION.get_or_init(|| {
        use std::io::Read;
        let mut text = String::new();
        if let Ok(file) = std::fs::File::open("/proc/cpuinfo") {
            file.take(8192).read_to_string(&mut text).ok();
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_erratum_is_known_by_the_model() {
        let processor = |vendor, model| {
            format!("processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: 6\nmodel\t\t: {model}\nmodel name\t: A 94\n")
        };
        assert!(is_affected(&processor("GenuineIntel", 85)));
        assert!(!is_affected(&processor("GenuineIntel", 143)));
        assert!(!is_affected(&processor("AuthenticAMD", 85)));
        assert!(!is_affected(""));
    }

    #[test]
    fn a_compiler_that_refuses_the_flags_gets_others() {
        assert!(!refuses(&[], "program.c:1: error: -mbranches-within-32B-boundaries"));
        assert!(!refuses(ALIGNED_JUMPS[0], "program.c:1: error"));
        assert!(refuses(ALIGNED_JUMPS[1], "error: unrecognized option '-mbranches-within-32B-boundaries'"));
        assert_eq!(UNDERSTOOD.load(Ordering::Relaxed), 2);
    }
}
