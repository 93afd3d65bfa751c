//! Expressions of solids, such as `plate - (bore_a | bore_b) & ~cut`: the text, and its operators and members as a tree.

use super::schema::unknown;
use super::values::FieldError;
use crate::error::quoted;
use hitscan::{Solid, Space};
use std::collections::HashMap;
use std::iter::Peekable;
use std::str::Chars;

/// An expression of the members of a solid, which it has by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Member(usize),
    Complement(Box<Expression>),
    /// At least two operands in a row: `a - b - c`.
    Chain(Operator, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operator {
    Union,
    Intersection,
    Difference,
}

/// The operators with two operands; those that bind more strongly come later, as in Python and Rust.
const OPERATORS: [(char, Operator); 3] =
    [('|', Operator::Union), ('&', Operator::Intersection), ('-', Operator::Difference)];

/// The greatest number of parentheses within each other: each is a level of recursion.
const MAX_DEPTH: usize = 64;

impl Expression {
    /// Parses an expression of members, whose numbers are those of their names. The error has the column, from 1.
    ///
    /// # Method
    ///
    /// Recursive descent, with a function for all operators with two operands. Only parentheses nest.
    pub(super) fn parse(text: &str, members: &[&str]) -> Result<Self, String> {
        let mut tokens = Tokens { rest: text.chars().peekable(), column: 1 };
        let next = tokens.next()?;
        let numbers = members.iter().enumerate().map(|(number, name)| (*name, number)).collect();
        let mut parser = ExpressionParser { members, numbers, tokens, next, depth: 0 };
        let expression = parser.chain(0)?;
        match &parser.next.token {
            Token::End => Ok(expression),
            _ => Err(parser.expected("an operator (|, &, -) or the end")),
        }
    }

    /// Calls `each` with the members, in the order of the text: those that are used twice are there twice.
    pub(super) fn each_member(&self, each: &mut impl FnMut(usize)) {
        match self {
            Self::Member(number) => each(*number),
            Self::Complement(operand) => operand.each_member(each),
            Self::Chain(_, operands) => operands.iter().for_each(|operand| operand.each_member(each)),
        }
    }

    /// The solid of the members.
    pub(super) fn solid<V: Space>(&self, members: &[Solid<V>]) -> Result<Solid<V>, FieldError> {
        let (operator, operands) = match self {
            Self::Member(number) => return Ok(members[*number].clone()),
            Self::Complement(operand) => return Ok(!operand.solid(members)?),
            Self::Chain(operator, operands) => (operator, operands),
        };
        let mut parts = Vec::with_capacity(operands.len());
        for operand in operands {
            parts.push(operand.solid(members)?);
        }
        let solid = match operator {
            Operator::Union => Solid::union(parts),
            Operator::Intersection => Solid::intersection(parts),
            Operator::Difference => Ok(Solid::difference(parts.remove(0), parts)),
        };
        solid.map_err(FieldError::caused)
    }
}

/// The expression of a solid ([`Solid::expression`]) with names in place of the numbers of its leaves, as scene files have it.
/// Without a name for each leaf, the numbers stay.
#[must_use]
pub fn named_expression(expression: &str, names: &[impl AsRef<str>]) -> String {
    let mut text = String::with_capacity(expression.len());
    let mut rest = expression.chars().peekable();
    while let Some(c) = rest.next() {
        let Some(mut number) = c.to_digit(10) else {
            text.push(if c == '!' { '~' } else { c });
            continue;
        };
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            number = number.wrapping_mul(10).wrapping_add(digit.to_digit(10).unwrap_or_default());
        }
        match names.get(number as usize) {
            Some(name) => text.push_str(&operand(name.as_ref())),
            None => text.push_str(&number.to_string()),
        }
    }
    text
}

/// A name as an operand: in quotes unless it is a word.
fn operand(name: &str) -> String {
    let quote = if name.contains('\'') { '"' } else { '\'' };
    if name.chars().all(is_of_word) { name.to_owned() } else { format!("{quote}{name}{quote}") }
}

/// Whether an expression can have the name: no quotes hold one with both kinds of quotes.
pub(super) fn can_be_named(name: &str) -> bool {
    !(name.contains('\'') && name.contains('"'))
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    /// An operator, a parenthesis, or a character that is neither.
    Symbol(char),
    End,
}

impl Token {
    fn describe(&self) -> String {
        match self {
            Self::Name(name) => quoted(name.as_bytes()),
            Self::Symbol(symbol) => quoted(symbol.to_string().as_bytes()),
            Self::End => "the end".to_owned(),
        }
    }
}

