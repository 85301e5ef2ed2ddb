//===- LinalgOps.cpp - inference, folding, batches of matrix ops ----------===//

#include "dialect/CellDialect.h"
#include "dialect/Inference.h"
#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// The type of `matrix`, refused where it has no rows and columns.
template <typename OpT>
static FailureOr<RankedTensorType>
matrixType(MLIRContext *context, std::optional<Location> loc, Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  if (type.getRank() < 2)
    return inferenceError<OpT>(context, loc)
           << "takes matrices in the last two dimensions, but the operand is "
           << type;
  return type;
}

/// The same, refused where the matrices are not square.
template <typename OpT>
static FailureOr<RankedTensorType>
squareType(MLIRContext *context, std::optional<Location> loc, Value matrix) {
  FailureOr<RankedTensorType> type = matrixType<OpT>(context, loc, matrix);
  if (failed(type))
    return failure();
  ArrayRef<int64_t> shape = type->getShape().take_back(2);
  if (shape[0] != shape[1])
    return inferenceError<OpT>(context, loc)
           << "takes square matrices, but the operand is " << *type;
  return type;
}

/// `type` with `columns` columns of `rows` elements.
static RankedTensorType withMatrix(RankedTensorType type, int64_t rows,
                                   int64_t columns) {
  SmallVector<int64_t> shape(type.getShape());
  shape[shape.size() - 2] = rows;
  shape[shape.size() - 1] = columns;
  return type.clone(shape);
}

LogicalResult TriangleOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      matrixType<TriangleOp>(context, loc, adaptor.getX());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult SwapRowsOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      matrixType<SwapRowsOp>(context, loc, adaptor.getX());
  if (failed(type))
    return failure();
  auto pivots = cast<RankedTensorType>(adaptor.getPivots().getType());
  if (pivots.getRank() != type->getRank() - 1 ||
      pivots.getShape().drop_back() != type->getShape().drop_back(2) ||
      pivots.getShape().back() > type->getDimSize(type->getRank() - 2))
    return inferenceError<SwapRowsOp>(context, loc)
           << "takes a pivot for each of the first rows, in the leading "
              "dimensions of "
           << *type << ", but they are " << pivots;
  types.push_back(*type);
  return success();
}

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      squareType<CholeskyOp>(context, loc, adaptor.getX());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult LUOp::inferReturnTypes(MLIRContext *context,
                                     std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      squareType<LUOp>(context, loc, adaptor.getX());
  if (failed(type))
    return failure();
  types.push_back(*type);
  types.push_back(RankedTensorType::get(type->getShape().drop_back(),
                                        IntegerType::get(context, 32)));
  return success();
}

LogicalResult QROp::inferReturnTypes(MLIRContext *context,
                                     std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      matrixType<QROp>(context, loc, adaptor.getX());
  if (failed(type))
    return failure();
  ArrayRef<int64_t> shape = type->getShape().take_back(2);
  int64_t inner =
      adaptor.getComplete() ? shape[0] : std::min(shape[0], shape[1]);
  types.push_back(withMatrix(*type, shape[0], inner));
  types.push_back(withMatrix(*type, inner, shape[1]));
  return success();
}

LogicalResult EighOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      squareType<EighOp>(context, loc, adaptor.getX());
  if (failed(type))
    return failure();
  types.push_back(type->clone(type->getShape().drop_back()));
  types.push_back(*type);
  return success();
}

LogicalResult SVDOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      matrixType<SVDOp>(context, loc, adaptor.getX());
  if (failed(type))
    return failure();
  ArrayRef<int64_t> shape = type->getShape().take_back(2);
  RankedTensorType u =
      withMatrix(*type, shape[0], std::min(shape[0], shape[1]));
  RankedTensorType v =
      withMatrix(*type, shape[1], std::min(shape[0], shape[1]));
  SmallVector<int64_t> s(u.getShape().drop_back(2));
  s.push_back(u.getShape().back());
  llvm::append_values(types, Type(u), Type(type->clone(s)), Type(v));
  return success();
}

