"""Capture: from Python functions and Cells to graphs of the ``cell`` dialect."""
