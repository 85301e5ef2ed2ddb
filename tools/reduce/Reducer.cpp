//===- Reducer.cpp - smaller modules that are still interesting -----------===//

#include "tools/reduce/Reducer.h"

#include "tools/reduce/Command.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

using namespace mlir;

namespace cellgrad::reduce {

Reducer::Reducer(OwningOpRef<ModuleOp> module, std::string command,
                 unsigned seconds)
    : current(std::move(module)), command(std::move(command)),
      seconds(seconds) {}

bool Reducer::test(ModuleOp candidate) const {
  ++count;
  SmallString<128> path;
  int descriptor;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "cell-reduce", "mlir", descriptor, path))
    llvm::reportFatalUsageError(llvm::Twine("no temporary file: ") +
                                error.message());
  llvm::FileRemover remover(path);
  {
    llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
    candidate.print(file);
  }
  return succeeds(command, path, seconds);
}

bool Reducer::attempt(Change change) {
  OwningOpRef<ModuleOp> candidate(current->clone());
  if (failed(change(*candidate)) || failed(verify(*candidate)) ||
      !test(*candidate))
    return false;
  current = std::move(candidate);
  return true;
}

void Reducer::run() {
  bool changed = true;
  while (changed) {
    changed = reduceSignatures(*this);
    changed |= reduceOps(*this);
    changed |= reduceSignatures(*this);
    changed |= reduceSizes(*this);
    changed |= reduceConstants(*this);
  }
}

unsigned countOps(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](Operation *) { ++count; });
  return count - 1; // the module itself
}

} // namespace cellgrad::reduce
