//===- Algebra.h - ops in the notation of rules on matrices -----*- C++ -*-===//

#ifndef CELLGRAD_DIALECT_ALGEBRA_H
#define CELLGRAD_DIALECT_ALGEBRA_H

#include "dialect/Rules.h"

namespace cellgrad {

/// Builds ops at one location, in the notation of the rules.
class Algebra {
public:
  Algebra(mlir::OpBuilder &builder, mlir::Operation *op, llvm::StringRef rule)
      : builder(builder), loc(ruleLocation(op, rule)) {}

  mlir::Value add(mlir::Value a, mlir::Value b) {
    return AddOp::create(builder, loc, a, b);
  }
  mlir::Value sub(mlir::Value a, mlir::Value b) {
    return SubOp::create(builder, loc, a, b);
  }
  mlir::Value neg(mlir::Value a) { return NegOp::create(builder, loc, a); }

  mlir::Value matmul(mlir::Value a, mlir::Value b, bool transposeA = false,
                     bool transposeB = false) {
    return MatMulOp::create(builder, loc, a, b, builder.getBoolAttr(transposeA),
                            builder.getBoolAttr(transposeB));
  }

  /// x with the last two dimensions exchanged.
  mlir::Value transpose(mlir::Value x) {
    int64_t rank = mlir::cast<mlir::RankedTensorType>(x.getType()).getRank();
    auto perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(perm[rank - 2], perm[rank - 1]);
    return TransposeOp::create(builder, loc, x, perm);
  }

  mlir::Value lower(mlir::Value x, int64_t diagonal = 0) {
    return TriangleOp::create(builder, loc, x, true, diagonal);
  }
  mlir::Value upper(mlir::Value x, int64_t diagonal = 0) {
    return TriangleOp::create(builder, loc, x, false, diagonal);
  }

  mlir::Value phi(mlir::Value x) {
    mlir::Value half = splat(builder, loc, x.getType(), 0.5);
    mlir::Value both = add(lower(x), lower(x, -1));
    return MulOp::create(builder, loc, both, half);
  }

  /// The solution y of a y = b, or of a^T y = b.
  mlir::Value solve(mlir::Value a, mlir::Value b, bool isLower,
                    bool isTransposed, bool isUnit = false) {
    return TriangularSolveOp::create(
        builder, loc, a, b, builder.getBoolAttr(isLower),
        builder.getBoolAttr(isTransposed), builder.getBoolAttr(isUnit));
  }
  /// The solution y of y a = b, or of y a^T = b.
  mlir::Value solveRight(mlir::Value a, mlir::Value b, bool isLower,
                         bool isTransposed, bool isUnit = false) {
    return transpose(solve(a, transpose(b), isLower, !isTransposed, isUnit));
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace cellgrad

#endif
