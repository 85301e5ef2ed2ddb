//===- Stash.cpp - stashes and barriers on their way to memory ------------===//

#include "passes/lower/cpu/Stash.h"

#include "dialect/CellDialect.h"
#include "passes/lower/cpu/DenseBuffer.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cellgrad;
using bufferization::AliasingValueList;
using bufferization::AnalysisState;
using bufferization::BufferizableOpInterface;
using bufferization::BufferizationOptions;
using bufferization::BufferizationState;

namespace {

//===----------------------------------------------------------------------===//
// Bufferisation
//===----------------------------------------------------------------------===//

struct ReadBufferization
    : BufferizableOpInterface::ExternalModel<ReadBufferization, StashReadOp> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto read = cast<StashReadOp>(op);
    auto type = MemRefType::get(read.getType().getShape(),
                                read.getType().getElementType());
    Value buffer = memref::AllocOp::create(rewriter, op->getLoc(), type);
    StashLoadOp::create(rewriter, op->getLoc(), buffer, read.getStash(),
                        read.getPosition());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, buffer);
    return success();
  }
};

struct WriteBufferization
    : BufferizableOpInterface::ExternalModel<WriteBufferization, StashWriteOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto write = cast<StashWriteOp>(op);
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, write.getX(), options, state);
    if (failed(buffer))
      return failure();
    StashStoreOp::create(rewriter, op->getLoc(),
                         denseBuffer(rewriter, op->getLoc(), *buffer),
                         write.getStash(), write.getPosition());
    // The change is in place: the stash is what it was.
    rewriter.replaceOp(op, write.getStash());
    return success();
  }
};

struct BarrierBufferization
    : BufferizableOpInterface::ExternalModel<BarrierBufferization, BarrierOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return false;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    if (operand.getOperandNumber() != 0)
      return {};
    return {{op->getResult(0), bufferization::BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, op->getOperand(0), options, state);
    if (failed(buffer))
      return failure();
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *buffer);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Conversion to LLVM
//===----------------------------------------------------------------------===//

/// Marks the stack slot of a function's status.
constexpr llvm::StringLiteral kStatusSlot = "cell.status";

/// What calls of the runtime need.
class StashCalls {
public:
  StashCalls(ConversionPatternRewriter &rewriter, Operation *op)
      : b(rewriter), loc(op->getLoc()),
        pointer(LLVM::LLVMPointerType::get(rewriter.getContext())), op(op) {}

  Value bytesOf(StashType type) {
    RankedTensorType element = type.getElement();
    unsigned bits = std::max(8u, element.getElementTypeBitWidth());
    return constant(element.getNumElements() * (bits / 8));
  }
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(), value);
  }

  /// The function's status, which the runtime may set.
  Value status() {
    auto function = op->getParentOfType<FunctionOpInterface>();
    Block &entry = function.getFunctionBody().front();
    for (auto slot : entry.getOps<LLVM::AllocaOp>())
      if (slot->hasAttr(kStatusSlot))
        return slot;
    return LLVM::ZeroOp::create(b, loc, pointer);
  }

  Value call(StringRef name, ArrayRef<Value> operands, Type result = {}) {
    OpBuilder::InsertionGuard guard(b);
    auto module = op->getParentOfType<ModuleOp>();
    SmallVector<Type> types =
        llvm::map_to_vector(operands, [](Value v) { return v.getType(); });
    FailureOr<LLVM::LLVMFuncOp> function = LLVM::lookupOrCreateFn(
        b, module, name, types,
        result ? result : LLVM::LLVMVoidType::get(b.getContext()));
    auto made = LLVM::CallOp::create(b, loc, *function, operands);
    return result ? made.getResult() : Value();
  }

  ConversionPatternRewriter &b;
  Location loc;
  Type pointer;
  Operation *op;
};

struct EmptyLowering : ConvertOpToLLVMPattern<StashEmptyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(StashEmptyOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StashCalls calls(rewriter, op);
    rewriter.replaceOp(op,
                       calls.call("cell_rt_stash_new",
                                  {calls.bytesOf(op.getType()), calls.status()},
                                  calls.pointer));
    return success();
  }
};

