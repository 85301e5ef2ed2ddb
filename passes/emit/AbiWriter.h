//===- AbiWriter.h - the functions that the C caller sees -----------------===//

#ifndef CELLGRAD_PASSES_EMIT_ABIWRITER_H
#define CELLGRAD_PASSES_EMIT_ABIWRITER_H

#include "passes/emit/Signature.h"
#include "passes/lower/target/Target.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace cellgrad {

/// The function that computes an entry.
struct EntryImpl {
  mlir::LLVM::LLVMFuncOp function;
  bool takesContext; ///< as its last argument
};

/// Adds to `module` what programs that use `model` call: for each entry the
/// function that checks its arguments and calls its implementation, and the
/// functions that all models have. `cpuFeatures` is a mask of runtime/cpu.h,
/// `checks` are the words of the program's own status codes.
void writeAbi(mlir::ModuleOp module, const ModelSpec &model,
              llvm::ArrayRef<EntryImpl> impls, Arch arch, uint64_t cpuFeatures,
              llvm::StringRef signature, mlir::ArrayAttr checks);

} // namespace cellgrad

#endif
