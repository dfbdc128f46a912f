//! Calls of entry points.

use crate::library::{Functions, NUMBERS, RawArg, RawValue};
use crate::runner::Runner;
use crate::{Library, NativeError};
use fault::Argument;
use scalar::{Component as Form, DimKind, Layout, Prim, Scalar};
use std::ffi::c_void;
use std::time::{Duration, Instant};
use value::PrimVec;
use value::components::Component;

/// How a program may run.
#[derive(Clone, Copy, Default, Debug)]
pub struct Settings {
    /// On how many threads; otherwise `OMP_NUM_THREADS`, or one a core.
    pub threads: Option<usize>,
    /// How many bytes arrays may take together; otherwise three quarters of the available memory.
    pub memory: Option<u64>,
}

/// Why a call did not end well.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// A check failed.
    Check {
        /// The number of its site.
        site: usize,
        /// Values for the message.
        args: Vec<Argument>,
    },
    /// There is not enough memory.
    Memory {
        /// The number of the allocation's place.
        place: usize,
        /// How many elements the array was to have.
        count: i64,
        /// The limit that it would exceed, in bytes; none if the system refused.
        limit: Option<u64>,
    },
}

/// What calls took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    /// The most bytes that arrays took at one time, without arguments.
    pub peak: u64,
    /// How often memory was allocated.
    pub allocations: u64,
    /// How many parallel loops ran, without those inside of others.
    pub regions: u64,
    /// How many of them ran on several threads.
    pub shared: u64,
    /// For each place, how long its loops took, without measured loops inside of them, and how often they ran.
    pub loops: Vec<(Duration, u64)>,
}

/// What is called with the number and the components of a traced value, perhaps from several threads.
pub type TraceFn = Box<dyn Fn(usize, Vec<Component>) + Send + Sync>;

/// Calls entry points, one at a time. Memory that one call gave back is used by the next.
pub struct Context<'a> {
    functions: Functions,
    raw: *mut c_void,
    runner: Runner,
    trace: Option<Box<Trace>>,
    took: Duration,
    library: std::marker::PhantomData<&'a Library>,
}

/// What the callback needs.
struct Trace {
    layouts: Vec<Vec<Form>>,
    show: TraceFn,
}

/// A pointer that another thread may use while this one waits.
#[derive(Clone, Copy)]
struct Shared<T>(T);
// SAFETY: only one of the two threads works at a time.
unsafe impl<T> Send for Shared<T> {}

impl<T> Shared<T> {
    fn get(self) -> T {
        self.0
    }
}

impl Library {
    /// Gets ready to call entry points.
    pub fn context(&self, settings: Settings) -> Result<Context<'_>, NativeError> {
        let runner = Runner::new()?;
        let (threads, memory) = (
            settings.threads.unwrap_or(0) as i64,
            settings.memory.map_or(0, |bytes| bytes.min(i64::MAX as u64) as i64),
        );
        let functions = self.functions;
        let mut raw = Shared(std::ptr::null_mut());
        let out = Shared(&raw mut raw);
        // SAFETY: plain numbers go in; the result is read after the end of the work.
        runner.run(move || unsafe { (*out.get()).0 = (functions.context_new)(threads, memory) });
        if raw.0.is_null() {
            return Err(NativeError::Load("there is no memory".into()));
        }
        Ok(Context {
            functions,
            raw: raw.0,
            runner,
            trace: None,
            took: Duration::ZERO,
            library: std::marker::PhantomData,
        })
    }
}

