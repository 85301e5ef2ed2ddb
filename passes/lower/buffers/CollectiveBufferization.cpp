//===- CollectiveBufferization.cpp - buffers of collectives ---------------===//
//
// A collective gets a buffer of its own for what it gives. Here each is waited
// for where it begins.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/buffers/Bufferization.h"

#include "dialect/CollectiveOps.h"
#include "passes/lower/buffers/DenseBuffer.h"
#include "runtime/cellgrad_abi.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cellgrad;
using bufferization::AliasingValueList;
using bufferization::AnalysisState;
using bufferization::BufferizableOpInterface;
using bufferization::BufferizationOptions;
using bufferization::BufferizationState;

namespace {

/// What cg_collective says of an op.
struct Kind {
  int32_t kind, combine = 0, root = 0, flags = 0;
  int64_t ranks = 0, tag = 0;
};

int32_t codeOf(StringRef combine) {
  static_assert(CG_SUM == 0 && CG_PROD == 1 && CG_MIN == 2 && CG_MAX == 3);
  return static_cast<int32_t>(llvm::find(combineNames(), combine) -
                              combineNames().begin());
}

Kind kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](AllReduceOp reduce) {
        return Kind{CG_ALL_REDUCE, codeOf(reduce.getCombine()), 0,
                    reduce.getOrdered() ? CG_ORDERED : 0};
      })
      .Case([](ReduceScatterOp scatter) {
        return Kind{CG_REDUCE_SCATTER, codeOf(scatter.getCombine()), 0, 0,
                    static_cast<int64_t>(scatter.getRanks())};
      })
      .Case([](AllGatherOp gather) {
        return Kind{CG_ALL_GATHER, 0, 0, 0,
                    static_cast<int64_t>(gather.getRanks())};
      })
      .Case([](AllToAllOp toAll) {
        return Kind{CG_ALL_TO_ALL, 0, 0, 0,
                    static_cast<int64_t>(toAll.getRanks())};
      })
      .Case([](SendOp send) {
        return Kind{CG_SEND, 0, static_cast<int32_t>(send.getPeer()),
                    0,       0, static_cast<int64_t>(send.getTag())};
      })
      .Case([](ReceiveOp receive) {
        return Kind{CG_RECEIVE, 0, static_cast<int32_t>(receive.getPeer()),
                    0,          0, static_cast<int64_t>(receive.getTag())};
      })
      .Case([](BroadcastFromOp from) {
        return Kind{CG_BROADCAST, 0, static_cast<int32_t>(from.getRoot())};
      });
}

Value freshBuffer(OpBuilder &b, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return memref::AllocOp::create(
      b, op->getLoc(), MemRefType::get(type.getShape(), type.getElementType()));
}

/// Begins and ends `op` with these buffers, one of which may be null.
void start(OpBuilder &b, Operation *op, Value send, Value receive) {
  if (cast<MemRefType>((send ? send : receive).getType()).getNumElements() == 0)
    return;
  Kind kind = kindOf(op);
  Location loc = op->getLoc();
  CollectiveStartOp::create(b, loc, send, receive, kind.kind, kind.combine,
                            kind.root, kind.flags, kind.ranks, /*slot=*/0,
                            kind.tag,
                            op->getAttrOfType<DenseI64ArrayAttr>("group"));
  CollectiveWaitOp::create(b, loc, send, receive, /*slot=*/0);
}

template <typename OpT>
struct CollectiveBufferization
    : BufferizableOpInterface::ExternalModel<CollectiveBufferization<OpT>,
                                             OpT> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
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
    Location loc = op->getLoc();
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, op->getOperand(0), options, state);
    if (failed(buffer))
      return failure();
    Value send = denseBuffer(rewriter, loc, *buffer);
    Value receive = freshBuffer(rewriter, op);
    start(rewriter, op, send, receive);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, receive);
    return success();
  }
};

/// What it gives has been replaced by zeros (cell-to-linalg).
struct SendBufferization
    : BufferizableOpInterface::ExternalModel<SendBufferization, SendOp> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
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
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, op->getOperand(0), options, state);
    if (failed(buffer))
      return failure();
    start(rewriter, op, denseBuffer(rewriter, op->getLoc(), *buffer), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Of its operand it needs the type.
struct ReceiveBufferization
    : BufferizableOpInterface::ExternalModel<ReceiveBufferization, ReceiveOp> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return false;
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
                          const BufferizationOptions &,
                          BufferizationState &) const {
    Value receive = freshBuffer(rewriter, op);
    start(rewriter, op, Value(), receive);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, receive);
    return success();
  }
};

template <typename OpT>
struct RankBufferization
    : BufferizableOpInterface::ExternalModel<RankBufferization<OpT>, OpT> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    Value buffer = freshBuffer(rewriter, op);
    RankLoadOp::create(rewriter, op->getLoc(), buffer, isa<GroupSizeOp>(op));
    bufferization::replaceOpWithBufferizedValues(rewriter, op, buffer);
    return success();
  }
};

} // namespace

void cellgrad::registerCollectiveBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CellDialect *) {
    AllGatherOp::attachInterface<CollectiveBufferization<AllGatherOp>>(
        *context);
    AllReduceOp::attachInterface<CollectiveBufferization<AllReduceOp>>(
        *context);
    AllToAllOp::attachInterface<CollectiveBufferization<AllToAllOp>>(*context);
    BroadcastFromOp::attachInterface<CollectiveBufferization<BroadcastFromOp>>(
        *context);
    ReduceScatterOp::attachInterface<CollectiveBufferization<ReduceScatterOp>>(
        *context);
    SendOp::attachInterface<SendBufferization>(*context);
    ReceiveOp::attachInterface<ReceiveBufferization>(*context);
    GroupSizeOp::attachInterface<RankBufferization<GroupSizeOp>>(*context);
    RankIdOp::attachInterface<RankBufferization<RankIdOp>>(*context);
  });
}
