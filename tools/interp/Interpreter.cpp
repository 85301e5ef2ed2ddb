//===- Interpreter.cpp - evaluates cell functions directly ----------------===//

#include "tools/interp/Interpreter.h"

#include "dialect/Kernels.h"
#include "tools/interp/Kernels.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace cellgrad::interp {

namespace {

class Interpreter {
public:
  explicit Interpreter(raw_ostream &printed) : printed(printed) {}

  FailureOr<SmallVector<Tensor>> call(func::FuncOp func, ArrayRef<Tensor> args);

private:
  using Environment = llvm::DenseMap<Value, Tensor>;

  LogicalResult run(Operation *op, Environment &values);
  LogicalResult runCall(func::CallOp call, Environment &values);
  FailureOr<Tensor> evaluateOp(Operation *op, Operands args);
  FailureOr<Tensor> evaluateElementwise(Operation *op, Operands args);
  void print(PrintOp op, Operands args);

  raw_ostream &printed;
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

  stack.push_back(func);
  for (Operation &op : body.without_terminator())
    if (failed(run(&op, values)))
      return failure();
  stack.pop_back();

  auto results = dyn_cast<func::ReturnOp>(body.getTerminator());
  if (!results)
    return body.getTerminator()->emitOpError("cannot be interpreted");
  return llvm::map_to_vector(results.getOperands(),
                             [&](Value v) { return values.lookup(v); });
}

LogicalResult Interpreter::runCall(func::CallOp call, Environment &values) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (llvm::is_contained(stack, callee))
    return call.emitOpError("makes ")
           << call.getCalleeAttr() << " call itself, which never ends";
  SmallVector<Tensor> args;
  for (Value operand : call.getOperands())
    args.push_back(values.lookup(operand));
  FailureOr<SmallVector<Tensor>> results = this->call(callee, args);
  if (failed(results))
    return failure();
  for (auto [value, result] : llvm::zip_equal(call.getResults(), *results))
    values[value] = result;
  return success();
}

LogicalResult Interpreter::run(Operation *op, Environment &values) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return runCall(call, values);
  SmallVector<const Tensor *> args;
  for (Value operand : op->getOperands())
    args.push_back(&values.find(operand)->second);
  if (auto printOp = dyn_cast<PrintOp>(op)) {
    print(printOp, args);
    return success();
  }
  if (isa<LUOp, QROp>(op)) {
    SmallVector<Tensor> results =
        llvm::TypeSwitch<Operation *, SmallVector<Tensor>>(op).Case<LUOp, QROp>(
            [&](auto several) { return evaluate(several, args); });
    for (auto [value, result] : llvm::zip_equal(op->getResults(), results))
      values[value] = std::move(result);
    return success();
  }
  FailureOr<Tensor> result = evaluateOp(op, args);
  if (failed(result))
    return failure();
  values[op->getResult(0)] = std::move(*result);
  return success();
}

FailureOr<Tensor> Interpreter::evaluateOp(Operation *op, Operands args) {
  return llvm::TypeSwitch<Operation *, FailureOr<Tensor>>(op)
      .Case([&](ConstantOp constant) -> FailureOr<Tensor> {
        FailureOr<Tensor> value = Tensor::fromAttribute(constant.getValue());
        if (failed(value))
          return constant.emitOpError("has a value the interpreter cannot "
                                      "read; use dense<...> or a "
                                      "dense_resource that is present");
        return value;
      })
      .Case<BarrierOp, StopGradientOp>(
          [&](Operation *) -> FailureOr<Tensor> { return *args[0]; })
      .Case([&](ReshapeOp reshape) -> FailureOr<Tensor> {
        return args[0]->reshaped(reshape.getType());
      })
      .Case<BroadcastOp, CastOp, CholeskyOp, ConcatOp, ConvOp, MatMulOp,
            OverlapAddOp, PadOp, PolygammaOp, RandomBitsOp, ReduceMaxOp,
            ReduceMinOp, ReduceSumOp, ReverseOp, SelectOp, SliceOp, SolveOp,
            SwapRowsOp, TransposeOp, TriangleOp, TriangularSolveOp, WindowsOp>(
          [&](auto known) -> FailureOr<Tensor> {
            return evaluate(known, args);
          })
      .Case<VJPOp, JVPOp>([&](Operation *transform) -> FailureOr<Tensor> {
        return transform->emitOpError(
            "is not expanded; run cell-differentiate first");
      })
      .Default([&](Operation *) { return evaluateElementwise(op, args); });
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

FailureOr<SmallVector<Tensor>>
interpret(func::FuncOp func, ArrayRef<Tensor> args, raw_ostream &printed) {
  return Interpreter(printed).call(func, args);
}

} // namespace cellgrad::interp
