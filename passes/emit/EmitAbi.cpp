//===- EmitAbi.cpp - give every entry its exported C function -------------===//

#include "passes/emit/AbiWriter.h"
#include "passes/emit/BySize.h"
#include "passes/emit/CudaAbi.h"
#include "passes/emit/Link.h"
#include "passes/emit/Names.h"

#include "dialect/BatchParts.h"
#include "dialect/Refusal.h"
#include "passes/emit/Passes.h"
#include "passes/emit/Processor.h"
#include "passes/emit/Signature.h"

#include "runtime/cellgrad_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"

namespace cellgrad {
#define GEN_PASS_DEF_CELLEMITABI
#include "passes/emit/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {
constexpr llvm::StringLiteral kRuntime = "cell_rt_";
constexpr int64_t kMostWasmBytes = int64_t(1) << 31; ///< runtime/wasm.c
/// What a function that uses the caller's context does, itself or in those that
/// it calls.
enum Use : unsigned { kCancels = 1, kParallel = 2, kTells = 4, kMeets = 8 };
/// What the runtime does with the context: the function that lowered code
/// calls, and that of the runtime, which takes the context first.
struct Contextual {
  llvm::StringLiteral name, inRuntime;
  Use use;
};
constexpr Contextual kContextual[] = {
    {"cell_print", "cell_rt_print", kCancels},
    {"cell_enter", "cell_rt_enter", kCancels},
    {"cell_run", "cell_rt_run", kParallel},
    {"cell_workers", "cell_rt_workers", kParallel},
    {"cell_probe", "cell_rt_probe", kTells},
    {"cell_comm_rank", "cell_rt_comm_rank", kMeets},
    {"cell_comm_start", "cell_rt_comm_start", kMeets},
    {"cell_comm_wait", "cell_rt_comm_wait", kMeets}};

/// Marks the pointers of `impl` with what the C caller guarantees.
void annotate(LLVM::LLVMFuncOp impl, const EntrySpec &entry) {
  Builder b(impl.getContext());
  // All at once: setting one copies all.
  SmallVector<DictionaryAttr> marks;
  for (unsigned i = 0, count = impl.getNumArguments(); i < count; ++i)
    marks.push_back(impl.getArgAttrDict(i));
  auto mark = [&](unsigned index, int64_t align, int64_t bytes, bool readOnly) {
    NamedAttrList attrs(marks[index]);
    attrs.set("llvm.noalias", b.getUnitAttr());
    attrs.set("llvm.noundef", b.getUnitAttr());
    if (bytes != 0) {
      attrs.set("llvm.nonnull", b.getUnitAttr());
      attrs.set("llvm.align", b.getI64IntegerAttr(align));
      attrs.set("llvm.dereferenceable", b.getI64IntegerAttr(bytes));
      if (readOnly)
        attrs.set("llvm.readonly", b.getUnitAttr());
    }
    marks[index] = attrs.getDictionary(impl.getContext());
  };
  auto buffers = entry.buffers();
  for (auto [i, spec] : llvm::enumerate(buffers))
    mark(i, spec->dtype->bytes, spec->bytes(),
         spec->role != "result" && !spec->donate);
  mark(buffers.size(), CG_ARENA_ALIGNMENT, entry.arenaBytes, false);
  impl.setAllArgAttrs(marks);
}

struct EmitAbi : cellgrad::impl::CellEmitAbiBase<EmitAbi> {
  using CellEmitAbiBase::CellEmitAbiBase;
  void runOnOperation() override;

private:
  FailureOr<ModelSpec> readEntries(llvm::StringMap<LLVM::LLVMFuncOp> &impls);
  LogicalResult checkSymbols(Arch arch);
  LogicalResult renameHomonyms(const llvm::StringMap<LLVM::LLVMFuncOp> &impls);
  FailureOr<llvm::MapVector<Operation *, unsigned>> threadContext();

  LogicalResult chooseBySizes(ModelSpec &spec,
                              llvm::StringMap<LLVM::LLVMFuncOp> &impls);