/// The type of b in an equation with the square matrix a.
template <typename OpT>
static LogicalResult inferSolution(MLIRContext *context,
                                   std::optional<Location> loc, Value a,
                                   Value b, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> matrix = squareType<OpT>(context, loc, a);
  FailureOr<RankedTensorType> type = matrixType<OpT>(context, loc, b);
  if (failed(matrix) || failed(type))
    return failure();
  if (matrix->getElementType() != type->getElementType() ||
      matrix->getShape().drop_back() != type->getShape().drop_back())
    return inferenceError<OpT>(context, loc)
           << "takes a right-hand side with as many rows as the matrix, and "
              "equal leading dimensions and element types, but they are "
           << *matrix << " and " << *type;
  types.push_back(*type);
  return success();
}

LogicalResult TriangularSolveOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferSolution<TriangularSolveOp>(context, loc, adaptor.getA(),
                                          adaptor.getB(), types);
}

LogicalResult SolveOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  return inferSolution<SolveOp>(context, loc, adaptor.getA(), adaptor.getB(),
                                types);
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

OpFoldResult TriangleOp::fold(FoldAdaptor adaptor) {
  // Whether one triangle is inside of another.
  auto inner = getX().getDefiningOp<TriangleOp>();
  if (inner && inner.getLower() == getLower() &&
      (getLower() ? inner.getDiagonal() <= getDiagonal()
                  : inner.getDiagonal() >= getDiagonal()))
    return getX();
  auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getX());
  if (dense && dense.isSplat() &&
      dense.getSplatValue<Attribute>() ==
          Builder(getContext()).getZeroAttr(getType().getElementType()))
    return dense;
  return {};
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// A batch of right-hand sides for one matrix is one with more columns:
/// [size, B.., n, m] as [B.., n, size * m]. `build` gives the op on it.
static Value batchColumns(OpBuilder &builder, Location loc, Value x,
                          llvm::function_ref<Value(Value)> build) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank();
  auto perm = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  perm.insert(perm.end() - 1, 0);
  Value moved = TransposeOp::create(builder, loc, x, perm);
  auto movedType = cast<RankedTensorType>(moved.getType());
  SmallVector<int64_t> shape(movedType.getShape().drop_back());
  shape.back() *= movedType.getShape().back();
  Value columns = ReshapeOp::create(builder, loc, type.clone(shape), moved);
  Value back = ReshapeOp::create(builder, loc, movedType, build(columns));
  SmallVector<int64_t> inverse(rank);
  for (auto [i, p] : llvm::enumerate(perm))
    inverse[p] = i;
  return TransposeOp::create(builder, loc, back, inverse);
}

LogicalResult SwapRowsOp::buildBatched(OpBuilder &builder,
                                       ArrayRef<Value> operands,
                                       const llvm::SmallBitVector &batched,
                                       int64_t size,
                                       SmallVectorImpl<Value> &results) {
  if (batched[1])
    return batchAlike(builder, *this, operands, batched, size, results);
  results.push_back(
      batchColumns(builder, getLoc(), operands[0], [&](Value x) -> Value {
        return SwapRowsOp::create(builder, getLoc(), x, operands[1],
                                  getInverseAttr());
      }));
  return success();
}

LogicalResult
TriangularSolveOp::buildBatched(OpBuilder &builder, ArrayRef<Value> operands,
                                const llvm::SmallBitVector &batched,
                                int64_t size, SmallVectorImpl<Value> &results) {
  if (batched[0])
    return batchAlike(builder, *this, operands, batched, size, results);
  results.push_back(
      batchColumns(builder, getLoc(), operands[1], [&](Value b) -> Value {
        return TriangularSolveOp::create(builder, getLoc(), operands[0], b,
                                         getLowerAttr(), getTransposeAttr(),
                                         getUnitDiagonalAttr());
      }));
  return success();
}

LogicalResult SolveOp::buildBatched(OpBuilder &builder,
                                    ArrayRef<Value> operands,
                                    const llvm::SmallBitVector &batched,
                                    int64_t size,
                                    SmallVectorImpl<Value> &results) {
  if (batched[0])
    return batchAlike(builder, *this, operands, batched, size, results);
  results.push_back(
      batchColumns(builder, getLoc(), operands[1], [&](Value b) -> Value {
        return SolveOp::create(builder, getLoc(), operands[0], b,
                               getTransposeAttr());
      }));
  return success();
}

} // namespace cellgrad
