//===- BodyIndices.cpp - computed positions in the body of a nest ---------===//

#include "passes/lower/buffers/BodyIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cellgrad;

SmallVector<memref::LoadOp> cellgrad::bodyLoads(linalg::GenericOp op) {
  return llvm::to_vector(op.getBody()->getOps<memref::LoadOp>());
}

BodyIndices::BodyIndices(const LoopNest &nest, std::optional<unsigned> dim)
    : nest(&nest), dim(dim) {
  linalg::GenericOp op = nest.op;
  SmallVector<Operation *> stack;
  auto add = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == op.getBody() && isUniform(value) &&
        scalars.insert(def).second)
      stack.push_back(def);
  };
  for (memref::LoadOp load : bodyLoads(op))
    llvm::for_each(load.getIndices(), add);
  while (!stack.empty())
    llvm::for_each(stack.pop_back_val()->getOperands(), add);
}

bool BodyIndices::isLane(Value value) const {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return dim && index && nest->dimOfLoop[index.getDim()] == *dim;
}

bool BodyIndices::isUniform(Value value) const {
  auto known = uniform.find(value);
  if (known == uniform.end())
    known = uniform.insert({value, computeUniform(value)}).first;
  return known->second;
}

bool BodyIndices::computeUniform(Value value) const {
  if (!dim)
    return true;
  linalg::GenericOp op = nest->op;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner() != op.getBody())
      return true;
    unsigned i = arg.getArgNumber();
    return i < nest->inputs.size() && nest->inputs[i].strides[*dim] == 0;
  }
  Operation *def = value.getDefiningOp();
  if (def->getBlock() != op.getBody())
    return true;
  return !isLane(value) && llvm::all_of(def->getOperands(), [&](Value operand) {
    return isUniform(operand);
  });
}

bool BodyIndices::isWideIndex(linalg::IndexOp index) const {
  return llvm::any_of(index->getUsers(), [&](Operation *user) {
    if (auto load = dyn_cast<memref::LoadOp>(user))
      return !stride(load);
    return !isScalar(user) && !isa<arith::IndexCastOp>(user);
  });
}

bool BodyIndices::isScalarInput(unsigned input) const {
  linalg::GenericOp op = nest->op;
  BlockArgument arg = op.getBody()->getArgument(input);
  return !arg.use_empty() && llvm::all_of(arg.getUsers(), [&](Operation *user) {
    return isScalar(user);
  });
}

std::optional<int64_t> BodyIndices::stride(memref::LoadOp load) const {
  SmallVector<int64_t> strides;
  int64_t offset, total = 0;
  (void)load.getMemRefType().getStridesAndOffset(strides, offset);
  for (auto [index, stride] : llvm::zip_equal(load.getIndices(), strides)) {
    if (isLane(index))
      total += stride;
    else if (!isUniform(index))
      return std::nullopt;
  }
  return total;
}
