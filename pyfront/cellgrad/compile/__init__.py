"""From a captured graph to code that runs: programs, their caches, failures."""

from cellgrad.compile import eager as eager  # runs operations outside of a capture
