//===- VectorMemory.cpp - accesses of vectors in the LLVM dialect ---------===//

#include "passes/lower/cpu/VectorMemory.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace {
/// The bytes at whose multiples an element lies; 0 where MLIR is to say it.
unsigned alignmentOf(Type element) {
  if (!isa<IntegerType, FloatType>(element))
    return element.isIndex() ? 8 : 0;
  unsigned bits = element.getIntOrFloatBitWidth();
  return bits == 1                                   ? 1
         : llvm::is_contained({8, 16, 32, 64}, bits) ? bits / 8
                                                     : 0;
}

template <typename Op>
void replace(Op op, typename Op::Adaptor operands, Type vector, Value address,
             unsigned alignment, ConversionPatternRewriter &rewriter) {
  if constexpr (std::is_same_v<Op, vector::LoadOp>)
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, vector, address, alignment,
                                              /*isVolatile=*/false,
                                              op.getNontemporal());
  else if constexpr (std::is_same_v<Op, vector::StoreOp>)
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(
        op, operands.getValueToStore(), address, alignment,
        /*isVolatile=*/false, op.getNontemporal());
  else if constexpr (std::is_same_v<Op, vector::MaskedLoadOp>)
    rewriter.replaceOpWithNewOp<LLVM::MaskedLoadOp>(
        op, vector, address, operands.getMask(), operands.getPassThru(),
        alignment);
  else
    rewriter.replaceOpWithNewOp<LLVM::MaskedStoreOp>(
        op, operands.getValueToStore(), address, operands.getMask(), alignment);
}

template <typename Op> struct Access : ConvertOpToLLVMPattern<Op> {
  explicit Access(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor operands,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType memory = op.getMemRefType();
    unsigned alignment =
        op.getAlignment().value_or(alignmentOf(memory.getElementType()));
    Type vector = this->typeConverter->convertType(op.getVectorType());
    if (op.getVectorType().getRank() > 1 || alignment == 0 || !vector)
      return failure();
    Value address =
        this->getStridedElementPtr(rewriter, op.getLoc(), memory,
                                   operands.getBase(), operands.getIndices());
    replace(op, operands, vector, address, alignment, rewriter);
    return success();
  }
};
} // namespace

void cellgrad::populateVectorMemoryToLLVMPatterns(LLVMTypeConverter &converter,
                                                  RewritePatternSet &patterns) {
  patterns.add<Access<vector::LoadOp>, Access<vector::StoreOp>,
               Access<vector::MaskedLoadOp>, Access<vector::MaskedStoreOp>>(
      converter);
}
