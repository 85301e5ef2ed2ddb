//===- Batch.cpp - cell.vmap as code on the whole batch -------------------===//
//
// A branch on a condition that differs within the batch becomes both branches
// and a selection. A loop makes trips until no element needs another one;
// elements that are done keep their values. What is checked there holds for the
// elements that take the branch or make the trip.
//
//===----------------------------------------------------------------------===//

#include "passes/autodiff/ControlFlow.h"
#include "passes/autodiff/Expand.h"

#include "dialect/Refusal.h"
#include "dialect/Rules.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace cellgrad {

namespace {

/// `x` with dimension `from` moved to `to`.
Value moveDim(OpBuilder &builder, Location loc, Value x, int64_t from,
              int64_t to) {
  if (from == to)
    return x;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> perm;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != from)
      perm.push_back(i);
  perm.insert(perm.begin() + to, from);
  return TransposeOp::create(builder, loc, x, perm);
}

/// A callee value on the batch: with the batch as first dimension, or the same
/// for all. A scalar that varies is the tensor it was taken from.
struct Batched {
  Value value;
  bool varies = false;
};

class Batcher {
public:
  Batcher(OpBuilder &builder, int64_t size, SymbolTable &symbols)
      : builder(builder), size(size), symbols(symbols) {}

  void map(Value value, Batched batched) { values[value] = batched; }
  Batched lookup(Value value) const { return values.lookup(value); }

  /// Emits the ops of `block`, but not its terminator.
  LogicalResult batchBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      if (failed(batchOp(op)))
        return failure();
    return success();
  }