impl Context<'_> {
    /// Has traced values shown; `layouts` are their forms, by number.
    pub fn on_trace(&mut self, layouts: &[Layout], show: TraceFn) {
        let trace = Box::new(Trace { layouts: layouts.iter().map(Layout::components).collect(), show });
        let data = (&raw const *trace).cast_mut().cast();
        // SAFETY: the box lives in this context, which outlives all calls.
        unsafe { (self.functions.context_trace)(self.raw, trace_from_c, data) };
        self.trace = Some(trace);
    }

    /// Calls the entry point with this number. `args` are the components of all arguments; those that the entry point
    /// consumes may be overwritten. `results` are the forms of what comes back.
    pub fn call(
        &mut self,
        entry: usize,
        args: &mut [Component],
        results: &[Layout],
    ) -> Result<Vec<Component>, Failure> {
        let inputs: Vec<RawValue> = args.iter_mut().map(raw_value).collect();
        let layouts: Vec<Vec<Form>> = results.iter().map(Layout::components).collect();
        let count = layouts.iter().map(Vec::len).sum();
        let nothing = RawValue { data: std::ptr::null_mut(), block: std::ptr::null_mut(), bits: 0 };
        let mut outputs = vec![nothing; count];
        let mut failed = 1;
        let mut took = Duration::ZERO;
        let (functions, raw) = (self.functions, Shared(self.raw));
        let (inputs_at, outputs_at, out) =
            (Shared(inputs.as_ptr()), Shared(outputs.as_mut_ptr()), Shared((&raw mut failed, &raw mut took)));
        // SAFETY: this thread waits, and all that is pointed to lives until it continues.
        self.runner.run(move || unsafe {
            let start = Instant::now();
            *out.get().0 = (functions.call)(raw.get(), entry as i32, inputs_at.get(), outputs_at.get());
            *out.get().1 = start.elapsed();
        });
        self.took = took;
        if failed != 0 {
            return Err(self.failure());
        }
        let mut rest = &outputs[..];
        let mut components = Vec::with_capacity(count);
        for layout in &layouts {
            let (own, behind) = rest.split_at(layout.len());
            // SAFETY: the entry point gives what its layouts say.
            components.extend(unsafe { take_components(layout, own) });
            rest = behind;
        }
        // SAFETY: each result is dropped once.
        outputs.iter().for_each(|value| unsafe { (self.functions.drop)(self.raw, value.block) });
        Ok(components)
    }

    /// How many blocks of memory the last call forgot to give back: none, unless the compiler is wrong.
    pub fn left(&self) -> usize {
        // SAFETY: the context is alive and no call is under way.
        unsafe { (self.functions.left)(self.raw) }.max(0) as usize
    }

    /// How long the last call ran, without the transfer of arguments and results.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// What all calls took. None if the code does not count; `places` is the number of its places.
    pub fn stats(&self, places: usize) -> Option<Stats> {
        let function = self.functions.stats?;
        let (mut totals, mut times, mut runs) = ([0; 4], vec![0; places.max(1)], vec![0; places.max(1)]);
        // SAFETY: the context is alive, no call is under way, and the code has so many places.
        unsafe { function(self.raw, totals.as_mut_ptr(), times.as_mut_ptr(), runs.as_mut_ptr()) };
        let [peak, allocations, regions, shared] = totals.map(|n: i64| n.max(0) as u64);
        let nanoseconds = |n: &i64| Duration::from_nanos((*n).max(0) as u64);
        let loops = times.iter().map(nanoseconds).zip(runs.iter().map(|n| *n as u64)).collect();
        Some(Stats { peak, allocations, regions, shared, loops })
    }

    fn failure(&self) -> Failure {
        // SAFETY: the context is alive and no call is under way; arguments live until the next call.
        let (kind, site, args) = unsafe {
            let count = (self.functions.failure_count)(self.raw) as usize;
            let args = std::slice::from_raw_parts((self.functions.failure_args)(self.raw), count);
            ((self.functions.failure_kind)(self.raw), (self.functions.failure_site)(self.raw), args)
        };
        let place = site.max(0) as usize;
        match kind {
            2 => {
                let bits = |at: usize| args.get(at).map_or(0, |arg| arg.bits);
                Failure::Memory { place, count: bits(0) as i64, limit: Some(bits(1)).filter(|limit| *limit > 0) }
            }
            _ => Failure::Check { site: place, args: args.iter().map(argument).collect() },
        }
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing uses it any more.
        unsafe { (self.functions.context_free)(self.raw) };
    }
}

fn argument(arg: &RawArg) -> Argument {
    if arg.prim == NUMBERS {
        if arg.count <= 0 {
            return Argument::Numbers(Vec::new());
        }
        // SAFETY: the run-time system copied so many numbers.
        return Argument::Numbers(unsafe { std::slice::from_raw_parts(arg.numbers, arg.count as usize) }.to_vec());
    }
    let prim = Prim::ALL.get(arg.prim as usize).copied().unwrap_or(Prim::I64);
    Scalar::from_bits(prim, arg.bits).into()
}

fn raw_value(component: &mut Component) -> RawValue {
    let (data, bits) = match component {
        Component::Scalar(x) => (std::ptr::null_mut(), x.bits()),
        Component::Numbers(numbers) => (numbers.as_mut_ptr().cast(), 0),
        Component::Data(data) => (data.as_mut_ptr(), 0),
    };
    RawValue { data, block: std::ptr::null_mut(), bits }
}

extern "C" fn trace_from_c(data: *mut c_void, number: i32, values: *const RawValue) {
    // SAFETY: the pointer is the one that `on_trace` gave, and the values are of the layout with this number.
    unsafe {
        let trace = &*data.cast::<Trace>();
        if let Some(layout) = trace.layouts.get(number as usize) {
            let values = std::slice::from_raw_parts(values, layout.len());
            (trace.show)(number as usize, take_components(layout, values));
        }
    }
}

/// Copies components from the memory of compiled code.
///
/// # Safety
/// The values must be of this layout.
unsafe fn take_components(layout: &[Form], values: &[RawValue]) -> Vec<Component> {
    let mut out: Vec<Component> = Vec::with_capacity(layout.len());
    for (form, value) in layout.iter().zip(values) {
        // SAFETY: sizes come first, and arrays have as many elements as those say.
        let copy = |prim, len| unsafe { PrimVec::copy_from_raw(prim, value.data, len) };
        let numbers = |len| match copy(Prim::I64, len) {
            PrimVec::I64(numbers) => Component::Numbers(numbers),
            other => Component::Data(other),
        };
        let component = match form {
            Form::Size | Form::Rank => Component::Scalar(Scalar::I64(value.bits as i64)),
            Form::Shape => numbers(out.last().map_or(0, size)),
            Form::Desc(dims) => numbers(total(dims, &out) + 1),
            Form::Data(prim, dims) if dims.is_empty() => Component::Scalar(Scalar::from_bits(*prim, value.bits)),
            Form::Data(prim, dims) => Component::Data(copy(*prim, total(dims, &out))),
        };
        out.push(component);
    }
    out
}

/// How many elements lie inside some dimensions.
fn total(dims: &[(DimKind, usize)], components: &[Component]) -> usize {
    dims.iter().fold(1, |rows, (kind, at)| match (kind, components.get(*at)) {
        (DimKind::Size, Some(extent)) => rows * size(extent),
        (DimKind::Jagged, Some(Component::Numbers(offsets))) => offsets.last().map_or(0, |last| *last as usize),
        (DimKind::Shape, Some(Component::Numbers(shape))) => shape.iter().fold(rows, |rows, n| rows * *n as usize),
        (DimKind::Size | DimKind::Jagged | DimKind::Shape, _) => 0,
    })
}

fn size(component: &Component) -> usize {
    match component {
        Component::Scalar(x) => x.to_i64().max(0) as usize,
        Component::Numbers(_) | Component::Data(_) => 0,
    }
}
