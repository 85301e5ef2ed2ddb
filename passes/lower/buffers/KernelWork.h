//===- KernelWork.h - what the kernels of an entry do -----------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_BUFFERS_KERNELWORK_H
#define CELLGRAD_LOWER_BUFFERS_KERNELWORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

#include <string>
#include <vector>

namespace cellgrad {

/// Of one buffer; 0 of what is no memref.
double bytesOf(mlir::Type type);

/// What one run of a kernel does: bytes that go through memory, arithmetic
/// operations, and about how long one core takes.
struct Work {
  double bytes = 0, operations = 0, nanoseconds = 0;
};

/// Bytes that go in and out of each buffer from outside of a kernel.
class Traffic {
public:
  explicit Traffic(mlir::Operation *kernel) : kernel(kernel) {}

  void read(mlir::Value view, double times) { add(reads, view, times); }
  void write(mlir::Value view, double times) { add(writes, view, times); }

  /// What is read of `view` is still in a cache; with `gone`, it is in no
  /// memory outside either.
  void keep(mlir::Value view, bool gone);

  double total() const;

private:
  using Bytes = llvm::MapVector<mlir::Value, double>;

  void add(Bytes &side, mlir::Value view, double times);

  mlir::Operation *kernel;
  Bytes reads, writes;
};

/// Adds what `op` does, `times` times, with what is in its regions.
void addWork(mlir::Operation *op, double times, Work &work, Traffic &traffic);

/// What a kernel is, in words.
std::string describeKernel(mlir::Operation *op);

/// A kernel of an entry on buffers, behind cell-form-kernels.
struct Kernel {
  mlir::Operation *op;
  /// Runs on the tiles of the product `op`; null where there is none.
  mlir::linalg::GenericOp epilogue;
  double times; ///< how often it runs, where that follows from shapes
  Work work;
  std::string what;
  std::string items; ///< their number; "-" where they are cut later
};

/// The kernels of an entry, in program order.
std::vector<Kernel> kernelsOf(mlir::func::FuncOp entry);

} // namespace cellgrad

#endif
