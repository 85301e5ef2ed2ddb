//===- JoinOps.cpp - small independent ops as the items of one kernel -----===//
//
// Updates of many small weights, the branches of a network, the parts of a
// loss: ops that are too short to be cut into items, and do not need each
// other. One core computes them one after the other while the others wait. This
// pass makes them the items of one kernel:
//
//   linalg.generic A outs(%a)              scf.forall (%i) in (2) {
//   linalg.generic B ins(%a) outs(%b)        scf.if %i == 0 { A; B }
//   linalg.generic C outs(%c)                scf.if %i == 1 { C }
//                                          }
//
// An op and what it needs are in one item, in their order; so every op computes
// what it computed before. What is joined follows from shapes alone.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/fuse/Passes.h"

#include "passes/lower/buffers/Epilogue.h"
#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/MemoryRoots.h"
#include "passes/lower/buffers/OpCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace cellgrad {
#define GEN_PASS_DEF_JOINOPS
#include "passes/lower/fuse/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// More items are handed out for nothing: few machines have more cores for
/// work that is so short.
constexpr unsigned kMostItems = 16;
/// Shorter items cost more to hand out than they take.
constexpr double kItemNanoseconds = 3000;

/// More are looked through for nothing: most ops need one before them.
constexpr size_t kMostChains = 64;

/// About how long an op of a chain takes.
double nanosecondsOf(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && isSumOfProducts(generic) ? nanosecondsOfProduct(generic)
                                             : estimateNanoseconds(op);
}

/// Ops that need each other.
struct Chain {
  /// With their places in the block.
  SmallVector<std::pair<unsigned, Operation *>> ops;
  MemoryUse memory;
  double nanoseconds = 0;

  void add(unsigned place, Operation *op) {
    ops.push_back({place, op});
    memory.add(op);
    nanoseconds += nanosecondsOf(op);
  }
  void add(const Chain &other) {
    for (auto [place, op] : other.ops)
      add(place, op);
  }
};

/// Ops of a block that may become one kernel.
class Run {
public:
  explicit Run(double fewestNanoseconds)
      : fewestNanoseconds(fewestNanoseconds) {}

  /// Adds an op on buffers, unless it is to stay where it is.
  bool add(Operation *op) {
    if (!mayJoin(op))
      return false;
    auto needed = llvm::make_filter_range(chains, [&](const Chain &chain) {
      return chain.memory.conflictsWith(op);
    });
    SmallVector<Chain *> found;
    for (Chain &chain : needed)
      found.push_back(&chain);
    if (found.empty()) {
      if (chains.size() == kMostChains)
        write();
      found.push_back(&chains.emplace_back());
    }
    Chain *largest = *llvm::max_element(found, [](Chain *a, Chain *b) {
      return a->ops.size() < b->ops.size();
    });
    for (Chain *chain : found)
      if (chain != largest) {
        largest->add(*chain);
        chain->ops.clear();
      }
    largest->add(places++, op);
    llvm::erase_if(chains,
                   [](const Chain &chain) { return chain.ops.empty(); });
    return true;
  }

  /// True when `op` must come after an op of the run.
  bool isBefore(Operation *op) const {
    return llvm::any_of(chains, [&](const Chain &chain) {
      return chain.memory.conflictsWith(op);
    });
  }

  /// Writes the kernel behind the last op, where another core would save
  /// something; the run is empty then.
  void write() {
    SmallVector<Chain> items = packed();
    chains.clear();
    double total = 0, longest = 0;
    for (const Chain &item : items) {
      total += item.nanoseconds;
      longest = std::max(longest, item.nanoseconds);
    }
    if (items.size() < 2 || total < fewestNanoseconds ||
        total - longest < fewestNanoseconds / 2)
      return;
    auto last = items.front().ops.back();
    for (const Chain &item : items)
      last = std::max(last, item.ops.back());
    OpBuilder b(last.second->getContext());
    b.setInsertionPointAfter(last.second);
    Location loc = last.second->getLoc();
    auto loop = scf::ForallOp::create(
        b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{b.getIndexAttr(items.size())},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)}, ValueRange(), std::nullopt);
    loop->setAttr(kNanoseconds, b.getI64IntegerAttr(total));
    b.setInsertionPointToStart(loop.getBody());
    for (auto [i, item] : llvm::enumerate(items)) {
      Value place = arith::ConstantIndexOp::create(b, loc, i);
      Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           loop.getInductionVar(0), place);
      auto branch = scf::IfOp::create(b, loc, isHere);
      branch->setAttr(kTiles, b.getF64FloatAttr(1.0 / items.size()));
      for (auto [order, op] : item.ops)
        op->moveBefore(branch.thenYield());
    }
  }

private:
  /// True for an op that is too short to be cut into items. An epilogue stays
  /// with its product.
  bool mayJoin(Operation *op) {
    if (!isa<linalg::LinalgOp, memref::CopyOp>(op) || op == staying)
      return false;
    linalg::GenericOp epilogue = findEpilogue(op);
    double nanoseconds =
        nanosecondsOf(op) + (epilogue ? nanosecondsOf(epilogue) : 0);
    bool isShort = nanoseconds < fewestNanoseconds || fewestNanoseconds == 0;
    if (!isShort)
      staying = epilogue;
    return isShort;
  }

  /// The chains in a few items of about the same length, each with its ops in
  /// their order. Zeros alone may be what a product starts with, which writes
  /// them itself.
  SmallVector<Chain> packed() const {
    SmallVector<const Chain *> order;
    double total = 0;
    for (const Chain &chain : chains)
      if (!llvm::all_of(chain.ops, [](auto entry) {
            return isa<linalg::FillOp>(entry.second);
          })) {
        order.push_back(&chain);
        total += chain.nanoseconds;
      }
    size_t most = std::min<size_t>(kMostItems, order.size());
    if (fewestNanoseconds > 0)
      most = std::min<size_t>(most, total / kItemNanoseconds);
    SmallVector<Chain> items(most);
    if (items.empty())
      return items;
    llvm::sort(order, [](const Chain *a, const Chain *b) {
      return std::pair(-a->nanoseconds, a->ops.front().first) <
             std::pair(-b->nanoseconds, b->ops.front().first);
    });
    for (const Chain *chain : order)
      llvm::min_element(items, [](const Chain &a, const Chain &b) {
        return a.nanoseconds < b.nanoseconds;
      })->add(*chain);
    for (Chain &item : items)
      llvm::sort(item.ops);
    return items;
  }

  int64_t fewestNanoseconds;
  SmallVector<Chain> chains;
  unsigned places = 0;
  Operation *staying = nullptr; ///< the epilogue of a product that stays
};

struct JoinOps : cellgrad::impl::JoinOpsBase<JoinOps> {
  using JoinOpsBase::JoinOpsBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      // Items of items are not shared.
      Operation *parent = block->getParentOp();
      if (!isa<linalg::LinalgOp, scf::ForallOp>(parent) &&
          !parent->getParentOfType<scf::ForallOp>())
        blocks.push_back(block);
    });
    for (Block *block : blocks) {
      Run run(fewestNanoseconds);
      for (Operation &op : llvm::make_early_inc_range(*block))
        if (!run.add(&op) && run.isBefore(&op))
          run.write();
      run.write();
    }
  }
};

} // namespace
