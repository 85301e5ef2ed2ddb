//===- StashBufferization.cpp - buffers for what stashes keep -------------===//

#include "passes/lower/buffers/Bufferization.h"

#include "dialect/CellDialect.h"
#include "passes/lower/buffers/DenseBuffer.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cellgrad;
using bufferization::AliasingValueList;
using bufferization::AnalysisState;
using bufferization::BufferizableOpInterface;
using bufferization::BufferizationOptions;
using bufferization::BufferizationState;

namespace {

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

} // namespace

void cellgrad::registerStashBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CellDialect *) {
    StashReadOp::attachInterface<ReadBufferization>(*context);
    StashWriteOp::attachInterface<WriteBufferization>(*context);
    BarrierOp::attachInterface<BarrierBufferization>(*context);
  });
}
