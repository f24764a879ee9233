"""What the harness checks itself on a screen: texts, states, counts, absence, and whether they are new. Pure functions."""
