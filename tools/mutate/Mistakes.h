//===- Mistakes.h - mistakes in what derivative rules build ---------------===//
//
// Compiled into a scratch copy of the differentiation pass by written.py, never
// into the product.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TOOLS_MUTATE_MISTAKES_H
#define CELLGRAD_TOOLS_MUTATE_MISTAKES_H

#include "dialect/CellDialect.h"
#include "dialect/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace cellgrad::mistakes {

/// Those of `built` (inner ops before outer ones) that nothing reads: primal
/// values in the regions of an adjoint that it does not need. What stands in
/// `block` itself may be read by what comes later.
inline llvm::SmallPtrSet<mlir::Operation *, 16>
deadIn(mlir::Block *block, llvm::ArrayRef<mlir::Operation *> built) {
  llvm::SmallPtrSet<mlir::Operation *, 16> dead;
  auto isDead = [&](mlir::Operation *o) { return dead.contains(o); };
  for (mlir::Operation *o : llvm::reverse(built))
    if (o->getBlock() != block &&
        (isDead(o->getParentOp()) ||
         (o->getNumResults() && llvm::all_of(o->getUsers(), isDead))))
      dead.insert(o);
  return dead;
}

/// Whether `operand` is what a guard, or the select that is its derivative,
/// lets pass. Without it the numbers differ at poles only, for which there is a
/// test of its own.
inline bool isGuarded(mlir::OpOperand &operand) {
  if (llvm::isa<GuardOp>(operand.getOwner()))
    return operand.getOperandNumber() == 0;
  auto select = llvm::dyn_cast<SelectOp>(operand.getOwner());
  if (!select || operand.get() != select.getOnFalse())
    return false;
  auto both = select.getCondition().getDefiningOp<LogicalAndOp>();
  auto isNot = both ? both.getRhs().getDefiningOp<LogicalNotOp>() : nullptr;
  return isNot && isNot.getX().getDefiningOp<IsFiniteOp>();
}

using Ops = llvm::SmallPtrSet<mlir::Operation *, 16>;

/// Whether what is not `dead` tests the results of `o` for infinities alone, so
/// that a guard sees poles.
inline bool isTested(mlir::Operation *o, const Ops &dead) {
  return !o->use_empty() && llvm::all_of(o->getUsers(), [&](auto *user) {
    return llvm::isa<IsFiniteOp>(user) || dead.contains(user) ||
           isTested(user, dead);
  });
}

/// Runs `rule` of `op`, and makes of what it has built the mistake that
/// CELL_MISTAKE names: "vjp cell.lu 3/13 sign 0" turns the sign of the first
/// result of op 3 wherever that rule builds 13 ops. With "list" there, prints
/// the names of all mistakes that can be made. `results` are what the rule
/// gives.
template <typename Rule>
llvm::LogicalResult
plant(llvm::StringRef mode, mlir::Operation *op, mlir::OpBuilder &builder,
      llvm::MutableArrayRef<mlir::Value> results, Rule rule) {
  using namespace mlir;
  const char *given = std::getenv("CELL_MISTAKE");
  if (!given)
    return rule();
  StringRef chosen = given;
  std::string head = (mode + " " + op->getName().getStringRef() + " ").str();
  if (chosen != "list" && !chosen.starts_with(head))
    return rule();

  Location loc = op->getLoc();
  Operation *mark = arith::ConstantIndexOp::create(builder, loc, 0);
  if (failed(rule()))
    return failure();
  SmallVector<Operation *> built;
  for (Operation *o = mark->getNextNode();
       o && o->getIterator() != builder.getInsertionPoint();
       o = o->getNextNode())
    o->walk([&](Operation *inner) { built.push_back(inner); });
  mark->erase();

  auto wanted = [&](unsigned k, StringRef what, unsigned i, StringRef text) {
    std::string name = head + llvm::utostr(k) + "/" +
                       llvm::utostr(built.size()) + " " + what.str() + " " +
                       llvm::utostr(i);
    if (chosen == "list")
      llvm::errs() << "mistake: " << name << " | " << text << "\n";
    return chosen == name;
  };
  auto replace = [&](Value from, Value to, Operation *except) {
    from.replaceUsesWithIf(
        to, [&](OpOperand &use) { return use.getOwner() != except; });
    for (Value &result : results)
      if (result == from)
        result = to;
  };
  OpBuilder::InsertionGuard guard(builder);
  auto dead = deadIn(builder.getBlock(), built);
  for (auto [k, o] : llvm::enumerate(built)) {
    if (dead.contains(o) || isTested(o, dead))
      continue;
    StringRef name = o->getName().getStringRef();
    for (OpResult result : o->getResults()) {
      bool used = !result.use_empty() || llvm::is_contained(results, result);
      if (!used || !carriesDerivative(result.getType()) ||
          isInteger(result.getType()) || // positions, mostly
          matchPattern(o, m_AnyZeroFloat()))
        continue;
      // A stash has no sign, but what is put there.
      if (isa<StashType>(result.getType())) {
        if (isa<StashWriteOp, StashAddOp>(o) &&
            !matchPattern(o->getOperand(0), m_AnyZeroFloat()) &&
            wanted(k, "sign", result.getResultNumber(), name)) {
          builder.setInsertionPoint(o);
          o->setOperand(0, NegOp::create(builder, loc, o->getOperand(0)));
        }
      } else if (wanted(k, "sign", result.getResultNumber(), name)) {
        builder.setInsertionPointAfter(o);
        auto negated = NegOp::create(builder, loc, result);
        replace(result, negated, negated);
      }
      if (isa<NegOp, CastOp>(o) || o->getNumRegions() || o->getNumResults() > 1)
        continue;
      for (OpOperand &operand : o->getOpOperands())
        if (operand.get().getType() == result.getType() &&
            !isGuarded(operand) &&
            wanted(k, "only-operand", operand.getOperandNumber(), name))
          replace(result, operand.get(), o);
    }
    for (auto [i, attribute] : llvm::enumerate(o->getAttrs()))
      if (auto flag = dyn_cast<BoolAttr>(attribute.getValue()))
        if (wanted(k, "flag", i,
                   (name + " " + attribute.getName().getValue()).str()))
          o->setAttr(attribute.getName(),
                     builder.getBoolAttr(!flag.getValue()));
  }
  for (auto [i, result] : llvm::enumerate(results))
    if (result && wanted(built.size(), "dropped", i, "result"))
      result = nullptr;
  return success();
}

} // namespace cellgrad::mistakes

#endif
