//===- Payloads.h - scalar bodies too long for a record -------------------===//

#ifndef CELLGRAD_DIALECT_PAYLOADS_H
#define CELLGRAD_DIALECT_PAYLOADS_H

#include "mlir/IR/Builders.h"

/// Named as records name upstream ops, so that a record's scalar body can call
/// them.
namespace cellgrad::payload {

/// x, but 0 where `cotangent` is 0 and x is infinite or NaN.
struct Guard {
  static mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value x, mlir::Value cotangent);
};

/// True where x is infinite.
struct IsInf {
  static mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value x);
};

/// Division of integers that never traps: a quotient or remainder by 0 is 0,
/// the smallest integer divided by -1 wraps.
struct FloorDivI {
  static mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value a, mlir::Value b);
};
struct FloorModI {
  static mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value a, mlir::Value b);
};
struct TruncModI {
  static mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value a, mlir::Value b);
};

/// Exact remainders of floating point numbers, without a library call.
struct FloorModF {
  static mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value a, mlir::Value b);
};
struct TruncModF {
  static mlir::Value create(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value a, mlir::Value b);
};

} // namespace cellgrad::payload

#endif
