//===- FlatMemory.cpp - flat, constant-stride memory accesses -------------===//

#include "passes/lower/buffers/FlatMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace cellgrad {

std::pair<Value, FlatIndex> FlatMemory::flatten(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  FlatIndex start;
  if (ShapedType::isDynamic(offset)) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    start.var = metadata.getOffset();
  } else {
    start.constant = offset;
  }
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element);
      integer && (integer.getWidth() == 1 || !integer.isSignless())) {
    element = b.getIntegerType(std::max(8u, integer.getWidth()));
    type = MemRefType::get(type.getShape(), element, type.getLayout(),
                           type.getMemorySpace());
    memref =
        UnrealizedConversionCastOp::create(b, loc, type, memref).getResult(0);
  }
  if (type.getRank() == 1 && type.getLayout().isIdentity())
    return {memref, start};
  // A dimension that runs backwards ends where it starts.
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    extent = size == 0 ? 0 : extent + (size - 1) * std::max<int64_t>(stride, 0);
  extent += start.constant;
  auto flatType = MemRefType::get(
      {extent}, element, MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value flat = memref::ReinterpretCastOp::create(
      b, loc, flatType, memref, /*offset=*/0, ArrayRef<int64_t>(extent),
      ArrayRef<int64_t>(1));
  return {flat, start};
}

FlatMemory::FlatMemory(OpBuilder &b, Location loc) : b(b), loc(loc) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  lastConstant = zero.getDefiningOp();
  constants[b.getIndexAttr(0)] = zero;
}

Value FlatMemory::constant(TypedAttr value) {
  Value &known = constants[value];
  if (known)
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(lastConstant);
  lastConstant = arith::ConstantOp::create(b, loc, value);
  return known = lastConstant->getResult(0);
}

Value FlatMemory::constant(int64_t value) {
  return constant(b.getIndexAttr(value));
}

FlatIndex FlatMemory::advance(FlatIndex index, FlatIndex iv, int64_t stride) {
  index.constant += iv.constant * stride;
  if (stride == 0 || !iv.var)
    return index;
  Value step = iv.var;
  if (stride != 1)
    step = arith::MulIOp::create(b, loc, step, constant(stride));
  index.var = index.var ? arith::AddIOp::create(b, loc, index.var, step) : step;
  return index;
}

Value FlatMemory::materialize(FlatIndex index) {
  if (!index.var)
    return constant(index.constant);
  if (index.constant == 0)
    return index.var;
  return arith::AddIOp::create(b, loc, index.var, constant(index.constant));
}

