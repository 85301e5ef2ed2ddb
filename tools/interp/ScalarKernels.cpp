//===- ScalarKernels.cpp - indices, conditions of loops and branches ------===//
//
// Scalars are tensors without dimensions; an index is an i64.
//
//===----------------------------------------------------------------------===//

#include "tools/interp/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace cellgrad::interp {

static Tensor scalar(Type type, int64_t value) {
  if (isa<IndexType>(type))
    type = IntegerType::get(type.getContext(), 64);
  Tensor result(RankedTensorType::get({}, type));
  result.setInt(0, value);
  return result;
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  return arith::applyCmpPredicate(predicate, APInt(64, a, /*isSigned=*/true),
                                  APInt(64, b, /*isSigned=*/true));
}

std::optional<Tensor> evaluateScalar(Operation *op, Operands args) {
  auto binary = [&](auto function) -> std::optional<Tensor> {
    return scalar(op->getResult(0).getType(),
                  function(args[0]->getInt(0), args[1]->getInt(0)));
  };
  return llvm::TypeSwitch<Operation *, std::optional<Tensor>>(op)
      .Case([&](arith::ConstantOp constant) -> std::optional<Tensor> {
        if (auto value = dyn_cast<IntegerAttr>(constant.getValue()))
          return scalar(constant.getType(), value.getInt());
        return std::nullopt;
      })
      .Case([&](arith::AddIOp) {
        return binary([](int64_t a, int64_t b) { return a + b; });
      })
      .Case([&](arith::SubIOp) {
        return binary([](int64_t a, int64_t b) { return a - b; });
      })
      .Case([&](arith::MulIOp) {
        return binary([](int64_t a, int64_t b) { return a * b; });
      })
      .Case([&](arith::MaxSIOp) {
        return binary([](int64_t a, int64_t b) { return std::max(a, b); });
      })
      .Case([&](arith::AndIOp) {
        return binary([](int64_t a, int64_t b) { return a & b; });
      })
      .Case([&](arith::OrIOp) {
        return binary([](int64_t a, int64_t b) { return a | b; });
      })
      .Case([&](arith::XOrIOp) {
        return binary([](int64_t a, int64_t b) { return a ^ b; });
      })
      .Case([&](arith::SelectOp select) -> std::optional<Tensor> {
        if (!select.getCondition().getType().isInteger(1))
          return std::nullopt;
        return *args[args[0]->getInt(0) ? 1 : 2];
      })
      .Case([&](arith::DivUIOp) {
        return binary([](int64_t a, int64_t b) { return b == 0 ? 0 : a / b; });
      })
      .Case([&](arith::CeilDivSIOp) {
        return binary([](int64_t a, int64_t b) {
          return b == 0 ? 0 : llvm::divideCeilSigned(a, b);
        });
      })
      .Case([&](arith::CmpIOp cmp) {
        return binary([&](int64_t a, int64_t b) {
          return compare(cmp.getPredicate(), a, b);
        });
      })
      .Case([&](arith::IndexCastOp cast) -> std::optional<Tensor> {
        return scalar(cast.getType(), args[0]->getInt(0));
      })
      .Case([&](tensor::ExtractOp extract) -> std::optional<Tensor> {
        if (extract.getTensor().getType().getRank() != 0)
          return std::nullopt;
        return *args[0];
      })
      .Case([&](tensor::FromElementsOp from) -> std::optional<Tensor> {
        if (cast<RankedTensorType>(from.getType()).getRank() != 0)
          return std::nullopt;
        return *args[0];
      })
      .Default([](Operation *) -> std::optional<Tensor> { return {}; });
}

} // namespace cellgrad::interp
