"""What builds generated files from their single sources, and helpers of the repository's checks."""
