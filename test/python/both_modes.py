"""What tests of both of MindSpore's modes share, beside the fixture `mode`."""


def numbers(tree):
    """The elements of tensors in tuples, as Python numbers."""
    if isinstance(tree, tuple):
        return tuple(numbers(v) for v in tree)
    return tree.asnumpy().tolist()
