"""What errors say."""

import re


def said(error: BaseException) -> str:
    """The text of an error without its place: the user's line there may hold the words that a test looks for."""
    return re.sub(r"\n  at [^\n]*(\n {6}[^\n]*)*", "", str(error))