Value FlatMemory::fromStorage(Type type, Value value) {
  if (!type.isInteger(1))
    return value;
  Value zero = constant(b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

Value FlatMemory::toStorage(Value flat, Value value) {
  if (!getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  Type type = cast<MemRefType>(flat.getType()).getElementType();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return arith::ExtUIOp::create(b, loc, type, value);
}

Value FlatMemory::loadScalar(Type type, Value flat, FlatIndex index) {
  return fromStorage(type,
                     memref::LoadOp::create(b, loc, flat, materialize(index)));
}

void FlatMemory::storeScalar(Value value, Value flat, FlatIndex index) {
  memref::StoreOp::create(b, loc, toStorage(flat, value), flat,
                          materialize(index));
}

Value FlatMemory::mask(int64_t lanes, int64_t active) {
  SmallVector<bool> bits(lanes, false);
  std::fill_n(bits.begin(), active, true);
  auto type = VectorType::get(lanes, b.getI1Type());
  return constant(DenseElementsAttr::get(type, bits));
}

Value FlatMemory::broadcast(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(
      b, loc, VectorType::get(lanes, scalar.getType()), scalar);
}

Value FlatMemory::laneOffsets(int64_t lanes, int64_t stride) {
  // Targets gather faster with narrow offsets.
  bool narrow = llvm::isInt<32>((lanes - 1) * stride);
  Type element = narrow ? b.getI32Type() : b.getI64Type();
  SmallVector<Attribute> offsets;
  for (int64_t lane = 0; lane < lanes; ++lane)
    offsets.push_back(b.getIntegerAttr(element, lane * stride));
  return constant(
      DenseElementsAttr::get(VectorType::get(lanes, element), offsets));
}

/// The elements up to `index`, the last one first.
Value FlatMemory::loadBackwards(Value flat, FlatIndex index, int64_t lanes,
                                int64_t active) {
  Type type = cast<MemRefType>(flat.getType()).getElementType();
  Value loaded =
      loadVector(type, flat, index.plus(1 - active), 1, lanes, active);
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    order.push_back(lane < active ? active - 1 - lane : lane);
  return vector::ShuffleOp::create(b, loc, loaded, loaded, order);
}

Value FlatMemory::gather(Type type, Value flat, FlatIndex index, Value offsets,
                         int64_t active) {
  auto flatType = cast<MemRefType>(flat.getType());
  auto offsetType = cast<VectorType>(offsets.getType());
  int64_t lanes = offsetType.getNumElements();
  // Targets gather faster with narrow offsets.
  if (llvm::isInt<32>(flatType.getNumElements()))
    offsets = arith::IndexCastOp::create(
        b, loc, VectorType::get(lanes, b.getI32Type()), offsets);
  auto vectorType = VectorType::get(lanes, flatType.getElementType());
  Value loaded = vector::GatherOp::create(
      b, loc, vectorType, flat, materialize(index), offsets,
      mask(lanes, active), constant(b.getZeroAttr(vectorType)));
  return fromStorage(type, loaded);
}

Value FlatMemory::loadShuffled(Value flat, FlatIndex index, int64_t stride,
                               int64_t lanes, int64_t active) {
  Type type = cast<MemRefType>(flat.getType()).getElementType();
  int64_t span = (active - 1) * stride + 1;
  // The last vector ends with the last element, so nothing is read beyond it.
  SmallVector<int64_t> starts{0};
  while (starts.back() + lanes < span)
    starts.push_back(std::min(starts.back() + lanes, span - lanes));
  Value picked;
  int64_t placed = 0; // lanes that `picked` has where they belong
  for (int64_t start : starts) {
    Value part = loadVector(type, flat, index.plus(start), 1, lanes,
                            std::min(span, lanes));
    if (!picked) {
      picked = part;
      continue;
    }
    SmallVector<int64_t> order;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t element = lane * stride;
      if (lane < placed)
        order.push_back(lane);
      else if (placed == 0 && element < lanes)
        order.push_back(element);
      else
        order.push_back(lanes +
                        std::clamp<int64_t>(element - start, 0, lanes - 1));
    }
    picked = vector::ShuffleOp::create(b, loc, picked, part, order);
    placed = std::min(lanes, (start + lanes - 1) / stride + 1);
  }
  if (active == lanes)
    return picked;
  SmallVector<int64_t> order(lanes, lanes); // zero
  for (int64_t lane = 0; lane < active; ++lane)
    order[lane] = placed == 0 ? lane * stride : lane;
  Value zero = constant(b.getZeroAttr(cast<VectorType>(picked.getType())));
  return vector::ShuffleOp::create(b, loc, picked, zero, order);
}

Value FlatMemory::loadVector(Type type, Value flat, FlatIndex index,
                             int64_t stride, int64_t lanes, int64_t active,
                             int64_t alignment) {
  if (stride == 0)
    return broadcast(loadScalar(type, flat, index), lanes);
  if (stride == -1)
    return fromStorage(type, loadBackwards(flat, index, lanes, active));
  auto vectorType =
      VectorType::get(lanes, cast<MemRefType>(flat.getType()).getElementType());
  Value position = materialize(index);
  Value loaded;
  if (stride == 1 && active == lanes) {
    loaded = vector::LoadOp::create(b, loc, vectorType, flat, position,
                                    /*nontemporal=*/false,
                                    llvm::MaybeAlign(alignment));
  } else {
    Value zero = constant(b.getZeroAttr(vectorType));
    Value enabled = mask(lanes, active);
    if (stride == 1)
      loaded = vector::MaskedLoadOp::create(b, loc, vectorType, flat, position,
                                            enabled, zero);
    else if (stride >= 2 && stride <= kWidestShuffled)
      loaded = loadShuffled(flat, index, stride, lanes, active);
    else
      loaded =
          vector::GatherOp::create(b, loc, vectorType, flat, position,
                                   laneOffsets(lanes, stride), enabled, zero);
  }
  return fromStorage(type, loaded);
}

void FlatMemory::storeVector(Value value, Value flat, FlatIndex index,
                             int64_t stride, int64_t active,
                             int64_t alignment) {
  value = toStorage(flat, value);
  int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
  Value position = materialize(index);
  if (stride == 1 && active == lanes)
    vector::StoreOp::create(b, loc, value, flat, position,
                            /*nontemporal=*/false, llvm::MaybeAlign(alignment));
  else if (stride == 1)
    vector::MaskedStoreOp::create(b, loc, flat, position, mask(lanes, active),
                                  value);
  else
    vector::ScatterOp::create(b, loc, /*result=*/Type(), flat, position,
                              laneOffsets(lanes, stride), mask(lanes, active),
                              value);
}

} // namespace cellgrad
