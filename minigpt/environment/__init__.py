"""The project's environment, `.venv`: where it is, how it is made, and how a command gets into it."""
