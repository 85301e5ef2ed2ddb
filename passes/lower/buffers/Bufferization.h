//===- Bufferization.h - one-shot bufferisation of ops that act -----------===//

#ifndef CELLGRAD_LOWER_BUFFERS_BUFFERIZATION_H
#define CELLGRAD_LOWER_BUFFERS_BUFFERIZATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace cellgrad {

/// Lets one-shot bufferisation give cell.print buffers for its tensors.
void registerPrintBufferization(mlir::DialectRegistry &registry);

/// Lets one-shot bufferisation turn collectives into pairs of a start and a
/// wait on buffers.
void registerCollectiveBufferization(mlir::DialectRegistry &registry);

/// Lets one-shot bufferisation turn accesses to stashes into copies from and to
/// buffers, and see through barriers.
void registerStashBufferization(mlir::DialectRegistry &registry);

} // namespace cellgrad

#endif
