//===- ParallelizeLoops.cpp - loops whose steps are independent as items --===//
//
// Sorts, scans, scatters and factorizations are loops over rows, batches or
// matrices by the time there are buffers; so is what users write as a loop over
// samples. Where no step reads or writes what another one writes, the steps are
// items:
//
//   scf.for %i = 0 to 32 {                    scf.forall (%i) in (32) {
//     %a = subview %A[%i, 0, 0]                 %a = subview %A[%i, 0, 0]
//     ... factorize %a in place                 ...
//
// That is found on buffers, where nothing is left to be placed or copied: all
// that is written is made in the step, or is a slice at an offset that grows
// with the step by at least its size, and nothing else of that buffer is
// touched. Who made the loop need not promise anything.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/fuse/Passes.h"

#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/MemoryRoots.h"
#include "passes/lower/buffers/OpCost.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace cellgrad {
#define GEN_PASS_DEF_PARALLELIZELOOPS
#include "passes/lower/fuse/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// So few steps keep fewer cores busy than the items of long ops in them would.
constexpr int64_t kFewSteps = 16;
constexpr double kLongNanoseconds = 20000;

/// factor * (the loop's variable) + constant
struct Linear {
  int64_t factor = 0, constant = 0;
};

std::optional<Linear> linearIn(OpFoldResult value, Value variable);

std::optional<Linear> linearIn(AffineExpr expr, ValueRange operands,
                               unsigned dims, Value variable) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Linear{0, constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return linearIn(operands[dim.getPosition()], variable);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return linearIn(operands[dims + symbol.getPosition()], variable);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto lhs = linearIn(binary.getLHS(), operands, dims, variable);
  auto rhs = linearIn(binary.getRHS(), operands, dims, variable);
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return Linear{lhs->factor + rhs->factor, lhs->constant + rhs->constant};
  if (expr.getKind() == AffineExprKind::Mul && rhs->factor == 0)
    return Linear{lhs->factor * rhs->constant, lhs->constant * rhs->constant};
  return std::nullopt;
}

std::optional<Linear> linearIn(OpFoldResult value, Value variable) {
  if (auto constant = getConstantIntValue(value))
    return Linear{0, *constant};
  auto number = cast<Value>(value);
  if (number == variable)
    return Linear{1, 0};
  Operation *op = number.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return linearIn(apply.getAffineMap().getResult(0), apply.getMapOperands(),
                    apply.getAffineMap().getNumDims(), variable);
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  auto lhs = linearIn(op->getOperand(0), variable);
  auto rhs = linearIn(op->getOperand(1), variable);
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1;
  return Linear{lhs->factor + sign * rhs->factor,
                lhs->constant + sign * rhs->constant};
}

/// Where the slice of a buffer begins that a step works on: in what shape the
/// buffer was cut, and along which dimension. It ends before that of any other
/// step begins.
struct StepSlice {
  Value origin; ///< the buffer before reshapes
  MemRefType cut;
  unsigned dim;
  Linear begin;

  bool operator==(const StepSlice &other) const {
    return origin == other.origin && cut == other.cut && dim == other.dim &&
           begin.factor == other.begin.factor &&
           begin.constant == other.begin.constant;
  }
};

bool isInside(Value value, scf::ForOp loop) {
  return loop.getRegion().isAncestor(value.getParentRegion());
}

/// The slice where the dimension at some offset is cut, if steps have slices
/// apart. What is cut is the same in all steps.
std::optional<StepSlice> sliceAt(Value buffer, ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<int64_t> sizes, scf::ForOp loop) {
  int64_t step = *getConstantIntValue(loop.getStep());
  Value origin = buffer;
  while (isa_and_nonnull<memref::CollapseShapeOp, memref::ExpandShapeOp>(
      origin.getDefiningOp()))
    origin = origin.getDefiningOp()->getOperand(0);
  if (isInside(origin, loop))
    return std::nullopt;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    auto begin = linearIn(offset, loop.getInductionVar());
    if (!begin || sizes[dim] == ShapedType::kDynamic ||
        std::abs(begin->factor) * step < std::max<int64_t>(sizes[dim], 1))
      continue;
    return StepSlice{origin, cast<MemRefType>(buffer.getType()), unsigned(dim),
                     *begin};
  }
  return std::nullopt;
}

/// What the steps of a loop do with the memory that is there before it.
class StepMemory {
public:
  explicit StepMemory(scf::ForOp loop) : loop(loop) {}

