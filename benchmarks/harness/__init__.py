"""What all benchmarks share: cases, libraries in C and in Ravel, measuring."""
