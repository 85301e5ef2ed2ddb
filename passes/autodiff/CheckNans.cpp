//===- CheckNans.cpp - the first op that gives NaN ends the call ----------===//

#include "passes/autodiff/Passes.h"

#include "dialect/CellDialect.h"

namespace cellgrad {
#define GEN_PASS_DEF_CHECKNANSPASS
#include "passes/autodiff/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// What an op is for the person who wrote the line that it comes from: "log",
/// or "the vjp of log", and the path of its Cell.
std::string describe(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  op->getLoc()->walk([&](Location inner) {
    auto fused = dyn_cast<FusedLoc>(inner);
    auto rule = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata())
                      : StringAttr();
    if (!rule)
      return WalkResult::advance();
    auto [kind, name] = rule.getValue().split(" of cell.");
    text = ("the " + kind + " of " + name).str();
    return WalkResult::interrupt();
  });
  op->getLoc()->walk([&](Location inner) {
    auto name = dyn_cast<NameLoc>(inner);
    if (!name)
      return WalkResult::advance();
    text += (" at '" + name.getName().getValue() + "'").str();
    return WalkResult::interrupt();
  });
  return text;
}

struct CheckNansPass : cellgrad::impl::CheckNansPassBase<CheckNansPass> {
  void runOnOperation() override {
    SmallVector<Value> values;
    getOperation().walk([&](Operation *op) {
      if (!isa_and_nonnull<CellDialect>(op->getDialect()) ||
          isa<ConstantOp>(op))
        return;
      for (Value result : op->getResults()) {
        auto type = dyn_cast<RankedTensorType>(result.getType());
        if (type && isa<FloatType>(type.getElementType()))
          values.push_back(result);
      }
    });
    for (Value value : values) {
      Operation *op = value.getDefiningOp();
      OpBuilder b(op->getContext());
      b.setInsertionPointAfter(op);
      Value isNan = IsNanOp::create(b, op->getLoc(), value);
      Value ok = LogicalNotOp::create(b, op->getLoc(), isNan);
      CheckOp::create(b, op->getLoc(), ok, "NaN in " + describe(op));
    }
  }
};

} // namespace
