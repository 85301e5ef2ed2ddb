//===- SameProgram.cpp - one program for two batch sizes ------------------===//
//
// What Python computed from the batch size while it ran is in the program as
// numbers and as choices that were made. Programs that were captured for other
// sizes show it.
//
//===----------------------------------------------------------------------===//

#include "passes/batch/BatchForms.h"
#include "passes/batch/BatchPositions.h"
#include "passes/batch/OwnElements.h"
#include "passes/batch/SampleFlow.h"

#include "dialect/Refusal.h"

#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace cellgrad;

namespace {
/// The ops of a module in order, and numbers for their values.
struct Program {
  explicit Program(ModuleOp module) {
    module.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      ops.push_back(op);
      for (Value result : op->getResults())
        numbers.try_emplace(result, numbers.size());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument arg : block.getArguments())
            numbers.try_emplace(arg, numbers.size());
    });
  }

  SmallVector<Operation *> ops;
  llvm::DenseMap<Value, unsigned> numbers;
};

/// Whether two ops are the same but for the numbers of a constant.
bool isAlike(Operation *op, const Program &program, Operation *other,
             const Program &otherProgram) {
  return op->getName() == other->getName() &&
         (isa<ConstantOp>(op) ||
          op->getAttrDictionary() == other->getAttrDictionary()) &&
         llvm::equal(op->getResultTypes(), other->getResultTypes()) &&
         op->getNumOperands() == other->getNumOperands() &&
         llvm::all_of(llvm::zip(op->getOperands(), other->getOperands()),
                      [&](auto pair) {
                        return program.numbers.lookup(std::get<0>(pair)) ==
                               otherProgram.numbers.lookup(std::get<1>(pair));
                      });
}

/// The one number of a constant; null where it has several.
TypedAttr numberOf(Operation *op) {
  auto splat = dyn_cast<SplatElementsAttr>(cast<ConstantOp>(op).getValue());
  return splat ? dyn_cast<TypedAttr>(splat.getSplatValue<Attribute>())
               : TypedAttr();
}

/// Gives each use a constant of its own. For a batch of two samples the number
/// of samples is a 2 as any other in the program, and may be one constant with
/// it.
void separateConstants(ModuleOp module) {
  SmallVector<ConstantOp> constants;
  module.walk([&](ConstantOp constant) { constants.push_back(constant); });
  for (ConstantOp constant : constants) {
    for (OpOperand &use : llvm::make_early_inc_range(constant->getUses()))
      use.set(OpBuilder(use.getOwner()).clone(*constant)->getResult(0));
    constant->erase();
  }
}

/// Refuses `op`, which is another for a batch of `size`.
LogicalResult refuseOther(Operation *op, int64_t size) {
  return refuse(op) << "depends on the batch size: for a batch of " << size
                    << " the program is another one than for others; "
                       "compute with tensors instead of the number, or "
                       "export for a fixed batch";
}
} // namespace

LogicalResult cellgrad::checkSamePrograms(ModuleOp open, const OpenBatch &batch,
                                          ArrayRef<Captured> captures,
                                          bool takesForms) {
  Program own(open);
  struct Different {
    Operation *other;
    int64_t size;
  };
  // What constants are in all captures, by their place.
  SmallVector<SmallVector<FormSample>> samples(own.ops.size());
  SmallVector<std::optional<Different>> different(own.ops.size());
  for (auto [size, captured] : captures) {
    OwningOpRef<ModuleOp> copy(open.clone());
    for (auto function : copy->getOps<func::FuncOp>())
      setBatchSize(function, batch, size);
    Program expected(*copy), found(captured);
    for (auto [i, pair] : llvm::enumerate(llvm::zip(expected.ops, found.ops))) {
      auto [op, other] = pair;
      if (!isAlike(op, expected, other, found))
        return refuseOther(other, size);
      if (!isa<ConstantOp>(op))
        continue;
      if (op->getAttrDictionary() != other->getAttrDictionary()) {
        if (!takesForms || !numberOf(op) || !numberOf(other))
          return refuseOther(other, size);
        if (!different[i])
          different[i] = {other, size};
      }
      samples[i].emplace_back(size, numberOf(other));
    }
    if (expected.ops.size() != found.ops.size())
      return refuseOther(expected.ops.size() < found.ops.size()
                             ? found.ops[expected.ops.size()]
                             : expected.ops[found.ops.size()],
                         size);
  }
  for (auto [i, op] : llvm::enumerate(own.ops)) {
    if (!different[i])
      continue;
    samples[i].emplace_back(batch.size, numberOf(op));
    std::optional<BatchForm> form = fitForm(samples[i]);
    if (!form)
      return refuseOther(different[i]->other, different[i]->size);
    setForm(cast<ConstantOp>(op), *form);
  }
  return success();
}

LogicalResult cellgrad::openBatch(ModuleOp module, const OpenBatch &batch,
                                  ArrayRef<Captured> captures) {
  separateConstants(module);
  for (const Captured &captured : captures)
    separateConstants(captured.module);
  countBatches(module, batch, captures);
  auto isSame = [&](bool takesForms) {
    ScopedDiagnosticHandler silent(module.getContext(),
                                   [](Diagnostic &) { return success(); });
    return succeeded(checkSamePrograms(module, batch, captures, takesForms));
  };
  auto entries = llvm::make_filter_range(
      module.getOps<func::FuncOp>(),
      [](func::FuncOp function) { return function.isPublic(); });
  bool apart = llvm::all_of(entries, [&](func::FuncOp entry) {
    return keepsSamplesApart(entry, batch);
  });
  if (!apart || !isSame(/*takesForms=*/false)) {
    // Samples meet: what derivatives add up is seen when they are written out.
    if (failed(expandDerivatives(module)))
      return failure();
    for (const Captured &captured : captures)
      if (failed(expandDerivatives(captured.module)))
        return failure();
    if (!isSame(/*takesForms=*/true)) {
      // What mixes samples often has their number in it: that says more.
      OwningOpRef<ModuleOp> copy(module.clone());
      for (auto entry : copy->getOps<func::FuncOp>()) {
        separateOwnElements(entry, batch);
        numberExtrema(entry, batch);
        if (entry.isPublic() && failed(SampleFlow(batch).run(entry)))
          return failure();
      }
      return checkSamePrograms(module, batch, captures, /*takesForms=*/true);
    }
    for (func::FuncOp entry : entries) {
      separateOwnElements(entry, batch);
      numberExtrema(entry, batch);
    }
  }
  nameBatchInMessages(module, batch);
  setOpenBatch(module, batch);
  return success();
}
