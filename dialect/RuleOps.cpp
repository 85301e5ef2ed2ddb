//===- RuleOps.cpp - custom rules, rematerialisation, barriers ------------===//

#include "dialect/Refusal.h"
#include "dialect/Rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace cellgrad {

/// Indices of the types that carry a derivative.
static SmallVector<int64_t> derivativeIndices(TypeRange types) {
  SmallVector<int64_t> indices;
  for (auto [i, type] : llvm::enumerate(types))
    if (carriesDerivative(type))
      indices.push_back(i);
  return indices;
}

static void appendTypes(SmallVectorImpl<Type> &types, TypeRange all,
                        ArrayRef<int64_t> indices) {
  for (int64_t i : indices)
    types.push_back(all[i]);
}

/// Checks that `name` is a function from `inputs` to `results`.
static LogicalResult checkFunction(Operation *op,
                                   SymbolTableCollection &symbols,
                                   FlatSymbolRefAttr name, TypeRange inputs,
                                   TypeRange results) {
  auto func = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!func)
    return op->emitOpError("refers to ")
           << name << ", which is not a function of this module";
  auto expected = FunctionType::get(op->getContext(), inputs, results);
  if (func.getFunctionType() != expected)
    return op->emitOpError("needs ")
           << name << " to be of type " << expected << ", but it is "
           << func.getFunctionType();
  return success();
}

//===----------------------------------------------------------------------===//
// custom
//===----------------------------------------------------------------------===//

LogicalResult CustomOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getVjpAttr() == !getJvpAttr())
    return emitOpError("takes one rule: vjp or jvp");
  SmallVector<Type> inputs(getArgs().getTypes());
  llvm::append_range(inputs, getCaptures().getTypes());
  if (failed(checkFunction(*this, symbols, getCalleeAttr(), inputs,
                           getResultTypes())))
    return failure();
  TypeRange args = getArgs().getTypes(), results = getResultTypes();
  SmallVector<Type> takes(args), gives;
  if (getVjpAttr()) {
    llvm::append_range(takes, results);
    appendTypes(takes, results, derivativeIndices(results));
    appendTypes(gives, args, derivativeIndices(args));
  } else {
    appendTypes(takes, args, derivativeIndices(args));
    llvm::append_range(gives, results);
    appendTypes(gives, results, derivativeIndices(results));
  }
  llvm::append_range(takes, getRuleCaptures().getTypes());
  return checkFunction(*this, symbols, getRuleAttr(), takes, gives);
}

/// Refuses to differentiate by what the rule knows nothing of.
static LogicalResult refuseCaptures(CustomOp op,
                                    llvm::function_ref<bool(unsigned)> active) {
  for (unsigned i = op.getArgs().size(), e = op->getNumOperands(); i < e; ++i)
    if (active(i))
      return refuse(op)
             << "is differentiated with respect to a captured value (operand "
             << i << "), for which its rule " << op.getRuleAttr()
             << " gives no derivative; pass it as an argument";
  return success();
}

LogicalResult CustomOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 const llvm::SmallBitVector &wanted,
                                 MutableArrayRef<Value> operandCotangents) {
  if (failed(refuseCaptures(*this, [&](unsigned i) { return wanted[i]; })))
    return failure();
  Location loc = ruleLocation(*this, "vjp");
  SmallVector<int64_t> of = derivativeIndices(getResultTypes());
  SmallVector<int64_t> wrt = derivativeIndices(getArgs().getTypes());
  SmallVector<Value> incoming;
  for (int64_t i : of)
    incoming.push_back(
        valueOrZero(builder, loc, cotangents[i], getResult(i).getType()));
  SmallVector<Type> types;
  appendTypes(types, getArgs().getTypes(), wrt);
  ValueRange given;
  if (getVjpAttr()) {
    SmallVector<Value> operands(getArgs());
    llvm::append_range(operands, getResults());
    llvm::append_range(operands, incoming);
    llvm::append_range(operands, getRuleCaptures());
    given = func::CallOp::create(builder, loc, getVjpAttr(), types, operands)
                .getResults();
  } else {
    // The rule is linear in the tangents: its transpose is its reverse mode at
    // any tangent.
    SmallVector<Value> operands(getArgs());
    for (int64_t i : wrt)
      operands.push_back(
          valueOrZero(builder, loc, Value(), getArgs()[i].getType()));
    llvm::append_range(operands, getRuleCaptures());
    SmallVector<Type> all(getResultTypes());
    appendTypes(all, getResultTypes(), of);
    size_t primal = all.size();
    llvm::append_range(all, types);
    int64_t results = getNumResults(), args = getArgs().size();
    auto vjp = VJPOp::create(
        builder, loc, all, getJvp().value(), operands, incoming,
        llvm::to_vector(llvm::seq<int64_t>(results, results + of.size())),
        llvm::to_vector(llvm::seq<int64_t>(args, args + wrt.size())),
        /*transpose=*/true);
    given = vjp.getResults().drop_front(primal);
  }
  for (auto [i, cotangent] : llvm::zip_equal(wrt, given))
    operandCotangents[i] = cotangent;
  return success();
}

