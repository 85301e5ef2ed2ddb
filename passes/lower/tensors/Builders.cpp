//===- Builders.cpp - pieces of linalg that many lowerings are made of ----===//

#include "passes/lower/tensors/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

Value cellgrad::emptyTensor(OpBuilder &builder, Location loc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor::EmptyOp::create(builder, loc, tensor.getShape(),
                                 tensor.getElementType());
}

Value cellgrad::filledTensor(OpBuilder &builder, Location loc, Type type,
                             TypedAttr value) {
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  Value empty = emptyTensor(builder, loc, type);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Type cellgrad::accumulatorType(Type type) {
  if (isa<Float16Type, BFloat16Type>(type))
    return Float32Type::get(type.getContext());
  return type;
}

Value cellgrad::clampedIndex(OpBuilder &builder, Location loc, Value index,
                             int64_t size) {
  Type type = index.getType();
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  // A dimension that the type cannot count to the end of has no upper bound.
  if (llvm::isIntN(type.getIntOrFloatBitWidth(), size - 1))
    index = arith::MinSIOp::create(builder, loc, index, constant(size - 1));
  index = arith::MaxSIOp::create(builder, loc, index, constant(0));
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    index);
}

Value cellgrad::collapseGroups(OpBuilder &builder, Location loc, Value x,
                               ArrayRef<int64_t> groups) {
  SmallVector<ReassociationIndices> dims;
  int64_t next = 0;
  for (int64_t size : groups) {
    if (size > 0)
      dims.emplace_back(llvm::to_vector(llvm::seq(next, next + size)));
    next += size;
  }
  if (static_cast<int64_t>(dims.size()) == next)
    return x;
  return tensor::CollapseShapeOp::create(builder, loc, x, dims);
}

Value cellgrad::expandGroups(OpBuilder &builder, Location loc, Value x,
                             RankedTensorType type, ArrayRef<int64_t> groups) {
  SmallVector<ReassociationIndices> dims;
  int64_t next = 0;
  for (int64_t size : groups) {
    if (size > 0)
      dims.emplace_back(llvm::to_vector(llvm::seq(next, next + size)));
    next += size;
  }
  if (x.getType() == type)
    return x;
  return tensor::ExpandShapeOp::create(builder, loc, type, x, dims);
}

RankedTensorType cellgrad::withRows(RankedTensorType row, int64_t count) {
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, row.getShape());
  return RankedTensorType::get(shape, row.getElementType());
}

namespace {
/// Offsets, sizes and strides of one row.
struct RowSlice {
  RowSlice(OpBuilder &builder, RankedTensorType row, Value position)
      : offsets(row.getRank() + 1, builder.getIndexAttr(0)),
        sizes{builder.getIndexAttr(1)},
        strides(row.getRank() + 1, builder.getIndexAttr(1)) {
    offsets[0] = position;
    for (int64_t size : row.getShape())
      sizes.push_back(builder.getIndexAttr(size));
  }
  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

Value cellgrad::readRow(OpBuilder &builder, Location loc, Value tensor,
                        RankedTensorType row, Value position) {
  RowSlice at(builder, row, position);
  return tensor::ExtractSliceOp::create(builder, loc, row, tensor, at.offsets,
                                        at.sizes, at.strides);
}

Value cellgrad::writeRow(OpBuilder &builder, Location loc, Value row,
                         Value tensor, Value position) {
  RowSlice at(builder, cast<RankedTensorType>(row.getType()), position);
  return tensor::InsertSliceOp::create(builder, loc, row, tensor, at.offsets,
                                       at.sizes, at.strides);
}
