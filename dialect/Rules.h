//===- Rules.h - what derivative rules build with -------------------------===//

#ifndef CELLGRAD_DIALECT_RULES_H
#define CELLGRAD_DIALECT_RULES_H

#include "dialect/CellDialect.h"

namespace cellgrad {

/// Location of ops that `rule` ("vjp", "jvp") builds for `op`: fused with the
/// op's own, so that every adjoint op leads back to its forward op and the
/// Python line.
mlir::Location ruleLocation(mlir::Operation *op, llvm::StringRef rule);

/// A constant of `type` with `value` in every element.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                  double value);

/// `value`, or a zero of `type` where it is null.
mlir::Value valueOrZero(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Type type);

/// sum + term, where a null sum is zero.
mlir::Value accumulate(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value sum, mlir::Value term);

/// True when all entries are null.
bool allZero(llvm::ArrayRef<mlir::Value> values);

/// The op on its operands' tangents, for an op linear in all of them together.
mlir::Value linearJVP(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Operation *op,
                      llvm::ArrayRef<mlir::Value> tangents);

/// Sum over operands of the op with that operand replaced by its tangent.
mlir::Value multilinearJVP(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Operation *op,
                           llvm::ArrayRef<mlir::Value> tangents);

/// Attributes of the pad that undoes a slice, and of the slice that undoes a
/// pad.
llvm::SmallVector<int64_t> highPaddingOfSlice(SliceOp op);
llvm::SmallVector<int64_t> interiorOfStrides(llvm::ArrayRef<int64_t> strides);
llvm::SmallVector<int64_t> limitsOfPad(PadOp op);
llvm::SmallVector<int64_t> stridesOfInterior(llvm::ArrayRef<int64_t> interior);
llvm::SmallVector<int64_t> inversePermutation(llvm::ArrayRef<int64_t> perm);

} // namespace cellgrad

#endif
