//===- ShareMath.cpp - one function for equal long computations -----------===//

#include "passes/lower/math/Functions.h"
#include "passes/lower/math/Passes.h"

#include "dialect/SpecialMath.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_SHAREMATH
#include "passes/lower/math/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

/// "f32" or "16xf32".
static std::string nameOf(Type type) {
  std::string name;
  llvm::raw_string_ostream os(name);
  if (auto vectorType = dyn_cast<VectorType>(type)) {
    for (int64_t size : vectorType.getShape())
      os << size << 'x';
    type = vectorType.getElementType();
  }
  os << type;
  return name;
}

/// A function that computes what the op does.
static func::FuncOp makeFunction(special::ReduceLargeOp op,
                                 MathFeatures features) {
  OpBuilder builder(op.getContext());
  auto function = func::FuncOp::create(
      op.getLoc(), "cell_reduce_large_" + nameOf(op.getX().getType()),
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  function.setPrivate();
  function->setAttr("passthrough", builder.getStrArrayAttr({"cold"}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  MathBuilder b(op.getLoc(), builder, features);
  auto argument = [&](unsigned i) { return Expr(function.getArgument(i), b); };
  PiReduction reduced =
      reduceLargeByHalfPi(argument(0), {argument(1), argument(2), argument(3)});
  func::ReturnOp::create(b, ValueRange{reduced.n, reduced.r, reduced.low});
  return function;
}

namespace {

struct ShareMathPass : public cellgrad::impl::ShareMathBase<ShareMathPass> {
  using ShareMathBase::ShareMathBase;

  void runOnOperation() override {
    // Device code has a table of symbols of its own.
    llvm::MapVector<std::pair<Operation *, Type>,
                    SmallVector<special::ReduceLargeOp>>
        byType;
    getOperation().walk([&](special::ReduceLargeOp op) {
      byType[{SymbolTable::getNearestSymbolTable(op), op.getX().getType()}]
          .push_back(op);
    });
    SymbolTableCollection tables;
    for (auto &[key, ops] : byType) {
      func::FuncOp function = makeFunction(ops.front(), {fma});
      tables.getSymbolTable(key.first).insert(function);
      for (special::ReduceLargeOp op : ops) {
        OpBuilder b(op);
        auto call =
            func::CallOp::create(b, op.getLoc(), function, op.getOperands());
        op->replaceAllUsesWith(call.getResults());
        op.erase();
      }
    }
  }
};

} // namespace
