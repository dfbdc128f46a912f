//! The state of writing a program in C.

use crate::counted::counted_params;
use crate::needs::Needs;
use crate::units;
use crate::writer::Writer;
use base::{Map, Set, Span};
use kernel::{FunId, Program, Stm, Var};
use scalar::Layout;

/// The state of writing a program.
pub(crate) struct Emitter<'a> {
    pub program: &'a Program,
    /// The function that is being written.
    pub out: Writer,
    /// Its name.
    pub function: Option<String>,
    /// Functions that were outlined from it so far.
    pub outlined: Vec<units::Part>,
    pub outlined_count: usize,
    /// The first of all parts that differ only in the names of variables, by their common text.
    pub parts: Map<String, usize>,
    /// The number of labels.
    pub labels: usize,
    pub needs: Needs,
    pub places: Vec<Span>,
    pub traces: Vec<(Layout, Span)>,
    /// Parameters that come with the block that counts who refers to them.
    pub counted: Set<Var>,
    /// Functions whose allocations are shown where they are called.
    pub shown_at_calls: Set<FunId>,
    /// Functions that lead from one parallel loop to the next.
    pub leading: Set<FunId>,
    /// Whether the code that is written belongs to one of them, and not to a loop.
    pub leads: bool,
    /// Whether the current statement is in a loop whose iterations are lanes.
    pub in_lanes: bool,
    /// Which loops are measured.
    pub clock: Clock,
    /// The number of the loop around that is run again if an argument is too large for its functions.
    pub repeated: Option<usize>,
}

/// Which loops are measured.
#[derive(Default)]
pub(crate) struct Clock {
    /// Whether any are.
    pub is_on: bool,
    /// How many loops are around the current statement.
    pub loops: usize,
    /// How many timers there are.
    pub timers: usize,
}

impl<'a> Emitter<'a> {
    pub fn new(program: &'a Program) -> Self {
        Emitter {
            program,
            out: Writer::default(),
            function: None,
            outlined: Vec::new(),
            outlined_count: 0,
            parts: Map::default(),
            labels: 0,
            needs: Needs::default(),
            places: Vec::new(),
            traces: Vec::new(),
            counted: counted_params(program),
            shown_at_calls: program.functions.ids().filter(|id| is_shown_at_calls(program, *id)).collect(),
            leading: units::leading(program),
            leads: false,
            in_lanes: false,
            clock: Clock::default(),
            repeated: None,
        }
    }
}

/// Whether something in a function is to be shown where it is called.
fn is_shown_at_calls(program: &Program, function: FunId) -> bool {
    let mut shown = false;
    kernel::walk::for_each_stm(&program.functions[function].body, &mut |stm| {
        if let Stm::Alloc { span, .. }
        | Stm::Grow { span, .. }
        | Stm::Pack { span, .. }
        | Stm::Trim { span, .. }
        | Stm::Call { span, .. } = stm
        {
            shown |= *span == Span::OF_CALLER;
        }
    });
    shown
}
