//===- Interpreter.cpp - evaluates cell functions directly ----------------===//

#include "tools/interp/Interpreter.h"

#include "dialect/CollectiveOps.h"
#include "dialect/Kernels.h"
#include "tools/interp/Kernels.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace cellgrad::interp {

namespace {

class Interpreter {
public:
  Interpreter(raw_ostream &printed, Latitude latitude, Member member)
      : printed(printed), latitude(latitude), member(member) {}

  FailureOr<SmallVector<Tensor>> call(func::FuncOp func, ArrayRef<Tensor> args);

private:
  using Environment = llvm::DenseMap<Value, Tensor>;

  LogicalResult run(Operation *op, Environment &values);
  /// The values that the terminator of `block` hands on.
  FailureOr<SmallVector<Tensor>> runBlock(Block &block, Environment &values);
  LogicalResult runCall(Operation *op, SymbolRefAttr callee,
                        Environment &values);
  LogicalResult runIf(scf::IfOp op, Environment &values);
  LogicalResult runFor(scf::ForOp op, Environment &values);
  LogicalResult runWhile(scf::WhileOp op, Environment &values);
  LogicalResult runCheck(CheckOp check, const Tensor &ok);
  LogicalResult runCollective(Operation *op, Operands args,
                              Environment &values);
  FailureOr<SmallVector<Tensor>> evaluateOp(Operation *op, Operands args);
  FailureOr<Tensor> evaluateElementwise(Operation *op, Operands args);
  void print(PrintOp op, Operands args);

  raw_ostream &printed;
  Latitude latitude;
  Member member;
  SmallVector<func::FuncOp> stack;
};

} // namespace

FailureOr<SmallVector<Tensor>> Interpreter::call(func::FuncOp func,
                                                 ArrayRef<Tensor> args) {
  if (func.isExternal())
    return func.emitOpError("has no body to interpret");
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("has several blocks; the interpreter takes "
                            "structured control flow only");
  if (args.size() != func.getNumArguments())
    return func.emitOpError("takes ")
           << func.getNumArguments() << " arguments, but " << args.size()
           << " are given";
  Block &body = func.getBody().front();
  Environment values;
  for (auto [i, arg] : llvm::enumerate(args)) {
    if (arg.getType() != func.getArgumentTypes()[i])
      return func.emitOpError("takes ")
             << func.getArgumentTypes()[i] << " as argument " << i << ", but "
             << arg.getType() << " is given";
    values[body.getArgument(i)] = arg;
  }

  if (!isa<func::ReturnOp>(body.getTerminator()))
    return body.getTerminator()->emitOpError("cannot be interpreted");
  stack.push_back(func);
  FailureOr<SmallVector<Tensor>> results = runBlock(body, values);
  stack.pop_back();
  return results;
}

/// The values of `operands`.
static SmallVector<Tensor> lookUp(ValueRange operands,
                                  const llvm::DenseMap<Value, Tensor> &values) {
  return llvm::map_to_vector(operands,
                             [&](Value v) { return values.lookup(v); });
}

static void bindValues(ValueRange names, ArrayRef<Tensor> given,
                       llvm::DenseMap<Value, Tensor> &values) {
  for (auto [name, value] : llvm::zip_equal(names, given))
    values[name] = value;
}

FailureOr<SmallVector<Tensor>> Interpreter::runBlock(Block &block,
                                                     Environment &values) {
  for (Operation &op : block.without_terminator())
    if (failed(run(&op, values)))
      return failure();
  return lookUp(block.getTerminator()->getOperands(), values);
}

LogicalResult Interpreter::runIf(scf::IfOp op, Environment &values) {
  bool truth = values.lookup(op.getCondition()).getInt(0);
  Region &region = truth ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  FailureOr<SmallVector<Tensor>> results = runBlock(region.front(), values);
  if (failed(results))
    return failure();
  bindValues(op.getResults(), *results, values);
  return success();
}

LogicalResult Interpreter::runFor(scf::ForOp op, Environment &values) {
  int64_t step = values.lookup(op.getStep()).getInt(0);
  if (step <= 0)
    return op.emitOpError("has a step of ")
           << step << ", which is not positive";
  Tensor at = values.lookup(op.getLowerBound());
  int64_t end = values.lookup(op.getUpperBound()).getInt(0);
  SmallVector<Tensor> carried = lookUp(op.getInitArgs(), values);
  for (; at.getInt(0) < end; at.setInt(0, at.getInt(0) + step)) {
    values[op.getInductionVar()] = at;
    bindValues(op.getRegionIterArgs(), carried, values);
    FailureOr<SmallVector<Tensor>> next = runBlock(*op.getBody(), values);
    if (failed(next))
      return failure();
    carried = std::move(*next);
  }
  bindValues(op.getResults(), carried, values);
  return success();
}

