//! Which Core constructs an entry point has.

use base::Set;
use ir::traverse::Part;
use ir::{Block, Bulk, Coverage, Dim, Exp, FunId, Kind, LoopForm, Mark, Output, Program, Step, Tree, Type};

/// Everything that can be covered.
pub const ALL: [&str; 65] = [
    "atom",
    "bin",
    "un",
    "math",
    "convert",
    "select",
    "literal",
    "index",
    "index-vector",
    "slice",
    "rearrange",
    "reshape",
    "copy",
    "retype",
    "total",
    "unrank",
    "desc-uniform",
    "desc-of",
    "desc-lengths",
    "desc-length",
    "desc-index",
    "desc-slice",
    "desc-equal",
    "assert",
    "ensure",
    "call",
    "if",
    "choose",
    "uninit",
    "pack",
    "open",
    "loop-for",
    "loop-while",
    "gen",
    "update",
    "accum",
    "reduce",
    "scan",
    "keep",
    "tree-free",
    "tree-order",
    "tree-blocks",
    "tree-lanes",
    "threads",
    "gen-else",
    "gen-checked",
    "gen-exact",
    "gen-rec",
    "gen-rec-mutual",
    "update-rec",
    "update-skip",
    "accum-skip",
    "guard",
    "nested-for",
    "sort",
    "sort-keys",
    "jagged-type",
    "shape-type",
    "jagged-output",
    "shared-elements",
    "shared-rows",
    "scheduled",
    "recursion",
    "rows",
    "trace",
];

/// The constructs of each entry point, functions that it calls included.
pub fn entries(program: &Program) -> Vec<Vec<&'static str>> {
    program.entries.iter().map(|entry| of_function(program, entry.function)).collect()
}

fn of_function(program: &Program, function: FunId) -> Vec<&'static str> {
    let mut walk = Walk { program, keys: Set::default(), seen: Set::default(), open: Vec::new() };
    walk.function(function);
    ALL.into_iter().filter(|key| walk.keys.contains(key)).collect()
}

struct Walk<'p> {
    program: &'p Program,
    keys: Set<&'static str>,
    seen: Set<FunId>,
    open: Vec<FunId>,
}