  gpu::GPUModuleOp device; ///< code of a GPU; null where entries are of the CPU
  SmallVector<SizedFunction> sized; ///< beside entries for any batch
};

/// Every entry of the module, with its signature checked against its function.
FailureOr<ModelSpec>
EmitAbi::readEntries(llvm::StringMap<LLVM::LLVMFuncOp> &impls) {
  ModelSpec spec;
  spec.name = sanitizeIdentifier(model);
  spec.weightsBytes = weightsBytes;
  if (device) {
    auto chips = readChips(device);
    if (failed(chips))
      return failure();
    spec.chips = std::move(*chips);
  }
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
    bool isPrivate = function.getSymVisibility() == "private" ||
                     function.getLinkage() != LLVM::Linkage::External;
    if (function.isExternal() ||
        (isPrivate && !function->hasAttr("cell.signature")))
      continue;
    auto entry = readEntry(function, function.getSymName());
    if (failed(entry))
      return failure();
    auto type = function.getFunctionType();
    size_t wanted = entry->buffers().size() + (device ? 2 : 1);
    bool pointers =
        llvm::all_of(type.getParams(), llvm::IsaPred<LLVM::LLVMPointerType>);
    if (type.getNumParams() != wanted || !pointers ||
        !type.getReturnType().isInteger(32))
      return refuse(function, Blame::Form)
             << "takes " << type << ": expected " << wanted
             << " pointers (the buffers of cell.signature, then the arena"
             << (device ? ", then the call" : "") << ") and an i32 status";
    if (device) {
      entry->arenaBytes = static_cast<int64_t>(
          llvm::alignTo(entry->arenaBytes, CG_CUDA_ARENA_ALIGNMENT));
      entry->waits = function->hasAttr("cell.reads_device");
    }
    impls[entry->name] = function;
    auto known = readSized(function, *entry);
    if (failed(known))
      return failure();
    if (*known)
      sized.push_back(std::move(**known));
    else
      spec.entries.push_back(std::move(*entry));
  }
  if (spec.entries.empty())
    return refuse(getOperation()->getLoc())
           << "the module has no public function: a model needs at "
              "least one entry";
  assignNames(spec);
  return spec;
}

/// Only functions a model can bring along or find in libc and libm may be
/// called.
LogicalResult EmitAbi::checkSymbols(Arch arch) {
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
    if (function.isExternal() &&
        llvm::none_of(kContextual,
                      [&](const Contextual &known) {
                        return known.name == function.getSymName();
                      }) &&
        !function.getSymName().starts_with("llvm.") &&
        !function.getSymName().starts_with(kRuntime) &&
        !(allocates && function.getSymName() == "malloc") &&
        !isLibrarySymbol(function.getSymName(), arch)) {
      if (isLibrarySymbol(function.getSymName(), Arch::X86))
        return refuse(function)
               << "is '" << function.getSymName()
               << "' of the C library, which JavaScript does not have: a model "
                  "in WebAssembly may call its own functions, and those of "
                  "libm that Math has";
      return refuse(function, Blame::Form)
             << "is declared but not defined: a model may call its own "
                "functions, libm, memcpy, memmove and memset only";
    }
  return success();
}

/// Entries of the names of C's functions or of the runtime's get others: what
/// the code and LLVM call is meant to be those.
LogicalResult
EmitAbi::renameHomonyms(const llvm::StringMap<LLVM::LLVMFuncOp> &impls) {
  for (const auto &item : impls) {
    llvm::StringRef name = item.getKey();
    LLVM::LLVMFuncOp function = item.getValue();
    if (!isLibrarySymbol(name, Arch::X86) && name != "aligned_alloc" &&
        name != "free" && name != "malloc" && !name.starts_with("_") &&
        !name.starts_with("llvm.") && !name.starts_with("cell_") &&
        !name.starts_with("cg_"))
      continue;
    auto other = StringAttr::get(&getContext(), "entry." + name);
    if (failed(
            SymbolTable::replaceAllSymbolUses(function, other, getOperation())))
      return function->emitOpError("cannot be renamed");
    function.setSymNameAttr(other);
  }
  return success();
}