/// A token and the column of its first character, from 1.
#[derive(Clone, Debug)]
struct PlacedToken {
    token: Token,
    column: usize,
}

/// The tokens of a text.
struct Tokens<'a> {
    rest: Peekable<Chars<'a>>,
    /// That of the next character.
    column: usize,
}

impl Tokens<'_> {
    fn next(&mut self) -> Result<PlacedToken, String> {
        while self.character_if(char::is_whitespace).is_some() {}
        let column = self.column;
        let token = match self.character_if(|_| true) {
            None => Token::End,
            Some(quote @ ('\'' | '"')) => {
                let name = self.characters_while(|c| c != quote);
                if self.character_if(|_| true).is_none() {
                    return Err(format!("column {column}: the quote {quote} has no end"));
                }
                Token::Name(name)
            }
            Some(c) if is_of_word(c) => Token::Name(String::from(c) + &self.characters_while(is_of_word)),
            Some(symbol) => Token::Symbol(symbol),
        };
        Ok(PlacedToken { token, column })
    }

    fn character_if(&mut self, fits: impl Fn(char) -> bool) -> Option<char> {
        let next = self.rest.next_if(|c| fits(*c));
        self.column += usize::from(next.is_some());
        next
    }

    fn characters_while(&mut self, fits: impl Fn(char) -> bool) -> String {
        std::iter::from_fn(|| self.character_if(&fits)).collect()
    }
}

struct ExpressionParser<'a> {
    members: &'a [&'a str],
    /// The numbers of the members, by name.
    numbers: HashMap<&'a str, usize>,
    tokens: Tokens<'a>,
    next: PlacedToken,
    /// The number of open parentheses.
    depth: usize,
}

