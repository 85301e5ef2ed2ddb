//===- Ptx.cpp - device code to PTX ---------------------------------------===//

#include "passes/emit/Ptx.h"
#include "passes/emit/Object.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace cellgrad;

namespace {

/// PTX 8.0 is that of CUDA 12.0: drivers from 525 on, and the first to know
/// sm_90. Older versions would gain nothing that generated code uses.
// clang-format off
constexpr GpuChip kChips[] = {
    {"sm_75",  75, "+ptx80"},
    {"sm_80",  80, "+ptx80"},
    {"sm_86",  86, "+ptx80"},
    {"sm_87",  87, "+ptx80"},
    {"sm_89",  89, "+ptx80"},
    {"sm_90",  90, "+ptx80"},
    {"sm_90a", 90, "+ptx80"},
};
// clang-format on

/// What loops over scalars and short vectors need: ptxas does the rest. Device
/// functions go where they are called, since a call costs registers.
constexpr const char *kPasses =
    "always-inline,globaldce,function(sroa,early-cse<memssa>,simplifycfg,"
    "instcombine<no-verify-fixpoint>,loop-mssa(licm),infer-address-spaces,"
    "early-cse,adce)";

const llvm::Target *backend() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple("nvptx64-nvidia-cuda"),
                                            error);
}

std::unique_ptr<llvm::TargetMachine> machineFor(const GpuChip &chip) {
  const llvm::Target *target = backend();
  if (!target)
    return nullptr;
  // A product and a sum are one instruction only where the program has an fma:
  // results are those of the CPU.
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      llvm::Triple("nvptx64-nvidia-cuda"), chip.name, chip.version, options,
      std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// What kernels call is only seen here, and inlined.
void hideFunctions(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() ||
        function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    if (!function.hasFnAttribute(llvm::Attribute::NoInline))
      function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

/// A function that is called and not here: the driver would refuse the text.
mlir::LogicalResult refuseForeignCalls(mlir::gpu::GPUModuleOp module,
                                       const llvm::Module &ir) {
  for (const llvm::Function &function : ir)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty())
      return refuse(module, Blame::Form)
             << "calls '" << function.getName() << "', which is not in it";
  return mlir::success();
}

} // namespace

llvm::ArrayRef<GpuChip> cellgrad::gpuChips() { return kChips; }

const GpuChip *cellgrad::findChipFor(uint32_t version) {
  const GpuChip *found = nullptr;
  for (const GpuChip &chip : kChips)
    if (chip.number <= version && !llvm::isAlpha(chip.name.back()))
      found = &chip;
  return found;
}

llvm::Expected<const GpuChip *> cellgrad::findChip(llvm::StringRef name) {
  const GpuChip *found = llvm::find_if(
      kChips, [&](const GpuChip &chip) { return chip.name == name; });
  if (found != std::end(kChips))
    return found;
  auto names = llvm::map_range(
      kChips, [](const GpuChip &chip) -> llvm::StringRef { return chip.name; });
  return llvm::createStringError("unknown chip '" + name +
                                 "': expected one of " +
                                 llvm::join(names, ", "));
}

void cellgrad::registerPtxDialects(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

mlir::FailureOr<std::string>
cellgrad::generatePtx(mlir::gpu::GPUModuleOp module, const GpuChip &chip) {
  llvm::LLVMContext context;
  LLVMErrors errors(context, module);
  auto machine = machineFor(chip);
  if (!machine)
    return module.emitError("the NVPTX backend is missing from this build");
  // Accesses get their alignment from it when they are translated: by LLVM's
  // default, words of 64 bits would be read in halves.
  llvm::DataLayout layout = machine->createDataLayout();
  module->setAttr(mlir::LLVM::LLVMDialect::getDataLayoutAttrName(),
                  mlir::StringAttr::get(module.getContext(),
                                        layout.getStringRepresentation()));
  auto ir = mlir::translateModuleToLLVMIR(module, context, "kernels");
  if (!ir)
    return mlir::failure();
  ir->setTargetTriple(machine->getTargetTriple());
  ir->setDataLayout(layout);
  hideFunctions(*ir);
  if (mlir::failed(refuseForeignCalls(module, *ir)))
    return mlir::failure();
  auto check = [&](llvm::Error error) -> mlir::LogicalResult {
    if (error)
      return module.emitError(llvm::toString(std::move(error)));
    return mlir::failure(errors.any());
  };
  llvm::SmallString<0> text;
  if (mlir::failed(check(runPasses(*ir, *machine, kPasses))) ||
      mlir::failed(check(
          generate(*ir, *machine, llvm::CodeGenFileType::AssemblyFile, text))))
    return mlir::failure();
  // Code generation, too, knows functions that stand for instructions.
  for (llvm::StringRef foreign : {"__nv_", ".extern .func"})
    if (size_t at = text.find(foreign); at != llvm::StringRef::npos)
      return refuse(module, Blame::Form) << "needs what is not in its PTX: "
                                         << text.substr(at).split('\n').first;
  return std::string(text);
}
