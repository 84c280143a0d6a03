//! `mmscope` in a terminal.

fn main() {}
