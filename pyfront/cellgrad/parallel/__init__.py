"""Training on several ranks: processes that run the same program."""
