//===- Scan.cpp - running sums as loops -----------------------------------===//

#include "passes/lower/linalg/Patterns.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// A loop over what stands before the dimension, and one along it that carries
/// the sum: a number, or a row of numbers where something stands behind.
class CumSumEmitter {
public:
  CumSumEmitter(OpBuilder &b, CumSumOp op) : b(b), loc(op.getLoc()), op(op) {
    RankedTensorType type = op.getX().getType();
    int64_t dim = op.getDim(), rest = type.getRank() - dim - 1;
    groups = {dim, 1, rest};
    if (llvm::all_of(type.getShape().drop_front(dim + 1),
                     [](int64_t size) { return size == 1; }))
      groups = {dim, 1 + rest};
    hasOuter = dim > 0;
    hasRows = groups.size() == 3;
    x = collapseGroups(b, loc, op.getX(), groups);
    flat = cast<RankedTensorType>(x.getType());
    wide = accumulatorType(type.getElementType());
  }

  Value emit() {
    Value out = emptyTensor(b, loc, flat);
    if (hasOuter)
      out = loop(b, flat.getDimSize(0), out,
                 [&](OpBuilder &inner, Value iv, ValueRange carried) {
                   return SmallVector<Value>{along(inner, iv, carried[0])};
                 })[0];
    else
      out = along(b, Value(), out);
    return expandGroups(b, loc, out, cast<RankedTensorType>(op.getType()),
                        groups);
  }

private:
  using LoopBody =
      llvm::function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)>;

  SmallVector<Value> loop(OpBuilder &builder, int64_t size, ValueRange inits,
                          LoopBody body) {
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto forOp = scf::ForOp::create(
        builder, loc, constant(0), constant(size), constant(1), inits,
        [&](OpBuilder &inner, Location, Value iv, ValueRange carried) {
          scf::YieldOp::create(inner, loc, body(inner, iv, carried));
        });
    return SmallVector<Value>(forOp.getResults());
  }

  /// The sums along the dimension, at `outer`.
  Value along(OpBuilder &builder, Value outer, Value out) {
    auto zero = cast<TypedAttr>(builder.getZeroAttr(wide));
    int64_t size = flat.getDimSize(hasOuter);
    Value start =
        hasRows
            ? filledTensor(
                  builder, loc,
                  RankedTensorType::get({flat.getShape().back()}, wide), zero)
            : arith::ConstantOp::create(builder, loc, zero);
    return loop(builder, size, {start, out},
                [&](OpBuilder &inner, Value iv, ValueRange carried) {
                  if (op.getReverse())
                    iv = arith::SubIOp::create(
                        inner, loc,
                        arith::ConstantIndexOp::create(inner, loc, size - 1),
                        iv);
                  SmallVector<Value> at;
                  if (hasOuter)
                    at.push_back(outer);
                  at.push_back(iv);
                  return hasRows
                             ? stepRow(inner, carried[0], carried[1], at)
                             : stepNumber(inner, carried[0], carried[1], at);
                })[1];
  }

  /// The next sum, and what the result holds.
  std::pair<Value, Value> add(OpBuilder &builder, Location at, Value sum,
                              Value value) {
    if (value.getType() != wide)
      value = arith::ExtFOp::create(builder, at, wide, value);
    Value next = isa<FloatType>(wide)
                     ? Value(arith::AddFOp::create(builder, at, sum, value))
                     : Value(arith::AddIOp::create(builder, at, sum, value));
    Value result = op.getExclusive() ? sum : next;
    if (flat.getElementType() != wide)
      result =
          arith::TruncFOp::create(builder, at, flat.getElementType(), result);
    return {next, result};
  }

  SmallVector<Value> stepNumber(OpBuilder &builder, Value sum, Value out,
                                ArrayRef<Value> at) {
    auto [next, result] =
        add(builder, loc, sum, tensor::ExtractOp::create(builder, loc, x, at));
    return {next, tensor::InsertOp::create(builder, loc, result, out, at)};
  }

  SmallVector<Value> stepRow(OpBuilder &builder, Value sums, Value out,
                             ArrayRef<Value> at) {
    int64_t length = flat.getShape().back();
    auto row = RankedTensorType::get({length}, flat.getElementType());
    SmallVector<OpFoldResult> offsets(at),
        sizes(at.size(), builder.getIndexAttr(1)),
        strides(at.size() + 1, builder.getIndexAttr(1));
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(builder.getIndexAttr(length));
    auto slice = [&](Value from) {
      return tensor::ExtractSliceOp::create(builder, loc, row, from, offsets,
                                            sizes, strides);
    };
    SmallVector<AffineMap> maps(3, builder.getMultiDimIdentityMap(1));
    auto step = linalg::GenericOp::create(
        builder, loc, TypeRange{sums.getType(), row}, ValueRange{slice(x)},
        ValueRange{sums, slice(out)}, maps, utils::IteratorType::parallel,
        [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
          auto [next, result] = add(body, bodyLoc, args[1], args[0]);
          linalg::YieldOp::create(body, bodyLoc, ValueRange{next, result});
        });
    return {step.getResult(0),
            tensor::InsertSliceOp::create(builder, loc, step.getResult(1), out,
                                          offsets, sizes, strides)};
  }

  OpBuilder &b;
  Location loc;
  CumSumOp op;
  SmallVector<int64_t> groups;
  bool hasOuter, hasRows;
  Value x;
  RankedTensorType flat;
  Type wide;
};

struct CumSumLowering : OpRewritePattern<CumSumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CumSumOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, CumSumEmitter(rewriter, op).emit());
    return success();
  }
};

} // namespace

void cellgrad::populateScanToLinalg(RewritePatternSet &patterns) {
  patterns.add<CumSumLowering>(patterns.getContext());
}