LogicalResult CustomOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                 MutableArrayRef<Value> resultTangents) {
  if (!getJvpAttr())
    return refuse(*this)
           << "has a vjp rule only, from which forward mode cannot be "
              "derived; use reverse mode, or give a jvp rule, from "
              "which reverse mode is derived";
  if (failed(refuseCaptures(*this, [&](unsigned i) -> bool {
        return static_cast<bool>(tangents[i]);
      })))
    return failure();
  Location loc = ruleLocation(*this, "jvp");
  SmallVector<Value> operands(getArgs());
  for (int64_t i : derivativeIndices(getArgs().getTypes()))
    operands.push_back(
        valueOrZero(builder, loc, tangents[i], getArgs()[i].getType()));
  llvm::append_range(operands, getRuleCaptures());
  SmallVector<int64_t> of = derivativeIndices(getResultTypes());
  SmallVector<Type> types(getResultTypes());
  appendTypes(types, getResultTypes(), of);
  auto call = func::CallOp::create(builder, loc, getJvpAttr(), types, operands);
  for (auto [i, tangent] :
       llvm::zip_equal(of, call.getResults().drop_front(getNumResults())))
    resultTangents[i] = tangent;
  return success();
}

//===----------------------------------------------------------------------===//
// recompute
//===----------------------------------------------------------------------===//

LogicalResult RecomputeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkFunction(*this, symbols, getCalleeAttr(), getArgs().getTypes(),
                       getResultTypes());
}

LogicalResult RecomputeOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents,
                                    const llvm::SmallBitVector &wanted,
                                    MutableArrayRef<Value> operandCotangents) {
  Location loc = ruleLocation(*this, "vjp");
  SmallVector<Value> incoming, args;
  SmallVector<int64_t> of, wrt;
  for (auto [i, cotangent] : llvm::enumerate(cotangents))
    if (cotangent) {
      of.push_back(i);
      incoming.push_back(cotangent);
    }
  // Not before the cotangents are there, and apart from the first run.
  for (Value arg : getArgs())
    args.push_back(
        BarrierOp::create(builder, loc, arg.getType(), arg, incoming));
  SmallVector<Type> types(getResultTypes());
  for (unsigned i : wanted.set_bits()) {
    wrt.push_back(i);
    types.push_back(getArgs()[i].getType());
  }
  auto vjp =
      VJPOp::create(builder, loc, types, getCallee(), args, incoming, of, wrt);
  for (auto [i, cotangent] :
       llvm::zip_equal(wrt, vjp.getResults().drop_front(getNumResults())))
    operandCotangents[i] = cotangent;
  return success();
}

LogicalResult RecomputeOp::buildJVP(OpBuilder &builder,
                                    ArrayRef<Value> tangents,
                                    MutableArrayRef<Value> resultTangents) {
  SmallVector<Value> incoming;
  SmallVector<int64_t> wrt, of = derivativeIndices(getResultTypes());
  for (auto [i, tangent] : llvm::enumerate(tangents))
    if (tangent) {
      wrt.push_back(i);
      incoming.push_back(tangent);
    }
  SmallVector<Type> types(getResultTypes());
  appendTypes(types, getResultTypes(), of);
  auto jvp = JVPOp::create(builder, ruleLocation(*this, "jvp"), types,
                           getCallee(), getArgs(), incoming, wrt, of);
  for (auto [i, tangent] :
       llvm::zip_equal(of, jvp.getResults().drop_front(getNumResults())))
    resultTangents[i] = tangent;
  return success();
}

//===----------------------------------------------------------------------===//
// barrier
//===----------------------------------------------------------------------===//

LogicalResult BarrierOp::verify() {
  if (getX().getType() != getType())
    return emitOpError("gives ")
           << getType() << " for an operand of type " << getX().getType();
  return success();
}

LogicalResult BarrierOp::buildVJP(OpBuilder &builder,
                                  ArrayRef<Value> cotangents,
                                  const llvm::SmallBitVector &wanted,
                                  MutableArrayRef<Value> operandCotangents) {
  if (wanted[0])
    operandCotangents[0] = cotangents[0];
  return success();
}

LogicalResult BarrierOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                  MutableArrayRef<Value> resultTangents) {
  resultTangents[0] = tangents[0];
  return success();
}

LogicalResult BarrierOp::buildBatched(OpBuilder &builder,
                                      ArrayRef<Value> operands,
                                      const llvm::SmallBitVector &batched,
                                      int64_t size,
                                      SmallVectorImpl<Value> &results) {
  Value x = asBatch(builder, getLoc(), operands[0], batched[0], size);
  results.push_back(BarrierOp::create(builder, getLoc(), x.getType(), x,
                                      operands.drop_front()));
  return success();
}

} // namespace cellgrad