/// Entries with functions for batches of known sizes choose one of them.
LogicalResult EmitAbi::chooseBySizes(ModelSpec &spec,
                                     llvm::StringMap<LLVM::LLVMFuncOp> &impls) {
  for (const SizedFunction &one : sized) {
    if (llvm::none_of(spec.entries, [&](const EntrySpec &entry) {
          return entry.name == one.of && entry.maxBatch != 0;
        }))
      return refuse(one.function, Blame::Form)
             << kBatchProgram << " names '" << one.of
             << "', which is no entry for any batch size";
    annotate(one.function, one.spec);
  }
  for (EntrySpec &entry : spec.entries) {
    SmallVector<const SizedFunction *> own;
    for (const SizedFunction &one : sized)
      if (one.of == entry.name)
        own.push_back(&one);
    if (own.empty())
      continue;
    LLVM::LLVMFuncOp &impl = impls[entry.name];
    annotate(impl, entry);
    auto chooser = chooseBySize(impl, entry, own);
    if (failed(chooser))
      return failure();
    impl = *chooser;
  }
  return success();
}

/// Gives every function that uses the caller's context, directly or through
/// others, that as a last argument, and passes it to the runtime. Returns those
/// functions, with what they use it for.
FailureOr<llvm::MapVector<Operation *, unsigned>> EmitAbi::threadContext() {
  ModuleOp module = getOperation();
  llvm::MapVector<Operation *, unsigned> uses;
  llvm::DenseMap<Operation *, llvm::StringRef> runtime;
  for (const Contextual &known : kContextual)
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(known.name)) {
      uses[function] = known.use;
      runtime[function] = known.inRuntime;
    }
  if (uses.empty())
    return uses;
  OpBuilder b(module.getContext());
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());

  SmallVector<LLVM::CallOp> calls;
  module.walk([&](LLVM::CallOp call) { calls.push_back(call); });
  for (bool more = true; more;) {
    more = false;
    for (LLVM::CallOp call : calls) {
      auto callee = call.getCallee();
      unsigned use = callee ? uses.lookup(module.lookupSymbol(*callee)) : 0;
      if (use == 0)
        continue;
      unsigned &known = uses[call->getParentOfType<LLVM::LLVMFuncOp>()];
      more |= (use & ~known) != 0;
      known |= use;
    }
  }

  // Who calls a task does not pass the context.
  WalkResult walk =
      module.walk([&](LLVM::AddressOfOp address) {
        Operation *function = module.lookupSymbol(address.getGlobalName());
        if (!uses.contains(function))
          return WalkResult::advance();
        address.emitOpError()
            << "makes a task of a function that uses the caller's "
               "context: it prints, may be cancelled or has a "
               "parallel region";
        return WalkResult::interrupt();
      });
  if (walk.wasInterrupted())
    return failure();

  for (auto [op, use] : uses) {
    auto function = cast<LLVM::LLVMFuncOp>(op);
    auto type = function.getFunctionType();
    SmallVector<Type> inputs(type.getParams());
    bool ofRuntime = runtime.contains(op);
    inputs.insert(ofRuntime ? inputs.begin() : inputs.end(), ptr);
    function.setFunctionType(
        LLVM::LLVMFunctionType::get(type.getReturnType(), inputs));
    if (ofRuntime) {
      function.setVisibility_(LLVM::Visibility::Hidden);
      continue;
    }
    function.getBody().addArgument(ptr, function.getLoc());
    if (ArrayAttr attrs = function.getArgAttrsAttr()) {
      SmallVector<Attribute> all(attrs.getValue());
      all.push_back(b.getDictionaryAttr({}));
      function.setArgAttrsAttr(b.getArrayAttr(all));
    }
  }
  for (LLVM::CallOp call : calls) {
    auto callee = call.getCallee();
    Operation *function = callee ? module.lookupSymbol(*callee) : nullptr;
    if (!function || !uses.contains(function))
      continue;
    auto caller = call->getParentOfType<LLVM::LLVMFuncOp>();
    Value context = caller.getArgument(caller.getNumArguments() - 1);
    llvm::StringRef inRuntime = runtime.lookup(function);
    SmallVector<Value> operands(call.getOperands());
    operands.insert(inRuntime.empty() ? operands.end() : operands.begin(),
                    context);
    call.getCalleeOperandsMutable().assign(operands);
    if (!inRuntime.empty())
      call.setCallee(inRuntime);
  }
  for (auto [function, inRuntime] : runtime) {
    cast<LLVM::LLVMFuncOp>(function).setSymName(inRuntime);
    uses.erase(function);
  }
  return uses;
}

