//! From C text to code in memory, through the cache if that is possible.

use crate::compiler::VECTORS;
use crate::{Compiler, Library, NativeError, cache, objects, processor, trust};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// The C compiler; otherwise `RAVEL_CC`, or the first one that is installed.
    pub compiler: Option<String>,
    /// More flags; those of `RAVEL_CFLAGS` follow them.
    pub flags: Vec<String>,
    /// Whether parallel loops use several threads.
    pub parallel: bool,
    /// How much the C compiler optimises: 0 to 3.
    pub level: u8,
    /// How many compilers may work at once on the loops of a text, if one more works on the rest; 0 if one has all.
    /// More than there are processors are of no use.
    pub units: usize,
    /// Whether the text can be linked with the functions of the run-time system that Ravel has compiled already. That is not
    /// done for a compiler or flags of the user's choice, other than how much it optimises.
    pub linked: bool,
    /// Where to keep compiled code; otherwise nowhere.
    pub cache: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let cache = cache::folder();
        Options { compiler: None, flags: Vec::new(), parallel: true, level: 2, units: 0, linked: false, cache }
    }
}

/// What came out.
#[derive(Debug)]
pub struct Compiled {
    /// The code.
    pub library: Library,
    /// What the user should know: that nothing can be kept, say.
    pub notes: Vec<String>,
    /// Whether it was compiled earlier.
    pub cached: bool,
    /// The name it is kept under, for [`load_kept`].
    pub kept: Option<String>,
}

impl Options {
    fn flags(&self) -> Vec<String> {
        let mut flags = vec![format!("-O{}", self.level), "-march=native".to_owned()];
        if self.level == 2 {
            flags.extend(VECTORS.map(str::to_owned));
        }
        if cfg!(target_arch = "x86_64") {
            // GCC is reluctant to use the widest vectors; where loops are long they are the fastest.
            flags.push("-mprefer-vector-width=512".to_owned());
        }
        if !self.parallel {
            flags.push("-DRV_THREADS=0".to_owned());
        }
        flags.extend(self.flags.iter().cloned());
        let more = std::env::var("RAVEL_CFLAGS").unwrap_or_default();
        flags.extend(more.split_whitespace().map(str::to_owned));
        flags
    }

    /// Whether the user has neither chosen a compiler nor any flags but how much it optimises.
    fn is_usual(&self) -> bool {
        let value = |name| std::env::var(name).unwrap_or_default();
        let is_level = |flag: &str| flag.starts_with("-O");
        self.compiler.is_none()
            && value("RAVEL_CC").trim().is_empty()
            && value("RAVEL_CFLAGS").split_whitespace().all(is_level)
    }

    /// Whether the text is linked with functions of the run-time system.
    fn is_linked(&self) -> bool {
        self.linked && self.is_usual() && objects::can_link(self.parallel)
    }

    fn job<'a>(&self, source: &'a str, more: &[&str]) -> Result<Job<'a>, NativeError> {
        let compiler = Compiler::find(self.compiler.as_deref())?;
        let own = more.iter().copied().chain(self.is_linked().then_some("-DRV_LINKED=1"));
        let flags = self.flags().into_iter().chain(own.map(str::to_owned)).collect();
        Ok(Job { source, compiler, flags, units: self.units(), linked: self.is_linked().then_some(self.parallel) })
    }

    /// How many compilers work on the loops.
    fn units(&self) -> usize {
        self.units.min(std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
    }

    /// What tells the code that a text gives with these options here and now from what it gives elsewhere: compiler,
    /// flags, processor. None if there is no compiler.
    pub fn identity(&self) -> Option<String> {
        let compiler = Compiler::find(self.compiler.as_deref()).ok()?;
        Some([compiler.identity(), self.flags().join(" "), processor::identity(), VERSION.to_owned()].join("\n"))
    }
}

/// Loads code that [`compile`] kept under this name, if it still exists and no other user can have changed it. The
/// folder must be one that [`cache::open`] accepts.
pub fn load_kept(name: &str, folder: &Path) -> Option<Compiled> {
    let path = folder.join(name);
    trust::file(&path).ok()?;
    let library = Library::load(&path).ok()?;
    cache::touch(&path);
    Some(Compiled { library, notes: Vec::new(), cached: true, kept: Some(name.into()) })
}

/// Flags for code that is loaded.
const LOADED: [&str; 3] = ["-fPIC", "-shared", "-fvisibility=hidden"];

/// Which of our own code generators is at work.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Compiles C text and loads the code, or loads what was compiled earlier.
pub fn compile(source: &str, options: &Options) -> Result<Compiled, NativeError> {
    let job = options.job(source, &LOADED)?;
    let Some(folder) = &options.cache else { return job.in_temporary_folder(Vec::new()) };
    let key = cache::key(&[source, &job.compiler.identity(), &job.flags.join(" "), &processor::identity(), VERSION]);
    let not_kept = |why: String| vec![format!("compiled code is not cached: {why}")];
    if let Err(why) = cache::open(folder) {
        return job.in_temporary_folder(not_kept(why));
    }
    let mut notes = Vec::new();
    if let Some(found) = Job::find(folder, &key, &mut notes) {
        return Ok(found);
    }
    match job.in_cache(folder, &key) {
        Ok(mut compiled) => {
            compiled.notes.splice(0..0, notes);
            Ok(compiled)
        }
        Err(Trouble::Cache(why)) => job.in_temporary_folder(not_kept(why)),
        Err(Trouble::Other(error)) => Err(error),
    }
}

/// What a text is compiled into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// An executable that is whole.
    Program,
    /// An executable that has yet to be linked with the front of all of them.
    Executable,
    /// A shared object.
    Library,
}

