//===- Checks.cpp - what checks say, and the statuses that stand for it ---===//

#include "passes/lower/buffers/Checks.h"

#include "runtime/cellgrad_abi.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace cellgrad;

std::string cellgrad::lineOf(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto line = dyn_cast<FileLineColLoc>(inner);
    if (!line)
      return WalkResult::advance();
    text = (llvm::sys::path::filename(line.getFilename()) + ":" +
            Twine(line.getLine()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

SmallVector<std::pair<CheckOp, int32_t>>
cellgrad::collectChecks(ModuleOp module) {
  SmallVector<std::pair<CheckOp, int32_t>> checks;
  llvm::MapVector<Attribute, int32_t> places;
  Builder b(module.getContext());
  module.walk([&](CheckOp check) {
    std::string text = check.getMessage().str(), line = lineOf(check.getLoc());
    if (!line.empty())
      text += " (" + line + ")";
    int32_t place = places
                        .try_emplace(b.getStringAttr(text),
                                     static_cast<int32_t>(places.size()))
                        .first->second;
    checks.push_back({check, CG_ERROR_CHECK + place});
  });
  if (!checks.empty())
    module->setAttr("cell.checks", b.getArrayAttr(llvm::to_vector(
                                       llvm::make_first_range(places))));
  return checks;
}
