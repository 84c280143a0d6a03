//! A range map with gap search: the maple tree of Linux.
