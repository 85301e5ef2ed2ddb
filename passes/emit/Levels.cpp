//===- Levels.cpp - code for several levels of processors in one module ---===//

#include "passes/emit/Levels.h"
#include "passes/emit/Platform.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

using namespace cellgrad;

namespace {
constexpr llvm::StringLiteral kArena = "cell.arena_bytes";
constexpr llvm::StringLiteral kSlot = "cell.slot_bytes";

int64_t bytesOf(mlir::Operation *function, llvm::StringRef name) {
  auto bytes = function->getAttrOfType<mlir::IntegerAttr>(name);
  return bytes ? bytes.getInt() : 0;
}

/// What the caller sees of one function: its name and other names of it.
struct Seen {
  std::string name;
  llvm::FunctionType *type;
  std::vector<std::string> aliases;
};

/// The functions of the level that the caller sees; they get names of its own.
std::vector<Seen> rename(llvm::Module &code, llvm::StringRef level) {
  std::vector<Seen> seen;
  for (llvm::Function &function : code)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      seen.push_back(
          {function.getName().str(), function.getFunctionType(), {}});
  for (llvm::GlobalAlias &alias : llvm::make_early_inc_range(code.aliases())) {
    for (Seen &item : seen)
      if (alias.getAliaseeObject()->getName() == item.name)
        item.aliases.push_back(alias.getName().str());
    alias.eraseFromParent();
  }
  for (const Seen &item : seen) {
    code.getFunction(item.name)->setName(item.name + "." + level);
  }
  return seen;
}

/// Adds the function `item` to `code`, which has one of each level.
void dispatch(llvm::Module &code, const Seen &item,
              llvm::ArrayRef<std::string> levels, llvm::GlobalVariable *masks) {
  auto *function = llvm::Function::Create(
      item.type, llvm::GlobalValue::ExternalLinkage, item.name, code);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("target-cpu", platformOf(Arch::X86).cpu);
  for (const std::string &alias : item.aliases)
    llvm::GlobalAlias::create(alias, function);
  llvm::IRBuilder<> b(
      llvm::BasicBlock::Create(code.getContext(), "", function));
  auto choose = code.getOrInsertFunction("cell_rt_level", b.getInt32Ty(),
                                         b.getPtrTy(), b.getInt32Ty());
  llvm::cast<llvm::Function>(choose.getCallee())
      ->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::Value *level = b.CreateCall(choose, {masks, b.getInt32(levels.size())});
  llvm::SwitchInst *cases = nullptr;
  auto arguments = llvm::map_to_vector(
      function->args(), [](llvm::Value &value) { return &value; });
  for (int64_t i = levels.size() - 1; i >= 0; --i) {
    auto *block = llvm::BasicBlock::Create(code.getContext(), "", function);
    if (!cases)
      cases = b.CreateSwitch(level, block);
    else
      cases->addCase(b.getInt32(i), block);
    llvm::IRBuilder<> in(block);
    // Linking leaves out what is internal and nobody calls, so only now.
    llvm::Function *own = code.getFunction(item.name + "." + levels[i]);
    own->setLinkage(llvm::GlobalValue::InternalLinkage);
    llvm::CallInst *call = in.CreateCall(own, arguments);
    if (item.type->getReturnType()->isVoidTy())
      in.CreateRetVoid();
    else
      in.CreateRet(call);
  }
}
} // namespace

mlir::LogicalResult
cellgrad::shareArenas(llvm::ArrayRef<mlir::ModuleOp> modules) {
  mlir::ModuleOp first = modules.front();
  for (mlir::ModuleOp module : modules)
    if (module->getAttr("cell.checks") != first->getAttr("cell.checks"))
      return module.emitError("the levels of processors differ in what the "
                              "model checks");
  for (auto entry : first.getOps<mlir::LLVM::LLVMFuncOp>()) {
    if (!entry->hasAttr(kArena))
      continue;
    int64_t fixed = 0, slot = 0;
    llvm::SmallVector<mlir::Operation *> same;
    for (mlir::ModuleOp module : modules) {
      auto function =
          module.lookupSymbol<mlir::LLVM::LLVMFuncOp>(entry.getSymName());
      if (!function)
        return entry.emitError("has no code for one of the levels");
      same.push_back(function);
      slot = std::max(slot, bytesOf(function, kSlot));
      fixed =
          std::max(fixed, bytesOf(function, kArena) - bytesOf(function, kSlot));
    }
    auto i64 = mlir::IntegerType::get(first.getContext(), 64);
    for (mlir::Operation *function : same) {
      function->setAttr(kArena, mlir::IntegerAttr::get(i64, fixed + slot));
      if (slot != 0)
        function->setAttr(kSlot, mlir::IntegerAttr::get(i64, slot));
    }
  }
  return mlir::success();
}

llvm::Expected<std::unique_ptr<llvm::Module>>
cellgrad::joinLevels(std::vector<LevelCode> levels) {
  std::vector<std::string> names;
  std::vector<uint64_t> features;
  std::vector<Seen> seen;
  std::unique_ptr<llvm::Module> joined;
  for (LevelCode &level : levels) {
    names.push_back(level.name);
    features.push_back(level.features);
    std::vector<Seen> functions = rename(*level.code, level.name);
    if (!joined) {
      seen = std::move(functions);
      joined = std::move(level.code);
    } else if (llvm::Linker::linkModules(*joined, std::move(level.code))) {
      return llvm::createStringError("the code of level " + level.name +
                                     " does not fit the others");
    }
  }
  llvm::Constant *values =
      llvm::ConstantDataArray::get(joined->getContext(), features);
  auto *masks = new llvm::GlobalVariable(
      *joined, values->getType(), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, values, "cell_levels");
  for (const Seen &item : seen)
    dispatch(*joined, item, names, masks);
  return joined;
}
