//===- EqualCode.h - whether two pieces of code are the same ----*- C++ -*-===//

#ifndef CELLGRAD_LOWER_BUFFERS_EQUALCODE_H
#define CELLGRAD_LOWER_BUFFERS_EQUALCODE_H

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"

namespace cellgrad {

/// Compares two pieces of code op by op. Values that both use from outside are
/// paired first; constants need not be. Locations do not count.
class CodeComparison {
public:
  void pair(mlir::Value x, mlir::Value y) { map.map(x, y); }
  /// True where the ops do the same with paired operands; their results are
  /// paired then. Types of operands do not count: who pairs values knows how
  /// far their types may differ.
  bool isSame(mlir::Operation *x, mlir::Operation *y);
  /// The same of all ops of two regions, of one block each.
  bool isSame(mlir::Region &x, mlir::Region &y);

private:
  bool arePaired(mlir::ValueRange xs, mlir::ValueRange ys);

  mlir::IRMapping map;
};

} // namespace cellgrad

#endif
