//===- Registry.cpp - dialects and passes every cellgrad tool knows -------===//

#include "passes/Registry.h"
#include "passes/UnknownOps.h"

#include "dialect/CellDialect.h"
#include "dialect/SpecialMath.h"
#include "passes/autodiff/Passes.h"
#include "passes/batch/Passes.h"
#include "passes/emit/Passes.h"
#include "passes/lower/buffers/Bufferization.h"
#include "passes/lower/buffers/Passes.h"
#include "passes/lower/cpu/Passes.h"
#include "passes/lower/fuse/Passes.h"
#include "passes/lower/gpu/Passes.h"
#include "passes/lower/math/Passes.h"
#include "passes/lower/sequential/Passes.h"
#include "passes/lower/tensors/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <mutex>

using namespace mlir;

void cellgrad::registerDialects(DialectRegistry &registry) {
  registry.insert<CellDialect, affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, nvgpu::NVGPUDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, special::SpecialDialect,
                  tensor::TensorDialect, vector::VectorDialect>();
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  func::registerInlinerExtension(registry);
  linalg::registerAllDialectInterfaceImplementations(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  registry.addExtension(+[](MLIRContext *context, CellDialect *) {
    cellgrad::suggestOpNames(context);
  });
  registerCollectiveBufferization(registry);
  registerPrintBufferization(registry);
  registerStashBufferization(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerSubsetOpInterfaceExternalModels(registry);
}

namespace cellgrad {
static void registerAll() {
  registerCellAutodiffPasses();
  registerCellBatchPasses();
  registerCellEmitPasses();
  registerCellLowerTensorsPasses();
  registerCellLowerBuffersPasses();
  registerCellLowerFusePasses();
  registerCellLowerSequentialPasses();
  registerCellLowerCPUPasses();
  registerCellLowerGPUPasses();
  registerTransformsPasses();
  registerLinalgPasses();
  bufferization::registerBufferizationPasses();
  memref::registerMemRefPasses();
  tensor::registerTensorPasses();
  vector::registerVectorPasses();
  registerSCFPasses();
  registerConvertFuncToLLVMPass();
  registerReconcileUnrealizedCastsPass();
  registerCellLowerMathPasses();
  registerPipelines();
}

} // namespace cellgrad

void cellgrad::registerPasses() {
  static std::once_flag once;
  std::call_once(once, registerAll);
}
