"""The apps of the virtual phone, one module each."""
