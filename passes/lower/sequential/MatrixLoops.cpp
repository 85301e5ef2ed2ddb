//===- MatrixLoops.cpp - loops over rows and columns of matrices ----------===//

#include "passes/lower/sequential/MatrixLoops.h"

#include "passes/lower/tensors/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cellgrad {

int64_t blockWidth(int64_t columns) {
  return std::max<int64_t>(32, llvm::alignTo(columns / 12, 16));
}

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Groups that make one dimension of the first `batchRank`.
static SmallVector<ReassociationIndices> batchAsOne(int64_t rank,
                                                    int64_t batchRank) {
  SmallVector<ReassociationIndices> groups;
  groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(0, batchRank)));
  for (int64_t d = batchRank; d < rank; ++d)
    groups.push_back({d});
  return groups;
}

/// Offsets, sizes and strides of what is at `index` of dimension `dim`.
struct SliceAt {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  SliceAt(OpBuilder &b, RankedTensorType type, Value index, unsigned dim = 0)
      : offsets(type.getRank(), b.getIndexAttr(0)),
        sizes(getAsIndexOpFoldResult(b.getContext(), type.getShape())),
        strides(type.getRank(), b.getIndexAttr(1)) {
    offsets[dim] = index;
    sizes[dim] = b.getIndexAttr(1);
  }
};

SmallVector<Value> MatrixLoops::forEachMatrix(ValueRange inputs,
                                              ValueRange inits,
                                              int64_t batchRank,
                                              MatrixFn body) {
  if (batchRank == 0)
    return body(inputs, inits);
  auto flat = [&](Value v) -> Value {
    if (batchRank == 1)
      return v;
    return tensor::CollapseShapeOp::create(
        b, loc, v, batchAsOne(typeOf(v).getRank(), batchRank));
  };
  auto matrixOf = [&](Value whole) {
    RankedTensorType type = typeOf(whole);
    return type.clone(type.getShape().drop_front());
  };
  auto one = [&](Value whole, Value i) -> Value {
    SliceAt at(b, typeOf(whole), i);
    return tensor::ExtractSliceOp::create(b, loc, matrixOf(whole), whole,
                                          at.offsets, at.sizes, at.strides);
  };
  SmallVector<Value> flatInputs = llvm::map_to_vector(inputs, flat);
  SmallVector<Value> flatInits = llvm::map_to_vector(inits, flat);
  int64_t size = typeOf(flatInits[0]).getDimSize(0);
  SmallVector<Value> results =
      loop(size, true, flatInits, [&](Value i, ValueRange carried) {
        auto take = [&](Value v) { return one(v, i); };
        SmallVector<Value> starts;
        for (auto [init, whole] : llvm::zip_equal(inits, carried)) {
          // Nobody has written a part of an empty tensor: a copy of it for the
          // matrix would read that.
          starts.push_back(init.getDefiningOp<tensor::EmptyOp>()
                               ? emptyTensor(b, loc, matrixOf(whole))
                               : one(whole, i));
        }
        SmallVector<Value> parts =
            body(llvm::map_to_vector(flatInputs, take), starts);
        SmallVector<Value> whole;
        for (auto [part, into] : llvm::zip_equal(parts, carried)) {
          SliceAt at(b, typeOf(into), i);
          whole.push_back(tensor::InsertSliceOp::create(
              b, loc, part, into, at.offsets, at.sizes, at.strides));
        }
        return whole;
      });
  if (batchRank > 1)
    for (auto [result, init] : llvm::zip_equal(results, inits))
      result = tensor::ExpandShapeOp::create(
          b, loc, init.getType(), result,
          batchAsOne(typeOf(init).getRank(), batchRank));
  return results;
}

SmallVector<Value> MatrixLoops::loop(Value from, Value to, ValueRange inits,
                                     LoopFn body) {
  auto op = scf::ForOp::create(
      b, loc, from, to, index(1), inits,
      [&](OpBuilder &, Location, Value i, ValueRange carried) {
        scf::YieldOp::create(b, loc, body(i, carried));
      });
  return op.getResults();
}

