"""The loop of a lab before real clients, beside real engines, on more than one machine. Optional: no lab needs it."""
