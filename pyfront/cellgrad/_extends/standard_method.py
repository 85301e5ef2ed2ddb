"""What programs import from ``mindspore._extends.parse.standard_method``: built-in functions, as its compiler names
them.
"""

ms_len = len

__all__ = ["ms_len"]
