//===- DynamicBatch.cpp - programs whose text leaves the batch open -------===//

#include "passes/batch/DynamicBatch.h"
#include "passes/batch/BatchPrograms.h"
#include "passes/batch/Passes.h"

#include "dialect/CellDialect.h"
#include "dialect/Refusal.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <limits>

namespace cellgrad {
#define GEN_PASS_DEF_OPENBATCHPASS
#include "passes/batch/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

// Primes: no product of other sizes is a multiple of one. The first is the one
// that Python captures programs for.
constexpr int64_t kStandIns[] = {65521, 65519, 65497, 65479, 65449, 65447};
// What the program is compared for, as Python does.
constexpr int64_t kCompared[] = {2, 3, 32749};

RankedTensorType openType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape() ? tensor : RankedTensorType();
}

bool isOpen(Type type) { return openType(type) != nullptr; }

bool isOfPrograms(Operation *op) {
  return isa<CellDialect, func::FuncDialect, scf::SCFDialect, BuiltinDialect>(
      op->getDialect());
}

/// The types of what `op` takes, gives and, for its blocks, begins with.
template <typename Apply> void forEachType(Operation *op, Apply apply) {
  for (Type type : op->getOperandTypes())
    apply(type, op->getLoc());
  for (Type type : op->getResultTypes())
    apply(type, op->getLoc());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument arg : block.getArguments())
        apply(arg.getType(), arg.getLoc());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  for (Type type : function.getResultTypes())
    apply(type, op->getLoc());
  if (function.isExternal())
    for (Type type : function.getArgumentTypes())
      apply(type, op->getLoc());
}

bool hasOpen(Operation *op) {
  bool found = false;
  forEachType(op, [&](Type type, Location) { found |= isOpen(type); });
  return found;
}

/// Whether `?` means the batch: cell ops have it. Programs of other dialects
/// alone have a meaning of their own for it.
bool isDynamicProgram(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        // Ops that are not registered have no dialect.
        return op->getDialect() && isa<CellDialect>(op->getDialect()) &&
                       hasOpen(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Refuses a type that the batch cannot be in where it is. `atEntry`: callers
/// of the compiled program see it.
LogicalResult checkType(Location location, Type type, bool atEntry) {
  RankedTensorType open = openType(type);
  if (!open)
    return success();
  if (atEntry && llvm::any_of(open.getShape().drop_front(),
                              [](int64_t size) { return size < 0; }))
    return refuse(location)
           << open
           << ": only the first dimension of inputs and results can be open, "
              "the batch; give the other dimensions their sizes";
  if (open.getNumDynamicDims() > 1)
    return refuse(location) << open
                            << ": each '?' is the batch, so this pairs samples "
                               "with each other; a program for any batch size "
                               "has one '?' in a type";
  return success();
}

/// Refuses reshapes that fold a sample into rows, for which '?' is no word.
LogicalResult checkReshape(ReshapeOp reshape) {
  auto perSample = [](RankedTensorType type) {
    int64_t count = 1;
    for (int64_t size : type.getShape())
      count *= size < 0 ? 1 : size;
    return count;
  };
  RankedTensorType from = openType(reshape.getX().getType());
  RankedTensorType to = openType(reshape.getResult().getType());
  if (!from || !to || perSample(from) == perSample(to))
    return success();
  return refuse(reshape)
         << "makes " << to << " of " << from
         << ": each '?' is the batch, and a sample has " << perSample(from)
         << " elements, not " << perSample(to)
         << "; several rows for each sample are written with a stand-in for "
            "the batch (docs/artifact.md, Any batch size)";
}

LogicalResult checkOp(Operation *op) {
  if (!op->getDialect() || !hasOpen(op))
    return success();
  if (!isOfPrograms(op))
    return refuse(op) << "takes or gives a tensor whose dimension '?' is the "
                         "batch: only ops of the dialects cell, func and scf "
                         "may; write it with cell ops, or for a fixed batch";
  auto function = dyn_cast<func::FuncOp>(op);
  bool atEntry = function && function.isPublic();
  LogicalResult result = success();
  forEachType(op, [&](Type type, Location location) {
    if (succeeded(result))
      result = checkType(location, type, atEntry);
  });
  if (failed(result))
    return failure();
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return checkReshape(reshape);
  return success();
}

/// A size that no dimension of `module` is a multiple of.
FailureOr<int64_t> chooseStandIn(ModuleOp module) {
  SmallVector<int64_t> left(std::begin(kStandIns), std::end(kStandIns));
  module.walk([&](Operation *op) {
    forEachType(op, [&](Type type, Location) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor)
        return;
      for (int64_t extent : tensor.getShape())
        llvm::erase_if(left, [&](int64_t size) {
          return extent > 0 && extent % size == 0;
        });
    });
  });
  if (left.empty())
    return refuse(module.getLoc())
           << "has dimensions of multiples of all of the sizes that can stand "
              "in for the batch ("
           << ArrayRef<int64_t>(kStandIns) << "): export for a fixed batch";
  return left.front();
}

