"""Models without Python, and exchange with MLIR's own bindings."""
