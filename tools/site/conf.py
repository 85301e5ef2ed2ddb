"""What Sphinx needs to know; tools/site/build.py writes the pages that it reads."""

from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, String, Text

project = "cellgrad"
copyright = "the authors of cellgrad"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "cellgrad"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
myst_enable_extensions = []
# The text of a page is GitHub's Markdown, where such markup does not exist.
myst_disable_syntax = ["math_inline", "math_block", "amsmath", "substitution"]
suppress_warnings = ["misc.highlighting_failure"]


class MlirLexer(RegexLexer):
    """Enough of MLIR's textual form to see its parts."""

    name = "MLIR"
    aliases: ClassVar = ["mlir"]
    tokens: ClassVar = {
        "root": [
            (r"//.*", Comment),
            (r'"[^"\n]*"', String),
            (r"%[\w$.#:-]+", Name.Variable),
            (r"[@^!#][\w$.-]+", Name.Label),
            (r"\b[a-z]\w*\.[\w.]+", Name.Function),
            (r"\b(?:tensor|memref|vector)<[^>]*>|\b(?:[fi]\d+|bf16|index)\b", Keyword.Type),
            (r"\b(?:module|func|return|private|call|to|step|dense)\b", Keyword),
            (r"-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b", Number),
            (r"\s+|\w+|.", Text),
        ]
    }


def setup(app):
    app.add_lexer("mlir", MlirLexer)
