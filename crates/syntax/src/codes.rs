//! The syntax errors: a stable code and a one-line title each. Syntax owns E0001 to E0099.

/// A code and its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// Such as `E0001`.
    pub code: &'static str,
    /// One line, without the particulars of a case.
    pub title: &'static str,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal;)*) => {
        $(#[doc = $title] pub const $name: &str = $code;)*
        /// Every syntax error, by code.
        pub const TABLE: &[Code] = &[$(Code { code: $code, title: $title }),*];
    };
}

codes! {
    UNKNOWN_CHARACTER = "E0001", "a character that means nothing in a program";
    BAD_NUMBER = "E0002", "a number written wrongly";
    NUMBER_TOO_BIG = "E0003", "a whole number beyond 128 bits";
    UNCLOSED_STRING = "E0004", "a string without its closing quote";
    BAD_CHARACTER = "E0005", "a character literal written wrongly";
    BAD_ESCAPE = "E0006", "an unknown escape in a string or character";
    NOT_UTF8 = "E0007", "a file that is not UTF-8 text";
    UNEXPECTED = "E0010", "something else was expected here";
    UNCLOSED = "E0011", "a bracket that is never closed";
    STRAY_CLOSER = "E0012", "a closing bracket that closes nothing";
    TOO_DEEP = "E0013", "nested too deeply";
    TOO_LONG = "E0014", "a chain that is too long";
    NO_DECLARATION = "E0020", "a declaration was expected";
    NO_EXPRESSION = "E0021", "an expression was expected";
    NO_PATTERN = "E0022", "a pattern was expected";
    NO_TYPE = "E0023", "a type was expected";
    NO_NAME = "E0024", "a name was expected";
    RESERVED = "E0025", "a reserved word used as a name";
    NO_MODULE = "E0026", "a module or module type was expected";
    NO_ELSE = "E0030", "an `if` without `else`";
    NO_IN = "E0031", "a `let` without `in`";
    EQUALS = "E0032", "`=` in an expression";
    LAMBDA = "E0033", "a function in the syntax of another language";
    RANGE = "E0034", "a range written wrongly";
    UPDATE_PATH = "E0035", "a `with` that does not say what to replace";
    TOP_PATTERN = "E0036", "a pattern bound at the top level";
    OPEN_IN = "E0037", "only a module can be opened with `.( )`";
    INDEX_GAP = "E0038", "several indices in separate brackets with a space";
    SECTION = "E0039", "an operator without its operand";
    BINDING_OP = "E0040", "a name that cannot be defined";
    PARAMETER_ORDER = "E0041", "parameters written wrongly";
    NO_CASE = "E0042", "a `match` without cases";
    LOOP_FORM = "E0043", "a `loop` without `for` or `while`";
    ATTRIBUTE = "E0044", "an attribute written wrongly";
    FOREIGN_IF = "E0045", "an `if` in the syntax of another language";
    WORD_OPERATOR = "E0046", "a word where an operator is needed";
    COMPREHENSION = "E0050", "a comprehension written wrongly";
    GENERATOR = "E0051", "a generator written wrongly";
    CLAUSES = "E0052", "clauses in braces were expected";
    CLAUSE = "E0053", "a clause written wrongly";
    ELSE_CLAUSE = "E0054", "an `else` clause in the wrong place";
    LET_REC = "E0055", "a `let rec` that does not define an array";
    RAVEL_ONLY = "E0056", "syntax of Ravel in a Futhark file";
}

/// The title of a code.
pub fn title(code: &str) -> Option<&'static str> {
    TABLE.iter().find(|c| c.code == code).map(|c| c.title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_stay_in_range() {
        assert!(TABLE.windows(2).all(|w| w[0].code < w[1].code));
        assert!(TABLE.iter().all(|c| ("E0001"..="E0099").contains(&c.code)));
        assert_eq!(title("E0030"), Some("an `if` without `else`"));
    }
}