/// The stand-in and the largest batch, from `cell.batch` as far as it says so.
FailureOr<OpenBatch> chooseBatch(ModuleOp module) {
  OpenBatch batch{0, std::numeric_limits<int32_t>::max()};
  auto given = module->getAttrOfType<DictionaryAttr>("cell.batch");
  if (given && given.getAs<IntegerAttr>("max"))
    batch.max = given.getAs<IntegerAttr>("max").getInt();
  if (given && given.getAs<IntegerAttr>("size")) {
    batch.size = given.getAs<IntegerAttr>("size").getInt();
  } else {
    FailureOr<int64_t> size = chooseStandIn(module);
    if (failed(size))
      return failure();
    batch.size = *size;
  }
  if (auto often = given ? given.getAs<DenseI64ArrayAttr>("often") : nullptr)
    llvm::append_range(batch.often, often.asArrayRef());
  if (batch.max < 1 || batch.size < 2)
    return refuse(module.getLoc()) << "cell.batch is " << given
                                   << ": expected {max = N : i64} with 1 <= N";
  return batch;
}

/// Puts `size` in the place of each '?'.
void putStandIn(ModuleOp module, int64_t size) {
  auto sized = [&](ArrayRef<int64_t> shape) {
    return llvm::map_to_vector(
        shape, [&](int64_t extent) { return extent < 0 ? size : extent; });
  };
  // The end of a slice along the batch is written as -1.
  module.walk([&](SliceOp slice) {
    RankedTensorType open = openType(slice.getX().getType());
    if (!open || slice.getLimits().size() != size_t(open.getRank()))
      return;
    SmallVector<int64_t> limits(slice.getLimits());
    for (auto [limit, extent] : llvm::zip(limits, open.getShape()))
      if (extent < 0 && limit == -1)
        limit = size;
    slice.setLimits(limits);
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
    return type.clone(sized(type.getShape()));
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

struct OpenBatchPass : cellgrad::impl::OpenBatchPassBase<OpenBatchPass> {
  using OpenBatchPassBase::OpenBatchPassBase;

  void runOnOperation() override {
    if (failed(openDynamicBatch(getOperation())))
      signalPassFailure();
  }
};

} // namespace

bool cellgrad::mayBeDynamic(StringRef contents) {
  return contents.contains("?x") || contents.starts_with("ML\xefR");
}

LogicalResult cellgrad::openDynamicBatch(ModuleOp module) {
  if (!isDynamicProgram(module))
    return verify(module);
  if (module
          .walk<WalkOrder::PreOrder>([](Operation *op) {
            return failed(checkOp(op)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
          })
          .wasInterrupted())
    return failure();
  FailureOr<OpenBatch> batch = chooseBatch(module);
  if (failed(batch))
    return failure();
  putStandIn(module, batch->size);
  {
    ScopedDiagnosticHandler explain(
        module.getContext(), [&](Diagnostic &diagnostic) {
          diagnostic.attachNote()
              << "'?' is " << batch->size << " here, which stands in for the "
              << "batch";
          return failure();
        });
    if (failed(verify(module)))
      return failure();
  }
  std::vector<OwningOpRef<ModuleOp>> owners;
  std::vector<Captured> captures;
  for (int64_t size : kCompared) {
    owners.emplace_back(module.clone());
    captures.push_back({size, *owners.back()});
    for (auto function : captures.back().module.getOps<func::FuncOp>())
      setBatchSize(function, *batch, size);
  }
  OwningOpRef<ModuleOp> program(module.clone());
  if (failed(openBatch(module, *batch, captures)))
    return failure();
  addBatchPrograms(module, *batch, std::move(program));
  return success();
}

/// Reads without verifying, which dimensions '?' would not stand.
static ParserConfig readingConfig(MLIRContext *context) {
  return ParserConfig(context, /*verifyAfterParse=*/false);
}

static OwningOpRef<ModuleOp> opened(OwningOpRef<ModuleOp> module) {
  return module && succeeded(openDynamicBatch(*module))
             ? std::move(module)
             : OwningOpRef<ModuleOp>();
}

OwningOpRef<ModuleOp> cellgrad::parseProgram(llvm::SourceMgr &sources,
                                             MLIRContext *context) {
  return opened(parseSourceFile<ModuleOp>(sources, readingConfig(context)));
}

OwningOpRef<ModuleOp> cellgrad::parseProgram(StringRef text,
                                             MLIRContext *context) {
  return opened(parseSourceString<ModuleOp>(text, readingConfig(context)));
}
