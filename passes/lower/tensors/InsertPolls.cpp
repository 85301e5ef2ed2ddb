//===- InsertPolls.cpp - places where a call can be cancelled -------------===//

#include "passes/lower/tensors/LoopOfOp.h"
#include "passes/lower/tensors/Passes.h"
#include "passes/lower/tensors/Schedule.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace cellgrad {
#define GEN_PASS_DEF_INSERTPOLLS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;
using bufferization::MaterializeInDestinationOp;

namespace {

constexpr uint64_t kUnknown = UINT64_MAX;

/// Trips of `loop`, or kUnknown.
uint64_t tripsOf(scf::ForOp loop) {
  auto from = getConstantIntValue(loop.getLowerBound()),
       to = getConstantIntValue(loop.getUpperBound()),
       by = getConstantIntValue(loop.getStep());
  if (!from || !to || !by || *by < 1)
    return kUnknown;
  return *to > *from ? llvm::divideCeil(static_cast<uint64_t>(*to) -
                                            static_cast<uint64_t>(*from),
                                        static_cast<uint64_t>(*by))
                     : 0;
}

/// The scalar operations of a linalg op.
uint64_t workOf(linalg::LinalgOp op) {
  uint64_t work =
      std::max<size_t>(op.getBlock()->getOperations().size(), 2) - 1;
  for (int64_t extent : op.getStaticLoopRanges())
    work = llvm::SaturatingMultiply(
        work, ShapedType::isDynamic(extent) ? kUnknown : uint64_t(extent));
  return work;
}

/// Loops of the program that may take long, and what they compute.
struct LongLoops {
  uint64_t atLeast; ///< scalar operations that are long
  SmallVector<scf::ForOp> loops;

  /// Scalar operations of `op`, kUnknown where a loop of unknown length is in
  /// it. Collects the loops in it.
  uint64_t collect(Operation *op) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      return workOf(linalgOp);
    uint64_t work = 1;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        work = llvm::SaturatingAdd(work, collect(&inner));
    if (isa<scf::WhileOp>(op))
      return kUnknown;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return work;
    work = llvm::SaturatingMultiply(work, tripsOf(loop));
    if (work >= atLeast && !loop->hasAttr(kLoopOfOp))
      loops.push_back(loop);
    return work;
  }
};

/// The ops that compute in the buffer of what `store` stores, if it is that of
/// its target: up to a value that needs another one.
SmallVector<Operation *> writersOf(MaterializeInDestinationOp store) {
  SmallVector<Operation *> writers;
  Value value = store.getSource();
  while (Operation *op = value.getDefiningOp()) {
    if (isa<bufferization::ToTensorOp>(op))
      break;
    writers.push_back(op);
    value =
        llvm::TypeSwitch<Operation *, Value>(op)
            .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
                [](auto reshape) { return reshape.getSrc(); })
            .Case<tensor::InsertOp, tensor::InsertSliceOp>(
                [](auto insert) { return insert.getDest(); })
            .Case<linalg::LinalgOp>([&](linalg::LinalgOp linalgOp) {
              return linalgOp
                  .getDpsInitOperand(cast<OpResult>(value).getResultNumber())
                  ->get();
            })
            .Default([](Operation *) { return Value(); });
    if (!value)
      break;
  }
  return writers;
}

struct InsertPolls : cellgrad::impl::InsertPollsBase<InsertPolls> {
  using InsertPollsBase::InsertPollsBase;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    OpBuilder b(&getContext());
    getOperation().walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        b.setInsertionPointToStart(loop.getAfterBody());
        PollOp::create(b, loop.getLoc(), /*trip=*/true);
      } else if (isa<PrintOp>(op)) {
        b.setInsertionPointAfter(op);
        PollOp::create(b, op->getLoc(), /*trip=*/false);
      }
    });
    pollCountedLoops(getOperation().getBody().front());
  }

private:
  /// Gives loops that may take long a poll, unless donated arguments would then
  /// have to be updated in copies that cost much: what comes before an op that
  /// may fail does not compute in them.
  void pollCountedLoops(Block &block) {
    struct Candidate {
      Operation *op; ///< of the block, with the loops in it
      uint64_t work;
      SmallVector<scf::ForOp> loops;
    };
    SmallVector<Candidate> candidates;
    for (Operation &op : block) {
      LongLoops found{minWork, {}};
      uint64_t work = found.collect(&op);
      if (!found.loops.empty())
        candidates.push_back({&op, work, std::move(found.loops)});
    }
    if (candidates.empty())
      return;

    Schedule schedule(block);
    SmallVector<uint64_t> updateBytes;
    DenseMap<Operation *, SmallVector<unsigned>> updatesBy;
    for (auto store : block.getOps<MaterializeInDestinationOp>())
      if (oldValue(store.getDest())) {
        for (Operation *writer : writersOf(store))
          updatesBy[writer].push_back(updateBytes.size());
        updateBytes.push_back(bytesOf(store.getSource()));
      }
    for (const Candidate &candidate : candidates) {
      SmallVector<Operation *> before =
          schedule.newlyBeforeFailure(candidate.op);
      llvm::SmallDenseSet<unsigned> copied;
      for (Operation *early : before)
        if (auto by = updatesBy.find(early); by != updatesBy.end())
          copied.insert_range(by->second);
      uint64_t bytes = 0;
      for (unsigned update : copied)
        bytes += updateBytes[update];
      if (bytes > maxCopy || bytes > candidate.work / kWorkForByte)
        continue;
      schedule.setBeforeFailure(before);
      for (scf::ForOp loop : candidate.loops) {
        OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
        PollOp::create(b, loop.getLoc(), /*trip=*/false);
      }
    }
  }

  /// Scalar operations beside which the copy of a byte does not count.
  static constexpr uint64_t kWorkForByte = 64;

  static uint64_t bytesOf(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.getNumElements() *
           llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
};

} // namespace
