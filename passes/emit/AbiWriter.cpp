//===- AbiWriter.cpp - the functions that the C caller sees ---------------===//

#include "passes/emit/AbiWriter.h"
#include "passes/emit/Names.h"

#include "runtime/cellgrad_abi.h"

#include "mlir/IR/Builders.h"

#include <cstddef>

using namespace mlir;
using namespace cellgrad;

namespace {
constexpr llvm::StringLiteral kRuntimeStatus = "cell_rt_status_message";
constexpr llvm::StringLiteral kRuntimeCheck = "cell_rt_check_cpu";
constexpr llvm::StringLiteral kRuntimeWorkers = "cell_rt_workers";
constexpr llvm::StringLiteral kRuntimePoolNew = "cell_rt_pool_new";
constexpr llvm::StringLiteral kRuntimePoolFree = "cell_rt_pool_free";
/// Round to nearest, keep subnormal numbers, no traps, no flags.
constexpr int64_t kDefaultMXCSR = 0x1f80;

/// Builds the functions the C caller sees.
class AbiWriter {
public:
  AbiWriter(mlir::ModuleOp module, const ModelSpec &model, uint64_t cpuFeatures)
      : module(module), model(model), cpuFeatures(cpuFeatures),
        b(module.getContext()), ptr(LLVM::LLVMPointerType::get(b.getContext())),
        i1(b.getI1Type()), i32(b.getI32Type()), i64(b.getI64Type()) {}

  void writeEntry(const EntrySpec &entry, EntryImpl impl);
  void writeModelFunctions(llvm::StringRef signature, ArrayAttr checks);
  /// The functions of models that run parallel regions.
  void writePool();

private:
  LLVM::LLVMFuncOp declare(llvm::StringRef name, Type result,
                           ArrayRef<Type> args);
  /// Calls a function of the runtime; returns its result, if it has one.
  Value callRuntime(llvm::StringRef name, Type result, ValueRange args);
  /// Starts a function that the caller sees, also by its linkName.
  LLVM::LLVMFuncOp define(llvm::StringRef name, Type result,
                          ArrayRef<Type> args);
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, type,
                                    b.getIntegerAttr(type, value));
  }
  Value null() { return LLVM::ZeroOp::create(b, loc, ptr); }
  Value isNull(Value pointer) {
    return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, pointer,
                                null());
  }
  Value loadAt(Value base, int64_t offset, Type type) {
    Value address = LLVM::GEPOp::create(
        b, loc, ptr, b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    return LLVM::LoadOp::create(b, loc, type, address);
  }
  /// Leaves with `status` where `bad` holds; building goes on where it does
  /// not.
  void failIf(Value bad, int32_t status);
  void checkBuffers(const EntrySpec &entry, ValueRange buffers);
  void callWithArena(const EntrySpec &entry, EntryImpl impl,
                     SmallVector<Value> args, Value context);
  /// Bytes of the arena for that many workers, an i32 that is at least 1.
  Value arenaBytes(const EntrySpec &entry, Value workers);
  void writeArenaBytes(const EntrySpec &entry);
  /// Puts the control and status register of vector arithmetic (rounding, which
  /// exceptions trap, subnormal numbers, sticky flags) into the state that
  /// programs start with; returns the address of what the caller had.
  Value setDefaultMXCSR(Block &entryBlock);
  void accessMXCSR(llvm::StringRef intrinsic, Value address) {
    LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(intrinsic),
                                  ValueRange{address});
  }
  /// What the entry returns after its implementation returned `status`.
  Value outcome(const EntrySpec &entry, Value status, ArrayRef<Value> buffers);
  /// Address of a private constant of the module that holds `text`.
  Value text(llvm::StringRef name, llvm::StringRef text);
  void ret(Value status) { LLVM::ReturnOp::create(b, loc, status); }

  ModuleOp module;
  const ModelSpec &model;
  uint64_t cpuFeatures; ///< mask of runtime/cpu.h
  OpBuilder b;
  Location loc = b.getUnknownLoc();
  Type ptr, i1, i32, i64;
};

