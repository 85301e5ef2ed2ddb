//===- DeviceKernel.cpp - kernels made of functions on buffers ------------===//

#include "passes/lower/gpu/DeviceKernel.h"

#include "passes/lower/gpu/DeviceMemory.h"
#include "passes/lower/gpu/HostProgram.h"
#include "passes/lower/gpu/ProgramMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cellgrad;

static gpu::GPUModuleOp findOrMake(ModuleOp module, SymbolTable &symbols) {
  for (auto known : module.getOps<gpu::GPUModuleOp>())
    return known;
  OpBuilder b(module.getContext());
  auto device = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
  symbols.insert(device, module.getBody()->begin());
  return device;
}

DeviceModule::DeviceModule(ModuleOp module)
    : symbols(module), device(findOrMake(module, symbols)), kernels(device) {}

gpu::GPUFuncOp DeviceModule::makeKernel(func::FuncOp func,
                                        const KernelShape &shape) {
  OpBuilder b(func.getContext());
  SmallVector<Type> types;
  for (Type type : func.getArgumentTypes())
    types.push_back(type.isIndex() ? b.getI64Type()
                                   : inMemory(type, kGlobalMemory));
  if (shape.scratchBytes)
    types.push_back(inMemory(
        MemRefType::get({shape.blocks * shape.scratchBytes}, b.getI8Type()),
        kGlobalMemory));
  Location loc = func.getLoc();
  auto kernel = gpu::GPUFuncOp::create(b, loc, func.getSymName(),
                                       b.getFunctionType(types, TypeRange()));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(shape.threads), 1, 1}));
  kernel.setKnownGridSizeAttr(
      b.getDenseI32ArrayAttr({static_cast<int32_t>(shape.blocks), 1, 1}));
  if (shape.scratchBytes)
    kernel->setAttr(kScratchBytes, b.getI64IntegerAttr(shape.scratchBytes));
  kernels.insert(kernel);

  Block &body = kernel.getBody().front(), &ops = func.getBody().front();
  b.setInsertionPointToStart(&body);
  for (auto [from, to] : llvm::zip(ops.getArguments(), body.getArguments())) {
    Value value = to;
    if (from.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getIndexType(), to);
    from.replaceAllUsesWith(value);
  }
  body.getOperations().splice(body.end(), ops.getOperations());
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  gpu::ReturnOp::create(b, end->getLoc());
  end->erase();
  func.eraseBody();
  func->setAttr(kDeviceKernel,
                SymbolRefAttr::get(device.getSymNameAttr(),
                                   FlatSymbolRefAttr::get(kernel)));

  kernel.walk([&](memref::GetGlobalOp get) {
    if (kernels.lookup(get.getName()))
      return;
    auto global = symbols.lookup<memref::GlobalOp>(get.getName()).clone();
    global.setType(cast<MemRefType>(inMemory(global.getType(), kGlobalMemory)));
    global.setAlignment(kWidestAccess);
    kernels.insert(global);
  });
  return kernel;
}