SmallVector<Value> MatrixLoops::loop(int64_t count, bool forward,
                                     ValueRange inits, LoopFn body) {
  return loop(index(0), index(count), inits, [&](Value i, ValueRange carried) {
    Value at = forward ? i : arith::SubIOp::create(b, loc, index(count - 1), i);
    return body(at, carried);
  });
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Value MatrixLoops::element(Value tensor, ValueRange at) {
  return tensor::ExtractOp::create(b, loc, tensor, at);
}

Value MatrixLoops::setElement(Value tensor, Value value, ValueRange at) {
  return tensor::InsertOp::create(b, loc, value, tensor, at);
}

Value MatrixLoops::copy(Value tensor) {
  return bufferization::AllocTensorOp::create(b, loc, typeOf(tensor),
                                              ValueRange(), tensor);
}

/// The vector of `matrix` at `index` of dimension `dim`, as a view.
static Value vectorOf(OpBuilder &b, Location loc, Value matrix, unsigned dim,
                      Value index) {
  RankedTensorType type = typeOf(matrix);
  SliceAt at(b, type, index, dim);
  return tensor::ExtractSliceOp::create(
      b, loc, type.clone({type.getDimSize(1 - dim)}), matrix, at.offsets,
      at.sizes, at.strides);
}

Value MatrixLoops::row(Value matrix, Value index) {
  return copy(vectorOf(b, loc, matrix, 0, index));
}

Value MatrixLoops::column(Value matrix, Value index) {
  return copy(vectorOf(b, loc, matrix, 1, index));
}

Value MatrixLoops::setRow(Value matrix, Value row, Value index) {
  SliceAt at(b, typeOf(matrix), index);
  return tensor::InsertSliceOp::create(b, loc, row, matrix, at.offsets,
                                       at.sizes, at.strides);
}

Value MatrixLoops::setColumn(Value matrix, Value column, Value index) {
  SliceAt at(b, typeOf(matrix), index, 1);
  return tensor::InsertSliceOp::create(b, loc, column, matrix, at.offsets,
                                       at.sizes, at.strides);
}

/// Offsets, sizes and strides of a block.
struct BlockRange {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  BlockRange(OpBuilder &b, int64_t row, int64_t rows, int64_t column,
             int64_t columns)
      : offsets{b.getIndexAttr(row), b.getIndexAttr(column)},
        sizes{b.getIndexAttr(rows), b.getIndexAttr(columns)},
        strides(2, b.getIndexAttr(1)) {}
};

Value MatrixLoops::block(Value matrix, int64_t row, int64_t rows,
                         int64_t column, int64_t columns) {
  auto type = typeOf(matrix).clone({rows, columns});
  if (type == matrix.getType())
    return matrix;
  BlockRange at(b, row, rows, column, columns);
  return tensor::ExtractSliceOp::create(b, loc, type, matrix, at.offsets,
                                        at.sizes, at.strides);
}

Value MatrixLoops::setBlock(Value matrix, Value block, int64_t row,
                            int64_t column) {
  RankedTensorType type = typeOf(block);
  if (type == matrix.getType())
    return block;
  BlockRange at(b, row, type.getDimSize(0), column, type.getDimSize(1));
  return tensor::InsertSliceOp::create(b, loc, block, matrix, at.offsets,
                                       at.sizes, at.strides);
}

Value MatrixLoops::swapRows(Value matrix, Value i, Value j) {
  Value rowI = row(matrix, i), rowJ = row(matrix, j);
  return setRow(setRow(matrix, rowJ, i), rowI, j);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// A linalg.generic on `init` whose inputs have the dimensions `dims`.
static Value generic(OpBuilder &b, Location loc, ValueRange inputs,
                     ArrayRef<SmallVector<unsigned>> dims, Value init,
                     ArrayRef<unsigned> initDims,
                     ArrayRef<utils::IteratorType> loops,
                     MatrixLoops::ElementFn body, bool indexed = true) {
  SmallVector<AffineMap> maps;
  auto addMap = [&](ArrayRef<unsigned> of) {
    SmallVector<AffineExpr> exprs = llvm::map_to_vector(
        of, [&](unsigned d) { return b.getAffineDimExpr(d); });
    maps.push_back(AffineMap::get(loops.size(), 0, exprs, b.getContext()));
  };
  for (ArrayRef<unsigned> of : dims)
    addMap(of);
  addMap(initDims);
  return linalg::GenericOp::create(
             b, loc, TypeRange(init.getType()), inputs, ValueRange(init), maps,
             loops,
             [&](OpBuilder &, Location, ValueRange args) {
               SmallVector<Value> at;
               for (unsigned d = 0; indexed && d < loops.size(); ++d)
                 at.push_back(linalg::IndexOp::create(b, loc, d));
               linalg::YieldOp::create(b, loc, body(at, args));
             })
      .getResult(0);
}

Value MatrixLoops::vector(ValueRange inputs, int64_t size, Type element,
                          ElementFn body) {
  Value init = emptyTensor(b, loc, RankedTensorType::get({size}, element));
  SmallVector<SmallVector<unsigned>> dims(inputs.size(), {0});
  return generic(b, loc, inputs, dims, init, {0},
                 {utils::IteratorType::parallel}, body);
}

Value MatrixLoops::unitMatrix(Value init) {
  Type element = typeOf(init).getElementType();
  Value one = number(element, 1), zero = number(element, 0);
  return elementwise(init, [&](ArrayRef<Value> at, ValueRange) {
    return select(equal(at[at.size() - 2], at.back()), one, zero);
  });
}

Value MatrixLoops::elementwise(Value tensor, ElementFn body) {
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, typeOf(tensor).getRank()));
  SmallVector<utils::IteratorType> loops(dims.size(),
                                         utils::IteratorType::parallel);
  return generic(b, loc, tensor, {dims}, emptyTensor(b, loc, tensor.getType()),
                 dims, loops, body);
}