struct FreeLowering : ConvertOpToLLVMPattern<StashFreeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(StashFreeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StashCalls(rewriter, op).call("cell_rt_stash_free", {adaptor.getStash()});
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename OpT> struct AccessLowering : ConvertOpToLLVMPattern<OpT> {
  using ConvertOpToLLVMPattern<OpT>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StashCalls calls(rewriter, op);
    Value data =
        MemRefDescriptor(adaptor.getBuffer()).alignedPtr(rewriter, op.getLoc());
    SmallVector<Value> operands{
        adaptor.getStash(), adaptor.getPosition(),
        calls.bytesOf(cast<StashType>(op.getStash().getType())), data};
    if (isa<StashStoreOp>(op.getOperation())) {
      operands.push_back(calls.status());
      calls.call("cell_rt_stash_store", operands);
    } else {
      calls.call("cell_rt_stash_load", operands);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// The values that a loop makes of its operand `use`: in its regions, and its
/// result.
void appendCarried(OpOperand &use, SmallVectorImpl<Value> &values) {
  if (auto loop = dyn_cast<scf::ForOp>(use.getOwner())) {
    values.push_back(loop.getTiedLoopRegionIterArg(&use));
    values.push_back(loop.getTiedLoopResult(&use));
  } else if (auto loop = dyn_cast<scf::WhileOp>(use.getOwner())) {
    unsigned i = use.getOperandNumber();
    values.push_back(loop.getBeforeArguments()[i]);
    values.push_back(loop.getAfterArguments()[i]);
    values.push_back(loop.getResult(i));
  }
}

/// The last op of the block of `stash` that uses it, directly, in a region, or
/// as what a loop carries; null when the block hands it on.
Operation *lastUser(Value stash) {
  Block *block = stash.getParentBlock();
  Operation *last = nullptr;
  llvm::SetVector<Value> values;
  values.insert(stash);
  for (unsigned i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *at = block->findAncestorOpInBlock(*use.getOwner());
      if (!at || at->hasTrait<OpTrait::IsTerminator>())
        return nullptr;
      if (!last || last->isBeforeInBlock(at))
        last = at;
      SmallVector<Value> carried;
      appendCarried(use, carried);
      values.insert_range(carried);
    }
  return last;
}

/// Makes `func` return what the runtime has put into a slot on the stack.
void returnRuntimeStatus(func::FuncOp func) {
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  Location loc = func.getLoc();
  Type i32 = b.getI32Type();
  Value one = LLVM::ConstantOp::create(b, loc, i32, 1);
  auto slot = LLVM::AllocaOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), i32, one);
  slot->setAttr(kStatusSlot, b.getUnitAttr());
  LLVM::StoreOp::create(b, loc, LLVM::ConstantOp::create(b, loc, i32, 0), slot);
  func.walk([&](func::ReturnOp ret) {
    b.setInsertionPoint(ret);
    ret->setOperands(LLVM::LoadOp::create(b, loc, i32, slot).getResult());
  });
}

} // namespace

void cellgrad::registerStashBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CellDialect *) {
    StashReadOp::attachInterface<ReadBufferization>(*context);
    StashWriteOp::attachInterface<WriteBufferization>(*context);
    BarrierOp::attachInterface<BarrierBufferization>(*context);
  });
}

void cellgrad::prepareStashes(func::FuncOp func) {
  SmallVector<StashEmptyOp> stashes;
  func.walk([&](StashEmptyOp op) { stashes.push_back(op); });
  if (stashes.empty())
    return;
  returnRuntimeStatus(func);
  for (StashEmptyOp op : stashes)
    if (Operation *last = lastUser(op.getResult())) {
      OpBuilder b(op.getContext());
      b.setInsertionPointAfter(last);
      StashFreeOp::create(b, op.getLoc(), op.getResult());
    }
}

void cellgrad::populateStashToLLVMPatterns(LLVMTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  converter.addConversion([](StashType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  patterns.add<EmptyLowering, FreeLowering, AccessLowering<StashLoadOp>,
               AccessLowering<StashStoreOp>>(converter);
}
