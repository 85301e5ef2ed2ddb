"""Class forms of operations."""
