"""Counts how often a function is evaluated."""


class Evaluations:
    """Call it in the function. An iterator goes on while the function is compiled, not at each call."""

    def __init__(self):
        self.count = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.count += 1

    def __call__(self):
        next(self)
