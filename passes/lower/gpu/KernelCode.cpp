//===- KernelCode.cpp - ops of an entry as the code of a kernel -----------===//

#include "passes/lower/gpu/KernelCode.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cellgrad;

bool cellgrad::isFloating(Operation *op) {
  return op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
         isMemoryEffectFree(op);
}

Type cellgrad::typeInMemory(Type type) {
  return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type;
}

Value cellgrad::loadValue(OpBuilder &b, Location loc, Value buffer, Type type) {
  Value value = memref::LoadOp::create(b, loc, buffer);
  return type.isIndex() ? arith::IndexCastOp::create(b, loc, type, value)
                        : value;
}

void cellgrad::storeValue(OpBuilder &b, Location loc, Value value,
                          Value buffer) {
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  memref::StoreOp::create(b, loc, value, buffer);
}

FailureOr<Value> KernelCode::resolve(Value value) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (Value buffer = spilled.lookup(value)) {
    FailureOr<Value> from = resolve(buffer);
    if (failed(from))
      return failure();
    Value loaded = loadValue(b, value.getLoc(), *from, value.getType());
    map.map(value, loaded);
    return loaded;
  }
  if (op && (isFloating(op) || own.contains(op))) {
    for (Value operand : op->getOperands())
      if (failed(resolve(operand)))
        return failure();
    b.clone(*op, map);
    return map.lookup(value);
  }
  Type type = value.getType();
  auto memref = dyn_cast<MemRefType>(type);
  bool passes = memref
                    ? memref.hasStaticShape() && memref.getLayout().isIdentity()
                    : type.isIntOrIndexOrFloat();
  if (!passes) {
    InFlightDiagnostic error =
        op ? refuse(op, Blame::Form) : refuse(func, Blame::Form);
    error << "is used by a kernel, which cannot take a value of type " << type;
    return failure();
  }
  Value argument = func.getBody().front().addArgument(type, value.getLoc());
  map.map(value, argument);
  operands.push_back(value);
  return argument;
}

LogicalResult KernelCode::resolveUses(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, used);
  for (Value value : used)
    if (failed(resolve(value)))
      return failure();
  return success();
}

LogicalResult KernelCode::copy(Operation *op) {
  if (failed(resolveUses(op)))
    return failure();
  b.clone(*op, map);
  return success();
}

LogicalResult KernelCode::copyBlocks(scf::ForallOp loop) {
  auto blocks = scf::ForallOp::create(
      b, loop.getLoc(), loop.getMixedLowerBound(), loop.getMixedUpperBound(),
      loop.getMixedStep(), ValueRange(), std::nullopt);
  map.map(loop.getInductionVars(), blocks.getInductionVars());
  b.setInsertionPoint(blocks.getTerminator());
  if (failed(resolveUses(loop)))
    return failure();
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, map);
  b.setInsertionPointAfter(blocks);
  return success();
}