Value MatrixLoops::update(Value matrix, ValueRange inputs,
                          ArrayRef<unsigned> dims, ElementFn body) {
  auto each = llvm::map_to_vector(
      dims, [](unsigned d) { return SmallVector<unsigned>{d}; });
  return generic(b, loc, inputs, each, matrix, {0, 1},
                 {utils::IteratorType::parallel, utils::IteratorType::parallel},
                 body);
}

Value MatrixLoops::reduce(ValueRange vectors, double start, ElementFn body) {
  Type element = typeOf(vectors[0]).getElementType();
  SmallVector<SmallVector<unsigned>> dims(vectors.size(), {0});
  Value init = filledTensor(b, loc, RankedTensorType::get({}, element),
                            b.getFloatAttr(element, start));
  Value sum = generic(b, loc, vectors, dims, init, {},
                      {utils::IteratorType::reduction}, body);
  return this->element(sum, {});
}

Value MatrixLoops::minus(Value a, Value c) {
  SmallVector<unsigned> both{0, 1};
  return generic(
      b, loc, c, {both}, a, both,
      {utils::IteratorType::parallel, utils::IteratorType::parallel},
      [&](ArrayRef<Value>, ValueRange values) -> Value {
        return arith::SubFOp::create(b, loc, values[1], values[0]);
      },
      /*indexed=*/false);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The sum over the last of `loops` of the product of two inputs.
static Value contract(OpBuilder &b, Location loc, ValueRange inputs,
                      ArrayRef<SmallVector<unsigned>> dims,
                      RankedTensorType type, ArrayRef<unsigned> resultDims) {
  Value init =
      filledTensor(b, loc, type, b.getFloatAttr(type.getElementType(), 0));
  SmallVector<utils::IteratorType> loops(resultDims.size(),
                                         utils::IteratorType::parallel);
  loops.push_back(utils::IteratorType::reduction);
  return generic(
      b, loc, inputs, dims, init, resultDims, loops,
      [&](ArrayRef<Value>, ValueRange values) -> Value {
        Value term = arith::MulFOp::create(b, loc, values[0], values[1]);
        return arith::AddFOp::create(b, loc, values[2], term);
      },
      /*indexed=*/false);
}

Value MatrixLoops::product(Value vector, Value matrix) {
  RankedTensorType type = typeOf(matrix);
  return contract(b, loc, {vector, matrix},
                  {SmallVector<unsigned>{1}, SmallVector<unsigned>{1, 0}},
                  type.clone({type.getDimSize(1)}), {0});
}

Value MatrixLoops::matmul(Value a, Value c, bool transposeA, bool transposeB) {
  int64_t rows = typeOf(a).getDimSize(transposeA ? 1 : 0);
  int64_t columns = typeOf(c).getDimSize(transposeB ? 0 : 1);
  SmallVector<unsigned> left{0, 2}, right{2, 1};
  if (transposeA)
    std::swap(left[0], left[1]);
  if (transposeB)
    std::swap(right[0], right[1]);
  return contract(b, loc, {a, c}, {left, right},
                  typeOf(a).clone({rows, columns}), {0, 1});
}

void MatrixLoops::shrink(int64_t steps,
                         llvm::function_ref<void(int64_t, int64_t)> body) {
  // Sizes stay whole vectors.
  int64_t parts = std::clamp<int64_t>(steps / 16, 1, 4);
  int64_t width = parts == 1 ? steps : llvm::alignTo(steps / parts, 16);
  for (int64_t begin = 0; begin < steps; begin += width)
    body(begin, std::min(width, steps - begin));
}

Value MatrixLoops::substitute(Value a, Value right, bool forward,
                              bool transposed, bool unitDiagonal) {
  RankedTensorType type = typeOf(right);
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  // Step j of what is left: the first row, or from below the last.
  auto eliminate = [&](Value matrix, Value j,
                       ValueRange carried) -> SmallVector<Value> {
    Value known = row(carried[0], j);
    if (!unitDiagonal) {
      Value pivot = element(matrix, {j, j});
      known = vector(known, columns, type.getElementType(),
                     [&](ArrayRef<Value>, ValueRange values) -> Value {
                       return arith::DivFOp::create(b, loc, values[0], pivot);
                     });
    }
    Value factors = transposed ? row(matrix, j) : column(matrix, j);
    return {update(carried[0], {factors, known}, {0, 1},
                   [&](ArrayRef<Value> at, ValueRange values) {
                     Value rest = minusProduct(values[2], values[0], values[1]);
                     Value later = forward ? less(j, at[0]) : less(at[0], j);
                     Value done = select(equal(at[0], j), values[1], values[2]);
                     return select(later, rest, done);
                   })};
  };
  shrink(rows, [&](int64_t begin, int64_t count) {
    int64_t left = rows - begin, first = forward ? begin : 0;
    Value matrix = block(a, first, left, first, left);
    Value part = block(right, first, left, 0, columns);
    Value from = index(forward ? 0 : left - count);
    Value to = index(forward ? count : left);
    part = loop(from, to, part, [&](Value i, ValueRange carried) {
      // Backwards, the last step of the range comes first.
      Value j = i;
      if (!forward)
        j = arith::SubIOp::create(b, loc, index(2 * left - count - 1), i);
      return eliminate(matrix, j, carried);
    })[0];
    right = setBlock(right, part, first, 0);
  });
  return right;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value MatrixLoops::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value MatrixLoops::number(Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value MatrixLoops::less(Value a, Value c) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, a, c);
}

Value MatrixLoops::equal(Value a, Value c) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, a, c);
}

Value MatrixLoops::select(Value condition, Value a, Value c) {
  return arith::SelectOp::create(b, loc, condition, a, c);
}

Value MatrixLoops::minusProduct(Value a, Value x, Value y) {
  return arith::SubFOp::create(b, loc, a, arith::MulFOp::create(b, loc, x, y));
}

} // namespace cellgrad
