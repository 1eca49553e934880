"""Errors raised when a loop breaks the server's contract."""


class ServingError(ValueError):
    """A loop that broke the server's contract; the message says how, and the way out."""


class BusyWait(ServingError):
    """A loop that polls again and again without letting time pass."""
