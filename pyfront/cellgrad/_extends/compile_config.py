"""``mindspore._extends.parse.compile_config``: settings of MindSpore's compiler, which programs write.

They are kept, without effect, as they are under this path in MindSpore 2.10. What some of them ask for is always so here:
lists and dictionaries change in place (`FALLBACK_SUPPORT_LIST_DICT_INPLACE`), numbers that are `ms.mutable` have
gradients (`GRAD_FOR_SCALAR`), and gradients that `bprop` gives have the shapes of their inputs (`CHECK_BPROP`).
"""

from __future__ import annotations

BOOST_PARSE: int | str = ""
CHECK_BPROP: int | str = ""
COMBINE_LIKE_GRAPHS: int | str = ""
ENABLE_RECOMPUTE_BEFORE_INLINE: int | str = ""
FALLBACK_FORCE_ANY: int | str = ""
FALLBACK_SUPPORT_LIST_DICT_INPLACE: int | str = ""
FOR_HALF_UNROLL: int | str = ""
GRAD_FOR_SCALAR: int | str = ""
GREED_PARSE: int | str = ""
IF_PARALLEL_CALL: int | str = ""
PRE_LIFT: int | str = ""
RECURSIVE_EVAL: int | str = ""
SINGLE_EVAL: int | str = ""
