//===- AbiWriter.cpp - the functions that the C caller sees ---------------===//

#include "passes/emit/AbiWriter.h"
#include "passes/emit/AbiBuilder.h"

#include "runtime/cellgrad_abi.h"

#include "mlir/IR/Builders.h"

#include <cstddef>

using namespace mlir;
using namespace cellgrad;

namespace {
constexpr llvm::StringLiteral kRuntimeStatus = "cell_rt_status_message";
constexpr llvm::StringLiteral kRuntimeWorkers = "cell_rt_workers";
constexpr llvm::StringLiteral kRuntimePoolNew = "cell_rt_pool_new";
constexpr llvm::StringLiteral kRuntimePoolFree = "cell_rt_pool_free";
constexpr llvm::StringLiteral kRuntimeMemory = "cell_rt_memory_is_whole";
constexpr llvm::StringLiteral kRuntimeArenaNew = "cell_rt_arena_new";
constexpr llvm::StringLiteral kRuntimeArenaFree = "cell_rt_arena_free";

/// Builds the functions the C caller sees.
class AbiWriter : public AbiBuilder {
public:
  using AbiBuilder::AbiBuilder;

  void writeEntry(const EntrySpec &entry, EntryImpl impl);
  /// The functions of models that run parallel regions.
  void writePool();

private:
  void callWithArena(const EntrySpec &entry, EntryImpl impl,
                     SmallVector<Value> args, Value context);
  /// Gives an implementation that takes many buffers a function that takes the
  /// argument struct, the arena and the context: a call of hundreds of
  /// arguments is there once.
  LLVM::LLVMFuncOp writeSpread(const EntrySpec &entry, EntryImpl impl);
  /// Bytes of the arena for that many workers, an i32 that is at least 1.
  Value arenaBytes(const EntrySpec &entry, Value workers);
  void writeArenaBytes(const EntrySpec &entry);
};

void AbiWriter::writeEntry(const EntrySpec &entry, EntryImpl impl) {
  Value context;
  SmallVector<Value> buffers =
      beginEntry(entry, entry.symbol, impl.function.getLoc(), context);
  callWithArena(entry, impl, buffers, context);
  if (entry.hasArenaFunction())
    writeArenaBytes(entry);
}

LLVM::LLVMFuncOp AbiWriter::writeSpread(const EntrySpec &entry,
                                        EntryImpl impl) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, loc, "cell_spread_" + entry.symbol,
      LLVM::LLVMFunctionType::get(i32, {ptr, ptr, ptr}),
      LLVM::Linkage::Internal);
  function.setNoInline(true);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  SmallVector<Value> all = loadBuffers(entry, function.getArgument(0));
  all.push_back(function.getArgument(1));
  if (impl.takesContext)
    all.push_back(function.getArgument(2));
  ret(LLVM::CallOp::create(b, loc, impl.function, all).getResult());
  return function;
}

Value AbiWriter::arenaBytes(const EntrySpec &entry, Value workers) {
  Value bytes = constant(i64, entry.arenaBytes);
  if (entry.slotBytes == 0)
    return bytes;
  Value further = LLVM::SExtOp::create(
      b, loc, i64, LLVM::SubOp::create(b, loc, workers, constant(i32, 1)));
  return LLVM::AddOp::create(
      b, loc, bytes,
      LLVM::MulOp::create(b, loc, further, constant(i64, entry.slotBytes)));
}

void AbiWriter::writeArenaBytes(const EntrySpec &entry) {
  auto function = define(entry.arenaFunction(), i64, {i64, i32});
  Value threads =
      LLVM::SMaxOp::create(b, loc, function.getArgument(1), constant(i32, 1));
  ret(arenaBytes(entry, threads));
}