/// Compiles C text into a file.
pub fn build(source: &str, target: &Path, product: Product, options: &Options) -> Result<(), NativeError> {
    let job = options.job(source, if product == Product::Library { &LOADED } else { &[] })?;
    let folder = temporary_folder()?;
    let text = folder.path().join("program.c");
    write(&text, source)?;
    let front = match product {
        Product::Executable => {
            let usual = options.is_usual() && options.flags.is_empty();
            Some(objects::front(&job.compiler, &job.flags, usual, folder.path())?)
        }
        Product::Program | Product::Library => None,
    };
    let code = folder.path().join("program");
    job.translate(&text, front, &code)?;
    put(&code, target).map_err(|error| NativeError::File { what: "write", path: target.to_owned(), error })
}

/// Puts a file where it is wanted: whole or not at all, and with whatever was there before until then.
fn put(made: &Path, target: &Path) -> std::io::Result<()> {
    if target.exists() && !target.is_file() {
        return Err(std::io::Error::other("it exists and is not a file"));
    }
    // The target may be on another file system, so that the file cannot simply be moved there.
    let beside = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // What the umask takes away, the system does.
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix(".ravel-").permissions(Permissions::from_mode(0o777)).tempfile_in(beside)?;
    std::io::copy(&mut std::fs::File::open(made)?, &mut file)?;
    file.persist(target)?;
    Ok(())
}

/// A compilation.
struct Job<'a> {
    source: &'a str,
    compiler: Compiler,
    flags: Vec<String>,
    units: usize,
    /// Whether the functions of the run-time system that it is linked with are those for several threads.
    linked: Option<bool>,
}

/// What went wrong while the cache was used.
enum Trouble {
    /// The folder cannot be used.
    Cache(String),
    /// Anything else.
    Other(NativeError),
}

impl Job<'_> {
    /// Code that was compiled earlier; a file that cannot be loaded is removed, and so is one that others can have
    /// written, which is noted.
    fn find(folder: &Path, key: &str, notes: &mut Vec<String>) -> Option<Compiled> {
        let name = format!("{key}.so");
        let path = folder.join(&name);
        if let Err(why) = trust::file(&path) {
            notes.push(format!("cached code is not used, the program is compiled again: {why}"));
        }
        if !path.is_file() {
            return None;
        }
        let found = load_kept(&name, folder);
        if found.is_none() {
            std::fs::remove_file(&path).ok();
        }
        found
    }

    fn in_cache(&self, folder: &Path, key: &str) -> Result<Compiled, Trouble> {
        let unusable = |path: &Path, error: std::io::Error| Trouble::Cache(format!("{}: {error}", path.display()));
        let own = cache::unfinished(key).tempdir_in(folder).map_err(|error| unusable(folder, error))?;
        let (text, code) = (own.path().join("program.c"), own.path().join("program.so"));
        std::fs::write(&text, self.source).map_err(|error| unusable(&text, error))?;
        match self.translate(&text, None, &code) {
            Ok(()) => {}
            Err(error) if is_about_space(&error) => return Err(Trouble::Cache("the disk is full".into())),
            Err(error) => return Err(Trouble::Other(error)),
        }
        let name = format!("{key}.so");
        let kept = folder.join(&name);
        // Whatever the umask says: code that others may write would not be loaded again.
        let private = std::fs::set_permissions(&code, Permissions::from_mode(0o700));
        private.and_then(|()| std::fs::rename(&code, &kept)).map_err(|error| unusable(&kept, error))?;
        let library = Library::load(&kept).map_err(Trouble::Other)?;
        cache::tidy(folder);
        Ok(Compiled { library, notes: Vec::new(), cached: false, kept: Some(name) })
    }

    fn in_temporary_folder(&self, notes: Vec<String>) -> Result<Compiled, NativeError> {
        let folder = temporary_folder()?;
        let (text, code) = (folder.path().join("program.c"), folder.path().join("program.so"));
        write(&text, self.source)?;
        self.translate(&text, None, &code)?;
        // The file may go once it is loaded.
        Ok(Compiled { library: Library::load(&code)?, notes, cached: false, kept: None })
    }

    /// Runs the compiler, and links with the run-time system and another object.
    fn translate(&self, text: &Path, other: Option<PathBuf>, code: &Path) -> Result<(), NativeError> {
        let folder = code.parent().unwrap_or(Path::new("."));
        let linked = self.linked.map(|parallel| objects::linked(parallel, folder)).transpose()?;
        let others: Vec<PathBuf> = other.into_iter().chain(linked).collect();
        match self.units {
            0 => self.compiler.run(&self.flags, text, &others, code),
            units => self.compiler.run_units(units, &self.flags, text, &others, code),
        }
    }
}

fn is_about_space(error: &NativeError) -> bool {
    let NativeError::CompilerFailed { output, .. } = error else { return false };
    ["No space left", "Disk quota", "Read-only file system"].iter().any(|words| output.contains(words))
}

fn write(path: &Path, text: &str) -> Result<(), NativeError> {
    std::fs::write(path, text).map_err(|error| NativeError::File { what: "write", path: path.to_owned(), error })
}

/// A folder with an unpredictable name, which only the user may enter. It is removed when this is dropped.
fn temporary_folder() -> Result<TempDir, NativeError> {
    let place = std::env::temp_dir();
    let folder = tempfile::Builder::new().prefix("ravel-").tempdir_in(&place);
    let folder = folder.map_err(|error| NativeError::File { what: "create a folder in", path: place, error })?;
    trust::folder(folder.path()).map_err(NativeError::Unsafe)?;
    Ok(folder)
}
