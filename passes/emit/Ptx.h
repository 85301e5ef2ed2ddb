//===- Ptx.h - device code to PTX -----------------------------------------===//
//
// PTX is the assembly that NVIDIA's driver compiles for the GPU it finds. Text
// for one chip runs on later ones, except where the name ends in a letter.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_PASSES_EMIT_PTX_H
#define CELLGRAD_PASSES_EMIT_PTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/Support/Error.h"

#include <string>

namespace mlir {
class DialectRegistry;
}

namespace cellgrad {

/// A kind of GPU that code is generated for.
struct GpuChip {
  llvm::StringLiteral name; ///< LLVM's and ptxas' name: "sm_80"
  uint32_t number;          ///< 10 * major + minor version
  /// LLVM's feature for the version of PTX, which says how old a driver may be.
  llvm::StringLiteral version;
};

/// All of them, the oldest first.
llvm::ArrayRef<GpuChip> gpuChips();

/// The newest chip whose code runs on a device of the version 10 * major +
/// minor; null if the device is older than all.
const GpuChip *findChipFor(uint32_t version);

/// The chip called `name`, or an error that lists those there are.
llvm::Expected<const GpuChip *> findChip(llvm::StringRef name);

/// Adds the dialect interfaces that `generatePtx` needs.
void registerPtxDialects(mlir::DialectRegistry &registry);

/// The text of `module`, which is in the LLVM and NVVM dialects. Fails, with an
/// error, where it would call what is not in it.
mlir::FailureOr<std::string> generatePtx(mlir::gpu::GPUModuleOp module,
                                         const GpuChip &chip);

} // namespace cellgrad

#endif
