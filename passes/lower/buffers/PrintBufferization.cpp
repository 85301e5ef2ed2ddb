//===- PrintBufferization.cpp - buffers for what cell.print prints --------===//

#include "passes/lower/buffers/Bufferization.h"

#include "dialect/CellDialect.h"
#include "passes/lower/buffers/DenseBuffer.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cellgrad;

namespace {

struct PrintBufferization
    : bufferization::BufferizableOpInterface::ExternalModel<PrintBufferization,
                                                            PrintOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const bufferization::AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const bufferization::AnalysisState &) const {
    return false;
  }
  bufferization::AliasingValueList
  getAliasingValues(Operation *, OpOperand &,
                    const bufferization::AnalysisState &) const {
    return {};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        buffers.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer =
          bufferization::getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(denseBuffer(rewriter, op->getLoc(), *buffer));
    }
    auto print = PrintOp::create(rewriter, op->getLoc(), buffers,
                                 cast<PrintOp>(op).getFormatAttr());
    print->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void cellgrad::registerPrintBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, CellDialect *) {
    PrintOp::attachInterface<PrintBufferization>(*context);
  });
}
