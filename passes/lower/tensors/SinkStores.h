//===- SinkStores.h - branches that update arguments ------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_TENSORS_SINKSTORES_H
#define CELLGRAD_LOWER_TENSORS_SINKSTORES_H

#include "mlir/IR/Block.h"

namespace cellgrad {

/// Moves stores of what branches of `block` give into donated arguments into
/// the branches, where nothing that runs later reads an argument's old value. A
/// way that gives the old value stores nothing: it leaves the argument alone.
void sinkStores(mlir::Block &block);

} // namespace cellgrad

#endif
