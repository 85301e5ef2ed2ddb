//===- Scatter.cpp - scatter as loops over the indices --------------------===//

#include "passes/lower/sequential/Sort.h"
#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"
#include "passes/lower/tensors/RunningSum.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// What keeps the rounding errors of sums small.
enum class SumForm {
  /// Nothing has to: few updates, numbers that are exact, or "set".
  Plain,
  /// Wide sums of all elements: there are no more than updates.
  Wide,
  /// Where an index comes often, the updates are sorted by their indices, which
  /// leaves one wide sum at a time. Updates of one element keep their order.
  Sorted,
};

/// Loops over batches, what stands before the dimension, and indices, in this
/// order; each only where there is one. The innermost body changes one slice,
/// or one element, in place.
class ScatterEmitter {
public:
  ScatterEmitter(OpBuilder &b, ScatterOp op)
      : b(b), loc(op.getLoc()), op(op), element(op.getType().getElementType()),
        sum(element, 0) {
    int64_t batch = op.getBatchDims(), before = op.getDim() - batch;
    int64_t count = op.getIndices().getType().getRank() - batch;
    int64_t rest = op.getType().getRank() - op.getDim() - 1;
    groups = {batch, before, 1, rest};
    indices = collapseGroups(b, loc, op.getIndices(), {batch, count});
    updates =
        collapseGroups(b, loc, op.getUpdates(), {batch, before, count, rest});
    hasBatch = batch > 0;
    hasCount = count > 0;
    outer = (batch > 0) + (before > 0);
    hasSlice = rest > 0;
    ArrayRef<int64_t> sizes = typeOf(updates).getShape();
    if (!hasCount || !op.adds())
      return;
    int64_t terms = sizes[outer];
    sum = RunningSum(element, terms);
    if (terms == 1 || sum.isPlain())
      return;
    form = size() <= terms ? SumForm::Wide : SumForm::Sorted;
  }

  Value emit() {
    Value x = collapseGroups(b, loc, op.getX(), groups);
    SmallVector<Value> ivs;
    x = hasBatch ? emitLoop(b, x, ivs, form) : emitBatch(b, x, ivs);
    return expandGroups(b, loc, x, op.getType(), groups);
  }

private:
  using Values = SmallVector<Value>;
  using LoopBody = llvm::function_ref<Values(OpBuilder &, Value, ValueRange)>;

  /// Of the dimension.
  int64_t size() { return op.getType().getDimSize(op.getDim()); }

  static RankedTensorType typeOf(Value x) {
    return cast<RankedTensorType>(x.getType());
  }

  Values loop(OpBuilder &builder, int64_t size, ValueRange inits,
              LoopBody body) {
    return loop(builder, arith::ConstantIndexOp::create(builder, loc, size),
                inits, body);
  }
  Values loop(OpBuilder &builder, Value size, ValueRange inits, LoopBody body) {
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto forOp = scf::ForOp::create(
        builder, loc, constant(0), size, constant(1), inits,
        [&](OpBuilder &inner, Location, Value iv, ValueRange carried) {
          scf::YieldOp::create(inner, loc, body(inner, iv, carried));
        });
    return Values(forOp.getResults());
  }

  Value emitLoop(OpBuilder &builder, Value x, SmallVector<Value> &ivs,
                 SumForm form) {
    if (ivs.size() == outer)
      return emitUpdates(builder, x, ivs, form);
    auto body = [&](OpBuilder &inner, Value iv, ValueRange carried) {
      ivs.push_back(iv);
      Value changed = ivs.size() == hasBatch
                          ? emitBatch(inner, carried[0], ivs)
                          : emitLoop(inner, carried[0], ivs, form);
      ivs.pop_back();
      return Values{changed};
    };
    return loop(builder, typeOf(updates).getDimSize(ivs.size()), x, body)[0];
  }

