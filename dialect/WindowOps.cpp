//===- WindowOps.cpp - inference and batching of window ops ---------------===//

#include "dialect/CellDialect.h"
#include "dialect/Inference.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cellgrad {

ArrayRef<int64_t> OverlapAddOp::getSizes() {
  return getY().getType().getShape().take_back(getStrides().size());
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

/// Refuses an attribute that does not have one positive entry for each of
/// `count` dimensions.
static LogicalResult checkPositive(EmitError error, StringRef name,
                                   ArrayRef<int64_t> values, size_t count) {
  if (values.size() != count)
    return error() << name << " has " << values.size() << " entries for "
                   << count << " dimensions that windows slide over; give one "
                   << "a dimension";
  for (int64_t value : values)
    if (value < 1)
      return error() << name << " [" << values << "] must be at least 1";
  return success();
}

/// Appends to `shape` how many windows fit into each of `input`.
static LogicalResult countWindows(EmitError error, ArrayRef<int64_t> input,
                                  ArrayRef<int64_t> sizes,
                                  ArrayRef<int64_t> strides,
                                  ArrayRef<int64_t> dilations,
                                  SmallVectorImpl<int64_t> &shape) {
  if (failed(checkPositive(error, "sizes", sizes, input.size())) ||
      failed(checkPositive(error, "strides", strides, input.size())) ||
      failed(checkPositive(error, "dilations", dilations, input.size())))
    return failure();
  for (auto [i, size] : llvm::enumerate(input)) {
    // Compared by division: the product may overflow.
    int64_t steps = sizes[i] - 1;
    if (size < 1 || (steps > 0 && dilations[i] > (size - 1) / steps))
      return error() << "window of " << sizes[i] << " elements, "
                     << dilations[i] << " apart, does not fit into " << size
                     << " elements of dimension " << i
                     << " of those it slides over; pad first";
    shape.push_back((size - dilations[i] * steps - 1) / strides[i] + 1);
  }
  return success();
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto error = [&]() { return inferenceError<ConvOp>(context, loc); };
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto w = cast<RankedTensorType>(adaptor.getW().getType());
  if (x.getRank() < 3 || x.getRank() != w.getRank())
    return error() << "takes x [N, C, S...] and w [O, C / groups, K...] of "
                   << "equal rank, at least 3, not " << x << " and " << w;
  if (x.getElementType() != w.getElementType())
    return error() << "takes operands of one element type, not "
                   << x.getElementType() << " and " << w.getElementType();
  int64_t groups = adaptor.getGroups();
  int64_t channels;
  if (groups < 1 || llvm::MulOverflow(groups, w.getDimSize(1), channels) ||
      x.getDimSize(1) != channels || w.getDimSize(0) % groups != 0)
    return error() << "in " << groups << " groups cannot apply "
                   << w.getDimSize(0) << " filters of " << w.getDimSize(1)
                   << " channels to " << x.getDimSize(1)
                   << " channels; groups must divide the filters, and times "
                   << "the channels of a filter be the channels of x";
  SmallVector<int64_t> shape{x.getDimSize(0), w.getDimSize(0)};
  if (failed(countWindows(error, x.getShape().drop_front(2),
                          w.getShape().drop_front(2), adaptor.getStrides(),
                          adaptor.getDilations(), shape)))
    return failure();
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

/// Shape of the windows of a tensor of shape `input`.
static LogicalResult inferWindows(EmitError error, ArrayRef<int64_t> input,
                                  ArrayRef<int64_t> sizes,
                                  ArrayRef<int64_t> strides,
                                  ArrayRef<int64_t> dilations,
                                  SmallVectorImpl<int64_t> &shape) {
  if (sizes.empty() || sizes.size() > input.size())
    return error() << "slides windows over " << sizes.size()
                   << " dimensions of a tensor of rank " << input.size();
  llvm::append_range(shape, input.drop_back(sizes.size()));
  if (failed(countWindows(error, input.take_back(sizes.size()), sizes, strides,
                          dilations, shape)))
    return failure();
  llvm::append_range(shape, sizes);
  return success();
}

LogicalResult WindowsOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto error = [&]() { return inferenceError<WindowsOp>(context, loc); };
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  SmallVector<int64_t> shape;
  if (failed(inferWindows(error, x.getShape(), adaptor.getSizes(),
                          adaptor.getStrides(), adaptor.getDilations(), shape)))
    return failure();
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult OverlapAddOp::verify() {
  auto error = [&]() { return emitOpError(); };
  RankedTensorType from = getY().getType(), to = getType();
  if (from.getElementType() != to.getElementType())
    return error() << "cannot change the element type from "
                   << from.getElementType() << " to " << to.getElementType();
  if (getStrides().size() > static_cast<size_t>(from.getRank()))
    return error() << "has strides for " << getStrides().size()
                   << " dimensions of a tensor of rank " << from.getRank();
  SmallVector<int64_t> shape;
  if (failed(inferWindows(error, to.getShape(), getSizes(), getStrides(),
                          getDilations(), shape)))
    return failure();
  if (from.getShape() != ArrayRef(shape))
    return error() << "to " << to << " takes windows of shape [" << shape
                   << "], not " << from;
  return success();
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

namespace {

/// Moves dimension 0 of `x` before dimension `to` of the others, and merges the
/// two.
Value mergeBatch(OpBuilder &builder, Location loc, Value x, int64_t to) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> perm;
  for (int64_t dim = 1; dim < type.getRank(); ++dim) {
    if (dim - 1 == to)
      perm.push_back(0);
    perm.push_back(dim);
  }
  Value moved = TransposeOp::create(builder, loc, x, perm);
  SmallVector<int64_t> shape(type.getShape().drop_front());
  shape[to] *= type.getDimSize(0);
  return ReshapeOp::create(builder, loc, type.clone(shape), moved);
}

/// Undoes `mergeBatch`: `element` is the type of one element of the batch.
Value splitBatch(OpBuilder &builder, Location loc, Value x,
                 RankedTensorType element, int64_t size, int64_t from) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(element.getShape());
  shape.insert(shape.begin() + from, size);
  Value split = ReshapeOp::create(builder, loc, type.clone(shape), x);
  SmallVector<int64_t> perm{from};
  for (int64_t dim = 0; dim <= type.getRank(); ++dim)
    if (dim != from)
      perm.push_back(dim);
  return TransposeOp::create(builder, loc, split, perm);
}

} // namespace

LogicalResult ConvOp::buildBatched(OpBuilder &builder, ArrayRef<Value> operands,
                                   const llvm::SmallBitVector &batched,
                                   int64_t size,
                                   SmallVectorImpl<Value> &results) {
  Location loc = getLoc();
  // A batch of images is more images. A batch of filters is more filters, in
  // groups of their own where each has images of its own.
  Value x = operands[0], w = operands[1];
  int64_t groups = getGroups();
  if (!batched[1]) {
    Value y = ConvOp::create(builder, loc, mergeBatch(builder, loc, x, 0), w,
                             getStrides(), getDilations(), groups);
    results.push_back(splitBatch(builder, loc, y, getType(), size, 0));
    return success();
  }
  if (batched[0]) {
    x = mergeBatch(builder, loc, x, 1);
    groups *= size;
  } else if (groups != 1) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape{size};
    llvm::append_range(shape, type.getShape());
    Value repeated = BroadcastOp::create(builder, loc, type.clone(shape), x,
                                         ArrayRef<int64_t>{0});
    x = mergeBatch(builder, loc, repeated, 1);
    groups *= size;
  }
  Value y = ConvOp::create(builder, loc, x, mergeBatch(builder, loc, w, 0),
                           getStrides(), getDilations(), groups);
  results.push_back(splitBatch(builder, loc, y, getType(), size, 1));
  return success();
}

} // namespace cellgrad
