"""A tiny toolkit: nodes, layout, text, drawing, the element list as XML."""
