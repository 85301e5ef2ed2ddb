//===- HostProgram.h - what host and device programs share ----------------===//

#ifndef CELLGRAD_LOWER_GPU_HOSTPROGRAM_H
#define CELLGRAD_LOWER_GPU_HOSTPROGRAM_H

#include "llvm/ADT/StringRef.h"

namespace cellgrad {

/// On a function on buffers: it is run by a kernel. Once it is one, a reference
/// to it.
constexpr llvm::StringLiteral kDeviceKernel = "cell.device_kernel";
/// On such a function, of one op on buffers and fills of what it adds to: its
/// results are shared by a grid.
constexpr llvm::StringLiteral kGridNest = "cell.grid_nest";
/// On a kernel: bytes of the last argument that each block needs.
constexpr llvm::StringLiteral kScratchBytes = "cell.scratch_bytes";
/// On the module: of each kernel in order, what it is called and which line of
/// the program it is of.
constexpr llvm::StringLiteral kDeviceKernels = "cell.device_kernels";
/// On an entry: its host waits for values of the device, so that its launches
/// are not known before it runs.
constexpr llvm::StringLiteral kReadsDevice = "cell.reads_device";

} // namespace cellgrad

#endif
