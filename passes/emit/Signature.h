//===- Signature.h - what a model's entries take and return ---------------===//

#ifndef CELLGRAD_PASSES_EMIT_SIGNATURE_H
#define CELLGRAD_PASSES_EMIT_SIGNATURE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cellgrad {

/// An element type as the C ABI knows it.
struct DTypeInfo {
  const char *name;  ///< "float32"
  const char *cType; ///< "float"
  int32_t code;      ///< CG_FLOAT32
  unsigned bytes;
};

/// The element type called `name`, or null.
const DTypeInfo *lookupDType(llvm::StringRef name);

/// The names lookupDType knows, for messages.
std::string knownDTypes();

/// The first extent of a tensor with a row for each sample of a batch of any
/// size.
constexpr int64_t kBatchExtent = -1;

/// One argument or result of an entry.
struct TensorSpec {
  std::string name;  ///< the user's: "fc.weight"
  std::string field; ///< the C identifier: "fc_weight"
  std::string macro; ///< the number of elements: "CG_NET_F_FC_WEIGHT_ELEMENTS"
  std::string role;  ///< "input", "parameter", "state", "result" or "batch"
  const DTypeInfo *dtype = nullptr;
  std::vector<int64_t> shape;
  std::optional<unsigned>
      donate; ///< argument: the result written into its buffer
  std::optional<unsigned>
      donatedArg;       ///< result: the argument whose buffer holds it
  bool skipped = false; ///< result: where it is 1 the entry returns CG_SKIPPED

  /// The size of the batch, which the C struct holds itself.
  bool isBatch() const { return role == "batch"; }
  bool hasRows() const { return !shape.empty() && shape[0] == kBatchExtent; }
  /// Of one row, where there are rows.
  int64_t elements() const;
  int64_t bytes() const { return elements() * dtype->bytes; }
};

/// A kernel of an entry that tells the probe of its caller's context of it.
struct KernelSpec {
  std::string kernel; ///< in words: "product 128x64x32"
  int64_t bytes = 0;  ///< that one run reads and writes in memory
  int64_t operations = 0, estimate = 0; ///< of arithmetic; nanoseconds
  bool isDouble = false;                ///< it computes in double precision
  struct Origin {
    std::string op, phase, file, cell;
    int64_t line = 0;
  };
  std::vector<Origin> origins; ///< ops of the program, the main one first
};

/// One entry of a model. Its buffers in the C struct are the arguments in
/// order, then the results that have no donated argument. An entry for any
/// batch size has the size as its first argument.
struct EntrySpec {
  std::string name;   ///< the user's
  std::string symbol; ///< the C function: "cg_net_f"
  std::string macro;  ///< what its macros begin with: "CG_NET_F_"
  std::vector<TensorSpec> args, results;
  std::vector<KernelSpec> kernels; ///< of a model with probes
  int64_t arenaBytes = 0;          ///< of a call on one thread
  int64_t slotBytes = 0;    ///< that each further worker needs beside them
  bool cancellable = false; ///< polls cg_context.cancel
  bool parallel = false;    ///< computes on the threads of cg_context.parallel
  bool waits = false;       ///< its host program reads values of the device
  int64_t maxBatch = 0;     ///< largest batch; 0: tensors have one size each

  /// Of a call on `threads` threads.
  int64_t arenaBytesOn(int32_t threads) const {
    return arenaBytes + (threads - 1) * slotBytes;
  }
  /// The buffers of the argument struct in order.
  std::vector<const TensorSpec *> buffers() const;
  std::string argsType() const { return symbol + "_args"; }
  std::string arenaMacro() const { return macro + "ARENA_BYTES"; }
  std::string arenaFunction() const { return symbol + "_arena_bytes"; }
  /// Whether the arena's bytes are a function, too.
  bool hasArenaFunction() const { return parallel || maxBatch != 0; }
  std::string maxBatchMacro() const { return macro + "MAX_BATCH"; }

  // Of models with CUDA kernels, whose arenas are memory of a device.
  /// The function that takes pointers of the device.
  std::string deviceFunction() const { return symbol + "_device"; }
  std::string deviceArenaMacro() const { return macro + "DEVICE_ARENA_BYTES"; }
  /// What a buffer of the host takes in the arena, behind arenaBytes.
  int64_t hostBytes(const TensorSpec &spec) const;
  /// The arena of the function that takes pointers of the host.
  int64_t hostArenaBytes() const;
};

/// A model: its name and entries.
struct ModelSpec {
  std::string name; ///< the C identifier used in every symbol
  std::vector<EntrySpec> entries;
  /// The kinds of GPU that it has code for; none where it runs on the CPU.
  std::vector<std::string> chips;

  bool cuda() const { return !chips.empty(); }
  /// Whether some entry is parallel.
  bool parallel() const;
  /// What its functions begin with: "cg_net_".
  std::string prefix() const { return "cg_" + name + "_"; }
  /// What its macros begin with: "CG_NET_", but "cg_Net_" where the name has
  /// capitals.
  std::string macroPrefix() const;
};

/// Reads `cell.signature`, `cell.arena_bytes` and `cell.slot_bytes` (the last
/// of those bytes, which each worker has for itself) of a lowered entry
/// function. Ill-formed attributes are errors at `function`. The C names are
/// not given yet: see assignNames.
mlir::FailureOr<EntrySpec> readEntry(mlir::Operation *function,
                                     llvm::StringRef name);

/// Reads `cell.kernels` of a lowered entry function; empty where there is none.
mlir::FailureOr<std::vector<KernelSpec>> readKernels(mlir::Operation *function);
llvm::json::Array toJSON(const std::vector<KernelSpec> &kernels);

/// The attribute cell-emit-abi leaves on the module for the header, and back.
mlir::Attribute toAttribute(const ModelSpec &model, mlir::MLIRContext *context);
mlir::FailureOr<ModelSpec> readModel(mlir::Operation *module);

/// The JSON text that cg_<model>_signature() returns. `arch`, `cpu` and
/// `features` describe the processor.
std::string toJSON(const ModelSpec &model, llvm::StringRef arch,
                   llvm::StringRef cpu,
                   const std::vector<std::string> &features);

/// A number that two models share if a program compiled for one can call the
/// other: same entries, with the same buffers, of the same ABI.
uint64_t fingerprint(const ModelSpec &model);

/// The header a C or C++ user of the model includes.
std::string makeHeader(const ModelSpec &model);

/// The text of the ES module that loads `model` from the file `wasm` beside it.
std::string makeModule(const ModelSpec &model, llvm::StringRef wasm);

} // namespace cellgrad

#endif