void EmitAbi::runOnOperation() {
  ModuleOp module = getOperation();
  auto devices = module.getOps<gpu::GPUModuleOp>();
  device = devices.empty() ? gpu::GPUModuleOp() : *devices.begin();
  for (Operation &op : *module.getBody())
    if (&op != device && !isa<LLVM::LLVMDialect>(op.getDialect())) {
      refuse(&op, Blame::Form)
          << "is not in the LLVM dialect: lower the module first";
      return signalPassFailure();
    }
  auto cpu = resolveTarget(target);
  if (!cpu) {
    refuse(module.getLoc()) << llvm::toString(cpu.takeError());
    return signalPassFailure();
  }
  Arch arch = cpu->target->arch;
  // What such a model carries besides was compiled for this machine.
  if (device && hostPlatform().arch != Arch::X86) {
    refuse(module.getLoc()) << "models for a GPU are made on x86-64 only";
    return signalPassFailure();
  }
  if (device && arch != Arch::X86) {
    refuse(module.getLoc())
        << "the host program of a model for a GPU is made for x86-64 only: "
           "leave target '"
        << target << "' out";
    return signalPassFailure();
  }
  auto machine = createTargetMachine(*cpu, 0);
  if (!machine) {
    module.emitError(llvm::toString(machine.takeError()));
    return signalPassFailure();
  }
  llvm::StringMap<LLVM::LLVMFuncOp> impls;
  FailureOr<ModelSpec> spec = readEntries(impls);
  if (failed(spec) || failed(checkSymbols(cpu->target->arch)) ||
      failed(renameHomonyms(impls)) || failed(chooseBySizes(*spec, impls)))
    return signalPassFailure();

  auto uses = threadContext();
  if (failed(uses))
    return signalPassFailure();
  // Entries stay functions of their own, as their pointers would lose what is
  // known of them; and so do kernels, whose code is to be there once.
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal()) {
      function.setLinkage(LLVM::Linkage::Internal);
      function.setNoInline(true);
    }
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getLinkage() == LLVM::Linkage::External)
      global.setLinkage(LLVM::Linkage::Internal);

  SmallVector<EntryImpl> implOf;
  for (EntrySpec &entry : spec->entries) {
    LLVM::LLVMFuncOp impl = impls[entry.name];
    unsigned use = uses->lookup(impl);
    entry.cancellable = use & kCancels;
    entry.parallel = use & kParallel;
    if (arch == Arch::Wasm) {
      // There is one thread, whose slot is a part of the arena as any other.
      entry.parallel = false;
      entry.slotBytes = 0;
      if (entry.arenaBytes > kMostWasmBytes) {
        refuse(impl) << "needs " << entry.arenaBytes
                     << " bytes for temporaries: more than the 2 GiB that "
                        "WebAssembly has for one block";
        return signalPassFailure();
      }
    }
    if (!device)
      annotate(impl, entry);
    // A context that is not in a graph's words is no part of a list.
    entry.waits |= device && use != 0;
    implOf.push_back({impl, use != 0});
  }
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    for (llvm::StringRef name : std::initializer_list<llvm::StringRef>{
             "cell.signature", "cell.arena_bytes", "cell.slot_bytes",
             "cell.reads_device", "cell.kernels", "cell.memory", kBatchTiles,
             kBatchProgram})
      function->removeAttr(name);
  auto checks = module->getAttrOfType<ArrayAttr>("cell.checks");
  module->removeAttr("cell.checks");
  std::vector<std::string> features =
      requiredFeatures(*cpu->platform, **machine);
  std::string signature =
      toJSON(*spec, cpu->platform->name, cpu->cpu, features);
  if (!checks)
    checks = ArrayAttr::get(&getContext(), {});
  uint64_t mask = featureMask(*cpu->platform, features);
  if (!device)
    writeAbi(module, *spec, implOf, arch, mask, signature, checks);
  else if (failed(writeCudaAbi(module, device, *spec, implOf, mask, signature,
                               checks)))
    return signalPassFailure();
  module->setAttr("cell.model", toAttribute(*spec, &getContext()));
}
} // namespace
