//===- SameProgram.cpp - one program for two batch sizes ------------------===//
//
// What Python computed from the batch size while it ran is in the program as
// numbers and as choices that were made. Programs that were captured for other
// sizes show it.
//
//===----------------------------------------------------------------------===//

#include "passes/batch/OpenBatch.h"

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

bool isSame(Operation *op, const Program &program, Operation *other,
            const Program &otherProgram) {
  return op->getName() == other->getName() &&
         op->getAttrDictionary() == other->getAttrDictionary() &&
         llvm::equal(op->getResultTypes(), other->getResultTypes()) &&
         op->getNumOperands() == other->getNumOperands() &&
         llvm::all_of(llvm::zip(op->getOperands(), other->getOperands()),
                      [&](auto pair) {
                        return program.numbers.lookup(std::get<0>(pair)) ==
                               otherProgram.numbers.lookup(std::get<1>(pair));
                      });
}
} // namespace

LogicalResult cellgrad::checkSameProgram(ModuleOp open, const OpenBatch &batch,
                                         ModuleOp captured, int64_t size) {
  OwningOpRef<ModuleOp> copy(open.clone());
  for (auto function : copy->getOps<func::FuncOp>())
    setBatchSize(function, batch, size);
  Program expected(*copy), found(captured);
  auto differs = [&](Operation *op) {
    return refuse(op) << "depends on the batch size: for a batch of " << size
                      << " the program is another one than for others; "
                         "compute with tensors instead of the number, or "
                         "export for a fixed batch";
  };
  for (auto [op, other] : llvm::zip(expected.ops, found.ops))
    if (!isSame(op, expected, other, found))
      return differs(other);
  if (expected.ops.size() != found.ops.size())
    return differs(expected.ops.size() < found.ops.size()
                       ? found.ops[expected.ops.size()]
                       : expected.ops[found.ops.size()]);
  return success();
}
