"""Functions of functions: gradients, Jacobians, vmap, rules by hand."""
