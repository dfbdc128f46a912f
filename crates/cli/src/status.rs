//! Exit status of the command: 0 is success.

/// The program or its input is at fault.
pub const FAULT: u8 = 1;
/// The command was used wrongly.
pub const USAGE: u8 = 2;
/// We are at fault; a panic gives the same status.
pub const BUG: u8 = 101;
