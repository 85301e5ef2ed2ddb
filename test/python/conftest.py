"""Tests compile what they test: the cache on disk is off unless a test switches it on."""

import os

os.environ.setdefault("CELLGRAD_CACHE", "0")
