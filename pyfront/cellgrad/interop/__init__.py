"""Exchange with other software: `cellgrad.interop.mlir` for packages with MLIR's Python bindings."""