LLVM::LLVMFuncOp AbiWriter::declare(llvm::StringRef name, Type result,
                                    ArrayRef<Type> args) {
  if (auto existing = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return existing;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(b, loc, name,
                                  LLVM::LLVMFunctionType::get(result, args));
}

LLVM::LLVMFuncOp AbiWriter::define(llvm::StringRef name, Type result,
                                   ArrayRef<Type> args) {
  b.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(result, args);
  if (std::string link = linkName(model, name); !link.empty()) {
    OpBuilder::InsertionGuard guard(b);
    auto alias = LLVM::AliasOp::create(b, loc, type, LLVM::Linkage::External,
                                       link, /*dsoLocal=*/false,
                                       /*thread_local_=*/false);
    b.createBlock(&alias.getInitializerRegion());
    ret(LLVM::AddressOfOp::create(b, loc, ptr, name));
  }
  auto function = LLVM::LLVMFuncOp::create(b, loc, name, type);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  return function;
}

Value AbiWriter::callRuntime(llvm::StringRef name, Type result,
                             ValueRange args) {
  auto function = declare(name, result, llvm::to_vector(args.getTypes()));
  function.setVisibility_(LLVM::Visibility::Hidden);
  auto call = LLVM::CallOp::create(b, loc, function, args);
  return call.getNumResults() ? call.getResult() : Value();
}

void AbiWriter::failIf(Value bad, int32_t status) {
  Region *region = b.getInsertionBlock()->getParent();
  Block *here = b.getInsertionBlock();
  Block *leave = b.createBlock(region, region->end());
  ret(constant(i32, status));
  Block *next = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(here);
  LLVM::CondBrOp::create(b, loc, bad, leave, ValueRange{}, next, ValueRange{});
  b.setInsertionPointToStart(next);
}

void AbiWriter::checkBuffers(const EntrySpec &entry, ValueRange buffers) {
  Value anyNull, misaligned;
  auto orInto = [&](Value &sum, Value term) {
    sum = sum ? Value(LLVM::OrOp::create(b, loc, sum, term)) : term;
  };
  for (auto [spec, pointer] : llvm::zip(entry.buffers(), buffers)) {
    if (spec->elements() == 0)
      continue; // a tensor without elements has no address
    orInto(anyNull, isNull(pointer));
    if (spec->dtype->bytes == 1)
      continue;
    Value address = LLVM::PtrToIntOp::create(b, loc, i64, pointer);
    orInto(misaligned,
           LLVM::AndOp::create(b, loc, address,
                               constant(i64, spec->dtype->bytes - 1)));
  }
  if (anyNull)
    failIf(anyNull, CG_ERROR_NULL_ARGUMENT);
  if (misaligned)
    failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, misaligned,
                                constant(i64, 0)),
           CG_ERROR_ALIGNMENT);
}

void AbiWriter::writeEntry(const EntrySpec &entry, EntryImpl impl) {
  loc = impl.function.getLoc();
  LLVM::LLVMFuncOp function = define(entry.symbol, i32, {ptr, ptr});
  function.setArgAttr(0, "llvm.noundef", b.getUnitAttr());
  function.setArgAttr(1, "llvm.noundef", b.getUnitAttr());
  Value args = function.getArgument(0), context = function.getArgument(1);

  if (cpuFeatures) {
    Value ok = callRuntime(kRuntimeCheck, i32, {constant(i64, cpuFeatures)});
    failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, ok,
                                constant(i32, CG_OK)),
           CG_ERROR_CPU);
  }
  SmallVector<Value> buffers;
  if (size_t count = entry.buffers().size()) {
    failIf(isNull(args), CG_ERROR_NULL_ARGUMENT);
    for (size_t i = 0; i < count; ++i)
      buffers.push_back(loadAt(args, i * sizeof(void *), ptr));
    checkBuffers(entry, buffers);
  }
  callWithArena(entry, impl, buffers, context);
  if (entry.parallel)
    writeArenaBytes(entry);
}

Value AbiWriter::outcome(const EntrySpec &entry, Value status,
                         ArrayRef<Value> buffers) {
  for (auto [spec, pointer] : llvm::zip(entry.buffers(), buffers)) {
    if (!spec->skipped)
      continue;
    Type i8 = b.getI8Type();
    auto is = [&](LLVM::ICmpPredicate predicate, Value a, Value other) {
      return LLVM::ICmpOp::create(b, loc, predicate, a, other).getResult();
    };
    Value told =
        is(LLVM::ICmpPredicate::ne, loadAt(pointer, 0, i8), constant(i8, 0));
    Value worked = is(LLVM::ICmpPredicate::eq, status, constant(i32, CG_OK));
    status = LLVM::SelectOp::create(b, loc,
                                    LLVM::AndOp::create(b, loc, told, worked),
                                    constant(i32, CG_SKIPPED), status);
  }
  return status;
}

