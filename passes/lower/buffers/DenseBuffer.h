//===- DenseBuffer.h - memory that the runtime can read -------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_DENSEBUFFER_H
#define CELLGRAD_LOWER_BUFFERS_DENSEBUFFER_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cellgrad {

/// `buffer`, or a copy of it in row-major order where it is a view of another
/// layout: functions of the runtime take a pointer to dense memory.
inline mlir::Value denseBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value buffer) {
  auto type = llvm::cast<mlir::MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return buffer;
  auto dense = mlir::MemRefType::get(type.getShape(), type.getElementType());
  mlir::Value copy = mlir::memref::AllocOp::create(builder, loc, dense);
  mlir::memref::CopyOp::create(builder, loc, buffer, copy);
  return copy;
}

} // namespace cellgrad

#endif
