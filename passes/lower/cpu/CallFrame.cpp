//===- CallFrame.cpp - what a call keeps while it runs --------------------===//

#include "passes/lower/cpu/CallFrame.h"
#include "passes/lower/cpu/Check.h"

#include "dialect/CellDialect.h"
#include "runtime/runtime.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"

#include <cstddef>

using namespace mlir;
using namespace cellgrad;

namespace {

constexpr llvm::StringLiteral kFrame = "cell.call_frame";

/// Loads a member of the frame.
Value loadMember(OpBuilder &b, Location loc, Value frame, int32_t offset,
                 Type type) {
  Value address = LLVM::GEPOp::create(b, loc, frame.getType(), b.getI8Type(),
                                      frame, ArrayRef<LLVM::GEPArg>{offset});
  return LLVM::LoadOp::create(b, loc, type, address);
}

/// Turns polls into tests. The trips that are left lie in a slot of their own,
/// which no call sees, so that LLVM keeps them in a register.
void lowerPolls(func::FuncOp func, ArrayRef<PollOp> polls, OpBuilder &entry,
                Value frame) {
  Location loc = func.getLoc();
  Type i32 = entry.getI32Type(), i64 = entry.getI64Type();
  Value cancel = loadMember(entry, loc, frame, offsetof(cell_rt_call, cancel),
                            frame.getType());
  Value left;
  if (llvm::any_of(polls, [](PollOp poll) { return poll.getTrip(); })) {
    left = LLVM::AllocaOp::create(entry, loc, frame.getType(), i64,
                                  LLVM::ConstantOp::create(entry, loc, i64, 1));
    LLVM::StoreOp::create(
        entry, loc,
        loadMember(entry, loc, frame, offsetof(cell_rt_call, trips), i64),
        left);
  }
  for (PollOp poll : polls) {
    OpBuilder b(poll);
    Location at = poll.getLoc();
    auto endUnless = [&](LLVM::ICmpPredicate predicate, Value value,
                         int32_t status, bool asks) {
      Value zero = LLVM::ConstantOp::create(b, at, value.getType(), 0);
      Value ok = LLVM::ICmpOp::create(b, at, predicate, value, zero);
      auto end = EndOp::create(b, at, ok,
                               LLVM::ConstantOp::create(b, at, i32, status));
      if (asks)
        end->setAttr(kAsks, b.getUnitAttr());
    };
    Value flag = LLVM::LoadOp::create(b, at, i32, cancel, /*alignment=*/4,
                                      /*isVolatile=*/true);
    endUnless(LLVM::ICmpPredicate::eq, flag, CG_ERROR_CANCELLED,
              /*asks=*/true);
    if (poll.getTrip()) {
      Value trips = LLVM::LoadOp::create(b, at, i64, left);
      endUnless(LLVM::ICmpPredicate::ne, trips, CG_ERROR_TRIP_LIMIT,
                /*asks=*/false);
      Value one = LLVM::ConstantOp::create(b, at, i64, 1);
      LLVM::StoreOp::create(b, at, LLVM::SubOp::create(b, at, trips, one),
                            left);
    }
    poll.erase();
  }
}

} // namespace

Value cellgrad::callRuntime(OpBuilder &b, Location loc, StringRef name,
                            ArrayRef<Value> operands, Type result) {
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  SmallVector<Type> types =
      llvm::map_to_vector(operands, [](Value v) { return v.getType(); });
  LLVM::LLVMFuncOp function;
  {
    OpBuilder::InsertionGuard guard(b);
    function = *LLVM::lookupOrCreateFn(
        b, module, name, types,
        result ? result : LLVM::LLVMVoidType::get(b.getContext()));
  }
  auto made = LLVM::CallOp::create(b, loc, function, operands);
  return result ? made.getResult() : Value();
}

Value cellgrad::callFrame(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  for (auto slot : function.getFunctionBody().front().getOps<LLVM::AllocaOp>())
    if (slot->hasAttr(kFrame))
      return slot;
  return {};
}

void cellgrad::closeCallFrame(OpBuilder &b, Location loc, Value frame) {
  callRuntime(b, loc, "cell_rt_leave", frame);
}

void cellgrad::openCallFrame(func::FuncOp func) {
  SmallVector<PollOp> polls;
  bool stashes = false;
  func.walk([&](Operation *op) {
    if (auto poll = dyn_cast<PollOp>(op))
      polls.push_back(poll);
    stashes |= isa<StashEmptyOp>(op);
  });
  if (polls.empty() && !stashes)
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  Location loc = func.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto words =
      LLVM::LLVMArrayType::get(b.getI64Type(), sizeof(cell_rt_call) / 8);
  Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
  auto frame = LLVM::AllocaOp::create(b, loc, pointer, words, one);
  frame->setAttr(kFrame, b.getUnitAttr());
  callRuntime(b, loc, "cell_enter", frame.getResult());
  if (!polls.empty())
    lowerPolls(func, polls, b, frame);
  if (stashes)
    func.walk([&](func::ReturnOp ret) {
      OpBuilder end(ret);
      closeCallFrame(end, ret.getLoc(), frame);
    });
}
