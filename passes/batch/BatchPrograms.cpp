//===- BatchPrograms.cpp - what an open program is for known sizes --------===//

#include "passes/batch/BatchPrograms.h"

#include "dialect/Refusal.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cellgrad;

/// Rows of the smallest tile that is as large as batches often are.
static constexpr int64_t kFewestWhole = 32;

SmallVector<int64_t> cellgrad::sizesWithPrograms(const OpenBatch &batch,
                                                 ArrayRef<int64_t> tiles,
                                                 bool adds) {
  SmallVector<int64_t> known(batch.often);
  for (int64_t rows : tiles)
    if ((rows == 1 || (adds && rows >= kFewestWhole)) && rows <= batch.max &&
        !llvm::is_contained(known, rows))
      known.push_back(rows);
  return known;
}

SmallVector<func::FuncOp> cellgrad::batchProgramsOf(func::FuncOp entry) {
  SmallVector<func::FuncOp> programs;
  if (auto names = entry->getAttrOfType<ArrayAttr>(kPrograms))
    for (auto name : names.getAsRange<FlatSymbolRefAttr>())
      if (auto program =
              SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(entry, name))
        programs.push_back(program);
  return programs;
}

int64_t cellgrad::sizeOfProgram(func::FuncOp entry, func::FuncOp program,
                                const OpenBatch &batch) {
  for (auto [type, known] :
       llvm::zip(entry.getArgumentTypes(), program.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(known);
        batch.hasRows(type) && tensor && tensor.getRank() > 0)
      return tensor.getDimSize(0);
  return 0;
}

LogicalResult cellgrad::checkProgram(func::FuncOp entry, func::FuncOp program,
                                     const OpenBatch &batch) {
  int64_t size = sizeOfProgram(entry, program, batch);
  auto fits = [&](Type type, Type known) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    if (batch.hasRows(type))
      shape[0] = size;
    return tensor.clone(shape) == known;
  };
  if (llvm::all_of_zip(entry.getArgumentTypes(), program.getArgumentTypes(),
                       fits) &&
      llvm::all_of_zip(entry.getResultTypes(), program.getResultTypes(), fits))
    return success();
  return refuse(entry) << "has other inputs, Parameters or results for a "
                          "batch of "
                       << size << " than for others: export for a fixed batch";
}

/// `function` and all that it names, rules for derivatives, too.
static llvm::SetVector<func::FuncOp> namedFrom(func::FuncOp function) {
  llvm::SetVector<func::FuncOp> found;
  found.insert(function);
  for (size_t i = 0; i < found.size(); ++i) {
    func::FuncOp user = found[i];
    auto uses = SymbolTable::getSymbolUses(user);
    if (!uses)
      continue;
    for (SymbolTable::SymbolUse use : *uses)
      if (auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
              function, use.getSymbolRef()))
        found.insert(callee);
  }
  return found;
}

void cellgrad::addBatchPrograms(ModuleOp module, const OpenBatch &batch,
                                OwningOpRef<ModuleOp> programs) {
  Builder b(module.getContext());
  SymbolTable own(module), theirs(*programs);
  llvm::SetVector<func::FuncOp> moved;
  SmallVector<std::pair<func::FuncOp, func::FuncOp>> pairs;
  for (auto entry : module.getOps<func::FuncOp>()) {
    auto program = theirs.lookup<func::FuncOp>(entry.getName());
    if (!entry.isPublic() || !program)
      continue;
    int64_t size = sizeOfProgram(entry, program, batch);
    if (size == 0 || (keepsSamplesApart(entry, batch) && size != 1 &&
                      !llvm::is_contained(batch.often, size)))
      continue;
    // The entry itself is as much before derivatives as after.
    if (size == batch.size && !callsOrDerives(program))
      continue;
    moved.insert_range(namedFrom(program));
    pairs.emplace_back(entry, program);
  }
  for (func::FuncOp function : moved) {
    std::string before = function.getName().str(), after;
    for (unsigned i = 0;
         after.empty() || own.lookup(after) || theirs.lookup(after); ++i)
      after = before + "." + std::to_string(i);
    (void)theirs.rename(function, after); // it was looked for
  }
  for (func::FuncOp function : moved) {
    function.setPrivate();
    function->removeAttr(function.getArgAttrsAttrName());
    function->removeAttr(function.getResAttrsAttrName());
    function->remove();
    own.insert(function);
  }
  for (auto [entry, program] : pairs) {
    SmallVector<Attribute> names;
    if (auto before = entry->getAttrOfType<ArrayAttr>(kPrograms))
      llvm::append_range(names, before);
    names.push_back(FlatSymbolRefAttr::get(program));
    entry->setAttr(kPrograms, b.getArrayAttr(names));
  }
}
