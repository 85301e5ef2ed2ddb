//===- GraphCalls.cpp - control flow and ruled calls of functions ---------===//

#include "pyfront/native/Graph.h"
#include "pyfront/native/Types.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace cellgrad::python {

/// The truth of a Bool tensor without dimensions.
static Value truthOf(OpBuilder &builder, Location loc, Value condition) {
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  if (!type || type.getRank() != 0 || !type.getElementType().isInteger(1))
    throw GraphError("a condition must be a bool tensor without dimensions");
  return tensor::ExtractOp::create(builder, loc, condition, ValueRange());
}

std::vector<GraphValue> FunctionBuilder::branch(
    const GraphValue &condition, const std::string &thenCallee,
    const std::vector<GraphValue> &thenArgs, const std::string &elseCallee,
    const std::vector<GraphValue> &elseArgs,
    const std::optional<SourceLocation> &loc) {
  requireOpen();
  Location at = graph->location(loc);
  TypeRange types = lookup(thenCallee).getFunctionType().getResults();
  if (types != TypeRange(lookup(elseCallee).getFunctionType().getResults()))
    throw GraphError("the functions of a branch give different types");
  SmallVector<Value> given[] = {unwrap(thenArgs), unwrap(elseArgs)};
  Value truth = truthOf(builder, at, unwrap({condition})[0]);
  auto op = scf::IfOp::create(builder, at, types, truth, /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (unsigned i : {0u, 1u}) {
    builder.setInsertionPointToEnd(&op->getRegion(i).front());
    scf::YieldOp::create(
        builder, at, emitCall(i == 0 ? thenCallee : elseCallee, given[i], at));
  }
  return wrap(op.getResults());
}

std::vector<GraphValue> FunctionBuilder::loop(
    const std::string &test, const std::vector<GraphValue> &testCaptures,
    const std::string &body, const std::vector<GraphValue> &bodyCaptures,
    const std::vector<GraphValue> &initial,
    const std::optional<SourceLocation> &loc) {
  requireOpen();
  Location at = graph->location(loc);
  SmallVector<Value> inits = unwrap(initial);
  SmallVector<Value> captures[] = {unwrap(testCaptures), unwrap(bodyCaptures)};
  TypeRange types = ValueRange(inits).getTypes();
  if (types != TypeRange(lookup(body).getFunctionType().getResults()))
    throw GraphError("the body of a loop does not give what it carries");
  auto op = scf::WhileOp::create(builder, at, types, inits);
  SmallVector<Location> locs(inits.size(), at);
  OpBuilder::InsertionGuard guard(builder);
  for (unsigned i : {0u, 1u}) {
    Block *block = builder.createBlock(&op->getRegion(i), {}, types, locs);
    SmallVector<Value> args(block->getArguments());
    llvm::append_range(args, captures[i]);
    ValueRange results = emitCall(i == 0 ? test : body, args, at);
    if (i == 0)
      scf::ConditionOp::create(builder, at, truthOf(builder, at, results[0]),
                               block->getArguments());
    else
      scf::YieldOp::create(builder, at, results);
  }
  return wrap(op.getResults());
}

/// Checks a new op with a rule, and erases it if it is refused.
template <typename OpT> static void check(OpT op, MLIRContext *context) {
  DiagnosticText diagnostics(context);
  SymbolTableCollection symbols;
  if (succeeded(mlir::verify(op, /*verifyRecursively=*/false)) &&
      succeeded(op.verifySymbolUses(symbols)))
    return;
  op->erase();
  throw GraphError(diagnostics.text());
}

std::vector<GraphValue> FunctionBuilder::custom(
    const std::string &callee, const std::vector<GraphValue> &args,
    const std::vector<GraphValue> &captures, const std::string &rule,
    bool forward, const std::vector<GraphValue> &ruleCaptures,
    const std::optional<SourceLocation> &loc) {
  TypeRange types = lookup(callee).getFunctionType().getResults();
  auto name = FlatSymbolRefAttr::get(graph->context(), rule);
  auto op = CustomOp::create(
      builder, graph->location(loc), types,
      FlatSymbolRefAttr::get(graph->context(), callee), unwrap(args),
      unwrap(captures), forward ? FlatSymbolRefAttr() : name,
      forward ? name : FlatSymbolRefAttr(), unwrap(ruleCaptures));
  check(op, graph->context());
  return wrap(op.getResults());
}

std::vector<GraphValue>
FunctionBuilder::recompute(const std::string &callee,
                           const std::vector<GraphValue> &args,
                           const std::optional<SourceLocation> &loc) {
  TypeRange types = lookup(callee).getFunctionType().getResults();
  auto op = RecomputeOp::create(
      builder, graph->location(loc), types,
      FlatSymbolRefAttr::get(graph->context(), callee), unwrap(args));
  check(op, graph->context());
  return wrap(op.getResults());
}

bool FunctionBuilder::replace(const GraphValue &before,
                              const GraphValue &after) {
  requireOpen();
  Value from = unwrap({before})[0], to = unwrap({after})[0];
  if (from.getType() != to.getType())
    throw GraphError("a value is replaced by one of another type");
  Operation *op = to.getDefiningOp();
  if (op) {
    Operation *last = nullptr;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && (!last || last->isBeforeInBlock(def)))
        last = def;
    }
    Block *block = op->getBlock();
    bool first = true;
    for (Operation *user : from.getUsers()) {
      Operation *at = block->findAncestorOpInBlock(*user);
      if (at == op || op->isBeforeInBlock(at))
        continue;
      if (last && !last->isBeforeInBlock(at))
        return false;
      first = false;
    }
    if (!first && last)
      op->moveAfter(last);
    else if (!first)
      op->moveBefore(block, block->begin());
  }
  from.replaceAllUsesExcept(to, op);
  return true;
}

void FunctionBuilder::discard() {
  if (func->getBlock()) // not a second time
    graph->drop(func);
  finished = true;
}

} // namespace cellgrad::python
