//===- Passes.h - math expansion passes -------------------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_MATH_PASSES_H
#define CELLGRAD_LOWER_MATH_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
namespace arith {
class ArithDialect;
}
namespace math {
class MathDialect;
}
namespace scf {
class SCFDialect;
}
namespace vector {
class VectorDialect;
}
} // namespace mlir

namespace cellgrad {
/// Adds the patterns of `cell-expand-math`.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

#define GEN_PASS_DECL
#include "passes/lower/math/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower/math/Passes.h.inc"
} // namespace cellgrad

#endif
