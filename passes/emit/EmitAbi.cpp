//===- EmitAbi.cpp - give every entry its exported C function -------------===//

#include "passes/emit/Link.h"
#include "passes/emit/Names.h"

#include "dialect/Refusal.h"
#include "passes/emit/Passes.h"
#include "passes/emit/Processor.h"
#include "passes/emit/Signature.h"

#include "runtime/cellgrad_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Target/TargetMachine.h"

#include <cstddef>

namespace cellgrad {
#define GEN_PASS_DEF_CELLEMITABI
#include "passes/emit/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {
constexpr llvm::StringLiteral kRuntime = "cell_rt_";
/// What the runtime does with the caller's context: the function that lowered
/// code calls, and that of the runtime, which takes the context first.
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kContextual[] = {
    {"cell_print", "cell_rt_print"}, {"cell_enter", "cell_rt_enter"}};
constexpr llvm::StringLiteral kRuntimeStatus = "cell_rt_status_message";
constexpr llvm::StringLiteral kRuntimeCheck = "cell_rt_check_cpu";
/// Round to nearest, keep subnormal numbers, no traps, no flags.
constexpr int64_t kDefaultMXCSR = 0x1f80;

/// Builds the functions the C caller sees.
class AbiWriter {
public:
  AbiWriter(ModuleOp module, const ModelSpec &model, uint64_t cpuFeatures)
      : module(module), model(model), cpuFeatures(cpuFeatures),
        b(module.getContext()), ptr(LLVM::LLVMPointerType::get(b.getContext())),
        i1(b.getI1Type()), i32(b.getI32Type()), i64(b.getI64Type()) {}

  void writeEntry(const EntrySpec &entry, LLVM::LLVMFuncOp impl,
                  bool takesContext);
  /// `checks` are the words of the program's own status codes.
  void writeModelFunctions(llvm::StringRef signature, ArrayAttr checks);