impl Walk<'_> {
    fn function(&mut self, id: FunId) {
        if self.open.contains(&id) {
            self.keys.insert("recursion");
        }
        if !self.seen.insert(id) {
            return;
        }
        self.open.push(id);
        let program = self.program;
        let function = &program.functions[id];
        function.params.iter().for_each(|var| self.ty(program.ty(*var)));
        self.block(&function.body);
        self.open.pop();
    }

    fn ty(&mut self, ty: &Type) {
        if let Type::Array(_, dims) = ty {
            dims.iter().for_each(|dim| match dim {
                Dim::Jagged(_) => {
                    self.keys.insert("jagged-type");
                }
                Dim::Shape(_) => {
                    self.keys.insert("shape-type");
                }
                Dim::Size(_) => {}
            });
        }
    }

    fn block(&mut self, block: &Block) {
        block.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &ir::Stm) {
        let program = self.program;
        stm.vars.iter().for_each(|var| self.ty(program.ty(*var)));
        self.exp(&stm.exp);
        stm.exp.for_each_part(&mut |part| match part {
            Part::Block(block) => self.block(block),
            Part::Stm(stm) => self.stm(stm),
            Part::Atom(_) | Part::Use(_) | Part::Bind(_) => {}
        });
    }

    fn exp(&mut self, exp: &Exp) {
        let key = match exp {
            Exp::Atom(_) => "atom",
            Exp::Bin(..) => "bin",
            Exp::Un(..) => "un",
            Exp::Math(..) => "math",
            Exp::Convert(..) => "convert",
            Exp::Select(..) => "select",
            Exp::Literal(..) => "literal",
            Exp::Index(..) => "index",
            Exp::IndexVector(..) => "index-vector",
            Exp::Slice(..) => "slice",
            Exp::Rearrange(..) => "rearrange",
            Exp::Reshape(_) => "reshape",
            Exp::Copy(_) => "copy",
            Exp::Retype(_) => "retype",
            Exp::Total(_) => "total",
            Exp::Unrank { .. } => "unrank",
            Exp::DescUniform(_) => "desc-uniform",
            Exp::DescOf(_) => "desc-of",
            Exp::DescLengths(_) => "desc-lengths",
            Exp::DescLength(..) => "desc-length",
            Exp::DescOffset(..) => "desc-offset",
            Exp::DescRow(..) => "desc-row",
            Exp::DescIndex(..) => "desc-index",
            Exp::DescSlice(..) => "desc-slice",
            Exp::DescEqual(..) => "desc-equal",
            Exp::Assert { .. } => "assert",
            Exp::Ensure { .. } => "ensure",
            Exp::Call(function, _) => {
                self.function(*function);
                "call"
            }
            Exp::If(..) => "if",
            Exp::Choose(..) => "choose",
            Exp::Uninit => "uninit",
            Exp::Pack(..) => "pack",
            Exp::Open(..) => "open",
            Exp::Loop { form: LoopForm::For(..), .. } => "loop-for",
            Exp::Loop { form: LoopForm::While(_), .. } => "loop-while",
            Exp::Bulk(bulk) => {
                self.bulk(bulk);
                return;
            }
            Exp::Sort(..) => "sort",
            Exp::SortKeys(_) => "sort-keys",
            Exp::Trace(..) => "trace",
        };
        self.keys.insert(key);
    }

    fn bulk(&mut self, bulk: &Bulk) {
        let mut recursive = 0;
        for output in &bulk.outputs {
            if !output.sizes.is_empty() {
                self.keys.insert("jagged-output");
            }
            let program = self.program;
            self.shared(output);
            if output.elems.iter().any(|var| matches!(program.ty(*var), Type::Array(..))) {
                self.keys.insert("rows");
            }
            let key = match &output.kind {
                Kind::Gen { otherwise, coverage, rec, .. } => {
                    if otherwise.is_some() {
                        self.keys.insert("gen-else");
                    }
                    self.keys.insert(match coverage {
                        Coverage::Exact => "gen-exact",
                        Coverage::Checked { .. } => "gen-checked",
                    });
                    if !rec.is_empty() {
                        self.keys.insert("gen-rec");
                        recursive += 1;
                    }
                    "gen"
                }
                Kind::Update { skip, rec, .. } => {
                    if *skip {
                        self.keys.insert("update-skip");
                    }
                    if !rec.is_empty() {
                        self.keys.insert("update-rec");
                        recursive += 1;
                    }
                    "update"
                }
                Kind::Accum { skip, .. } => {
                    if *skip {
                        self.keys.insert("accum-skip");
                    }
                    "accum"
                }
                Kind::Reduce { tree, .. } => {
                    self.keys.insert(tree_key(*tree));
                    "reduce"
                }
                Kind::Keep => "keep",
            };
            self.keys.insert(key);
        }
        if bulk.scheduled {
            self.keys.insert("scheduled");
        }
        if recursive > 1 {
            self.keys.insert("gen-rec-mutual");
        }
        self.steps(&bulk.steps, 0);
    }

    /// Arrays whose rows are as long as those of others: made element by element, or row by row.
    fn shared(&mut self, output: &Output) {
        let Kind::Gen { shape, .. } = &output.kind else { return };
        let is_jagged = |dim: &Dim| matches!(dim, Dim::Jagged(_));
        if shape.iter().any(is_jagged) {
            self.keys.insert("shared-elements");
        }
        let row = |var: &ir::Var| self.program.ty(*var).dims().iter().any(is_jagged);
        if output.sizes.is_empty() && output.elems.iter().any(row) {
            self.keys.insert("shared-rows");
        }
    }

    fn steps(&mut self, steps: &[Step], depth: usize) {
        for step in steps {
            match step {
                Step::For { mark, body, .. } => {
                    if matches!(mark, Mark::Threads(_)) {
                        self.keys.insert("threads");
                    }
                    if depth > 0 {
                        self.keys.insert("nested-for");
                    }
                    self.steps(body, depth + 1);
                }
                Step::Guard(_, body) => {
                    self.keys.insert("guard");
                    self.steps(body, depth);
                }
                Step::Scan(scan) => {
                    self.keys.insert(tree_key(scan.tree));
                    self.keys.insert("scan");
                }
                Step::Let(_) | Step::Emit(_) => {}
            }
        }
    }
}

fn tree_key(tree: Tree) -> &'static str {
    match tree {
        Tree::Free | Tree::Tables(_) => "tree-free",
        Tree::InOrder | Tree::Uncut => "tree-order",
        Tree::Chunks(chunks) if chunks.width() > 1 => "tree-lanes",
        // Parts pay off only for many values.
        Tree::Chunks(_) | Tree::Parts(_) => "tree-blocks",
    }
}
