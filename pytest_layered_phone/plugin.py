"""pytest's door: options, fixtures, hooks. Thin: it wires, it does not work."""
