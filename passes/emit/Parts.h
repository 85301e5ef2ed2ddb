//===- Parts.h - machine code of a module, by several threads -------------===//

#ifndef CELLGRAD_PASSES_EMIT_PARTS_H
#define CELLGRAD_PASSES_EMIT_PARTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace cellgrad {

/// Generates objects that make one program from `module`, which is consumed.
/// A module with work for several threads is cut into as many parts as there
/// are `threads` at most, of about the same size; a function is in one of them,
/// and its code does not depend on which. What was internal is hidden then.
/// `makeMachine` is called once for each further part, by this thread.
llvm::Expected<std::vector<llvm::SmallString<0>>> generateParts(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<llvm::Expected<std::unique_ptr<llvm::TargetMachine>>()>
        makeMachine,
    unsigned threads);

} // namespace cellgrad

#endif
