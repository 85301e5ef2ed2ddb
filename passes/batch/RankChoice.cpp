//===- RankChoice.cpp - conditions that all ranks agree on ----------------===//

#include "passes/batch/RankChoice.h"

#include "dialect/CellDialect.h"
#include "dialect/CollectiveOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

llvm::SetVector<Attribute> cellgrad::meetingGroups(ArrayRef<Operation *> ops) {
  llvm::SetVector<Attribute> groups;
  for (Operation *top : ops)
    top->walk([&](Operation *op) {
      if (needsAllRanks(op))
        groups.insert(op->getAttr("group"));
    });
  return groups;
}

void cellgrad::onAllRanks(OpBuilder &b, Location loc, Attribute group,
                          MutableArrayRef<Value> conditions) {
  auto type = RankedTensorType::get({static_cast<int64_t>(conditions.size())},
                                    b.getI32Type());
  SmallVector<Value> words;
  for (Value condition : conditions)
    words.push_back(
        arith::ExtUIOp::create(b, loc, type.getElementType(), condition));
  Value all = AllReduceOp::create(
      b, loc, tensor::FromElementsOp::create(b, loc, type, words),
      b.getStringAttr("min"), b.getBoolAttr(false),
      cast_if_present<DenseI64ArrayAttr>(group), IntegerAttr());
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  for (auto [i, condition] : llvm::enumerate(conditions)) {
    Value at = arith::ConstantIndexOp::create(b, loc, static_cast<int64_t>(i));
    condition =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                              tensor::ExtractOp::create(b, loc, all, at), zero);
  }
}