  /// All updates with the indices at `ivs`.
  Value emitBatch(OpBuilder &builder, Value x, SmallVector<Value> &ivs) {
    if (form != SumForm::Sorted)
      return emitLoop(builder, x, ivs, form);
    Value seldom = comeSeldom(builder, ivs);
    Value often = arith::XOrIOp::create(
        builder, loc, seldom,
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
    x = when(builder, seldom, x, [&](OpBuilder &inner, Value old) {
      return emitLoop(inner, old, ivs, SumForm::Plain);
    });
    return when(builder, often, x, [&](OpBuilder &inner, Value old) {
      order = sortedOrder(inner, ivs);
      return emitLoop(inner, old, ivs, SumForm::Sorted);
    });
  }

  /// What `body` makes of x where the condition holds. A loop of one trip or
  /// none: it changes x in place, and the branches of an if would have copies.
  Value when(OpBuilder &builder, Value condition, Value x,
             llvm::function_ref<Value(OpBuilder &, Value)> body) {
    Value trips = arith::IndexCastUIOp::create(
        builder, loc, builder.getIndexType(), condition);
    return loop(builder, trips, x,
                [&](OpBuilder &inner, Value, ValueRange carried) {
                  return Values{body(inner, carried[0])};
                })[0];
  }

  /// x after the updates that the loops stand at.
  Value emitUpdates(OpBuilder &builder, Value x, ArrayRef<Value> ivs,
                    SumForm form) {
    if (!hasCount)
      return combine(builder, x, ivs, ivs);
    switch (form) {
    case SumForm::Plain:
      break;
    case SumForm::Wide:
      return addToWide(builder, x, ivs);
    case SumForm::Sorted:
      return addSorted(builder, x, ivs);
    }
    auto body = [&](OpBuilder &inner, Value iv, ValueRange carried) {
      return Values{combine(inner, carried[0], ivs, at(ivs, iv))};
    };
    return loop(builder, typeOf(updates).getDimSize(outer), x, body)[0];
  }

  static Values at(ArrayRef<Value> ivs, Value last) {
    Values position(ivs);
    position.push_back(last);
    return position;
  }

  /// Where the update at `from` goes along the dimension.
  Value indexOf(OpBuilder &builder, ArrayRef<Value> from) {
    Values position;
    if (hasBatch)
      position.push_back(from.front());
    if (hasCount)
      position.push_back(from.back());
    Value index = tensor::ExtractOp::create(builder, loc, indices, position);
    return clampedIndex(builder, loc, index, size());
  }

  //===-- Slices ----------------------------------------------------------===//

  /// The last dimension of `x` at `position`.
  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;

    Slice(OpBuilder &builder, RankedTensorType type, ArrayRef<Value> position)
        : offsets(position), sizes(position.size(), builder.getIndexAttr(1)),
          strides(type.getRank(), builder.getIndexAttr(1)) {
      for (int64_t size : type.getShape().drop_front(position.size())) {
        offsets.push_back(builder.getIndexAttr(0));
        sizes.push_back(builder.getIndexAttr(size));
      }
    }
  };

  Value take(OpBuilder &builder, Value x, ArrayRef<Value> position) {
    RankedTensorType type = typeOf(x);
    Slice slice(builder, type, position);
    auto sizes = type.getShape().drop_front(position.size());
    return tensor::ExtractSliceOp::create(builder, loc, type.clone(sizes), x,
                                          slice.offsets, slice.sizes,
                                          slice.strides);
  }

  Value put(OpBuilder &builder, Value part, Value x, ArrayRef<Value> position) {
    Slice slice(builder, typeOf(x), position);
    return tensor::InsertSliceOp::create(builder, loc, part, x, slice.offsets,
                                         slice.sizes, slice.strides);
  }

  using ElementFn = llvm::function_ref<Values(OpBuilder &, ValueRange)>;

  /// What `body` makes of the elements of tensors, or of numbers; those of
  /// `outs` come last, and change in place.
  Values each(OpBuilder &builder, ValueRange ins, ValueRange outs,
              ElementFn body) {
    auto type = dyn_cast<RankedTensorType>(outs[0].getType());
    if (!type) {
      Values args(ins);
      llvm::append_range(args, outs);
      return body(builder, args);
    }
    SmallVector<AffineMap> maps;
    for (ValueRange values : {ins, outs})
      for (Value value : values)
        maps.push_back(
            isa<RankedTensorType>(value.getType())
                ? builder.getMultiDimIdentityMap(type.getRank())
                : AffineMap::get(type.getRank(), 0, builder.getContext()));
    return linalg::GenericOp::create(
               builder, loc, outs.getTypes(), ins, outs, maps,
               SmallVector<utils::IteratorType>(type.getRank(),
                                                utils::IteratorType::parallel),
               [&](OpBuilder &inner, Location, ValueRange args) {
                 linalg::YieldOp::create(inner, loc, body(inner, args));
               })
        .getResults();
  }

