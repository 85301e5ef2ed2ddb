//===- BySize.h - entries that choose a function by the batch -------------===//

#ifndef CELLGRAD_PASSES_EMIT_BYSIZE_H
#define CELLGRAD_PASSES_EMIT_BYSIZE_H

#include "passes/emit/Signature.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace cellgrad {

/// A function for batches of one size, beside the entry for any.
struct SizedFunction {
  mlir::LLVM::LLVMFuncOp function;
  EntrySpec spec; ///< as of an entry for the size
  std::string of; ///< the entry
  int64_t size = 0;
};

/// Reads `cell.batch_program` of a function whose signature is `spec`: none
/// where it is an entry. Ill-formed attributes are errors.
mlir::FailureOr<std::optional<SizedFunction>>
readSized(mlir::LLVM::LLVMFuncOp function, const EntrySpec &spec);

/// A function in place of `any`, the implementation of `entry`, that calls one
/// of `sized` for batches of its size. The entry's arena is large enough for
/// each then. Refuses those that take other buffers than the entry.
mlir::FailureOr<mlir::LLVM::LLVMFuncOp>
chooseBySize(mlir::LLVM::LLVMFuncOp any, EntrySpec &entry,
             llvm::ArrayRef<const SizedFunction *> sized);

} // namespace cellgrad

#endif
