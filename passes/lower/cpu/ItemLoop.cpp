//===- ItemLoop.cpp - loops whose steps may be shared ---------------------===//

#include "passes/lower/cpu/ItemLoop.h"

#include "passes/lower/buffers/Items.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

void cellgrad::emitItems(OpBuilder &b, Location loc, OpFoldResult count,
                         double nanoseconds,
                         function_ref<void(Value item)> body) {
  auto loop = scf::ForallOp::create(
      b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(0)}, ArrayRef(count),
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)}, ValueRange(), std::nullopt);
  loop->setAttr(kNanoseconds, b.getI64IntegerAttr(nanoseconds));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar(0));
}
