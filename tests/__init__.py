"""The checks: the graded ones of each lab, and the repository's own."""
