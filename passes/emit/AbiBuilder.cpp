//===- AbiBuilder.cpp - what functions of every ABI are built of ----------===//

#include "passes/emit/AbiBuilder.h"
#include "passes/emit/Names.h"

#include "runtime/cellgrad_abi.h"

#include <cstddef>

using namespace mlir;
using namespace cellgrad;

namespace {
constexpr llvm::StringLiteral kRuntimeCheck = "cell_rt_check_cpu";
} // namespace

LLVM::LLVMFuncOp AbiBuilder::declare(llvm::StringRef name, Type result,
                                     ArrayRef<Type> args) {
  if (auto existing = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return existing;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(b, loc, name,
                                  LLVM::LLVMFunctionType::get(result, args));
}

LLVM::LLVMFuncOp AbiBuilder::define(llvm::StringRef name, Type result,
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

Value AbiBuilder::callRuntime(llvm::StringRef name, Type result,
                              ValueRange args) {
  auto function = declare(name, result, llvm::to_vector(args.getTypes()));
  function.setVisibility_(LLVM::Visibility::Hidden);
  auto call = LLVM::CallOp::create(b, loc, function, args);
  return call.getNumResults() ? call.getResult() : Value();
}

void AbiBuilder::failIf(Value bad, int32_t status) {
  Region *region = b.getInsertionBlock()->getParent();
  Block *here = b.getInsertionBlock();
  Block *leave = b.createBlock(region, region->end());
  ret(constant(i32, status));
  Block *next = b.createBlock(region, region->end());
  b.setInsertionPointToEnd(here);
  LLVM::CondBrOp::create(b, loc, bad, leave, ValueRange{}, next, ValueRange{});
  b.setInsertionPointToStart(next);
}

std::pair<Value, Value> AbiBuilder::lookAtFew(ArrayRef<Check> checks,
                                              ValueRange buffers) {
  Value anyNull, misaligned = constant(i64, 0);
  for (const Check &check : checks) {
    Value null = isNull(buffers[check.index]);
    anyNull = anyNull ? LLVM::OrOp::create(b, loc, anyNull, null) : null;
    Value address = LLVM::PtrToIntOp::create(b, loc, i64, buffers[check.index]);
    misaligned = LLVM::OrOp::create(
        b, loc, misaligned,
        LLVM::AndOp::create(b, loc, address, constant(i64, check.low)));
  }
  return {anyNull, misaligned};
}

std::pair<Value, Value> AbiBuilder::lookAtMany(llvm::StringRef symbol,
                                               ArrayRef<Check> checks,
                                               Value args) {
  SmallVector<int32_t> numbers;
  for (const Check &check : checks) {
    numbers.push_back(check.index * sizeof(void *));
    numbers.push_back(static_cast<int32_t>(check.low));
  }
  Value row = table(("cell_buffers_" + symbol).str(), numbers);
  Value last = member(row, static_cast<int64_t>(checks.size()) * 8);
  Block *here = b.getInsertionBlock();
  Region *region = here->getParent();
  Block *loop =
      b.createBlock(region, region->end(), {ptr, i1, i64}, {loc, loc, loc});
  Block *done = b.createBlock(region, region->end(), {i1, i64}, {loc, loc});
  b.setInsertionPointToEnd(here);
  LLVM::BrOp::create(b, loc, ValueRange{row, constant(i1, 0), constant(i64, 0)},
                     loop);
  b.setInsertionPointToStart(loop);
  Value at = loop->getArgument(0);
  Value place = LLVM::GEPOp::create(
      b, loc, ptr, b.getI8Type(), args,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(loadAt(at, 0, i32))});
  Value buffer = LLVM::LoadOp::create(b, loc, ptr, place);
  Value anyNull =
      LLVM::OrOp::create(b, loc, loop->getArgument(1), isNull(buffer));
  Value low = LLVM::ZExtOp::create(b, loc, i64, loadAt(at, 4, i32));
  Value address = LLVM::PtrToIntOp::create(b, loc, i64, buffer);
  Value misaligned = LLVM::OrOp::create(
      b, loc, loop->getArgument(2), LLVM::AndOp::create(b, loc, address, low));
  Value next = member(at, 8);
  Value isLast =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, next, last);
  LLVM::CondBrOp::create(b, loc, isLast, done, ValueRange{anyNull, misaligned},
                         loop, ValueRange{next, anyNull, misaligned});
  b.setInsertionPointToStart(done);
  return {done->getArgument(0), done->getArgument(1)};
}

void AbiBuilder::checkBuffers(const EntrySpec &entry, llvm::StringRef symbol,
                              Value args, ValueRange buffers,
                              int64_t alignment) {
  SmallVector<Check> checks;
  for (auto [i, spec] : llvm::enumerate(entry.buffers()))
    // A tensor without elements has no address; the batch is a number.
    if (spec->elements() != 0 && !spec->isBatch())
      checks.push_back({static_cast<unsigned>(i),
                        std::max<int64_t>(spec->dtype->bytes, alignment) - 1});
  if (checks.empty())
    return;
  auto [anyNull, misaligned] = checks.size() > kManyBuffers
                                   ? lookAtMany(symbol, checks, args)
                                   : lookAtFew(checks, buffers);
  failIf(anyNull, CG_ERROR_NULL_ARGUMENT);
  failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, misaligned,
                              constant(i64, 0)),
         CG_ERROR_ALIGNMENT);
}