LogicalResult Interpreter::runWhile(scf::WhileOp op, Environment &values) {
  SmallVector<Tensor> carried = lookUp(op.getInits(), values);
  while (true) {
    bindValues(op.getBeforeArguments(), carried, values);
    FailureOr<SmallVector<Tensor>> handed =
        runBlock(*op.getBeforeBody(), values);
    if (failed(handed))
      return failure();
    ArrayRef<Tensor> forwarded = ArrayRef(*handed).drop_front();
    if (!(*handed)[0].getInt(0)) {
      bindValues(op.getResults(), forwarded, values);
      return success();
    }
    bindValues(op.getAfterArguments(), forwarded, values);
    FailureOr<SmallVector<Tensor>> next = runBlock(*op.getAfterBody(), values);
    if (failed(next))
      return failure();
    carried = std::move(*next);
  }
}

LogicalResult Interpreter::runCall(Operation *op, SymbolRefAttr name,
                                   Environment &values) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (llvm::is_contained(stack, callee))
    return op->emitOpError("makes ")
           << name << " call itself, which never ends";
  // An op with a rule of its own has operands of the rule after the arguments.
  SmallVector<Tensor> args =
      lookUp(op->getOperands().take_front(callee.getNumArguments()), values);
  FailureOr<SmallVector<Tensor>> results = call(callee, args);
  if (failed(results))
    return failure();
  bindValues(op->getResults(), *results, values);
  return success();
}

LogicalResult Interpreter::runCheck(CheckOp check, const Tensor &ok) {
  for (int64_t i = 0, e = ok.size(); i < e; ++i)
    if (!ok.getInt(i))
      return check.emitOpError("failed: ") << check.getMessage();
  return success();
}

LogicalResult Interpreter::runCollective(Operation *op, Operands args,
                                         Environment &values) {
  std::optional<Tensor> result;
  if (member.ranks) {
    auto got =
        member.ranks->meet(member.rank, op, args.empty() ? nullptr : args[0]);
    if (failed(got))
      return failure();
    result = std::move(*got);
  } else {
    if (failed(checkRanks(op, /*rank=*/0, /*size=*/1)))
      return failure();
    auto all = evaluateCollective(op, args.empty() ? nullptr : args[0]);
    if (failed(all))
      return failure();
    result = std::move((*all)[0]);
  }
  if (op->getNumResults() != 0)
    values[op->getResult(0)] = std::move(*result);
  return success();
}

/// Refuses results that would not fit into memory.
static LogicalResult checkSize(Operation *op, Type type) {
  if (!isa<TensorType>(type) || Tensor::canHold(type))
    return success();
  return op->emitOpError("gives ")
         << type
         << "; the interpreter holds tensors of static shape, of numbers of at "
            "most 64 bits, and of at most 2^28 elements";
}

/// Refuses positions in a stash that it cannot grow to.
static LogicalResult checkPosition(Operation *op, int64_t position) {
  auto element =
      cast<StashType>(op->getOperand(op->getNumOperands() - 2).getType())
          .getElement();
  int64_t limit =
      Tensor::kMaxElements / std::max<int64_t>(element.getNumElements(), 1);
  if (position >= 0 && position < limit)
    return success();
  return op->emitOpError("uses position ")
         << position << " of a stash; positions in the interpreter are 0 to "
         << limit - 1;
}

LogicalResult Interpreter::run(Operation *op, Environment &values) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return runCall(op, call.getCalleeAttr(), values);
  if (auto custom = dyn_cast<CustomOp>(op))
    return runCall(op, custom.getCalleeAttr(), values);
  if (auto recompute = dyn_cast<RecomputeOp>(op))
    return runCall(op, recompute.getCalleeAttr(), values);
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return runIf(choice, values);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runFor(loop, values);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return runWhile(loop, values);
  for (Type type : op->getResultTypes())
    if (failed(checkSize(op, type)))
      return failure();
  SmallVector<const Tensor *> args;
  for (Value operand : op->getOperands())
    args.push_back(&values.find(operand)->second);
  if (isa<StashReadOp, StashWriteOp, StashAddOp>(op) &&
      failed(checkPosition(op, args.back()->getInt(0))))
    return failure();
  if (auto printOp = dyn_cast<PrintOp>(op)) {
    print(printOp, args);
    return success();
  }
  if (auto check = dyn_cast<CheckOp>(op))
    return runCheck(check, *args[0]);
  if (op->hasTrait<Collective>())
    return runCollective(op, args, values);
  if (std::optional<Tensor> known = evaluateScalar(op, args)) {
    values[op->getResult(0)] = std::move(*known);
    return success();
  }
  FailureOr<SmallVector<Tensor>> results = evaluateOp(op, args);
  if (failed(results))
    return failure();
  // `args` point into `values`, which grows.
  for (Tensor &result : *results)
    disturb(op, args, latitude.rounding, result);
  for (auto [name, result] : llvm::zip_equal(op->getResults(), *results))
    values[name] = std::move(result);
  return success();
}

