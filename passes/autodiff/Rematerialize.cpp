//===- Rematerialize.cpp - what is cheap to compute again is not kept -----===//
//
// Reverse mode reads values of the forward pass in the opposite order: of every
// layer of a deep network the argument of its activation, its result, and what
// the slope needs. All of them follow from one, by a few elementwise ops: those
// are done again, and only the one is kept.
//
//===----------------------------------------------------------------------===//

#include "passes/autodiff/Passes.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_REMATERIALIZEPASS
#include "passes/autodiff/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// What the options of the pass say.
struct Limits {
  unsigned distance;      // work between two uses of what is repeated
  int64_t depth;          // of a product that is work
  int64_t fewestElements; // of a value that is repeated
};

/// A leaf of an expression that is smaller than the value by this is read where
/// it is needed: a bias.
constexpr int64_t kSmallLeaf = 8;
/// The largest expression that is computed again, in ops.
constexpr unsigned kMostOps = 24;

int64_t sizeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() : 0;
}

/// The multiplications of a product or a convolution for each element of its
/// largest operand or result, at least.
int64_t depthOf(Operation &op) {
  if (auto product = dyn_cast<MatMulOp>(op)) {
    auto sizes = [](Value value) {
      return cast<RankedTensorType>(value.getType()).getShape().take_back(2);
    };
    auto result = sizes(product.getResult());
    return std::min({result[0], result[1],
                     sizes(product.getLhs())[product.getTransposeA() ? 0 : 1]});
  }
  if (auto conv = dyn_cast<ConvOp>(op)) {
    auto type = cast<RankedTensorType>(conv.getW().getType());
    int64_t channels = std::max<int64_t>(type.getDimSize(0), 1);
    return std::min(channels, type.getNumElements() / channels);
  }
  return 0;
}

/// Elementwise ops, but those whose functions take much longer than an
/// exponential; and changes of shape that fusion reads through.
bool canRepeat(Operation *op) {
  return isa<AbsOp, AddOp, BroadcastOp, CastOp, CosOp, DivOp, EqualOp, ErfOp,
             ErfcOp, ExpOp, Expm1Op, GaussianOp, GreaterEqualOp, GreaterOp,
             LessEqualOp, LessOp, LogOp, Log1pOp, LogicalAndOp, LogicalNotOp,
             LogicalOrOp, MaximumOp, MinimumOp, MulOp, NegOp, NotEqualOp,
             ReciprocalOp, ReluOp, ReshapeOp, RsqrtOp, SechSquaredOp, SelectOp,
             SigmoidOp, SigmoidSlopeOp, SignOp, SinOp, SoftplusOp, SqrtOp,
             SquareOp, SubOp, TanhOp>(op);
}

/// One block: its ops by position, and how much work lies before each.
class Rematerializer {
public:
  Rematerializer(Block &block, const Limits &limits)
      : block(block), limits(limits) {
    for (Operation &op : block) {
      position[&op] = ops.size();
      ops.push_back(&op);
      before.push_back(work);
      work += isWork(op);
    }
  }

  void run() {
    for (Operation *op : ops)
      if (op->getNumResults() == 1 && canRepeat(op))
        consider(op->getResult(0));
    insertBarriers();
    auto order = [&](const Choice &choice) {
      return std::pair(choice.late, position.lookup(choice.expression.back()));
    };
    llvm::sort(chosen, [&](const Choice &a, const Choice &b) {
      return order(a) < order(b);
    });
    for (const Choice &choice : chosen)
      repeat(choice);
    // Other late uses of a leaf read the same value as what is repeated.
    for (auto [leaf, first] : leaves)
      replaceFrom(first, leaf, barriers.lookup(leaf));
  }

private:
  /// What takes long beside an elementwise op: deep products and convolutions,
  /// branches and loops. 128 multiplications an element take some twenty times
  /// what an elementwise function takes.
  bool isWork(Operation &op) {
    return depthOf(op) >= limits.depth || op.getNumRegions() != 0;
  }

  /// A value whose uses from position `late` on read it computed again, by
  /// `expression`, in program order.
  struct Choice {
    Value value;
    unsigned late;
    SmallVector<Operation *> expression;
  };

  /// Position of the op of the block that `op` is or lies in; nothing for ops
  /// that have been added.
  std::optional<unsigned> placeOf(Operation *op) {
    Operation *at = block.findAncestorOpInBlock(*op);
    auto found = at ? position.find(at) : position.end();
    if (found == position.end())
      return std::nullopt;
    return found->second;
  }

  SmallVector<unsigned> usesOf(Value value) {
    SmallVector<unsigned> places;
    for (Operation *user : value.getUsers())
      if (auto place = placeOf(user))
        places.push_back(*place);
    llvm::sort(places);
    return places;
  }

  /// The first use after much work that does not use the value.
  std::optional<unsigned> lateUse(Value value) {
    unsigned last = position.lookup(value.getDefiningOp());
    for (unsigned place : usesOf(value)) {
      if (before[place] - before[last] >= limits.distance + isWork(*ops[last]))
        return place;
      last = place;
    }
    return std::nullopt;
  }

