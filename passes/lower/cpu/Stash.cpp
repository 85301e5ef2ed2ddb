//===- Stash.cpp - stashes as calls of the runtime ------------------------===//

#include "passes/lower/cpu/Stash.h"

#include "dialect/CellDialect.h"
#include "passes/lower/cpu/CallFrame.h"
#include "runtime/cellgrad_abi.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cellgrad;

namespace {

Value bytesOf(OpBuilder &b, Location loc, StashType type) {
  RankedTensorType element = type.getElement();
  unsigned bits = std::max(8u, element.getElementTypeBitWidth());
  return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                  element.getNumElements() * (bits / 8));
}

struct EmptyLowering : ConvertOpToLLVMPattern<StashEmptyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(StashEmptyOp op, OpAdaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value stash =
        callRuntime(b, loc, "cell_rt_stash_new",
                    {callFrame(op), bytesOf(b, loc, op.getType())}, pointer);
    Value null = LLVM::ZeroOp::create(b, loc, pointer);
    Value made =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, stash, null);
    EndOp::create(
        b, loc, made,
        LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                 static_cast<int32_t>(CG_ERROR_ALLOCATION)));
    b.replaceOp(op, stash);
    return success();
  }
};

struct FreeLowering : ConvertOpToLLVMPattern<StashFreeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(StashFreeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    callRuntime(b, op.getLoc(), "cell_rt_stash_free", {adaptor.getStash()});
    b.eraseOp(op);
    return success();
  }
};

template <typename OpT> struct AccessLowering : ConvertOpToLLVMPattern<OpT> {
  using ConvertOpToLLVMPattern<OpT>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value data = MemRefDescriptor(adaptor.getBuffer()).alignedPtr(b, loc);
    Value operands[] = {
        adaptor.getStash(), adaptor.getPosition(),
        bytesOf(b, loc, cast<StashType>(op.getStash().getType())), data};
    if (isa<StashStoreOp>(op.getOperation())) {
      Type i32 = b.getI32Type();
      Value status = callRuntime(b, loc, "cell_rt_stash_store", operands, i32);
      Value ok =
          LLVM::ConstantOp::create(b, loc, i32, static_cast<int32_t>(CG_OK));
      Value stored =
          LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, status, ok);
      EndOp::create(b, loc, stored, status);
    } else {
      callRuntime(b, loc, "cell_rt_stash_load", operands);
    }
    b.eraseOp(op);
    return success();
  }
};

/// The stashes among the results of `op` and the arguments of its regions.
void appendStashes(Operation *op, llvm::SetVector<Value> &values) {
  auto append = [&](ValueRange candidates) {
    for (Value value : candidates)
      if (isa<StashType>(value.getType()))
        values.insert(value);
  };
  append(op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      append(block.getArguments());
}

/// The last op of the block of `stash` that uses it or what may be it: what a
/// loop carries, what a branch or a choice gives. Null when the block hands it
/// on.
Operation *lastUser(Value stash) {
  Block *block = stash.getParentBlock();
  Operation *last = nullptr;
  llvm::SetVector<Value> values;
  values.insert(stash);
  for (unsigned i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      Operation *at = block->findAncestorOpInBlock(*user);
      if (!at || at->hasTrait<OpTrait::IsTerminator>())
        return nullptr;
      if (!last || last->isBeforeInBlock(at))
        last = at;
      bool handsOn = user->hasTrait<OpTrait::IsTerminator>();
      appendStashes(handsOn ? user->getParentOp() : user, values);
    }
  return last;
}

} // namespace

void cellgrad::freeStashes(func::FuncOp func) {
  func.walk([](StashEmptyOp op) {
    if (Operation *last = lastUser(op.getResult())) {
      OpBuilder b(op.getContext());
      b.setInsertionPointAfter(last);
      StashFreeOp::create(b, op.getLoc(), op.getResult());
    }
  });
}

void cellgrad::populateStashToLLVMPatterns(LLVMTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  converter.addConversion([](StashType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  patterns.add<EmptyLowering, FreeLowering, AccessLowering<StashLoadOp>,
               AccessLowering<StashStoreOp>>(converter);
}
