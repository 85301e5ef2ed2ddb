//===- Passes.h - math expansion passes -------------------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_MATH_PASSES_H
#define CELLGRAD_LOWER_MATH_PASSES_H

#include "dialect/SpecialMath.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
namespace LLVM {
class LLVMDialect;
}
namespace arith {
class ArithDialect;
}
namespace func {
class FuncDialect;
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
#define GEN_PASS_DECL
#include "passes/lower/math/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/lower/math/Passes.h.inc"
} // namespace cellgrad

#endif
