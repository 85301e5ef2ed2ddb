"""The two values by which MindSpore's graphs order side effects, for scripts that give them to `ops.depend`; order
needs no such values here.
"""

U, IO = "U", "IO"
