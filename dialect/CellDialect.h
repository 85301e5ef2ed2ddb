//===- CellDialect.h - the cell dialect, its ops and interfaces -----------===//

#ifndef CELLGRAD_DIALECT_CELLDIALECT_H
#define CELLGRAD_DIALECT_CELLDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

#include "dialect/CellDialect.h.inc"

#include "dialect/CellInterfaces.h.inc"

namespace cellgrad {
/// The i1 tensor of the shape of `type`.
mlir::Type predicateType(mlir::Type type);

/// Result type of an op that asks a question of every element of its first
/// operand.
llvm::LogicalResult
inferPredicateType(mlir::ValueRange operands,
                   llvm::SmallVectorImpl<mlir::Type> &types);

/// Result type of a reduction of `x` over `dims`, which must be ascending,
/// distinct and in range; emits the reason for op `name` at `loc` otherwise.
llvm::LogicalResult
inferReductionType(llvm::StringRef name, std::optional<mlir::Location> loc,
                   mlir::Value x, llvm::ArrayRef<int64_t> dims,
                   llvm::SmallVectorImpl<mlir::Type> &types);
} // namespace cellgrad

namespace cellgrad {
/// Elements of an operand may have no influence on the result, and get a
/// cotangent that is exactly zero.
template <typename OpT>
struct DiscardsElements : mlir::OpTrait::TraitBase<OpT, DiscardsElements> {};

/// Finite operands may have an infinite or NaN result.
template <typename OpT>
struct Singular : mlir::OpTrait::TraitBase<OpT, Singular> {};

/// Results are elements of the operands, or constants: nothing is rounded.
template <typename OpT> struct Exact : mlir::OpTrait::TraitBase<OpT, Exact> {};

/// Results are sums and products of elements: small integers make integers.
template <typename OpT>
struct Polynomial : mlir::OpTrait::TraitBase<OpT, Polynomial> {};

/// Steps depend on each other, or go where data says: each target lowers it in
/// its own way.
template <typename OpT>
struct Sequential : mlir::OpTrait::TraitBase<OpT, Sequential> {};
} // namespace cellgrad

#define GET_TYPEDEF_CLASSES
#include "dialect/CellTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/CellOps.h.inc"

#endif
