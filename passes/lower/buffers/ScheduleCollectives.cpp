//===- ScheduleCollectives.cpp - collectives beside the computation -------===//
//
// In each block, a start moves up to the last op that writes what it sends, and
// a wait moves down to the first op that needs what it gives:
//
//   %g = ...                          %g = ...
//   ...                               cell.collective_start 1 send %g ...
//   cell.collective_start 0 ...  =>   ...
//   cell.collective_wait 0 ...        ...
//   ...                               cell.collective_wait 1 send %g ...
//   use of what is received           use of what is received
//
// Starts keep their order, which is that of all ranks. What may end the call,
// and what writes where the caller's values are, stays on its side of a wait:
// nothing is in flight when a call ends, and a collective that fails leaves
// donated arguments as they were.
//
// A profile's calls around a kernel stay with it: neither half of a collective
// comes between them, or its time would be taken for the kernel's.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/buffers/InFlight.h"
#include "passes/lower/buffers/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_SCHEDULECOLLECTIVES
#include "passes/lower/buffers/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Whether `op` is the call of a profile before a kernel (true) or behind one
/// (false).
std::optional<bool> beginsKernel(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  IntegerAttr begins;
  if (!call || call.getCallee() != StringRef("cell_probe") ||
      !matchPattern(call.getArgOperands().back(), m_Constant(&begins)))
    return std::nullopt;
  return !begins.getValue().isZero();
}

/// Moves the wait of `pair` down.
void sink(InFlight pair, Footprints &prints) {
  Operation *begin = nullptr; // of the kernel that `at` is part of
  Operation *at = pair.wait->getNextNode();
  for (; !prints.needsEnd(at, pair.start.getSend(), pair.start.getReceive());
       at = at->getNextNode())
    if (std::optional<bool> begins = beginsKernel(at))
      begin = *begins ? at : nullptr;
  pair.wait->moveBefore(begin ? begin : at);
}

/// Whether `op` may go wherever its operands are: it names memory or computes
/// an address.
bool isMovable(Operation *op) {
  return op->getNumRegions() == 0 &&
         (isa<memref::AllocOp>(op) || isMemoryEffectFree(op));
}

/// Moves `start` up, with the ops that name its buffers.
void hoist(CollectiveStartOp start, Footprints &prints) {
  llvm::SmallPtrSet<Operation *, 8> needed;
  auto need = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *made = operand.getDefiningOp())
        needed.insert(made);
  };
  need(start);
  SmallVector<Operation *> carried{start};
  Operation *end = nullptr; // of the kernel that `at` is part of
  size_t carriedToEnd = 0;
  Operation *at = start->getPrevNode();
  for (; at; at = at->getPrevNode()) {
    if (std::optional<bool> begins = beginsKernel(at)) {
      end = *begins ? nullptr : at;
      carriedToEnd = carried.size();
    }
    if (needed.contains(at)) {
      if (!isMovable(at))
        break;
      carried.push_back(at);
      need(at);
    } else if (isa<CollectiveStartOp>(at) ||
               prints.needsBefore(at, start.getSend(), start.getReceive())) {
      break;
    }
  }
  if (end) {
    carried.truncate(carriedToEnd);
    at = end;
  }
  Block *block = start->getBlock();
  for (Operation *op : carried) {
    if (at)
      op->moveAfter(at);
    else
      op->moveBefore(block, block->begin());
  }
}

/// Collectives whose wait follows at once have request 0; the others one each,
/// for any of them may be in flight with any other.
void assignSlots(func::FuncOp func) {
  Builder b(func.getContext());
  int64_t next = 1;
  func.walk([&](Block *block) {
    for (const InFlight &pair : pairsOf(*block)) {
      Operation *after = pair.start->getNextNode();
      while (isMovable(after))
        after = after->getNextNode();
      bool atOnce = after == pair.wait;
      auto slot = b.getI64IntegerAttr(atOnce ? 0 : next++);
      pair.start->setAttr("slot", slot);
      pair.wait->setAttr("slot", slot);
    }
  });
}

struct ScheduleCollectives
    : cellgrad::impl::ScheduleCollectivesBase<ScheduleCollectives> {
  void runOnOperation() override {
    llvm::SmallSetVector<Block *, 4> blocks;
    llvm::SmallSetVector<func::FuncOp, 4> functions;
    getOperation().walk([&](CollectiveStartOp start) {
      blocks.insert(start->getBlock());
      functions.insert(start->getParentOfType<func::FuncOp>());
    });
    Footprints prints;
    for (Block *block : blocks) {
      SmallVector<InFlight> pairs = pairsOf(*block);
      for (const InFlight &pair : pairs)
        sink(pair, prints);
      for (const InFlight &pair : pairs)
        hoist(pair.start, prints);
    }
    for (func::FuncOp func : functions)
      assignSlots(func);
  }
};

} // namespace
