//! Frames to pictures as values, and every sentence a person reads.
