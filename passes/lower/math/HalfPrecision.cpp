//===- HalfPrecision.cpp - half precision computed in single --------------===//

#include "passes/lower/math/HalfPrecision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

FailureOr<bool> cellgrad::computeHalfInSingle(Operation *root,
                                              ArrayRef<Type> half) {
  MLIRContext *ctx = root->getContext();
  bool found = false;
  root->walk([&](Operation *op) {
    auto isHalf = [&](Type type) {
      return llvm::is_contained(half, getElementTypeOrSelf(type));
    };
    found |= llvm::any_of(op->getOperandTypes(), isHalf) ||
             llvm::any_of(op->getResultTypes(), isHalf);
  });
  if (!found)
    return false;
  RewritePatternSet patterns(ctx);
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(converter, half,
                                                     Float32Type::get(ctx));
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  ConversionTarget legal(*ctx);
  arith::populateEmulateUnsupportedFloatsLegality(legal, converter);
  if (failed(applyPartialConversion(root, legal, std::move(patterns))))
    return failure();
  // The patterns above allow contraction on the conversions they add, which has
  // no meaning there, and no form in the LLVM dialect.
  root->walk([](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      op->removeAttr("fastmath");
  });
  return true;
}
