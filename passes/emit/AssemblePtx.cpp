//===- AssemblePtx.cpp - cell-assemble-ptx --------------------------------===//
//
// The driver compiles PTX for the GPU that it finds when a model is opened,
// which takes a while the first time. Where NVIDIA's assembler is at hand, it
// does so now, for each chip that there is PTX of. It is a program of its own:
// it has no library, and is not ours to ship.
//
//===----------------------------------------------------------------------===//

#include "passes/emit/Emit.h"
#include "passes/emit/Files.h"
#include "passes/emit/Passes.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <array>

namespace cellgrad {
#define GEN_PASS_DEF_ASSEMBLEPTX
#include "passes/emit/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

std::string contentsOf(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

struct AssemblePtx : cellgrad::impl::AssemblePtxBase<AssemblePtx> {
  using AssemblePtxBase::AssemblePtxBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    auto texts = module->getAttrOfType<DictionaryAttr>("cell.ptx");
    if (!texts)
      return;
    // A name alone is that of a program on PATH.
    if (auto found = llvm::sys::findProgramByName(ptxas))
      ptxas = *found;
    llvm::SmallString<128> folder;
    if (auto error =
            llvm::sys::fs::createUniqueDirectory("cellgrad-ptxas", folder)) {
      cellgrad::refuse(module.getLoc())
          << "cannot create a folder for temporary files: " << error.message()
          << "; set TMPDIR to a folder that can be written";
      return signalPassFailure();
    }
    llvm::scope_exit remove(
        [&] { (void)llvm::sys::fs::remove_directories(folder); });
    Builder b(&getContext());
    NamedAttrList images;
    for (NamedAttribute text : texts) {
      auto code = assemble(folder, text.getName(),
                           cast<StringAttr>(text.getValue()).getValue());
      if (failed(code))
        return signalPassFailure();
      images.set(text.getName(), b.getStringAttr(*code));
    }
    module->setAttr("cell.cubin", images.getDictionary(&getContext()));
  }

private:
  FailureOr<std::string> assemble(llvm::StringRef folder, llvm::StringRef chip,
                                  llvm::StringRef text) {
    auto in = [&](llvm::StringRef name) {
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, name);
      return std::string(path);
    };
    std::string source = in("k.ptx"), made = in("k.cubin"), words = in("words");
    if (auto error = cellgrad::writeFile(source, text))
      return cellgrad::refuse(getOperation().getLoc(), std::move(error));
    std::string arch = ("-arch=" + chip).str(), failure;
    llvm::StringRef arguments[] = {ptxas, arch, "-o", made, source};
    std::array<std::optional<llvm::StringRef>, 3> streams = {
        "", llvm::StringRef(words), llvm::StringRef(words)};
    int status = llvm::sys::ExecuteAndWait(
        ptxas, arguments, /*Env=*/std::nullopt, streams, 0, 0, &failure);
    std::string code = status == 0 ? contentsOf(made) : std::string();
    if (!code.empty())
      return code;
    if (failure.empty())
      failure = contentsOf(words);
    return cellgrad::refuse(getOperation().getLoc())
           << "'" << ptxas << "' makes no machine code for " << chip << ": "
           << llvm::StringRef(failure).trim()
           << "; name another ptxas, or leave it out for PTX alone";
  }
};

} // namespace