  /// Whether `value` is needed at or after `late` even if nothing is repeated.
  bool isKept(Value value, unsigned late) {
    if (repeated.contains(value))
      return false;
    auto [known, added] = lastUse.insert({value, std::nullopt});
    if (added)
      if (SmallVector<unsigned> places = usesOf(value); !places.empty())
        known->second = places.back();
    std::optional<unsigned> last = known->second;
    return last && before[*last] >= before[late];
  }

  /// Adds the op that gives `value` and what it needs to `found`, down to what
  /// is kept; false where something else would have to be kept.
  bool collect(Value value, unsigned late, int64_t size,
               llvm::SetVector<Operation *> &found,
               llvm::SetVector<Value> &kept) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block || !canRepeat(op) ||
        found.size() == kMostOps)
      return false;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if ((def && (found.contains(def) || isa<ConstantOp>(def))) ||
          sizeOf(operand) * kSmallLeaf <= size)
        continue;
      if (isKept(operand, late))
        kept.insert(operand);
      else if (!collect(operand, late, size, found, kept))
        return false;
    }
    found.insert(op);
    return true;
  }

  void consider(Value value) {
    if (sizeOf(value) < limits.fewestElements ||
        isa<BroadcastOp, ReshapeOp>(value.getDefiningOp()))
      return;
    // What is returned is in memory that is there anyway.
    if (llvm::is_contained(block.getTerminator()->getOperands(), value))
      return;
    std::optional<unsigned> late = lateUse(value);
    llvm::SetVector<Operation *> found;
    llvm::SetVector<Value> kept;
    if (!late || !collect(value, *late, sizeOf(value), found, kept) ||
        kept.empty())
      return;
    repeated.insert(value);
    for (Value leaf : kept) {
      auto [at, added] = leaves.insert({leaf, *late});
      if (!added)
        at->second = std::min(at->second, *late);
    }
    SmallVector<Operation *> expression = found.takeVector();
    llvm::sort(expression, [&](Operation *a, Operation *b) {
      return position.lookup(a) < position.lookup(b);
    });
    chosen.push_back({value, *late, std::move(expression)});
  }

  /// The result of the last work before `place`: what comes after it is of the
  /// adjoint.
  Value lastWork(unsigned place) {
    while (place-- > 0)
      if (isWork(*ops[place]))
        for (Value result : ops[place]->getResults())
          if (auto type = dyn_cast<RankedTensorType>(result.getType());
              type && type.hasStaticShape()) // no product of open rows
            return result;
    return {};
  }

  void insertBarriers() {
    for (auto &[leaf, at] : leaves) {
      OpBuilder b(ops[at]);
      SmallVector<Value> after;
      if (Value done = lastWork(at))
        after.push_back(done);
      barriers[leaf] =
          BarrierOp::create(b, leaf.getLoc(), leaf.getType(), leaf, after);
    }
  }

  void repeat(const Choice &choice) {
    OpBuilder b(ops[choice.late]);
    IRMapping map;
    for (Operation *op : choice.expression) {
      // A small operand may be a leaf of a later choice: its barrier is there.
      for (Value operand : op->getOperands())
        if (auto leaf = leaves.find(operand); leaf != leaves.end() &&
                                              leaf->second <= choice.late &&
                                              !map.contains(operand))
          map.map(operand, barriers.lookup(operand));
      // Near the first time, once is enough.
      auto &[place, copy] = copies[op->getResult(0)];
      if (!copy || before[choice.late] - before[place] >= limits.distance) {
        copy = b.clone(*op, map)->getResult(0);
        place = choice.late;
      }
      map.map(op->getResult(0), copy);
    }
    Value copy = map.lookup(choice.value);
    replaceFrom(choice.late, choice.value, copy);
  }

  /// Makes what the block has from `first` on read `other`, but not what it
  /// hands on.
  void replaceFrom(unsigned first, Value value, Value other) {
    value.replaceUsesWithIf(other, [&](OpOperand &use) {
      std::optional<unsigned> where = placeOf(use.getOwner());
      return where && *where >= first && *where + 1 != ops.size();
    });
  }

  Block &block;
  const Limits &limits;
  DenseMap<Operation *, unsigned> position;
  SmallVector<Operation *> ops;
  SmallVector<unsigned> before; // work before each op
  unsigned work = 0;

  SmallVector<Choice> chosen;
  DenseSet<Value> repeated;
  DenseMap<Value, std::optional<unsigned>> lastUse;
  llvm::MapVector<Value, unsigned> leaves; // and where they are needed first
  llvm::MapVector<Value, Value> barriers;
  DenseMap<Value, std::pair<unsigned, Value>> copies;
};

struct RematerializePass
    : cellgrad::impl::RematerializePassBase<RematerializePass> {
  using RematerializePassBase::RematerializePassBase;

  void runOnOperation() override {
    Limits limits{distance, depth, fewestElements};
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      Rematerializer(*block, limits).run();
  }
};

} // namespace