  /// The element or slice of `x` at `position`.
  Value read(OpBuilder &builder, Value x, ArrayRef<Value> position) {
    return hasSlice ? take(builder, x, position)
                    : tensor::ExtractOp::create(builder, loc, x, position)
                          .getResult();
  }
  Value write(OpBuilder &builder, Value part, Value x,
              ArrayRef<Value> position) {
    return hasSlice ? put(builder, part, x, position)
                    : tensor::InsertOp::create(builder, loc, part, x, position)
                          .getResult();
  }

  //===-- Forms -----------------------------------------------------------===//

  /// x after the update at `from`.
  Value combine(OpBuilder &builder, Value x, ArrayRef<Value> ivs,
                ArrayRef<Value> from) {
    Values position = at(ivs, indexOf(builder, from));
    Value part = read(builder, updates, from);
    if (op.adds())
      part =
          each(builder, part, read(builder, x, position),
               [&](OpBuilder &inner, ValueRange args) -> Values {
                 if (isa<FloatType>(element))
                   return {arith::AddFOp::create(inner, loc, args[1], args[0])};
                 return {arith::AddIOp::create(inner, loc, args[1], args[0])};
               })[0];
    return write(builder, part, x, position);
  }

  Value addToWide(OpBuilder &builder, Value x, ArrayRef<Value> ivs) {
    Value before = take(builder, x, ivs);
    Values inits;
    for (Type type : sum.types())
      inits.push_back(emptyTensor(builder, loc, typeOf(before).clone(type)));
    Values sums =
        each(builder, before, inits, [&](OpBuilder &inner, ValueRange args) {
          return sum.begin(inner, loc, args[0]);
        });
    auto body = [&](OpBuilder &inner, Value iv, ValueRange carried) {
      Values from = at(ivs, iv), changed;
      Value index = indexOf(inner, from);
      Values parts = llvm::map_to_vector(
          carried, [&](Value all) { return read(inner, all, index); });
      parts = each(inner, read(inner, updates, from), parts,
                   [&](OpBuilder &body, ValueRange args) {
                     return sum.add(body, loc, args.drop_front(), args[0]);
                   });
      for (auto [part, all] : llvm::zip_equal(parts, carried))
        changed.push_back(write(inner, part, all, index));
      return changed;
    };
    sums = loop(builder, typeOf(updates).getDimSize(outer), sums, body);
    Value rounded = each(builder, sums, before,
                         [&](OpBuilder &inner, ValueRange args) -> Values {
                           return {sum.round(inner, loc, args.drop_back())};
                         })[0];
    return ivs.empty() ? rounded : put(builder, rounded, x, ivs);
  }

