//===- ControlFlow.cpp - branches and bodies as functions -----------------===//

#include "passes/autodiff/ControlFlow.h"

#include "dialect/CellDialect.h"
#include "dialect/Refusal.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace cellgrad {

bool isControlFlow(Operation *op) {
  return isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op);
}

llvm::SetVector<Value> capturedValues(Operation *op) {
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

SmallVector<Value> readValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions() != 0)
    llvm::append_range(values, capturedValues(op));
  return values;
}

LogicalResult refuseDerivative(Operation *op) {
  InFlightDiagnostic diagnostic =
      refuse(op) << "cannot be differentiated: it has no derivative rule";
  if (op->getNumRegions() != 0)
    diagnostic << "; branches that have one are scf.if, loops scf.for and "
                  "scf.while";
  return diagnostic;
}

OwningOpRef<func::FuncOp> outline(Region &region,
                                  const llvm::SetVector<Value> &captured) {
  Block &block = region.front();
  Location loc = region.getLoc();
  OpBuilder builder(region.getContext());
  SmallVector<Type> inputs(block.getArgumentTypes());
  SmallVector<Location> locs;
  for (BlockArgument arg : block.getArguments())
    locs.push_back(arg.getLoc());
  for (Value v : captured) {
    inputs.push_back(v.getType());
    locs.push_back(v.getLoc());
  }
  OwningOpRef<func::FuncOp> func = func::FuncOp::create(
      loc, "outlined",
      builder.getFunctionType(inputs,
                              block.getTerminator()->getOperandTypes()));
  Block *body = builder.createBlock(&func->getBody(), {}, inputs, locs);
  IRMapping map;
  map.map(block.getArguments(),
          body->getArguments().take_front(block.getNumArguments()));
  for (auto [value, arg] : llvm::zip_equal(
           captured,
           body->getArguments().drop_front(block.getNumArguments()))) {
    // A known value stays known.
    Operation *def = value.getDefiningOp();
    if (def && matchPattern(value, m_Constant()))
      map.map(value, builder.clone(*def)->getResult(0));
    else
      map.map(value, arg);
  }
  for (Operation &op : block.without_terminator())
    builder.clone(op, map);
  SmallVector<Value> results;
  for (Value v : block.getTerminator()->getOperands())
    results.push_back(map.lookupOrDefault(v));
  func::ReturnOp::create(builder, block.getTerminator()->getLoc(), results);
  return func;
}

void dropEffects(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (isa<CheckOp, PrintOp>(op))
      op->erase();
  });
}

FailureOr<Loop> Loop::match(Operation *op) {
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (!loop)
    return Loop{op};
  if (!llvm::equal(loop.getConditionOp().getArgs(), loop.getBeforeArguments()))
    return refuse(op) << "cannot be differentiated in this form: its condition "
                         "must pass the carried values on unchanged; move the "
                         "computation to the body";
  return Loop{op};
}

ValueRange Loop::inits() const {
  if (auto loop = asFor())
    return loop.getInitArgs();
  return cast<scf::WhileOp>(op).getInits();
}

Region &Loop::body() const {
  if (auto loop = asFor())
    return loop.getRegion();
  return cast<scf::WhileOp>(op).getAfter();
}

Operation *Loop::rebuild(
    OpBuilder &builder, ValueRange moreInits,
    llvm::function_ref<FailureOr<SmallVector<Value>>(OpBuilder &, ValueRange)>
        emitBody) const {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op->getLoc();
  SmallVector<Value> carried(inits());
  llvm::append_range(carried, moreInits);
  TypeRange types = ValueRange(carried).getTypes();
  SmallVector<Location> locs(carried.size(), loc);

  Operation *result;
  Block *body;
  if (auto loop = asFor()) {
    auto copy =
        scf::ForOp::create(builder, loc, loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), carried);
    result = copy;
    body = copy.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
  } else {
    auto old = cast<scf::WhileOp>(op);
    auto copy = scf::WhileOp::create(builder, loc, types, carried);
    result = copy;
    Block *before = builder.createBlock(&copy.getBefore(), {}, types, locs);
    IRMapping map;
    map.map(old.getBeforeArguments(),
            before->getArguments().take_front(inits().size()));
    for (Operation &inner : old.getBeforeBody()->without_terminator())
      builder.clone(inner, map);
    scf::ConditionOp::create(
        builder, old.getConditionOp().getLoc(),
        map.lookupOrDefault(old.getConditionOp().getCondition()),
        before->getArguments());
    body = builder.createBlock(&copy.getAfter(), {}, types, locs);
  }
  builder.setInsertionPointToEnd(body);
  FailureOr<SmallVector<Value>> next = emitBody(builder, body->getArguments());
  if (failed(next)) {
    result->erase();
    return nullptr;
  }
  scf::YieldOp::create(builder, loc, *next);
  return result;
}

} // namespace cellgrad