  LLVM::LLVMFuncOp declare(llvm::StringRef name, Type result,
                           ArrayRef<Type> args);

private:
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
  void callWithArena(const EntrySpec &entry, LLVM::LLVMFuncOp impl,
                     SmallVector<Value> args, Value context, bool takesContext);
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

void AbiWriter::writeEntry(const EntrySpec &entry, LLVM::LLVMFuncOp impl,
                           bool takesContext) {
  loc = impl.getLoc();
  LLVM::LLVMFuncOp function = define(entry.symbol, i32, {ptr, ptr});
  function.setArgAttr(0, "llvm.noundef", b.getUnitAttr());
  function.setArgAttr(1, "llvm.noundef", b.getUnitAttr());
  Value args = function.getArgument(0), context = function.getArgument(1);

  if (cpuFeatures) {
    auto check = declare(kRuntimeCheck, i32, {i64});
    check.setVisibility_(LLVM::Visibility::Hidden);
    Value ok = LLVM::CallOp::create(b, loc, check,
                                    ValueRange{constant(i64, cpuFeatures)})
                   .getResult();
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
  callWithArena(entry, impl, buffers, context, takesContext);
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

// The arena is the memory of all temporaries of a call, lent by the caller or
// allocated for this call:
//
//   start:    context null? -> found(null), else given
//   given:    context too small, unknown flags? -> return an error
//             arena null? -> found(null), else check
//   check:    too small or not aligned? -> return an error, else found(arena)
//   found(a): a null? -> allocate, else call with a
//   allocate: call with memory of its own, free it
//
// An entry without temporaries goes from `found` straight to the call.
void AbiWriter::callWithArena(const EntrySpec &entry, LLVM::LLVMFuncOp impl,
                              SmallVector<Value> args, Value context,
                              bool takesContext) {
  Region *region = b.getInsertionBlock()->getParent();
  auto call = [&](Value arena) {
    SmallVector<Value> all(args);
    all.push_back(arena);
    if (takesContext)
      all.push_back(context);
    Value callers = setDefaultMXCSR(region->front());
    Value status = LLVM::CallOp::create(b, loc, impl, all).getResult();
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
  if (entry.arenaBytes == 0) {
    ret(call(arena));
    return;
  }
  Block *lentBlock = b.createBlock(region, region->end());
  ret(call(arena));
  Block *allocate = b.createBlock(region, region->end());
  b.setInsertionPointToStart(found);
  LLVM::CondBrOp::create(b, loc, isNull(arena), allocate, ValueRange{},
                         lentBlock, ValueRange{});
  b.setInsertionPointToStart(allocate);
  auto alignedAlloc = declare("aligned_alloc", ptr, {i64, i64});
  auto release =
      declare("free", LLVM::LLVMVoidType::get(b.getContext()), {ptr});
  Value own = LLVM::CallOp::create(b, loc, alignedAlloc,
                                   ValueRange{constant(i64, CG_ARENA_ALIGNMENT),
                                              constant(i64, entry.arenaBytes)})
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

  auto words = declare(kRuntimeStatus, ptr, {i32});
  words.setVisibility_(LLVM::Visibility::Hidden);
  auto message = define(prefix + "status_message", ptr, {i32});
  Value status = message.getArgument(0);
  Value said =
      LLVM::CallOp::create(b, loc, words, ValueRange{status}).getResult();
  for (auto [i, check] : llvm::enumerate(checks)) {
    Value is = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, status,
                                    constant(i32, CG_ERROR_CHECK + i));
    said = LLVM::SelectOp::create(
        b, loc, is,
        text("cell_check_" + std::to_string(i), cast<StringAttr>(check)), said);
  }
  ret(said);
}

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
  LogicalResult checkSymbols();
  LogicalResult renameHomonyms(const llvm::StringMap<LLVM::LLVMFuncOp> &impls);
  llvm::SetVector<Operation *> threadContext();
};

/// Every entry of the module, with its signature checked against its function.
FailureOr<ModelSpec>
EmitAbi::readEntries(llvm::StringMap<LLVM::LLVMFuncOp> &impls) {
  ModelSpec spec;
  spec.name = sanitizeIdentifier(model);
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
    size_t wanted = entry->buffers().size() + 1;
    bool pointers =
        llvm::all_of(type.getParams(), llvm::IsaPred<LLVM::LLVMPointerType>);
    if (type.getNumParams() != wanted || !pointers ||
        !type.getReturnType().isInteger(32))
      return refuse(function, Blame::Form)
             << "takes " << type << ": expected " << wanted
             << " pointers (the buffers of cell.signature, then the arena) and "
                "an i32 "
                "status";
    impls[entry->name] = function;
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
LogicalResult EmitAbi::checkSymbols() {
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
    if (function.isExternal() &&
        !llvm::is_contained(llvm::make_first_range(kContextual),
                            function.getSymName()) &&
        !function.getSymName().starts_with("llvm.") &&
        !function.getSymName().starts_with(kRuntime) &&
        !(allocates && function.getSymName() == "malloc") &&
        !isLibrarySymbol(function.getSymName()))
      return refuse(function, Blame::Form)
             << "is declared but not defined: a model may call its own "
                "functions, libm, memcpy, memmove and memset only";
  return success();
}

/// Entries of the names of C's functions or of the runtime's get others: what
/// the code and LLVM call is meant to be those.
LogicalResult
EmitAbi::renameHomonyms(const llvm::StringMap<LLVM::LLVMFuncOp> &impls) {
  for (const auto &item : impls) {
    llvm::StringRef name = item.getKey();
    LLVM::LLVMFuncOp function = item.getValue();
    if (!isLibrarySymbol(name) && name != "aligned_alloc" && name != "free" &&
        name != "malloc" && !name.starts_with("_") &&
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

/// Gives every function that needs the caller's context, directly or through
/// others, that as a last argument, and passes it to the runtime. Returns those
/// functions.
llvm::SetVector<Operation *> EmitAbi::threadContext() {
  ModuleOp module = getOperation();
  llvm::SetVector<Operation *> needing;
  llvm::DenseMap<Operation *, llvm::StringRef> runtime;
  for (auto [name, inRuntime] : kContextual)
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name)) {
      needing.insert(function);
      runtime[function] = inRuntime;
    }
  if (needing.empty())
    return needing;
  OpBuilder b(module.getContext());
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());

  SmallVector<LLVM::CallOp> calls;
  module.walk([&](LLVM::CallOp call) { calls.push_back(call); });
  for (size_t known = 0; known != needing.size();) {
    known = needing.size();
    for (LLVM::CallOp call : calls)
      if (auto callee = call.getCallee())
        if (needing.contains(module.lookupSymbol(*callee)))
          needing.insert(call->getParentOfType<LLVM::LLVMFuncOp>());
  }

  for (Operation *op : needing) {
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
    if (!function || !needing.contains(function))
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
    needing.remove(function);
  }
  return needing;
}

void EmitAbi::runOnOperation() {
  ModuleOp module = getOperation();
  for (Operation &op : *module.getBody())
    if (!isa<LLVM::LLVMDialect>(op.getDialect())) {
      refuse(&op, Blame::Form)
          << "is not in the LLVM dialect: lower the module first";
      return signalPassFailure();
    }
  auto cpu = resolveTarget(target);
  if (!cpu) {
    refuse(module.getLoc()) << llvm::toString(cpu.takeError());
    return signalPassFailure();
  }
  auto machine = createTargetMachine(*cpu, 0);
  if (!machine) {
    module.emitError(llvm::toString(machine.takeError()));
    return signalPassFailure();
  }
  llvm::StringMap<LLVM::LLVMFuncOp> impls;
  FailureOr<ModelSpec> spec = readEntries(impls);
  if (failed(spec) || failed(checkSymbols()) || failed(renameHomonyms(impls)))
    return signalPassFailure();

  llvm::SetVector<Operation *> needsContext = threadContext();
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

  std::vector<std::string> features = requiredFeatures(**machine);
  AbiWriter writer(module, *spec, featureMask(features));
  for (EntrySpec &entry : spec->entries) {
    LLVM::LLVMFuncOp impl = impls[entry.name];
    entry.cancellable = needsContext.contains(impl);
    annotate(impl, entry);
    impl->removeAttr("cell.signature");
    impl->removeAttr("cell.arena_bytes");
    writer.writeEntry(entry, impl, needsContext.contains(impl));
  }
  auto checks = module->getAttrOfType<ArrayAttr>("cell.checks");
  module->removeAttr("cell.checks");
  writer.writeModelFunctions(toJSON(*spec, cpu->cpu, features),
                             checks ? checks
                                    : ArrayAttr::get(&getContext(), {}));
  module->setAttr("cell.model", toAttribute(*spec, &getContext()));
}
} // namespace
