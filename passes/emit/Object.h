//===- Object.h - LLVM dialect to machine code ----------------------------===//

#ifndef CELLGRAD_PASSES_EMIT_OBJECT_H
#define CELLGRAD_PASSES_EMIT_OBJECT_H

#include "passes/emit/Processor.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <mutex>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace cellgrad {

/// Translates `module` and gives every function the CPU, features and vector
/// width of `processor`; LLVM's verifier is optional. Null after a diagnostic.
std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module,
                                        llvm::LLVMContext &context,
                                        const Processor &processor,
                                        const llvm::TargetMachine &machine,
                                        bool verify);

/// Runs LLVM's middle end. Level 0: nothing. 1: mem2reg and CSE. 2: inlining of
/// internal functions and the scalar clean-up that lowered loops profit from;
/// the vectorisation happened before. 3: LLVM's O3 pipeline.
llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level);

/// Runs the passes of the text `pipeline`.
llvm::Error runPasses(llvm::Module &module, llvm::TargetMachine &machine,
                      llvm::StringRef pipeline);

/// Reports LLVM's errors at an op, as long as it lives: LLVM ends the process
/// where nobody takes them.
class LLVMErrors {
public:
  LLVMErrors(llvm::LLVMContext &context, mlir::Operation *op);
  bool any() const { return found; }

private:
  mlir::Operation *op;
  bool found = false;
};

/// Adds a check to every access to memory, with AddressSanitizer.
llvm::Error sanitizeAddress(llvm::Module &module, llvm::TargetMachine &machine);

/// Tells ThreadSanitizer of every access of up to 16 bytes; it has no words for
/// wider vectors.
llvm::Error sanitizeThread(llvm::Module &module, llvm::TargetMachine &machine);

/// Held where LLVM's options, which are global, are set and read. LLD sets all
/// of them back when it starts.
std::mutex &optionsOfLLVM();

/// Generates `type` (object or assembly) from `module`, which is consumed: what
/// is left of it must not be used again.
llvm::Error generate(llvm::Module &module, llvm::TargetMachine &machine,
                     llvm::CodeGenFileType type,
                     llvm::SmallVectorImpl<char> &output);

} // namespace cellgrad

#endif