Value AbiBuilder::outcome(const EntrySpec &entry, Value status,
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

Value AbiBuilder::table(llvm::StringRef name, ArrayRef<int32_t> numbers) {
  auto type = LLVM::LLVMArrayType::get(i32, numbers.size());
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
        b.getI32TensorAttr(numbers), /*alignment=*/8);
  }
  return LLVM::AddressOfOp::create(b, loc, ptr, global.getSymName());
}

Value AbiBuilder::text(llvm::StringRef name, llvm::StringRef text,
                       uint64_t align) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name,
                                    b.getStringAttr(bytes), align);
  }
  return LLVM::AddressOfOp::create(b, loc, ptr, global.getSymName());
}

SmallVector<Value> AbiBuilder::loadBuffers(const EntrySpec &entry, Value args) {
  SmallVector<Value> buffers;
  for (auto [i, spec] : llvm::enumerate(entry.buffers())) {
    int64_t offset = i * sizeof(void *);
    buffers.push_back(spec->isBatch() ? member(args, offset)
                                      : loadAt(args, offset, ptr));
  }
  return buffers;
}

SmallVector<Value> AbiBuilder::beginEntry(const EntrySpec &entry,
                                          llvm::StringRef symbol,
                                          Location location, Value &context,
                                          int64_t alignment) {
  loc = location;
  LLVM::LLVMFuncOp function = define(symbol, i32, {ptr, ptr});
  function.setArgAttr(0, "llvm.noundef", b.getUnitAttr());
  function.setArgAttr(1, "llvm.noundef", b.getUnitAttr());
  Value args = function.getArgument(0);
  context = function.getArgument(1);

  if (cpuFeatures) {
    Value ok = callRuntime(kRuntimeCheck, i32, {constant(i64, cpuFeatures)});
    failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, ok,
                                constant(i32, CG_OK)),
           CG_ERROR_CPU);
  }
  SmallVector<Value> buffers;
  if (!entry.buffers().empty()) {
    failIf(isNull(args), CG_ERROR_NULL_ARGUMENT);
    buffers = loadBuffers(entry, args);
    if (entry.maxBatch != 0) {
      // Below 1 it wraps around.
      Value before =
          LLVM::SubOp::create(b, loc, loadAt(args, 0, i64), constant(i64, 1));
      failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::uge, before,
                                  constant(i64, entry.maxBatch)),
             CG_ERROR_BATCH);
    }
    checkBuffers(entry, symbol, args, buffers, alignment);
  }
  return buffers;
}

void AbiBuilder::checkContext(Value context) {
  Value size = loadAt(context, offsetof(cg_context, struct_size), i32);
  // The first version ended where `cancel` is now.
  failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, size,
                              constant(i32, offsetof(cg_context, cancel))),
         CG_ERROR_CONTEXT);
  Value flags = loadAt(context, offsetof(cg_context, flags), i32);
  failIf(LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, flags,
                              constant(i32, 0)),
         CG_ERROR_CONTEXT);
}

void AbiBuilder::writeWeights() {
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), model.weightsBytes),
        /*isConstant=*/true, LLVM::Linkage::External, kWeightsSymbol,
        Attribute(), CG_ARENA_ALIGNMENT);
    global.setVisibility_(LLVM::Visibility::Hidden);
  }
  auto function = define(model.prefix() + "weights", ptr, {ptr});
  Value bytes = function.getArgument(0);
  Block *tell = b.createBlock(&function.getBody(), function.end());
  Block *give = b.createBlock(&function.getBody(), function.end());
  b.setInsertionPointToEnd(&function.front());
  LLVM::CondBrOp::create(b, loc, isNull(bytes), give, ValueRange{}, tell,
                         ValueRange{});
  b.setInsertionPointToStart(tell);
  LLVM::StoreOp::create(b, loc, constant(i64, model.weightsBytes), bytes);
  LLVM::BrOp::create(b, loc, ValueRange{}, give);
  b.setInsertionPointToStart(give);
  ret(LLVM::AddressOfOp::create(b, loc, ptr, global.getSymName()));
}

void AbiBuilder::writeModelFunctions(llvm::StringRef signature,
                                     ArrayAttr checks,
                                     llvm::StringRef statusMessage) {
  loc = module.getLoc();
  std::string prefix = model.prefix();
  define(prefix + "signature", ptr, {});
  ret(text("cell_signature", signature));

  define(prefix + "fingerprint", i64, {});
  ret(constant(i64, static_cast<int64_t>(fingerprint(model))));

  define(prefix + "abi_version", i32, {});
  ret(constant(i32, CELLGRAD_ABI_VERSION));

  if (model.embedsWeights())
    writeWeights();

  auto message = define(prefix + "status_message", ptr, {i32});
  Value status = message.getArgument(0);
  Value said = callRuntime(statusMessage, ptr, {status});
  for (auto [i, check] : llvm::enumerate(checks)) {
    Value is = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, status,
                                    constant(i32, CG_ERROR_CHECK + i));
    said = LLVM::SelectOp::create(
        b, loc, is,
        text("cell_check_" + std::to_string(i), cast<StringAttr>(check)), said);
  }
  ret(said);
}
