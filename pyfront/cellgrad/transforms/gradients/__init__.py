"""MindSpore's primitives of gradients, ``mindspore.ops.operations._grad_ops``: a row for each.

Each is the pull-back of a forward operation, so it has derivatives of every order itself.
"""