  /// True when no step touches what another one writes.
  bool isApart() {
    WalkResult known = loop.getBody()->walk([&](Operation *op) {
      return add(op) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (known.wasInterrupted())
      return false;
    return llvm::all_of(uses, [](auto &entry) {
      const Use &use = entry.second;
      return !use.writes || (use.slice && use.allInSlice);
    });
  }

private:
  struct Use {
    bool writes = false;
    /// The slice that all accesses lie in, as long as they do.
    std::optional<StepSlice> slice;
    bool allInSlice = true;
  };

  /// Notes what `op` touches; false where that is not known, or where it does
  /// more than compute.
  bool add(Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return touch(store.getMemRef(), store.getIndices(), /*writes=*/true);
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return touch(load.getMemRef(), load.getIndices(), /*writes=*/false);
    if (isa<memref::DeallocOp, scf::ForOp, scf::IfOp, scf::WhileOp,
            scf::YieldOp, scf::ConditionOp, linalg::YieldOp>(op))
      return true;
    bool known = true;
    auto visit = [&](Value buffer, bool writes) {
      known &= touch(buffer, {}, writes);
    };
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        if (isa<MemRefType>(operand.get().getType()))
          visit(operand.get(), linalgOp.isDpsInit(&operand));
      return known; // what its body loads is visited by itself
    }
    return !isa<CellDialect>(op->getDialect()) && forEachBuffer(op, visit) &&
           known;
  }

  bool touch(Value buffer, ValueRange indices, bool writes) {
    std::optional<StepSlice> slice;
    if (!indices.empty())
      slice = sliceAt(buffer, getAsOpFoldResult(indices),
                      SmallVector<int64_t>(indices.size(), 1), loop);
    // The cut nearest to the root is the one that all share.
    Value root = buffer;
    while (auto view = root.getDefiningOp<ViewLikeOpInterface>()) {
      if (auto sub = dyn_cast<memref::SubViewOp>(view.getOperation()))
        if (auto found = sliceAt(sub.getSource(), sub.getMixedOffsets(),
                                 extents(sub), loop))
          slice = found;
      root = view.getViewSource();
    }
    bool isConstant = root.getDefiningOp<memref::GetGlobalOp>() != nullptr;
    if (!isDistinctRoot(root) && !isConstant)
      return false;
    if (isInside(root, loop))
      return true;
    Use &use = uses[root];
    use.writes |= writes;
    if (!slice || (use.slice && !(*use.slice == *slice)))
      use.allInSlice = false;
    else
      use.slice = slice;
    return true;
  }

  /// From the first element of a slice to behind its last, in each dimension.
  static SmallVector<int64_t> extents(memref::SubViewOp sub) {
    SmallVector<int64_t> extents;
    for (auto [size, stride] :
         llvm::zip_equal(sub.getStaticSizes(), sub.getStaticStrides()))
      extents.push_back(size == ShapedType::kDynamic ||
                                stride == ShapedType::kDynamic
                            ? ShapedType::kDynamic
                            : (size - 1) * stride + 1);
    return extents;
  }

  scf::ForOp loop;
  llvm::MapVector<Value, Use> uses; // by root
};

struct ParallelizeLoops
    : cellgrad::impl::ParallelizeLoopsBase<ParallelizeLoops> {
  using ParallelizeLoopsBase::ParallelizeLoopsBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop || !hasItems(loop))
        return WalkResult::advance();
      loops.push_back(loop);
      return WalkResult::skip(); // workers do not share what one item does
    });
    for (scf::ForOp loop : loops)
      replace(loop);
  }

private:
  bool hasItems(scf::ForOp loop) const {
    auto from = getConstantIntValue(loop.getLowerBound()),
         to = getConstantIntValue(loop.getUpperBound()),
         step = getConstantIntValue(loop.getStep());
    if (!from || !to || !step || *step < 1 || *to - *from <= *step ||
        !loop.getInitArgs().empty() ||
        estimateNanoseconds(loop) < fewestNanoseconds)
      return false;
    bool isFew = *to - *from < kFewSteps * *step;
    return !(isFew && hasLongOps(loop)) && StepMemory(loop).isApart();
  }

  /// True where an op of a step is long enough to be cut into items itself.
  static bool hasLongOps(scf::ForOp loop) {
    return loop
        .walk([](linalg::LinalgOp op) {
          return estimateNanoseconds(op) >= kLongNanoseconds
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static void replace(scf::ForOp loop) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    int64_t from = *getConstantIntValue(loop.getLowerBound()),
            to = *getConstantIntValue(loop.getUpperBound()),
            step = *getConstantIntValue(loop.getStep());
    auto items = scf::ForallOp::create(
        b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{
            b.getIndexAttr(llvm::divideCeil(to - from, step))},
        ArrayRef<OpFoldResult>{b.getIndexAttr(1)}, ValueRange(), std::nullopt);
    items->setAttr(kNanoseconds,
                   b.getI64IntegerAttr(estimateNanoseconds(loop)));
    b.setInsertionPointToStart(items.getBody());
    Value variable = items.getInductionVar(0);
    if (from != 0 || step != 1)
      variable = affine::AffineApplyOp::create(
          b, loc, AffineMap::get(1, 0, b.getAffineDimExpr(0) * step + from),
          variable);
    loop.getInductionVar().replaceAllUsesWith(variable);
    loop.getBody()->getTerminator()->erase();
    Block *body = items.getBody();
    body->getOperations().splice(Block::iterator(body->getTerminator()),
                                 loop.getBody()->getOperations());
    loop.erase();
  }
};

} // namespace
