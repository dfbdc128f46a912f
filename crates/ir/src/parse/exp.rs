//! Expressions.

use super::lexer::{Kind, Token};
use super::{Parser, Result};
use crate::print::implied_prim;
use crate::turns::{Rounds, Tiles};
use crate::{Atom, Exp, LoopForm, Range, Region, SortKeys, Sorted, Turns};
use scalar::{BinOp, MathOp, Prim, UnOp};

impl Parser<'_> {
    pub(super) fn exp(&mut self) -> Result<Exp> {
        let token = self.peek();
        if let Some(prim) = Prim::from_name(token.text)
            && let Some(exp) = self.at_module(prim)?
        {
            return Ok(exp);
        }
        if crate::words::is_reserved(token.text) && !self.begins_atom() {
            return self.headed();
        }
        if self.peek_second().text == "(" && matches!(token.kind, Kind::Name(_)) {
            let function = self.function_name()?;
            return Ok(Exp::Call(function, self.atoms("(", ")")?));
        }
        self.after_atom()
    }

    /// `f64.sqrt(x)`, `f64[x, y]`.
    fn at_module(&mut self, prim: Prim) -> Result<Option<Exp>> {
        if self.peek_second().text == "[" {
            self.take();
            return Ok(Some(Exp::Literal(prim, self.atoms("[", "]")?)));
        }
        let name = self.tokens.get(self.next + 2).map_or("", |token| token.text);
        let Some(op) = MathOp::from_name(name).filter(|_| self.peek_second().text == ".") else {
            return Ok(None);
        };
        self.next += 3;
        Ok(Some(Exp::Math(op, prim, self.atoms("(", ")")?)))
    }

    /// Expressions that begin with an operand.
    fn after_atom(&mut self) -> Result<Exp> {
        let first = self.atom()?;
        if let Atom::Var(x) = first
            && self.at("[")
        {
            if self.peek_second().text != ".." {
                return Ok(Exp::Index(x, self.atoms("[", "]")?));
            }
            self.next += 2;
            let at = self.var()?;
            self.expect("]")?;
            return Ok(Exp::IndexVector(x, at));
        }
        if self.eat("as") {
            let to = self.prim()?;
            return Ok(Exp::Convert(self.at_prim(first)?, to, first));
        }
        match BinOp::from_symbol(self.peek().text) {
            Some(op) => {
                self.take();
                let second = self.atom()?;
                Ok(Exp::Bin(op, self.at_prim(first)?, first, second))
            }
            None => Ok(Exp::Atom(first)),
        }
    }

    /// The type that an operator works at.
    fn at_prim(&mut self, first: Atom) -> Result<Prim> {
        if self.eat("at") {
            return self.prim();
        }
        match implied_prim(&self.program, first) {
            Some(prim) => Ok(prim),
            None => self.unexpected("`at` and a type, as the operand is not a scalar"),
        }
    }

    /// `cond else`
    fn condition(&mut self) -> Result<Atom> {
        let cond = self.atom()?;
        self.expect("else")?;
        Ok(cond)
    }

    /// Expressions that begin with a word.
    fn headed(&mut self) -> Result<Exp> {
        let token = self.take();
        Ok(match token.text {
            "neg" => self.unary(UnOp::Neg)?,
            "not" => self.unary(UnOp::Not)?,
            "select" => match self.atoms("(", ")")?[..] {
                [c, a, b] => Exp::Select(c, a, b),
                _ => return self.error(token.start, "`select` takes three operands".into()),
            },
            "slice" => Exp::Slice(self.var()?, self.ranges()?),
            "rearrange" => Exp::Rearrange(self.var()?, self.list("(", ")", Self::natural)?),
            "reshape" => Exp::Reshape(self.var()?),
            "copy" => Exp::Copy(self.var()?),
            "retype" => Exp::Retype(self.var()?),
            "total" => Exp::Total(self.dims()?),
            "unrank" => {
                let index = self.atom()?;
                self.expect("in")?;
                Exp::Unrank { index, shape: self.var()? }
            }
            word if word.starts_with("desc_") => self.descriptor(token)?,
            "assert" => {
                let cond = self.condition()?;
                Exp::Assert { cond, site: self.site_name()?, args: self.atoms("(", ")")? }
            }
            "ensure" => Exp::Ensure { cond: self.condition()?, otherwise: self.block()? },
            "pack" => Exp::Pack(self.box_name()?, self.natural()?, self.atoms("(", ")")?),
            "open" => self.opened()?,
            "if" => {
                let (cond, then) = (self.atom()?, self.block()?);
                self.expect("else")?;
                Exp::If(cond, then, self.block()?)
            }
            "choose" => {
                let (cond, then) = (self.atom()?, self.block()?);
                self.expect("or")?;
                Exp::Choose(cond, then, self.block()?)
            }
            "uninit" => Exp::Uninit,
            "loop" => self.repetition()?,
            "bulk" => Exp::Bulk(self.bulk()?),
            "sort" => {
                let count = self.atom()?;
                self.expect("by")?;
                Exp::Sort(count, self.region()?)
            }
            "sort_keys" => self.sort_keys()?,
            "trace" => Exp::Trace(self.layout()?, self.atoms("(", ")")?),
            _ => return self.error(token.start, format!("`{}` does not begin an expression", token.text)),
        })
    }

    /// `sort_keys xs descending giving values order`
    fn sort_keys(&mut self) -> Result<Exp> {
        let keys = self.var()?;
        let descending = self.eat("descending");
        self.expect("giving")?;
        let values = self.eat("values");
        let order = if values { self.eat("order") } else { self.expect("order").map(|_| true)? };
        let gives = match (values, order) {
            (true, true) => Sorted::Both,
            (true, false) => Sorted::Values,
            (false, _) => Sorted::Order,
        };
        Ok(Exp::SortKeys(SortKeys { keys, descending, gives }))
    }

    /// What makes a descriptor, or is computed from one.
    fn descriptor(&mut self, token: Token<'_>) -> Result<Exp> {
        Ok(match token.text {
            "desc_uniform" => Exp::DescUniform(self.atom()?),
            "desc_of" => Exp::DescOf(self.var()?),
            "desc_lengths" => Exp::DescLengths(self.var()?),
            "desc_length" => Exp::DescLength(self.var()?, self.atoms("[", "]")?),
            "desc_offset" => Exp::DescOffset(self.var()?, self.atoms("[", "]")?),
            "desc_row" => match (self.var()?, &self.atoms("[", "]")?[..]) {
                (d, [element]) => Exp::DescRow(d, *element),
                _ => return self.error(token.start, "`desc_row` takes the number of an element".into()),
            },
            "desc_index" => Exp::DescIndex(self.var()?, self.atoms("[", "]")?),
            "desc_slice" => Exp::DescSlice(self.var()?, self.ranges()?),
            "desc_equal" => match self.list("(", ")", Self::var)?[..] {
                [d, e] => Exp::DescEqual(d, e),
                _ => return self.error(token.start, "`desc_equal` takes two descriptors".into()),
            },
            _ => return self.error(token.start, format!("`{}` does not begin an expression", token.text)),
        })
    }

    fn opened(&mut self) -> Result<Exp> {
        self.nested(|p| {
            let x = p.var()?;
            p.expect("{")?;
            let mut cases = Vec::new();
            while p.eat("case") {
                cases.push(p.region()?);
            }
            p.expect("}")?;
            Ok(Exp::Open(x, cases))
        })
    }

    fn unary(&mut self, op: UnOp) -> Result<Exp> {
        let a = self.atom()?;
        Ok(Exp::Un(op, self.at_prim(a)?, a))
    }

    fn repetition(&mut self) -> Result<Exp> {
        let params = self.list("(", ")", |p| {
            let var = p.binder()?;
            p.expect("=")?;
            Ok((var, p.atom()?))
        })?;
        let form = if self.eat("while") {
            let cond = self.block()?;
            self.expect("do")?;
            LoopForm::While(cond)
        } else {
            self.expect("for")?;
            let var = self.index_binder()?;
            self.expect("<")?;
            LoopForm::For(var, self.atom()?)
        };
        Ok(Exp::Loop { params, form, turns: self.turns()?, body: self.block()? })
    }

    /// How turns run: in order if nothing is said.
    fn turns(&mut self) -> Result<Turns> {
        if self.eat("blocks") {
            let turns = self.small()?;
            self.expect("tiles")?;
            let (rows, columns) = (self.small()?, self.small()?);
            self.expect("from")?;
            return Ok(Turns::Blocks(Tiles { turns, rows, columns, least: self.small()? }));
        }
        if self.eat("rounds") {
            let turns = self.small()?;
            self.expect("from")?;
            let bytes = self.small()?;
            self.expect("rows")?;
            let row_bytes = self.small()?;
            self.expect("share")?;
            return Ok(Turns::Rounds(Rounds { turns, bytes, row_bytes, share: self.small()? }));
        }
        Ok(Turns::InOrder)
    }

    pub(super) fn region(&mut self) -> Result<Region> {
        Ok(Region { params: self.binders()?, body: self.block()? })
    }

    fn ranges(&mut self) -> Result<Vec<Range>> {
        self.list("[", "]", |p| {
            let start = p.atom()?;
            p.expect(";")?;
            let count = p.atom()?;
            let stride = if p.eat(";") { p.atom()? } else { Atom::size(1) };
            Ok(Range { start, count, stride })
        })
    }
}
