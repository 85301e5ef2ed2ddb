//===- BySize.cpp - entries that choose a function by the batch -----------===//

#include "passes/emit/BySize.h"

#include "dialect/BatchParts.h"
#include "dialect/Refusal.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cellgrad;

FailureOr<std::optional<SizedFunction>>
cellgrad::readSized(LLVM::LLVMFuncOp function, const EntrySpec &spec) {
  Attribute attribute = function->getAttr(kBatchProgram);
  if (!attribute)
    return std::optional<SizedFunction>();
  auto dict = dyn_cast<DictionaryAttr>(attribute);
  auto of = dict ? dict.getAs<StringAttr>("of") : StringAttr();
  auto size = dict ? dict.getAs<IntegerAttr>("size") : IntegerAttr();
  if (!of || !size || size.getInt() < 1)
    return refuse(function, Blame::Form)
           << kBatchProgram << " is " << attribute
           << ": expected {of = \"entry\", size = N : i64} with 1 <= N";
  return std::optional(
      SizedFunction{function, spec, of.getValue().str(), size.getInt()});
}

/// Whether all of the buffers are those of `entry` for the size.
static bool takesTheSame(const EntrySpec &entry, const SizedFunction &sized) {
  auto any = entry.buffers(), known = sized.spec.buffers();
  return any.size() == known.size() + 1 && any.front()->isBatch() &&
         llvm::all_of_zip(llvm::drop_begin(any), known,
                          [&](const TensorSpec *open, const TensorSpec *spec) {
                            auto shape = open->shape;
                            if (open->hasRows())
                              shape[0] = sized.size;
                            return shape == spec->shape &&
                                   open->dtype == spec->dtype &&
                                   open->donate == spec->donate;
                          });
}

FailureOr<LLVM::LLVMFuncOp>
cellgrad::chooseBySize(LLVM::LLVMFuncOp any, EntrySpec &entry,
                       ArrayRef<const SizedFunction *> sized) {
  int64_t fixed = entry.arenaBytes - entry.slotBytes;
  for (const SizedFunction *one : sized) {
    if (!takesTheSame(entry, *one))
      return refuse(one->function, Blame::Form)
             << kBatchProgram << " names '" << entry.name
             << "', which takes other buffers for a batch of " << one->size;
    fixed = std::max(fixed, one->spec.arenaBytes - one->spec.slotBytes);
    entry.slotBytes = std::max(entry.slotBytes, one->spec.slotBytes);
    llvm::append_range(entry.kernels, one->spec.kernels);
  }
  entry.arenaBytes = fixed + entry.slotBytes;

  Location loc = any.getLoc();
  OpBuilder b(any);
  auto chooser = LLVM::LLVMFuncOp::create(
      b, loc, (any.getSymName() + ".by_size").str(), any.getFunctionType());
  b.setInsertionPointToStart(chooser.addEntryBlock(b));
  SmallVector<Value> arguments(chooser.getArguments());
  Value batch = LLVM::LoadOp::create(b, loc, b.getI64Type(), arguments.front());
  auto call = [&](LLVM::LLVMFuncOp function, ValueRange operands) {
    auto status = LLVM::CallOp::create(b, loc, function, operands);
    LLVM::ReturnOp::create(b, loc, status.getResult());
  };
  for (const SizedFunction *one : sized) {
    Value size = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                          b.getI64IntegerAttr(one->size));
    Value is =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, batch, size);
    Block *here = b.getInsertionBlock();
    Block *then = b.createBlock(&chooser.getBody(), chooser.getBody().end());
    call(one->function, ValueRange(arguments).drop_front());
    Block *next = b.createBlock(&chooser.getBody(), chooser.getBody().end());
    b.setInsertionPointToEnd(here);
    LLVM::CondBrOp::create(b, loc, is, then, ValueRange{}, next, ValueRange{});
    b.setInsertionPointToStart(next);
  }
  call(any, arguments);
  return chooser;
}