Value AbiWriter::setDefaultMXCSR(Block &entryBlock) {
  Value callers, own;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&entryBlock);
    Value one = constant(i32, 1);
    callers = LLVM::AllocaOp::create(b, loc, ptr, i32, one);
    own = LLVM::AllocaOp::create(b, loc, ptr, i32, one);
  }
  accessMXCSR("llvm.x86.sse.stmxcsr", callers);
  LLVM::StoreOp::create(b, loc, constant(i32, kDefaultMXCSR), own);
  accessMXCSR("llvm.x86.sse.ldmxcsr", own);
  return callers;
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
//   given:    context too small, unknown flags? -> return an error
//             arena null? -> found(null), else check
//   check:    too small or not aligned? -> return an error, else found(arena)
//   found(a): threads lent, but not filled in? -> return an error
//             a null? -> allocate, else call with a
//   allocate: call with memory of its own, for all workers; free it
//
// An entry without temporaries goes from `found` straight to the call.
void AbiWriter::callWithArena(const EntrySpec &entry, EntryImpl impl,
                              SmallVector<Value> args, Value context) {
  Region *region = b.getInsertionBlock()->getParent();
  auto call = [&](Value arena) {
    SmallVector<Value> all(args);
    all.push_back(arena);
    if (impl.takesContext)
      all.push_back(context);
    Value callers = setDefaultMXCSR(region->front());
    Value status = LLVM::CallOp::create(b, loc, impl.function, all).getResult();
    accessMXCSR("llvm.x86.sse.ldmxcsr", callers);
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
  Value size = loadAt(context, offsetof(cg_context, struct_size), i32);
  // The first version ended where `cancel` is now.
  failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, size,
                              constant(i32, offsetof(cg_context, cancel))),
         CG_ERROR_CONTEXT);
  Value flags = loadAt(context, offsetof(cg_context, flags), i32);
  failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, flags,
                              constant(i32, 0)),
         CG_ERROR_CONTEXT);
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
  auto alignedAlloc = declare("aligned_alloc", ptr, {i64, i64});
  auto release =
      declare("free", LLVM::LLVMVoidType::get(b.getContext()), {ptr});
  Value own = LLVM::CallOp::create(b, loc, alignedAlloc,
                                   ValueRange{constant(i64, CG_ARENA_ALIGNMENT),
                                              arenaBytes(entry, workers)})
                  .getResult();
  failIf(isNull(own), CG_ERROR_ALLOCATION);
  Value status = call(own);
  LLVM::CallOp::create(b, loc, release, ValueRange{own});
  ret(status);
}

Value AbiWriter::text(llvm::StringRef name, llvm::StringRef text) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name,
                                    b.getStringAttr(bytes), /*alignment=*/1);
  }
  return LLVM::AddressOfOp::create(b, loc, ptr, global.getSymName());
}

void AbiWriter::writeModelFunctions(llvm::StringRef signature,
                                    ArrayAttr checks) {
  loc = module.getLoc();
  std::string prefix = model.prefix();
  define(prefix + "signature", ptr, {});
  ret(text("cell_signature", signature));

  define(prefix + "fingerprint", i64, {});
  ret(constant(i64, static_cast<int64_t>(fingerprint(model))));

  define(prefix + "abi_version", i32, {});
  ret(constant(i32, CELLGRAD_ABI_VERSION));

  auto message = define(prefix + "status_message", ptr, {i32});
  Value status = message.getArgument(0);
  Value said = callRuntime(kRuntimeStatus, ptr, {status});
  for (auto [i, check] : llvm::enumerate(checks)) {
    Value is = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, status,
                                    constant(i32, CG_ERROR_CHECK + i));
    said = LLVM::SelectOp::create(
        b, loc, is,
        text("cell_check_" + std::to_string(i), cast<StringAttr>(check)), said);
  }
  ret(said);
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
                        llvm::ArrayRef<EntryImpl> impls, uint64_t cpuFeatures,
                        llvm::StringRef signature, ArrayAttr checks) {
  AbiWriter writer(module, model, cpuFeatures);
  for (auto [entry, impl] : llvm::zip(model.entries, impls))
    writer.writeEntry(entry, impl);
  writer.writeModelFunctions(signature, checks);
  if (model.parallel())
    writer.writePool();
}
