"""The labs in a browser, without an install: the page, and what its figures show. Built by `make web`."""
