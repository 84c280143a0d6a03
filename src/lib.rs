//! The app: what a person sees and touches.
