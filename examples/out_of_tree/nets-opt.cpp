//===- nets-opt.cpp - cell-opt with an op and a pass of another project ---===//
//
//   nets-opt in.mlir --nets-to-cell --cell-differentiate
//
//===----------------------------------------------------------------------===//

#include "dialect/CellDialect.h"
#include "passes/Registry.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "NetsDialect.h.inc"

#include "NetsDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Nets.h.inc"

#define GET_OP_CLASSES
#include "Nets.cpp.inc"

using namespace mlir;

void nets::NetsDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Nets.cpp.inc"
      >();
}

namespace {
/// Writes nets.swish in ops of the cell dialect, which have derivatives and
/// machine code.
struct NetsToCell : PassWrapper<NetsToCell, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NetsToCell)

  StringRef getArgument() const final { return "nets-to-cell"; }
  StringRef getDescription() const final {
    return "Write ops of nets in ops of cell";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<cellgrad::CellDialect>();
  }
  void runOnOperation() final {
    getOperation().walk([](nets::SwishOp op) {
      OpBuilder b(op);
      Value x = op.getX();
      Value s = cellgrad::SigmoidOp::create(b, op.getLoc(), x);
      op.replaceAllUsesWith(
          cellgrad::MulOp::create(b, op.getLoc(), x, s).getResult());
      op.erase();
    });
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  cellgrad::registerDialects(registry);
  cellgrad::registerPasses();
  registry.insert<nets::NetsDialect>();
  PassRegistration<NetsToCell>();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "cellgrad with the dialect nets\n", registry));
}
