//! A model of a Linux process's address space, for kernels 6.0 to 7.3.