impl ExpressionParser<'_> {
    fn expected(&self, what: &str) -> String {
        let PlacedToken { token, column } = &self.next;
        format!("column {column}: expected {what}, got {}", token.describe())
    }

    /// The present token, after which the next one is present.
    fn take(&mut self) -> Result<PlacedToken, String> {
        let next = self.tokens.next()?;
        Ok(std::mem::replace(&mut self.next, next))
    }

    fn takes(&mut self, symbol: char) -> Result<bool, String> {
        let is_there = self.next.token == Token::Symbol(symbol);
        if is_there {
            self.take()?;
        }
        Ok(is_there)
    }

    /// Operands of the operator of a level, each with operators that bind more strongly.
    fn chain(&mut self, level: usize) -> Result<Expression, String> {
        let Some((symbol, operator)) = OPERATORS.get(level) else { return self.operand() };
        let mut operands = vec![self.chain(level + 1)?];
        while self.takes(*symbol)? {
            operands.push(self.chain(level + 1)?);
        }
        Ok(if operands.len() == 1 { operands.swap_remove(0) } else { Expression::Chain(*operator, operands) })
    }

    /// A member or parentheses, perhaps behind complements.
    fn operand(&mut self) -> Result<Expression, String> {
        let mut is_complement = false;
        while self.takes('~')? || self.takes('!')? {
            is_complement = !is_complement;
        }
        let operand = match &self.next.token {
            Token::Name(name) => {
                let (column, number) = (self.next.column, self.numbers.get(&name[..]).copied());
                let number =
                    number.ok_or_else(|| format!("column {column}: {}", unknown("member", name, self.members)))?;
                self.take()?;
                Expression::Member(number)
            }
            Token::Symbol('(') => self.parentheses()?,
            _ => return Err(self.expected("the name of a member, '(' or '~'")),
        };
        Ok(if is_complement { Expression::Complement(Box::new(operand)) } else { operand })
    }

    fn parentheses(&mut self) -> Result<Expression, String> {
        let opened = self.take()?.column;
        if self.depth == MAX_DEPTH {
            return Err(format!("column {opened}: more than {MAX_DEPTH} parentheses are within each other"));
        }
        self.depth += 1;
        let inner = self.chain(0)?;
        self.depth -= 1;
        if !self.takes(')')? {
            return Err(self.expected(&format!("an operator (|, &, -) or the ')' for column {opened}")));
        }
        Ok(inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::random::Lcg;

    const MEMBERS: [&str; 6] = ["a", "b", "c", "left bore", "bore_a", "it's"];

    fn parse(text: &str) -> Result<Expression, String> {
        Expression::parse(text, &MEMBERS)
    }

    /// The expression with all parentheses, its members by their numbers.
    fn full(expression: &Expression) -> String {
        match expression {
            Expression::Member(number) => number.to_string(),
            Expression::Complement(operand) => format!("~{}", full(operand)),
            Expression::Chain(operator, operands) => {
                let symbol = OPERATORS.iter().find(|(_, other)| other == operator).unwrap().0;
                format!("({})", operands.iter().map(full).collect::<Vec<_>>().join(&format!(" {symbol} ")))
            }
        }
    }

    #[test]
    fn operators_bind_as_in_python_and_rust() {
        let cases = [
            ("a", "0"),
            ("a - (b | c) & ~bore_a", "((0 - (1 | 2)) & ~4)"),
            ("a|b&c-a", "(0 | (1 & (2 - 0)))"),
            ("a-b-c", "(0 - 1 - 2)"),
            ("a - (b - c)", "(0 - (1 - 2))"),
            ("a & b & c | a", "((0 & 1 & 2) | 0)"),
            ("~a - !b", "(~0 - ~1)"),
            ("~~a | ~!~b", "(0 | ~1)"),
            ("~(a | b) & c", "(~(0 | 1) & 2)"),
            (" 'left bore'\n-\t\"it's\" ", "(3 - 5)"),
            ("((a))", "0"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).as_ref().map(full).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn errors_name_the_column_and_what_was_expected() {
        let operand = "expected the name of a member, '(' or '~', got";
        let cases = [
            ("", format!("column 1: {operand} the end")),
            ("a - ", format!("column 5: {operand} the end")),
            ("a || b", format!("column 4: {operand} '|'")),
            ("a b", "column 3: expected an operator (|, &, -) or the end, got 'b'".into()),
            ("a + b", "column 3: expected an operator (|, &, -) or the end, got '+'".into()),
            ("a)", "column 2: expected an operator (|, &, -) or the end, got ')'".into()),
            ("(a | (b)", "column 9: expected an operator (|, &, -) or the ')' for column 1, got the end".into()),
            ("a ~ b", "column 3: expected an operator (|, &, -) or the end, got '~'".into()),
            ("a | 'left bore", "column 5: the quote ' has no end".into()),
            ("ä | a", "column 1: unknown member 'ä' (known: a, b, c, left bore, bore_a, it's)".into()),
            ("a | bore_b", "column 5: unknown member 'bore_b' (did you mean 'bore_a'?)".into()),
            ("()", format!("column 2: {operand} ')'")),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn long_and_deep_expressions_do_not_overflow_the_stack() {
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(parse(&nested(64)), Ok(Expression::Member(0)));
        let problem = "column 65: more than 64 parentheses are within each other";
        for text in [nested(65), "(".repeat(100_000)] {
            assert_eq!(parse(&text), Err(problem.into()));
        }
        assert_eq!(parse(&("~".repeat(100_001) + "a")).as_ref().map(full).as_deref(), Ok("~0"));
        let Ok(Expression::Chain(_, operands)) = parse(&vec!["a"; 100_000].join("-")) else { panic!() };
        assert_eq!(operands.len(), 100_000);
    }

    #[test]
    fn any_text_is_an_expression_or_an_error_with_a_column() {
        let pieces = ["a", "b", "'left bore'", "|", "&", "-", "~", "!", "(", ")", " ", "'", "\"", "é", "+", "\n", "9"];
        let (mut random, mut valid) = (Lcg::new(7), 0);
        for _ in 0..20_000 {
            let text: String = (0..random.below(12)).map(|_| pieces[random.below(pieces.len())]).collect();
            match parse(&text) {
                // The text with all parentheses is the same expression.
                Ok(expression) => {
                    valid += 1;
                    let names: Vec<&str> = (0..MEMBERS.len()).map(|i| &"012345"[i..=i]).collect();
                    assert_eq!(Expression::parse(&full(&expression), &names), Ok(expression), "{text}");
                }
                Err(error) => {
                    let column = error.strip_prefix("column ").and_then(|rest| rest.split_once(':')).unwrap().0;
                    let last = text.chars().count() + 1;
                    assert!((1..=last).contains(&column.parse().unwrap()), "{text}: {error}");
                }
            }
        }
        assert!(valid > 300, "{valid}");
    }

    #[test]
    fn names_take_the_places_of_numbers() {
        let names = ["plate", "left bore", "it's"];
        assert_eq!(named_expression("0 - 1 - !(2 | 10)", &names), "plate - 'left bore' - ~(\"it's\" | 10)");
        assert_eq!(named_expression("!12", &[""; 0]), "~12");
        assert!(can_be_named("it's") && !can_be_named("it's 5\""));
    }
}
