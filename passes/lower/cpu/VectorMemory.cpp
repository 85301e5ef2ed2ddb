//===- VectorMemory.cpp - accesses of vectors in the LLVM dialect ---------===//

#include "passes/lower/cpu/VectorMemory.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace {
/// On a masked store: it is to become whole stores.
constexpr llvm::StringLiteral kWholeStores = "cell.whole_stores";

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

/// How many lanes a mask enables, where that is known and they are the first.
std::optional<int64_t> firstLanes(Value mask) {
  DenseElementsAttr bits;
  if (!matchPattern(mask, m_Constant(&bits)))
    return std::nullopt;
  auto values = bits.getValues<bool>();
  auto end = std::find(values.begin(), values.end(), false);
  if (std::find(end, values.end(), true) != values.end())
    return std::nullopt;
  return std::distance(values.begin(), end);
}

/// A masked store of the first lanes as whole stores, of 4, 2 and 1 of 7 lanes.
/// Without registers for masks it is one store for each lane, or an instruction
/// that takes some processors (AMD's Zen 3) 13 cycles.
struct StoreOfFirstLanes : ConvertOpToLLVMPattern<vector::MaskedStoreOp> {
  StoreOfFirstLanes(const LLVMTypeConverter &converter, bool hasMasks)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/3), hasMasks(hasMasks) {}

  LogicalResult
  matchAndRewrite(vector::MaskedStoreOp op, OpAdaptor operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (hasMasks && !op->hasAttr(kWholeStores))
      return failure();
    std::optional<int64_t> active = firstLanes(operands.getMask());
    MemRefType memory = op.getMemRefType();
    unsigned alignment = alignmentOf(memory.getElementType());
    auto vector = dyn_cast_or_null<VectorType>(
        typeConverter->convertType(op.getVectorType()));
    // Bits do not lie one behind the other in memory.
    if (!active || !vector || vector.getRank() != 1 || alignment == 0 ||
        vector.getElementType().isInteger(1))
      return failure();
    Location loc = op.getLoc();
    Value value = operands.getValueToStore();
    Value address = getStridedElementPtr(
        rewriter, loc, memory, operands.getBase(), operands.getIndices());
    for (int64_t lane = 0; lane < *active;) {
      int64_t lanes = llvm::bit_floor(uint64_t(*active - lane));
      Value at = address;
      if (lane > 0)
        at = LLVM::GEPOp::create(rewriter, loc, address.getType(),
                                 vector.getElementType(), address,
                                 ArrayRef<LLVM::GEPArg>{int32_t(lane)});
      auto part = llvm::to_vector_of<int32_t>(llvm::seq(lane, lane + lanes));
      LLVM::StoreOp::create(
          rewriter, loc,
          LLVM::ShuffleVectorOp::create(rewriter, loc, value, value, part), at,
          alignment);
      lane += lanes;
    }
    rewriter.eraseOp(op);
    return success();
  }

  bool hasMasks;
};
} // namespace

void cellgrad::markStoresInPlace(Operation *module) {
  module->walk([](vector::MaskedStoreOp store) {
    bool isRead = llvm::any_of(store.getBase().getUsers(), [&](Operation *op) {
      return op->getBlock() == store->getBlock() &&
             isa<vector::LoadOp, vector::MaskedLoadOp>(op);
    });
    if (isRead)
      store->setAttr(kWholeStores, UnitAttr::get(store.getContext()));
  });
}

void cellgrad::populateVectorMemoryToLLVMPatterns(LLVMTypeConverter &converter,
                                                  RewritePatternSet &patterns,
                                                  const Target &target) {
  patterns.add<Access<vector::LoadOp>, Access<vector::StoreOp>,
               Access<vector::MaskedLoadOp>, Access<vector::MaskedStoreOp>>(
      converter);
  patterns.add<StoreOfFirstLanes>(converter, target.masks);
}
