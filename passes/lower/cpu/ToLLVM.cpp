//===- ToLLVM.cpp - loops, vectors and memrefs to the LLVM dialect --------===//

#include "passes/lower/buffers/EmptyArguments.h"
#include "passes/lower/cpu/CallFrame.h"
#include "passes/lower/cpu/Check.h"
#include "passes/lower/cpu/Collectives.h"
#include "passes/lower/cpu/ControlFlow.h"
#include "passes/lower/cpu/Passes.h"
#include "passes/lower/cpu/Print.h"
#include "passes/lower/cpu/Stash.h"
#include "passes/lower/cpu/VectorMemory.h"
#include "passes/lower/math/HalfPrecision.h"

#include "dialect/CellDialect.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cellgrad {
#define GEN_PASS_DEF_CONVERTTOLLVM
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

/// Every entry returns a status, other than 0 where a check fails.
void returnStatus(func::FuncOp func) {
  if (func.isPrivate() || func.isDeclaration() || func.getNumResults() != 0)
    return;
  OpBuilder b(func.getContext());
  func.setType(b.getFunctionType(func.getArgumentTypes(), b.getI32Type()));
  func.walk([&](func::ReturnOp ret) {
    b.setInsertionPoint(ret);
    Value ok = arith::ConstantIntOp::create(b, ret.getLoc(), 0, 32);
    ret->setOperands(ok);
  });
}

/// Arithmetic on half-precision floats that the target does not have is
/// computed in single precision; conversions of bf16 are integer arithmetic.
LogicalResult emulateHalfPrecision(ModuleOp module,
                                   const cellgrad::Target &target) {
  MLIRContext *ctx = module.getContext();
  SmallVector<Type> half;
  if (!target.f16)
    half.push_back(Float16Type::get(ctx));
  if (!target.bf16)
    half.push_back(BFloat16Type::get(ctx));
  FailureOr<bool> found = cellgrad::computeHalfInSingle(module, half);
  if (failed(found) || !*found)
    return LogicalResult(found);
  RewritePatternSet patterns(ctx);
  arith::populateExpandBFloat16Patterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

/// Ops that are rewritten as others before the conversion.
bool isExpanded(Operation *op) {
  return isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             vector::BroadcastOp, vector::GatherOp, vector::TransposeOp>(op) ||
         isa<memref::MemRefDialect>(op->getDialect());
}

struct ConvertToLLVM : cellgrad::impl::ConvertToLLVMBase<ConvertToLLVM> {
  using ConvertToLLVMBase::ConvertToLLVMBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *ctx = &getContext();
    for (auto func : module.getOps<func::FuncOp>()) {
      cellgrad::separateEmptyPrints(func);
      cellgrad::flattenEmptyArguments(func);
      returnStatus(func);
      cellgrad::freeStashes(func);
      cellgrad::openCallFrame(func);
      cellgrad::lowerCollectives(func);
    }
    if (failed(emulateHalfPrecision(module, *target)))
      return signalPassFailure();
    {
      RewritePatternSet patterns(ctx);
      memref::populateExpandStridedMetadataPatterns(patterns);
      arith::populateCeilFloorDivExpandOpsPatterns(patterns);
      vector::populateVectorBroadcastLoweringPatterns(patterns);
      vector::populateVectorGatherLoweringPatterns(patterns);
      vector::populateVectorTransposeLoweringPatterns(
          patterns, vector::VectorTransposeLowering::Shuffle16x16);
      // Few ops are looked at: the driver would fold and number all others.
      SmallVector<Operation *> ops;
      module.walk([&](Operation *op) {
        if (isExpanded(op))
          ops.push_back(op);
      });
      if (failed(applyOpPatternsGreedily(
              ops, std::move(patterns),
              GreedyRewriteConfig().setStrictness(
                  GreedyRewriteStrictness::ExistingAndNewOps))))
        return signalPassFailure();
    }

    if (target->masks)
      cellgrad::markStoresInPlace(module);
    if (failed(cellgrad::lowerControlFlow(module)))
      return signalPassFailure();

    LowerToLLVMOptions options(ctx);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(ctx, options);
    RewritePatternSet patterns(ctx);
    populateAffineToStdConversionPatterns(patterns);
    populateSCFToControlFlowConversionPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    cellgrad::populateVectorMemoryToLLVMPatterns(converter, patterns, *target);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    cellgrad::populatePrintToLLVMPatterns(converter, patterns);
    cellgrad::populateStashToLLVMPatterns(converter, patterns);
    LLVMConversionTarget legal(*ctx);
    legal.addLegalOp<ModuleOp>();
    // Casts between the memory forms of one element (i1 and i8) are between
    // equal descriptors now; reconcile-unrealized-casts removes them.
    legal.addLegalOp<UnrealizedConversionCastOp>();
    legal.addLegalOp<cellgrad::CheckOp, cellgrad::EndOp>();
    // Code of a device, beside the host program that launches it.
    legal.addLegalOp<gpu::GPUModuleOp>();
    legal.markOpRecursivelyLegal<gpu::GPUModuleOp>();
    // No pattern fails after it has changed something: nothing is recorded.
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyFullConversion(module, legal, std::move(patterns), config)))
      return signalPassFailure();
    cellgrad::lowerChecks(module);
    cellgrad::lowerEnds(module);
  }
};

} // namespace
