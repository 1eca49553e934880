"""The same requests on real engines, each in a process of its own. Optional: no lab needs it."""