// The arena is the memory of all temporaries of a call, lent by the caller or
// allocated for this call:
//
//   start:    context null? -> found(null), else given
//   given:    context too small, unknown flags, half of the functions for
//             memory? -> return an error
//             arena null? -> found(null), else check
//   check:    too small or not aligned? -> return an error, else found(arena)
//   found(a): threads lent, but not filled in? -> return an error
//             a null? -> allocate, else call with a
//   allocate: call with memory of the context's functions or the C library,
//             for all workers; free it
//
// An entry without temporaries goes from `found` straight to the call.
void AbiWriter::callWithArena(const EntrySpec &entry, EntryImpl impl,
                              SmallVector<Value> args, Value context) {
  Region *region = b.getInsertionBlock()->getParent();
  LLVM::LLVMFuncOp callee = impl.function;
  if (args.size() > kManyBuffers)
    callee = writeSpread(entry, impl);
  auto call = [&](Value arena) {
    SmallVector<Value> all(args);
    if (callee != impl.function)
      all.assign({region->front().getArgument(0)});
    all.push_back(arena);
    if (impl.takesContext || callee != impl.function)
      all.push_back(context);
    Value callers = setDefaultFloatState(b, loc, arch, region->front());
    Value status = LLVM::CallOp::create(b, loc, callee, all).getResult();
    restoreFloatState(b, loc, arch, callers);
    return outcome(entry, status, args);
  };

  // The arena of the context, or null.
  Block *start = b.getInsertionBlock();
  Block *given = b.createBlock(region, region->end());
  Block *found = b.createBlock(region, region->end(), {ptr}, {loc});
  Value arena = found->getArgument(0);
  b.setInsertionPointToEnd(start);
  LLVM::CondBrOp::create(b, loc, isNull(context), found, ValueRange{null()},
                         given, ValueRange{});
  b.setInsertionPointToStart(given);
  checkContext(context);
  // Callers in JavaScript lend no context.
  if (arch != Arch::Wasm && (entry.arenaBytes != 0 || entry.cancellable)) {
    Value whole = callRuntime(kRuntimeMemory, i32, {context});
    failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, whole,
                                constant(i32, 0)),
           CG_ERROR_CONTEXT);
  }
  Value lent = loadAt(context, offsetof(cg_context, arena), ptr);
  Value noArena = isNull(lent);
  Block *check = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(noArena.getParentBlock());
  LLVM::CondBrOp::create(b, loc, noArena, found, ValueRange{null()}, check,
                         ValueRange{});
  b.setInsertionPointToStart(check);
  Value bytes = loadAt(context, offsetof(cg_context, arena_bytes), i64);
  Value small = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, bytes,
                                     constant(i64, entry.arenaBytes));
  Value address = LLVM::PtrToIntOp::create(b, loc, i64, lent);
  Value low = LLVM::AndOp::create(b, loc, address,
                                  constant(i64, CG_ARENA_ALIGNMENT - 1));
  Value crooked = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, low,
                                       constant(i64, 0));
  failIf(LLVM::OrOp::create(b, loc, small, crooked), CG_ERROR_ARENA);
  LLVM::BrOp::create(b, loc, ValueRange{lent}, found);

  b.setInsertionPointToStart(found);
  Value workers;
  if (entry.parallel) {
    workers =
        callRuntime(kRuntimeWorkers, i32,
                    {context, constant(i64, entry.arenaBytes - entry.slotBytes),
                     constant(i64, entry.slotBytes)});
    failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, workers,
                                constant(i32, 0)),
           CG_ERROR_CONTEXT);
  }
  if (entry.arenaBytes == 0) {
    ret(call(arena));
    return;
  }
  Block *decide = b.getInsertionBlock();
  Block *lentBlock = b.createBlock(region, region->end());
  ret(call(arena));
  Block *allocate = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(decide);
  LLVM::CondBrOp::create(b, loc, isNull(arena), allocate, ValueRange{},
                         lentBlock, ValueRange{});
  b.setInsertionPointToStart(allocate);
  Value wanted = arenaBytes(entry, workers);
  Value own = callRuntime(kRuntimeArenaNew, ptr, {context, wanted});
  failIf(isNull(own), CG_ERROR_ALLOCATION);
  Value status = call(own);
  callRuntime(kRuntimeArenaFree, LLVM::LLVMVoidType::get(b.getContext()),
              {context, own, wanted});
  ret(status);
}

void AbiWriter::writePool() {
  auto create = define(model.prefix() + "pool_new", ptr, {i32});
  ret(callRuntime(kRuntimePoolNew, ptr, {create.getArgument(0)}));
  Type none = LLVM::LLVMVoidType::get(b.getContext());
  auto release = define(model.prefix() + "pool_free", none, {ptr});
  callRuntime(kRuntimePoolFree, none, {release.getArgument(0)});
  LLVM::ReturnOp::create(b, loc, ValueRange{});
}
} // namespace

void cellgrad::writeAbi(ModuleOp module, const ModelSpec &model,
                        llvm::ArrayRef<EntryImpl> impls, Arch arch,
                        uint64_t cpuFeatures, llvm::StringRef signature,
                        ArrayAttr checks) {
  AbiWriter writer(module, model, arch, cpuFeatures);
  for (auto [entry, impl] : llvm::zip(model.entries, impls))
    writer.writeEntry(entry, impl);
  writer.writeModelFunctions(signature, checks, kRuntimeStatus);
  if (model.parallel())
    writer.writePool();
}
