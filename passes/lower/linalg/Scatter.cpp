//===- Scatter.cpp - scatter as loops over the indices --------------------===//

#include "passes/lower/linalg/Patterns.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// Loops over batches, what stands before the dimension, and indices, in this
/// order; each only where there is one. The innermost body changes one slice,
/// or one element, in place.
class ScatterEmitter {
public:
  ScatterEmitter(OpBuilder &b, ScatterOp op) : b(b), loc(op.getLoc()), op(op) {
    int64_t batch = op.getBatchDims(), before = op.getDim() - batch;
    int64_t count = op.getIndices().getType().getRank() - batch;
    int64_t rest = op.getType().getRank() - op.getDim() - 1;
    groups = {batch, before, 1, rest};
    indices = collapseGroups(b, loc, op.getIndices(), {batch, count});
    updates =
        collapseGroups(b, loc, op.getUpdates(), {batch, before, count, rest});
    hasBatch = batch > 0;
    hasCount = count > 0;
    loops = (batch > 0) + (before > 0) + (count > 0);
    hasSlice = rest > 0;
  }

  Value emit() {
    Value x = collapseGroups(b, loc, op.getX(), groups);
    SmallVector<Value> ivs;
    return expandGroups(b, loc, emitLoop(b, x, ivs), op.getType(), groups);
  }

private:
  Value emitLoop(OpBuilder &builder, Value x, SmallVector<Value> &ivs) {
    if (ivs.size() == loops)
      return combine(builder, x, ivs);
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    int64_t size =
        cast<RankedTensorType>(updates.getType()).getDimSize(ivs.size());
    auto loop = scf::ForOp::create(
        builder, loc, constant(0), constant(size), constant(1), x,
        [&](OpBuilder &inner, Location, Value iv, ValueRange carried) {
          ivs.push_back(iv);
          Value changed = emitLoop(inner, carried[0], ivs);
          ivs.pop_back();
          scf::YieldOp::create(inner, loc, changed);
        });
    return loop.getResult(0);
  }

  /// x after the update that the loops stand at.
  Value combine(OpBuilder &builder, Value x, ArrayRef<Value> ivs) {
    SmallVector<Value> at;
    if (hasBatch)
      at.push_back(ivs.front());
    if (hasCount)
      at.push_back(ivs.back());
    Value index = tensor::ExtractOp::create(builder, loc, indices, at);
    index =
        clampedIndex(builder, loc, index, op.getType().getDimSize(op.getDim()));
    SmallVector<Value> position(hasCount ? ivs.drop_back() : ivs);
    position.push_back(index);
    return hasSlice ? combineSlice(builder, x, position, ivs)
                    : combineElement(builder, x, position, ivs);
  }

  Value add(OpBuilder &builder, Location bodyLoc, Value a, Value c) {
    if (isa<FloatType>(a.getType()))
      return arith::AddFOp::create(builder, bodyLoc, a, c);
    return arith::AddIOp::create(builder, bodyLoc, a, c);
  }

  Value combineElement(OpBuilder &builder, Value x, ArrayRef<Value> position,
                       ArrayRef<Value> ivs) {
    Value value = tensor::ExtractOp::create(builder, loc, updates, ivs);
    if (op.adds())
      value = add(builder, loc,
                  tensor::ExtractOp::create(builder, loc, x, position), value);
    return tensor::InsertOp::create(builder, loc, value, x, position);
  }

  Value combineSlice(OpBuilder &builder, Value x, ArrayRef<Value> position,
                     ArrayRef<Value> ivs) {
    int64_t size = cast<RankedTensorType>(x.getType()).getShape().back();
    auto type = RankedTensorType::get({size}, op.getType().getElementType());
    auto offsets = [&](ArrayRef<Value> first) {
      SmallVector<OpFoldResult> values(first);
      values.push_back(builder.getIndexAttr(0));
      return values;
    };
    auto sizes = [&](size_t first) {
      SmallVector<OpFoldResult> values(first, builder.getIndexAttr(1));
      values.push_back(builder.getIndexAttr(size));
      return values;
    };
    SmallVector<OpFoldResult> steps(position.size() + 1,
                                    builder.getIndexAttr(1));
    Value slice = tensor::ExtractSliceOp::create(
        builder, loc, type, updates, offsets(ivs), sizes(ivs.size()),
        SmallVector<OpFoldResult>(ivs.size() + 1, builder.getIndexAttr(1)));
    if (op.adds()) {
      Value old = tensor::ExtractSliceOp::create(builder, loc, type, x,
                                                 offsets(position),
                                                 sizes(position.size()), steps);
      AffineMap identity = builder.getMultiDimIdentityMap(1);
      slice = linalg::GenericOp::create(
                  builder, loc, TypeRange(type), slice, old,
                  ArrayRef{identity, identity}, utils::IteratorType::parallel,
                  [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
                    linalg::YieldOp::create(
                        body, bodyLoc, add(body, bodyLoc, args[1], args[0]));
                  })
                  .getResult(0);
    }
    return tensor::InsertSliceOp::create(builder, loc, slice, x,
                                         offsets(position),
                                         sizes(position.size()), steps);
  }

  OpBuilder &b;
  Location loc;
  ScatterOp op;
  SmallVector<int64_t> groups;
  Value indices, updates;
  size_t loops;
  bool hasBatch, hasCount, hasSlice;
};

struct ScatterLowering : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getUpdates().getType().getNumElements() == 0) {
      rewriter.replaceOp(op, op.getX());
      return success();
    }
    rewriter.replaceOp(op, ScatterEmitter(rewriter, op).emit());
    return success();
  }
};

} // namespace

void cellgrad::populateScatterToLinalg(RewritePatternSet &patterns) {
  patterns.add<ScatterLowering>(patterns.getContext());
}