  /// Whether no index at `ivs` comes so often that its sum has to be wide. Some
  /// share a counter where there are many more than updates.
  Value comeSeldom(OpBuilder &builder, ArrayRef<Value> ivs) {
    int64_t count = typeOf(indices).getShape().back();
    int64_t counters = std::min<int64_t>(size(), 4 * llvm::PowerOf2Ceil(count));
    int64_t most = RunningSum::longestChain(element);
    Type type = builder.getI8Type();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getIntegerAttr(type, value));
    };
    Value one = number(1), tooMany = number(most + 1);
    Value zeros =
        filledTensor(builder, loc, RankedTensorType::get({counters}, type),
                     builder.getIntegerAttr(type, 0));
    auto body = [&](OpBuilder &inner, Value iv, ValueRange carried) {
      Value counter = indexOf(inner, at(ivs, iv));
      if (counters < size())
        counter = arith::AndIOp::create(
            inner, loc, counter,
            arith::ConstantIndexOp::create(inner, loc, counters - 1));
      Value old = tensor::ExtractOp::create(inner, loc, carried[0], counter);
      Value next = arith::AddIOp::create(inner, loc, old, one);
      next = arith::MinSIOp::create(inner, loc, next, tooMany);
      Value largest = arith::MaxSIOp::create(inner, loc, carried[1], next);
      return Values{
          tensor::InsertOp::create(inner, loc, next, carried[0], counter),
          largest};
    };
    Value largest = loop(builder, count, {zeros, number(0)}, body)[1];
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                 largest, tooMany);
  }

  /// The positions that put the indices at `ivs` in order.
  Value sortedOrder(OpBuilder &builder, ArrayRef<Value> ivs) {
    int64_t count = typeOf(indices).getShape().back();
    bool isShort = llvm::isUInt<16>(size() - 1);
    Type key =
        isShort ? builder.getI16Type() : typeOf(indices).getElementType();
    auto row = RankedTensorType::get({count}, key);
    Value keys = each(
        builder, take(builder, indices, ivs), emptyTensor(builder, loc, row),
        [&](OpBuilder &inner, ValueRange args) -> Values {
          Value index = clampedIndex(inner, loc, args[0], size());
          // From the least number of the type on, as keys have a sign.
          if (isShort)
            index = arith::SubIOp::create(
                inner, loc, index,
                arith::ConstantIndexOp::create(inner, loc, 1 << 15));
          return {arith::IndexCastOp::create(inner, loc, key, index)};
        })[0];
    keys = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get({1, count}, key), keys,
        ArrayRef<ReassociationIndices>{{0, 1}});
    return SortEmitter(builder, loc, key, count, /*descending=*/false)
        .sortRow(keys, arith::ConstantIndexOp::create(builder, loc, 0), count);
  }

  Value addSorted(OpBuilder &builder, Value x, ArrayRef<Value> ivs) {
    Values inits{x, arith::ConstantIndexOp::create(builder, loc, -1)};
    for (TypedAttr zero : sum.zeros())
      inits.push_back(
          hasSlice
              ? emptyTensor(builder, loc,
                            RankedTensorType::get(typeOf(x).getShape().back(),
                                                  zero.getType()))
              : arith::ConstantOp::create(builder, loc, zero).getResult());
    auto body = [&](OpBuilder &inner, Value iv, ValueRange carried) {
      Value number = tensor::ExtractOp::create(inner, loc, order, iv);
      Values from = at(ivs, arith::IndexCastOp::create(
                                inner, loc, inner.getIndexType(), number));
      Value index = indexOf(inner, from);
      Values position = at(ivs, index);
      Value isFirst = arith::CmpIOp::create(
          inner, loc, arith::CmpIPredicate::ne, index, carried[1]);
      Values outs(carried.drop_front(2));
      outs.push_back(read(inner, carried[0], position));
      outs = each(inner, {isFirst, read(inner, updates, from)}, outs,
                  [&](OpBuilder &body, ValueRange args) {
                    Values begun = sum.begin(body, loc, args.back());
                    for (auto [value, old] :
                         llvm::zip_equal(begun, args.slice(2, begun.size())))
                      value = arith::SelectOp::create(body, loc, args[0], value,
                                                      old);
                    Values next = sum.add(body, loc, begun, args[1]);
                    next.push_back(sum.round(body, loc, next));
                    return next;
                  });
      Value changed = write(inner, outs.pop_back_val(), carried[0], position);
      Values next{changed, index};
      llvm::append_range(next, outs);
      return next;
    };
    return loop(builder, typeOf(updates).getDimSize(outer), inits, body)[0];
  }

  OpBuilder &b;
  Location loc;
  ScatterOp op;
  Type element;
  RunningSum sum;
  SumForm form = SumForm::Plain;
  SmallVector<int64_t> groups;
  Value indices, updates;
  /// `Sorted`: the positions of the updates of a batch.
  Value order;
  /// The loops around those over indices.
  size_t outer;
  bool hasBatch, hasCount, hasSlice;
};

} // namespace

LogicalResult cellgrad::lower(ScatterOp op, PatternRewriter &rewriter) {
  if (op.getUpdates().getType().getNumElements() == 0) {
    rewriter.replaceOp(op, op.getX());
    return success();
  }
  rewriter.replaceOp(op, ScatterEmitter(rewriter, op).emit());
  return success();
}
