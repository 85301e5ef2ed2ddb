//===- Rules.h - what derivative rules build with -------------------------===//

#ifndef CELLGRAD_DIALECT_RULES_H
#define CELLGRAD_DIALECT_RULES_H

#include "dialect/CellDialect.h"

namespace cellgrad {

/// Location of ops that `rule` ("vjp", "jvp") builds for `op`: fused with the
/// op's own, so that every adjoint op leads back to its forward op and the
/// Python line.
mlir::Location ruleLocation(mlir::Operation *op, llvm::StringRef rule);

/// Whether values of `type` have tangents and cotangents, which are of the same
/// type: tensors of floating point numbers and of integers, and stashes of
/// them.
bool carriesDerivative(mlir::Type type);

/// Whether elements of `type`, a tensor or a stash of them, are integers or
/// bools.
bool isInteger(mlir::Type type);

/// Whether `op` is a cast to integers that the derivative passes although it
/// rounds: of tangents and cotangents, and of what an operation on integers has
/// computed in floating point. It has the attribute `cell.straight`.
bool isStraight(mlir::Operation *op);

/// a / b, of integers rounded towards zero and without a derivative of its own.
mlir::Value quotient(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value a, mlir::Value b);

/// x / 2, likewise.
mlir::Value half(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x);

/// A constant of `type` with `value` in every element.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                  double value);

/// `value`, or a zero of `type` where it is null.
mlir::Value valueOrZero(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Type type);

/// sum + term, where a null sum is zero. Sums of stashes are made by adding
/// what `term` has added to a zero stash.
mlir::Value accumulate(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value sum, mlir::Value term);

/// The type of a batch of `size` elements of `type`.
mlir::Type batchOf(mlir::Type type, int64_t size);

/// `operand` as a batch: repeated where it is the same for all elements.
mlir::Value asBatch(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value operand, bool batched, int64_t size);

/// `op` itself as the rule for a batch: operands and results have a dimension
/// more.
llvm::LogicalResult batchAlike(mlir::OpBuilder &builder, mlir::Operation *op,
                               llvm::ArrayRef<mlir::Value> operands,
                               const llvm::SmallBitVector &batched,
                               int64_t size,
                               llvm::SmallVectorImpl<mlir::Value> &results);

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
