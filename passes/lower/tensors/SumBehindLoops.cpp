//===- SumBehindLoops.cpp - products that a loop only adds up -------------===//
//
// The gradient of a weight that every trip of a loop multiplies by is a sum of
// as many products as there are trips: of few rows each, and each reads and
// writes the whole sum. With the rows of all trips below each other it is one
// product, behind the loop.
//
//===----------------------------------------------------------------------===//

#include "dialect/CellDialect.h"
#include "dialect/Zero.h"
#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace cellgrad {
#define GEN_PASS_DEF_SUMBEHINDLOOPSPASS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// With so many rows a product takes as long as its sum, read and written: the
/// lowering's estimates are 100 operations on f32 a nanosecond, and 25 bytes.
constexpr int64_t kManyRows = 16;

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// The product that gives `value`, for nothing else, if the sum goes down the
/// rows of both operands; null otherwise.
MatMulOp productOfRows(Value value) {
  auto product = value.getDefiningOp<MatMulOp>();
  if (!product || !product->hasOneUse() || !product.getTransposeA() ||
      product.getTransposeB() || product.getResult().getType().getRank() != 2)
    return nullptr;
  return product;
}

/// A product that a trip adds to what it carries, and the addition.
struct Term {
  MatMulOp product;
  AddOp add;
  /// What it is added to, as an operand of `add`.
  unsigned sum;

  int64_t bytesOfRows() {
    return bytesOf(product.getLhs()) + bytesOf(product.getRhs());
  }
  /// Whether a trip spends its time on reading and writing the sum, which is
  /// more than its rows.
  bool isBoundByMemory() {
    auto rows = cast<RankedTensorType>(product.getLhs().getType());
    return rows.getDimSize(0) < kManyRows &&
           bytesOf(product) >= 2 * bytesOfRows();
  }
};

class LoopSums {
public:
  LoopSums(scf::ForOp loop, IRRewriter &rewriter)
      : loop(loop), rewriter(rewriter) {}

  void run() {
    std::optional<APInt> count = loop.getStaticTripCount();
    if (!count || count->ult(2) ||
        !matchPattern(loop.getLowerBound(), m_Zero()) ||
        !matchPattern(loop.getStep(), m_One()))
      return;
    trips = count->getSExtValue();
    spareBytes = 2 * trips * bytesReadByTrip();
    for (unsigned i = 0, e = loop.getInitArgs().size(); i < e; ++i)
      for (Term term : termsOf(i))
        moveBehind(i, term);
  }

private:
  /// What a trip reads of tensors that have a slice for each.
  int64_t bytesReadByTrip() {
    int64_t bytes = 0;
    for (Operation &op : *loop.getBody()) {
      Value source;
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
        source = slice.getSource();
      else if (auto gather = dyn_cast<GatherOp>(op))
        source = gather.getX();
      if (source && loop.isDefinedOutsideOfLoop(source))
        bytes += bytesOf(op.getResult(0));
    }
    return bytes;
  }

  /// The products that trips add to argument `i`, if that is all they do to it.
  SmallVector<Term> termsOf(unsigned i) {
    SmallVector<Term> terms;
    Value sum = loop.getRegionIterArg(i);
    while (sum.hasOneUse()) {
      OpOperand &use = *sum.use_begin();
      if (use.getOwner() == loop.getBody()->getTerminator())
        return use.getOperandNumber() == i ? terms : SmallVector<Term>();
      auto add = dyn_cast<AddOp>(use.getOwner());
      if (!add || add->getBlock() != loop.getBody())
        break;
      MatMulOp product =
          productOfRows(add->getOperand(1 - use.getOperandNumber()));
      Term term{product, add, use.getOperandNumber()};
      if (product && product->getBlock() == loop.getBody() &&
          term.isBoundByMemory())
        terms.push_back(term);
      sum = add.getResult();
    }
    return {};
  }

  void moveBehind(unsigned i, Term term) {
    if (trips * term.bytesOfRows() > spareBytes)
      return;
    spareBytes -= trips * term.bytesOfRows();
    auto [lhs, rhs] = keepRows(term.product);
    Value product = MatMulOp::create(
        rewriter, term.product.getLoc(), term.product.getType(), lhs, rhs,
        /*transpose_a=*/true, /*transpose_b=*/false);

    Location loc = term.add.getLoc();
    rewriter.replaceOp(term.add, term.add->getOperand(term.sum));
    rewriter.eraseOp(term.product);
    bool addsNothing = loop.getYieldedValues()[i] == loop.getRegionIterArg(i);
    Value rest = addsNothing ? loop.getInitArgs()[i] : loop.getResult(i);
    Value total = product;
    if (!isConstantZero(rest))
      total = AddOp::create(rewriter, loc, rest, product);
    rewriter.replaceAllUsesExcept(loop.getResult(i), total,
                                  total.getDefiningOp());
  }

  /// Has the loop keep what trips multiply: the operands of all trips, each
  /// below the one before.
  std::pair<Value, Value> keepRows(MatMulOp product) {
    Location loc = product.getLoc();
    Value operands[] = {product.getLhs(), product.getRhs()};
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> empty;
    for (Value operand : operands) {
      auto row = cast<RankedTensorType>(operand.getType());
      empty.push_back(emptyTensor(rewriter, loc, withRows(row, trips)));
    }
    auto write = [&](OpBuilder &builder, Location,
                     ArrayRef<BlockArgument> kept) {
      SmallVector<Value> written;
      for (auto [operand, rows] : llvm::zip_equal(operands, kept))
        written.push_back(
            writeRow(builder, loc, operand, rows, loop.getInductionVar()));
      return written;
    };
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, empty, /*replaceInitOperandUsesInLoop=*/false, write));

    rewriter.setInsertionPointAfter(loop);
    SmallVector<Value> below;
    for (Value rows : loop.getResults().take_back(2)) {
      auto type = cast<RankedTensorType>(rows.getType());
      SmallVector<int64_t> shape{type.getDimSize(0) * type.getDimSize(1),
                                 type.getDimSize(2)};
      below.push_back(
          ReshapeOp::create(rewriter, loc, type.clone(shape), rows));
    }
    return {below[0], below[1]};
  }

  scf::ForOp loop;
  IRRewriter &rewriter;
  int64_t trips = 0;
  /// Bytes that may still be kept.
  int64_t spareBytes = 0;
};

class SumBehindLoopsPass
    : public cellgrad::impl::SumBehindLoopsPassBase<SumBehindLoopsPass> {
public:
  using SumBehindLoopsPassBase::SumBehindLoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      LoopSums(loop, rewriter).run();
  }
};

} // namespace
