//===- LaunchKernels.cpp - calls of kernels through the caller's pool -----===//
//
// The last moment of a kernel's serial meaning. A call over all items,
//
//   llvm.call @cell_items(args, %c0, %c128, %c0, %memory)
//
// becomes
//
//   store args and %memory in %frame, on the stack of the entry
//   %workers = llvm.call @cell_workers(fixed and worker bytes of the arena)
//   llvm.call @cell_run(%c128, %workers, @cell_items.task, %frame)
//
// where the task loads the arguments and computes the items it is given. The
// runtime runs it on the threads that the caller lends, or here for all items.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/Passes.h"

#include "passes/lower/buffers/Callers.h"
#include "passes/lower/buffers/Items.h"
#include "passes/lower/target/FloatState.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

namespace cellgrad {
#define GEN_PASS_DEF_LAUNCHKERNELS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// A kernel, and where its range and worker are among its arguments.
struct Kernel {
  LLVM::LLVMFuncOp function;
  unsigned range;
  LLVM::LLVMStructType frame;

  /// The arguments that are the same for all items.
  SmallVector<unsigned> fixedArguments() const {
    SmallVector<unsigned> fixed;
    for (unsigned i = 0; i < LLVM::LLVMFuncOp(function).getNumArguments(); ++i)
      if (i < range || i > range + 2)
        fixed.push_back(i);
    return fixed;
  }
};

struct LaunchKernels : cellgrad::impl::LaunchKernelsBase<LaunchKernels> {
  using LaunchKernelsBase::LaunchKernelsBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    runtime.clear();
    workersOfFunctions.clear();
    SmallVector<Kernel> kernels;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (auto range = function->getAttrOfType<IntegerAttr>(kKernel)) {
        Kernel kernel{function, unsigned(range.getInt()), {}};
        SmallVector<Type> types;
        for (unsigned i : kernel.fixedArguments())
          types.push_back(function.getArgument(i).getType());
        kernel.frame = LLVM::LLVMStructType::getLiteral(&getContext(), types);
        kernels.push_back(kernel);
      }
    Callers calls(module);
    callers = &calls;
    for (Kernel &kernel : kernels) {
      LLVM::LLVMFuncOp task = makeTask(kernel);
      for (Operation *call : callers->of(kernel.function))
        launch(cast<LLVM::CallOp>(call), kernel, task);
      kernel.function->removeAttr(kKernel);
    }
  }

private:
  static Value constant(OpBuilder &b, Location loc, Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, type,
                                    b.getIntegerAttr(type, value));
  }

  static Value member(OpBuilder &b, Location loc, const Kernel &kernel,
                      Value frame, unsigned i) {
    return LLVM::GEPOp::create(
        b, loc, frame.getType(), kernel.frame, frame,
        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
  }

  /// void task(frame, begin, end, worker): what a thread runs. Its vector
  /// arithmetic is that of an entry, whatever the thread is set to.
  LLVM::LLVMFuncOp makeTask(Kernel &kernel) {
    MLIRContext *ctx = &getContext();
    Location loc = kernel.function.getLoc();
    OpBuilder b(ctx);
    b.setInsertionPointAfter(kernel.function);
    auto ptr = LLVM::LLVMPointerType::get(ctx);
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto task = LLVM::LLVMFuncOp::create(
        b, loc, (kernel.function.getSymName() + ".task").str(),
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(ctx),
                                    {ptr, i64, i64, i32}),
        LLVM::Linkage::Internal);
    Block *body = task.addEntryBlock(b);
    b.setInsertionPointToStart(body);
    Value threads = setDefaultFloatState(b, loc, target->arch, *body);

    SmallVector<Value> args(kernel.function.getNumArguments());
    for (auto [i, argument] : llvm::enumerate(kernel.fixedArguments()))
      args[argument] =
          LLVM::LoadOp::create(b, loc, kernel.frame.getBody()[i],
                               member(b, loc, kernel, body->getArgument(0), i));
    args[kernel.range] = body->getArgument(1);
    args[kernel.range + 1] = body->getArgument(2);
    args[kernel.range + 2] =
        LLVM::ZExtOp::create(b, loc, i64, body->getArgument(3));
    LLVM::CallOp::create(b, loc, kernel.function, args);
    restoreFloatState(b, loc, target->arch, threads);
    LLVM::ReturnOp::create(b, loc, ValueRange());
    return task;
  }

  void launch(LLVM::CallOp call, Kernel &kernel, LLVM::LLVMFuncOp task) {
    auto entry = call->getParentOfType<LLVM::LLVMFuncOp>();
    Location loc = call.getLoc();
    auto ptr = LLVM::LLVMPointerType::get(&getContext());
    OpBuilder b = OpBuilder::atBlockBegin(&entry.getBody().front());
    Type i32 = b.getI32Type();
    Value frame = LLVM::AllocaOp::create(b, loc, ptr, kernel.frame,
                                         constant(b, loc, i32, 1));
    b.setInsertionPoint(call);
    for (auto [i, argument] : llvm::enumerate(kernel.fixedArguments()))
      LLVM::StoreOp::create(b, loc, call.getOperand(argument),
                            member(b, loc, kernel, frame, i));
    Value workers = workersOf(entry);
    Value address = LLVM::AddressOfOp::create(b, loc, task);
    callRuntime(b, loc, "cell_run",
                {call.getOperand(kernel.range + 1), workers, address, frame},
                LLVM::LLVMVoidType::get(&getContext()));
    call.erase();
  }

  LLVM::CallOp callRuntime(OpBuilder &b, Location loc, StringRef name,
                           ArrayRef<Value> operands, Type result) {
    SmallVector<Type> types = llvm::map_to_vector(
        operands, [](Value value) { return value.getType(); });
    LLVM::LLVMFuncOp &function = runtime[name];
    if (!function)
      function =
          *LLVM::lookupOrCreateFn(b, getOperation(), name, types, result);
    return LLVM::CallOp::create(b, loc, function, operands);
  }

  /// How many workers have memory. An entry asks once; another function gets it
  /// from entries as its last argument.
  Value workersOf(LLVM::LLVMFuncOp function) {
    if (Value known = workersOfFunctions.lookup(function))
      return known;
    Location loc = function.getLoc();
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    if (callers->of(function).empty()) { // an entry
      auto bytesOf = [&](StringRef name) {
        auto attr = function->getAttrOfType<IntegerAttr>(name);
        return attr ? attr.getInt() : 0;
      };
      int64_t each = bytesOf(kWorkerBytes);
      Value fixed = constant(b, loc, i64, bytesOf("cell.arena_bytes") - each);
      Value bytes = constant(b, loc, i64, each);
      return workersOfFunctions[function] =
                 callRuntime(b, loc, "cell_workers", {fixed, bytes}, i32)
                     .getResult();
    }
    auto type = function.getFunctionType();
    SmallVector<Type> inputs(type.getParams());
    inputs.push_back(i32);
    function.setFunctionType(
        LLVM::LLVMFunctionType::get(type.getReturnType(), inputs));
    Value workers = function.getBody().addArgument(i32, loc);
    workersOfFunctions[function] = workers;
    if (ArrayAttr attrs = function.getArgAttrsAttr()) {
      SmallVector<Attribute> all(attrs.getValue());
      all.push_back(b.getDictionaryAttr({}));
      function.setArgAttrsAttr(b.getArrayAttr(all));
    }
    for (Operation *user : callers->of(function)) {
      auto call = cast<LLVM::CallOp>(user);
      SmallVector<Value> operands(call.getOperands());
      operands.push_back(workersOf(call->getParentOfType<LLVM::LLVMFuncOp>()));
      call.getCalleeOperandsMutable().assign(operands);
    }
    return workers;
  }

  DenseMap<Operation *, Value> workersOfFunctions;
  const Callers *callers = nullptr;
  llvm::StringMap<LLVM::LLVMFuncOp> runtime; ///< functions of it, by name
};

} // namespace