static SmallVector<Tensor> asList(Tensor result) {
  SmallVector<Tensor> results;
  results.push_back(std::move(result));
  return results;
}
static SmallVector<Tensor> asList(SmallVector<Tensor> results) {
  return results;
}

FailureOr<SmallVector<Tensor>> Interpreter::evaluateOp(Operation *op,
                                                       Operands args) {
  using Results = FailureOr<SmallVector<Tensor>>;
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](ConstantOp constant) -> Results {
        FailureOr<Tensor> value = Tensor::fromAttribute(constant.getValue());
        if (failed(value))
          return constant.emitOpError("has a value the interpreter cannot "
                                      "read; use dense<...> or a "
                                      "dense_resource that is present");
        return asList(std::move(*value));
      })
      .Case([&](ConvOp conv) -> Results {
        auto pad = conv.getX().getDefiningOp<PadOp>();
        if (!latitude.skipPadding || !pad)
          return asList(evaluate(conv, args));
        Tensor kept = evaluatePadding(pad);
        return asList(evaluate(conv, {args[0], args[1], &kept}));
      })
#define CELL_STRUCTURED_OP(OpT)                                                \
  .Case([&](OpT known) -> Results { return asList(evaluate(known, args)); })
#include "dialect/StructuredOps.inc"
      .Case<PolygammaOp, SelectOp, StashAddOp, StashEmptyOp, StashReadOp,
            StashWriteOp>(
          [&](auto known) -> Results { return asList(evaluate(known, args)); })
      .Case<VJPOp, JVPOp>([&](Operation *transform) -> Results {
        return transform->emitOpError(
            "is not expanded; run cell-differentiate first");
      })
      .Default([&](Operation *) -> Results {
        FailureOr<Tensor> result = evaluateElementwise(op, args);
        if (failed(result))
          return failure();
        return asList(std::move(*result));
      });
}

FailureOr<Tensor> Interpreter::evaluateElementwise(Operation *op,
                                                   Operands args) {
  const ScalarKernels *kernels =
      lookupScalarKernels(op->getName().getStringRef());
  if (!kernels || args.empty())
    return op->emitOpError("is not known to the interpreter, which evaluates "
                           "ops of the cell dialect, calls and returns");
  bool onFloats = args[0]->isFloat();
  if (onFloats ? !kernels->floats : !kernels->ints)
    return op->emitOpError("has no meaning on ")
           << args[0]->getElementType() << " elements";

  Tensor result(cast<RankedTensorType>(op->getResult(0).getType()));
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    if (onFloats) {
      SmallVector<double, 3> scalars;
      for (const Tensor *arg : args)
        scalars.push_back(arg->getFloat(i));
      double value = kernels->floats(scalars.data());
      result.isFloat() ? result.setFloat(i, value)
                       : result.setInt(i, value != 0);
    } else if (args[0]->isUnsigned()) {
      SmallVector<uint64_t, 3> scalars;
      for (const Tensor *arg : args)
        scalars.push_back(static_cast<uint64_t>(arg->getInt(i)));
      result.setInt(i, static_cast<int64_t>(kernels->uints(scalars.data())));
    } else {
      SmallVector<int64_t, 3> scalars;
      for (const Tensor *arg : args)
        scalars.push_back(arg->getInt(i));
      result.setInt(i, kernels->ints(scalars.data()));
    }
  }
  return result;
}

void Interpreter::print(PrintOp op, Operands args) {
  StringRef rest = op.getFormat();
  for (const Tensor *arg : args) {
    auto [text, after] = rest.split("{}");
    printed << text;
    arg->print(printed);
    rest = after;
  }
  printed << rest << '\n';
}

FailureOr<SmallVector<Tensor>> interpret(func::FuncOp func,
                                         ArrayRef<Tensor> args,
                                         raw_ostream &printed,
                                         Latitude latitude, Member member) {
  return Interpreter(printed, latitude, member).call(func, args);
}

} // namespace cellgrad::interp
