"""Values, and the one place where operations are recorded."""
