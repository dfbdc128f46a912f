//! Runs the `ravel` binary and looks at what it says.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a command gave.
pub struct Said {
    /// Exit status.
    pub status: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Said {
    /// Asserts a status; shows everything if it is another.
    #[track_caller]
    pub fn status(self, wanted: i32) -> Said {
        let Said { status, out, err } = &self;
        assert_eq!(*status, wanted, "\nstandard output:\n{out}\nstandard error:\n{err}");
        self
    }

    /// Asserts a text on standard error.
    #[track_caller]
    pub fn complains(self, text: &str) -> Said {
        assert!(self.err.contains(text), "`{text}` is not in standard error:\n{}", self.err);
        self
    }

    /// Asserts a text on standard output.
    #[track_caller]
    pub fn says(self, text: &str) -> Said {
        assert!(self.out.contains(text), "`{text}` is not in standard output:\n{}", self.out);
        self
    }
}

/// A folder of its own for a test's files; gone when dropped.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with these files.
    pub fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a temporary folder"));
        files.iter().for_each(|(name, text)| folder.write(name, text.as_bytes()));
        folder
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and the folders on the way to it.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, bytes).expect("a file written");
    }

    /// Writes a file that can be run.
    pub fn command(&self, name: &str, bytes: &[u8]) {
        self.write(name, bytes);
        let made = Command::new("chmod").arg("+x").arg(self.path(name)).status().expect("chmod starts");
        assert!(made.success(), "{name} cannot be made a command");
    }

    /// Runs `ravel` in it.
    pub fn ravel(&self, args: &[&str]) -> Said {
        self.ravel_with_input(args, b"")
    }

    /// Runs `ravel` in it with a standard input.
    pub fn ravel_with_input(&self, args: &[&str], input: &[u8]) -> Said {
        run(self.0.path(), args, input)
    }

    /// Runs `ravel` in it with other environment variables.
    pub fn ravel_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Said {
        let mut command = command(self.0.path(), args);
        command.envs(variables.iter().copied());
        said(command, b"")
    }
}

/// Runs `ravel` in a folder.
pub fn run(folder: &Path, args: &[&str], input: &[u8]) -> Said {
    said(command(folder, args), input)
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ravel"));
    command.args(args).current_dir(folder);
    command
}

fn said(mut command: Command, input: &[u8]) -> Said {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("ravel starts");
    // A command that does not read its input closes the pipe, which is no failure of the test.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("ravel ends");
    Said {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