private:
  bool varies(Value value) const { return values.lookup(value).varies; }

  LogicalResult batchOp(Operation &op) {
    if (auto check = dyn_cast<CheckOp>(op); check && taking)
      return batchCheck(check);
    if (llvm::none_of(readValues(&op), [&](Value v) { return varies(v); }) &&
        !(taking && heedsTaking(op))) {
      IRMapping mapping;
      for (Value v : readValues(&op))
        mapping.map(v, values[v].value);
      bind(&op, builder.clone(op, mapping)->getResults(), false);
      return success();
    }
    if (auto choice = dyn_cast<scf::IfOp>(op))
      return varies(choice.getCondition()) ? batchSelection(choice)
                                           : batchIf(choice);
    if (isa<scf::ForOp, scf::WhileOp>(op))
      return batchLoop(op);
    if (auto extract = dyn_cast<tensor::ExtractOp>(op);
        extract && extract.getIndices().empty()) {
      values[extract] = values[extract.getTensor()];
      return success();
    }
    if (isa<CustomOp, RecomputeOp, VJPOp, JVPOp, VMapOp, func::CallOp>(op))
      return batchCall(op);
    auto batchable = dyn_cast<BatchableOpInterface>(op);
    if (!batchable)
      return refuse(&op)
             << "cannot be mapped over a batch: it has no batching rule";
    SmallVector<Value> operands, results;
    llvm::SmallBitVector which;
    for (Value operand : op.getOperands()) {
      operands.push_back(values[operand].value);
      which.push_back(varies(operand));
    }
    if (failed(batchable.buildBatched(builder, operands, which, size, results)))
      return failure();
    bind(&op, results, true);
    return success();
  }

  void bind(Operation *op, ValueRange results, bool vary) {
    for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
      values[result] = {value, vary};
  }

  /// Whether there are batches of values of `types`, which `op` takes or gives.
  static LogicalResult checkTypes(Operation *op, TypeRange types) {
    for (Type type : types)
      if (!isa<RankedTensorType, StashType>(type))
        return refuse(op) << "takes or gives a value of type " << type
                          << ", which cannot differ within a batch; make it a "
                             "tensor";
    return success();
  }

  /// The batch of a callee value.
  FailureOr<Value> lift(Value value) {
    Batched batched = values[value];
    if (batched.varies)
      return batched.value;
    if (auto empty = batched.value.getDefiningOp<StashEmptyOp>())
      return Value(StashEmptyOp::create(
          builder, value.getLoc(), batchOf(batched.value.getType(), size)));
    if (!isa<RankedTensorType>(value.getType()))
      return refuse(value.getLoc()) << "a value of type " << value.getType()
                                    << " cannot differ within a batch";
    return asBatch(builder, value.getLoc(), batched.value, false, size);
  }

  FailureOr<SmallVector<Value>> liftAll(ValueRange callee,
                                        const llvm::SmallBitVector &which) {
    SmallVector<Value> out;
    for (auto [i, value] : llvm::enumerate(callee)) {
      FailureOr<Value> lifted =
          which[i] ? lift(value) : FailureOr<Value>(values[value].value);
      if (failed(lifted))
        return failure();
      out.push_back(*lifted);
    }
    return out;
  }

  //===-- Calls with rules, transforms ------------------------------------===//

  /// A function that maps `name` over batches of all its arguments.
  FlatSymbolRefAttr mapped(Location loc, FlatSymbolRefAttr name) {
    auto func = symbols.lookup<func::FuncOp>(name.getValue());
    auto batches = [&](TypeRange types) {
      return llvm::map_to_vector(types,
                                 [&](Type t) { return batchOf(t, size); });
    };
    OpBuilder b(builder.getContext());
    auto made =
        func::FuncOp::create(loc, (name.getValue() + "_batch").str(),
                             b.getFunctionType(batches(func.getArgumentTypes()),
                                               batches(func.getResultTypes())));
    made.setPrivate();
    b.setInsertionPointToEnd(made.addEntryBlock());
    SmallVector<int64_t> in(func.getNumArguments(), 0),
        out(func.getNumResults(), 0);
    auto vmap = VMapOp::create(b, loc, made.getResultTypes(), name.getValue(),
                               made.getArguments(), in, out);
    func::ReturnOp::create(b, loc, vmap.getResults());
    return FlatSymbolRefAttr::get(symbols.insert(made));
  }

  /// Dimensions of one element as dimensions of the batch; -1 is none.
  static SmallVector<int64_t> behindBatch(ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims,
                               [](int64_t d) { return d < 0 ? d : d + 1; });
  }

  /// The same op over mapped functions: it keeps its rule, or is expanded
  /// later.
  LogicalResult batchCall(Operation &op) {
    if (failed(checkTypes(&op, op.getOperandTypes())) ||
        failed(checkTypes(&op, op.getResultTypes())))
      return failure();
    llvm::SmallBitVector all(op.getNumOperands(), true);
    FailureOr<SmallVector<Value>> operands = liftAll(op.getOperands(), all);
    if (failed(operands))
      return failure();
    Operation *copy = builder.clone(op);
    copy->setOperands(*operands);
    for (Value result : copy->getResults())
      result.setType(batchOf(result.getType(), size));
    auto remap = [&](StringRef attribute) {
      if (auto name = copy->getAttrOfType<FlatSymbolRefAttr>(attribute))
        copy->setAttr(attribute, mapped(op.getLoc(), name));
    };
    remap("callee");
    remap("vjp");
    remap("jvp");
    if (auto inner = dyn_cast<VMapOp>(copy)) {
      inner.setInDims(behindBatch(inner.getInDims()));
      inner.setOutDims(behindBatch(inner.getOutDims()));
    }
    bind(&op, copy->getResults(), true);
    return success();
  }

  //===-- Checks ----------------------------------------------------------===//

  /// Whether it matters to `op` which elements get to it: it checks something,
  /// or may not end for those that do not.
  static bool heedsTaking(Operation &op) {
    return op
        .walk([](Operation *inner) {
          return isa<CheckOp, scf::WhileOp>(inner) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// A check of those elements that get to it.
  LogicalResult batchCheck(CheckOp op) {
    FailureOr<Value> ok = lift(op.getOk());
    if (failed(ok))
      return failure();
    Location loc = op.getLoc();
    Value other = LogicalNotOp::create(builder, loc, taking);
    Value holds = LogicalOrOp::create(builder, loc, *ok,
                                      alike(loc, other, ok->getType()));
    CheckOp::create(builder, loc, holds, op.getMessage());
    return success();
  }

  /// `condition` of those elements that get to it.
  Value ofTaking(Location loc, Value condition) {
    return taking ? Value(LogicalAndOp::create(builder, loc, taking, condition))
                  : condition;
  }

  /// Only elements with `condition` get to what is emitted next.
  void narrow(Value condition) {
    taking = ofTaking(condition.getLoc(), condition);
  }

  /// One bool for each of the batch, for all elements of a tensor of `type`.
  Value alike(Location loc, Value bools, Type type) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> dims =
        llvm::to_vector(llvm::seq<int64_t>(1, tensor.getRank()));
    if (dims.empty())
      return bools;
    return BroadcastOp::create(builder, loc, tensor.clone(builder.getI1Type()),
                               bools, dims);
  }

  //===-- Branches --------------------------------------------------------===//

  /// A branch that all elements take together.
  LogicalResult batchIf(scf::IfOp op) {
    if (failed(checkTypes(op, op.getResultTypes())))
      return failure();
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(batchOf(type, size));
    auto copy = scf::IfOp::create(builder, op.getLoc(), types,
                                  values[op.getCondition()].value, true,
                                  !op.getElseRegion().empty());
    OpBuilder::InsertionGuard guard(builder);
    for (unsigned i : {0u, 1u}) {
      if (op->getRegion(i).empty())
        continue;
      Block &block = op->getRegion(i).front();
      builder.setInsertionPointToEnd(&copy->getRegion(i).front());
      if (failed(batchBlock(block)))
        return failure();
      llvm::SmallBitVector all(types.size(), true);
      auto results = liftAll(block.getTerminator()->getOperands(), all);
      if (failed(results))
        return failure();
      scf::YieldOp::create(builder, op.getLoc(), *results);
    }
    bind(op, copy.getResults(), true);
    return success();
  }

  /// Both branches, and a selection by element.
  LogicalResult batchSelection(scf::IfOp op) {
    Value condition = values[op.getCondition()].value;
    SmallVector<Value> sides[2];
    for (unsigned i : {0u, 1u}) {
      Region &region = op->getRegion(i);
      if (region.empty())
        continue;
      Value outer = taking;
      if (heedsTaking(*op))
        narrow(i == 0 ? condition
                      : LogicalNotOp::create(builder, op.getLoc(), condition));
      if (failed(batchBlock(region.front())))
        return failure();
      taking = outer;
      ValueRange yielded = region.front().getTerminator()->getOperands();
      llvm::SmallBitVector all(yielded.size(), true);
      auto results = liftAll(yielded, all);
      if (failed(results))
        return failure();
      sides[i] = *results;
    }
    SmallVector<Value> results;
    for (auto [a, b] : llvm::zip_equal(sides[0], sides[1]))
      results.push_back(select(op.getLoc(), condition, a, b));
    bind(op, results, true);
    return success();
  }

  /// Elements of `a` where `condition`, one bool for each of the batch, holds.
  Value select(Location loc, Value condition, Value a, Value b) {
    return SelectOp::create(builder, loc, alike(loc, condition, a.getType()), a,
                            b);
  }

  //===-- Loops -----------------------------------------------------------===//

  /// Adds to `varying` what varies in `block` because something else does.
  void spread(Block &block, llvm::DenseSet<Value> &varying) {
    auto vary = [&](Value v) { return varies(v) || varying.contains(v); };
    for (Operation &op : block.without_terminator())
      if (llvm::any_of(readValues(&op), vary))
        for (Value result : op.getResults())
          varying.insert(result);
  }

  /// Which carried values differ within the batch in some trip.
  llvm::SmallBitVector findVarying(Loop loop, bool &endVaries) {
    llvm::SmallBitVector which(loop.inits().size());
    for (auto [i, init] : llvm::enumerate(loop.inits()))
      which[i] = varies(init);
    Block &body = loop.body().front();
    auto whileOp = dyn_cast<scf::WhileOp>(loop.op);
    for (bool changed = true; changed;) {
      changed = false;
      llvm::DenseSet<Value> varying;
      for (unsigned i : which.set_bits()) {
        varying.insert(body.getArgument(loop.leading() + i));
        if (whileOp)
          varying.insert(whileOp.getBeforeArguments()[i]);
      }
      auto vary = [&](Value v) { return varies(v) || varying.contains(v); };
      spread(body, varying);
      if (whileOp) {
        spread(*whileOp.getBeforeBody(), varying);
        endVaries = vary(whileOp.getConditionOp().getCondition());
      }
      for (auto [i, next] :
           llvm::enumerate(body.getTerminator()->getOperands()))
        if (!which[i] && (endVaries || vary(next)))
          changed = which[i] = true;
    }
    return which;
  }

  LogicalResult batchLoop(Operation &op) {
    FailureOr<Loop> matched = Loop::match(&op);
    if (failed(matched))
      return failure();
    Loop loop = *matched;
    bool endVaries = false;
    llvm::SmallBitVector which = findVarying(loop, endVaries);
    if (endVaries)
      for (Value init : loop.inits())
        if (!isa<RankedTensorType>(init.getType()))
          return refuse(&op)
                 << "makes a different number of trips for each element of a "
                    "batch, so it cannot carry a value of type "
                 << init.getType() << "; carry a tensor instead";
    FailureOr<SmallVector<Value>> inits = liftAll(loop.inits(), which);
    if (failed(inits))
      return failure();
    return loop.asFor() ? batchFor(loop, which, *inits)
                        : batchWhile(loop, which, *inits, endVaries);
  }

  void bindCarried(ValueRange names, ValueRange given,
                   const llvm::SmallBitVector &which) {
    for (auto [i, name] : llvm::enumerate(names))
      values[name] = {given[i], which[i]};
  }

  LogicalResult batchFor(Loop loop, const llvm::SmallBitVector &which,
                         ValueRange inits) {
    scf::ForOp op = loop.asFor();
    auto copy = scf::ForOp::create(
        builder, op.getLoc(), values[op.getLowerBound()].value,
        values[op.getUpperBound()].value, values[op.getStep()].value, inits);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(copy.getBody());
    values[op.getInductionVar()] = {copy.getInductionVar(), false};
    bindCarried(op.getRegionIterArgs(), copy.getRegionIterArgs(), which);
    if (failed(batchBlock(*op.getBody())))
      return failure();
    auto next = liftAll(op.getBody()->getTerminator()->getOperands(), which);
    if (failed(next))
      return failure();
    scf::YieldOp::create(builder, op.getLoc(), *next);
    bindCarried(op.getResults(), copy.getResults(), which);
    return success();
  }

  /// The condition of `op` for what its arguments are bound to.
  FailureOr<Value> condition(scf::WhileOp op, ValueRange carried,
                             const llvm::SmallBitVector &which) {
    bindCarried(op.getBeforeArguments(), carried, which);
    if (failed(batchBlock(*op.getBeforeBody())))
      return failure();
    return values[op.getConditionOp().getCondition()].value;
  }

  LogicalResult batchWhile(Loop loop, const llvm::SmallBitVector &which,
                           ValueRange inits, bool endVaries) {
    auto op = cast<scf::WhileOp>(loop.op);
    Location loc = op.getLoc();
    TypeRange types = inits.getTypes();
    SmallVector<Location> locs(inits.size(), loc);
    auto copy = scf::WhileOp::create(builder, loc, types, inits);
    OpBuilder::InsertionGuard guard(builder);

    Block *before = builder.createBlock(&copy.getBefore(), {}, types, locs);
    FailureOr<Value> going = condition(op, before->getArguments(), which);
    if (failed(going))
      return failure();
    Value another = *going;
    if (endVaries)
      another = anyOf(loc, ofTaking(loc, another));
    else if (taking)
      another =
          arith::AndIOp::create(builder, loc, another, anyOf(loc, taking));
    scf::ConditionOp::create(builder, loc, another, before->getArguments());

    Block *after = builder.createBlock(&copy.getAfter(), {}, types, locs);
    Value active;
    if (endVaries) {
      going = condition(op, after->getArguments(), which);
      if (failed(going))
        return failure();
      active = ofTaking(loc, *going);
    }
    bindCarried(op.getAfterArguments(), after->getArguments(), which);
    Value outer = taking;
    if (active)
      taking = active;
    if (failed(batchBlock(*op.getAfterBody())))
      return failure();
    taking = outer;
    auto next = liftAll(op.getYieldOp()->getOperands(), which);
    if (failed(next))
      return failure();
    if (active)
      for (auto [value, old] : llvm::zip_equal(*next, after->getArguments()))
        value = select(loc, active, value, old);
    scf::YieldOp::create(builder, loc, *next);
    bindCarried(op.getResults(), copy.getResults(), which);
    return success();
  }

  /// Whether one of the bools holds.
  Value anyOf(Location loc, Value bools) {
    Type i32 = builder.getI32Type();
    auto type = cast<RankedTensorType>(bools.getType());
    Value ints = CastOp::create(builder, loc, type.clone(i32), bools);
    Value most = ReduceMaxOp::create(builder, loc, ints, ArrayRef<int64_t>{0});
    Value any = CastOp::create(
        builder, loc, RankedTensorType::get({}, builder.getI1Type()), most);
    return tensor::ExtractOp::create(builder, loc, any, ValueRange());
  }

  OpBuilder &builder;
  int64_t size;
  SymbolTable &symbols;
  llvm::DenseMap<Value, Batched> values;
  /// Which elements of the batch get to what is emitted; null for all.
  Value taking;
};

} // namespace

LogicalResult expandVMap(VMapOp op, func::FuncOp callee, SymbolTable &symbols) {
  OpBuilder builder(op);
  Batcher batcher(builder, op.getBatchSize(), symbols);
  Block &body = callee.getBody().front();
  for (auto [i, arg] : llvm::enumerate(op.getArgs())) {
    int64_t dim = op.getInDims()[i];
    Value first = dim < 0 ? arg : moveDim(builder, op.getLoc(), arg, dim, 0);
    batcher.map(body.getArgument(i), {first, dim >= 0});
  }
  if (failed(batcher.batchBlock(body)))
    return failure();

  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Batched batched = batcher.lookup(value);
    int64_t dim = op.getOutDims()[i];
    if (dim < 0 && batched.varies)
      return op.emitOpError("has no out dimension for result ")
             << i << ", which depends on an argument that is mapped";
    if (dim < 0)
      results.push_back(batched.value);
    else if (batched.varies)
      results.push_back(moveDim(builder, op.getLoc(), batched.value, 0, dim));
    else
      results.push_back(BroadcastOp::create(
          builder, op.getLoc(), op.getResult(i).getType(), batched.value, dim));
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

} // namespace cellgrad
