//===- ToNVVM.cpp - device code to the LLVM and NVVM dialects -------------===//

#include "passes/lower/buffers/EmptyArguments.h"
#include "passes/lower/gpu/DeviceMemory.h"
#include "passes/lower/gpu/Passes.h"

#include "passes/lower/math/HalfPrecision.h"

#include "dialect/Refusal.h"
#include "dialect/SpecialMath.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cellgrad {
#define GEN_PASS_DEF_GPUTONVVM
#include "passes/lower/gpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

/// Below this a loop variable may be stepped past the last position, and a
/// position counted in bytes in 32 bits without a sign.
constexpr int64_t kMostNarrowIndex = int64_t(1) << 30;

/// A block has less than 256 KB of it.
bool isShared(MemRefType type) {
  auto space = type.getMemorySpace();
  if (auto number = dyn_cast_or_null<IntegerAttr>(space))
    return number.getInt() == cellgrad::kSharedMemory;
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

/// Elements from the first to the last; none where that is not known.
std::optional<int64_t> spanOf(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    span += size == 0 ? 0 : (size - 1) * std::abs(stride);
  return ShapedType::isDynamic(offset) ? span : span + offset;
}

/// Whether a number of up to 64 bits has 32: one that was computed in fewer, or
/// lies between two constants.
bool hasNarrowValue(Value value) {
  bool isAtLeast = false, isAtMost = false;
  while (value.getType().getIntOrFloatBitWidth() > 32) {
    Operation *op = value.getDefiningOp();
    APInt bound;
    if (!op)
      return false;
    if (matchPattern(value, m_ConstantInt(&bound)) ||
        (isa<arith::MinSIOp, arith::MaxSIOp>(op) &&
         matchPattern(op->getOperand(1), m_ConstantInt(&bound)))) {
      if (!bound.abs().slt(kMostNarrowIndex))
        return false;
      isAtMost |= !isa<arith::MaxSIOp>(op);
      isAtLeast |= !isa<arith::MinSIOp>(op);
      if (isAtMost && isAtLeast)
        return true;
    } else if (!isa<arith::ExtSIOp>(op)) {
      return false;
    }
    value = op->getOperand(0);
  }
  return true;
}

/// Whether every position and every count fits in 32 bits: buffers are all
/// there is to walk, and no number of the program is a position as it is.
bool fitsNarrowIndex(gpu::GPUModuleOp module) {
  auto isNarrow = [](Value value) {
    if (auto memref = dyn_cast<MemRefType>(value.getType())) {
      std::optional<int64_t> span = spanOf(memref);
      return isShared(memref) || (span && *span < kMostNarrowIndex);
    }
    APInt constant;
    return !value.getType().isIndex() ||
           !matchPattern(value, m_ConstantInt(&constant)) ||
           constant.abs().slt(kMostNarrowIndex);
  };
  return !module
              .walk([&](Operation *op) {
                bool narrow = llvm::all_of(op->getResults(), isNarrow);
                if (auto cast = dyn_cast<arith::IndexCastOp>(op))
                  narrow &= !cast.getIn().getType().isInteger() ||
                            hasNarrowValue(cast.getIn());
                narrow &= !isa<arith::IndexCastUIOp>(op) ||
                          !op->getResult(0).getType().isIndex();
                for (Region &region : op->getRegions())
                  for (Block &block : region)
                    narrow &= llvm::all_of(block.getArguments(), isNarrow);
                return narrow ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Functions that are no instruction would become calls of NVIDIA's library of
/// bitcode, which is not linked.
LogicalResult refuseLibraryCalls(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool isFunction =
        isa_and_present<math::MathDialect, cellgrad::special::SpecialDialect>(
            op->getDialect()) ||
        isa<arith::RemFOp>(op);
    if (!isFunction ||
        isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
            math::CountLeadingZerosOp, math::CountTrailingZerosOp,
            math::CtPopOp, math::FloorOp, math::FmaOp, math::IsFiniteOp,
            math::IsInfOp, math::IsNaNOp, math::RoundEvenOp, math::SqrtOp,
            math::TruncOp>(op))
      return WalkResult::advance();
    cellgrad::refuse(op, cellgrad::Blame::Form)
        << "is no instruction of a GPU; run cell-expand-math, and "
           "cell-share-math, before cell-gpu-to-nvvm";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Upstream has these in a pass of its own, which knows one width of `index`.
void addNVGPUConversions(LLVMTypeConverter &converter) {
  nvgpu::populateCommonGPUTypeAndAttributeConversions(converter);
  auto integer = [](Type type, unsigned bits) {
    return IntegerType::get(type.getContext(), bits);
  };
  converter.addConversion([=](nvgpu::DeviceAsyncTokenType type) -> Type {
    return integer(type, 32);
  });
  converter.addConversion(
      [=](nvgpu::MBarrierTokenType type) -> Type { return integer(type, 64); });
  converter.addConversion(
      [=](nvgpu::WarpgroupMatrixDescriptorType type) -> Type {
        return integer(type, 64);
      });
  converter.addConversion([](nvgpu::TensorMapDescriptorType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  converter.addConversion([&](nvgpu::MBarrierGroupType type) -> Type {
    return converter.convertType(
        nvgpu::getMBarrierMemrefType(type.getContext(), type));
  });
  // Each instruction of 64 rows gives every thread a structure of registers.
  converter.addConversion([=](nvgpu::WarpgroupAccumulatorType type) -> Type {
    VectorType fragmented = type.getFragmented();
    Type element = fragmented.getElementType();
    int64_t rows = fragmented.getDimSize(0), columns = fragmented.getDimSize(1);
    Type word = element.isF16() ? Type(integer(type, 32)) : element;
    auto inner = LLVM::LLVMStructType::getLiteral(
        type.getContext(),
        SmallVector<Type>(element.isF16() ? columns / 4 : columns / 2, word));
    return LLVM::LLVMStructType::getLiteral(
        type.getContext(), SmallVector<Type>(rows / 64, inner));
  });
}

/// Ops that others of the conversion stand for.
LogicalResult expandOps(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateGpuRewritePatterns(patterns);
  memref::populateExpandStridedMetadataPatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorOuterProductLoweringPatterns(patterns);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

struct GpuToNVVM : cellgrad::impl::GpuToNVVMBase<GpuToNVVM> {
  using GpuToNVVMBase::GpuToNVVMBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (indexBits != 0 && indexBits != 32 && indexBits != 64) {
      cellgrad::refuse(module.getLoc())
          << "index-bits: expected 32, 64 or 0, not " << indexBits.getValue();
      return signalPassFailure();
    }
    MLIRContext *ctx = &getContext();
    SmallVector<Type> half = {Float16Type::get(ctx), BFloat16Type::get(ctx)};
    if (failed(refuseLibraryCalls(module)) ||
        failed(cellgrad::computeHalfInSingle(module, half)) ||
        failed(expandOps(module)))
      return signalPassFailure();
    for (auto kernel : module.getOps<gpu::GPUFuncOp>())
      cellgrad::flattenEmptyArguments(kernel);
    if (failed(convert(module)))
      return signalPassFailure();
    // Memory whose size the launch tells: of another module, or it would have
    // no bytes.
    for (auto global : module.getOps<LLVM::GlobalOp>())
      if (global.getSymName().starts_with("__dynamic_shmem__"))
        global.setLinkage(LLVM::Linkage::External);
  }

private:
  unsigned chooseIndexBits(gpu::GPUModuleOp module) {
    if (indexBits)
      return indexBits;
    return fitsNarrowIndex(module) ? 32 : 64;
  }

  LogicalResult convert(gpu::GPUModuleOp module) {
    MLIRContext *ctx = module.getContext();
    LowerToLLVMOptions options(ctx);
    options.useBarePtrCallConv = true;
    options.overrideIndexBitwidth(chooseIndexBits(module));
    LLVMTypeConverter converter(ctx, options);
    configureGpuToNVVMTypeConverter(converter);
    addNVGPUConversions(converter);

    RewritePatternSet patterns(ctx);
    populateAffineToStdConversionPatterns(patterns);
    populateSCFToControlFlowConversionPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns,
                                           /*reassociateFPReductions=*/false,
                                           /*force32BitVectorIndices=*/true);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    // Among them are calls of the library, for ops that the patterns before
    // convert.
    populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/0);
    populateNVGPUToNVVMConversionPatterns(converter, patterns);

    LLVMConversionTarget legal(*ctx);
    legal.addLegalDialect<NVVM::NVVMDialect>();
    legal.addIllegalDialect<gpu::GPUDialect, nvgpu::NVGPUDialect>();
    legal.addLegalOp<gpu::GPUModuleOp, UnrealizedConversionCastOp>();
    legal.markUnknownOpDynamicallyLegal([](Operation *) { return false; });
    return applyFullConversion(module, legal, std::move(patterns));
  }
};

} // namespace
