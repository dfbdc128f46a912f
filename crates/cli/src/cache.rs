//! `ravel cache`: the cache of compiled code.

use crate::args::{CacheAction, CacheArgs};
use crate::out;
use std::process::ExitCode;

/// Shows or clears the cache of compiled code.
pub fn run(options: &CacheArgs) -> ExitCode {
    let Some(folder) = native::cache::folder() else {
        out::error("there is no folder for compiled code: neither RAVEL_CACHE nor XDG_CACHE_HOME nor HOME is set");
        return ExitCode::from(crate::status::FAULT);
    };
    match options.action {
        None | Some(CacheAction::Show) => show(&native::cache::summary(&folder), "kept"),
        Some(CacheAction::Clear) => match native::cache::clear(&folder) {
            Ok(before) => show(&before, "removed"),
            Err(error) => {
                out::error(format_args!("{}: {}", folder.display(), crate::disk::reason(&error)));
                return ExitCode::from(crate::status::FAULT);
            }
        },
    }
    ExitCode::SUCCESS
}

fn show(summary: &native::cache::Summary, what: &str) {
    let programs = if summary.programs == 1 { "program" } else { "programs" };
    out::line(format_args!("folder: {}", summary.folder.display()));
    out::line(format_args!("{what}: {} {programs}, {}", summary.programs, size(summary.bytes)));
}

/// A number of bytes in readable form.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["bytes", "KiB", "MiB", "GiB"];
    let unit = (bytes.max(1).ilog2() / 10).min(3) as usize;
    match unit {
        0 => format!("{bytes} bytes"),
        _ => format!("{:.1} {}", bytes as f64 / 1024f64.powi(unit as i32), UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_for_people() {
        assert_eq!(super::size(0), "0 bytes");
        assert_eq!(super::size(1023), "1023 bytes");
        assert_eq!(super::size(1536), "1.5 KiB");
        assert_eq!(super::size(3 << 20), "3.0 MiB");
    }
}
