//===- KernelWork.cpp - what the kernels of an entry do -------------------===//

#include "passes/lower/buffers/KernelWork.h"

#include "passes/lower/buffers/Contraction.h"
#include "passes/lower/buffers/Epilogue.h"
#include "passes/lower/buffers/FillFolding.h"
#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/MemoryRoots.h"
#include "passes/lower/buffers/OpCost.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace cellgrad {

double bytesOf(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return 0;
  return productOfSizes(memref.getShape()) *
         std::max(8u, memref.getElementTypeBitWidth()) / 8;
}

void Traffic::keep(Value view, bool gone) {
  reads.erase(rootOf(view));
  if (gone)
    writes.erase(rootOf(view));
}

double Traffic::total() const {
  double sum = 0;
  for (const auto &side : {reads, writes})
    for (auto [root, bytes] : side)
      sum += bytes;
  return sum;
}

/// No more than there is of the buffer: what comes again is in a cache.
void Traffic::add(Bytes &side, Value view, double times) {
  Value root = rootOf(view);
  bool isGiven = isa<BlockArgument>(root) && isa<func::FuncOp>(kernel) &&
                 root.getParentRegion() == &kernel->getRegion(0);
  if (!isGiven && kernel->isAncestor(root.getParentRegion()->getParentOp()))
    return; // made in the kernel
  double &bytes = side[root];
  bytes = std::min(bytes + times * bytesOf(view.getType()),
                   bytesOf(root.getType()));
}

/// The arithmetic of one step of a body.
static double operationsOf(linalg::LinalgOp op) {
  return llvm::count_if(op.getBlock()->without_terminator(),
                        [](Operation &inner) {
                          return !inner.hasTrait<OpTrait::ConstantLike>() &&
                                 !isa<linalg::IndexOp, memref::LoadOp>(inner);
                        });
}

static bool isProduct(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op) ||
         (generic && (isContraction(generic) || isProductOfRows(generic) ||
                      isConvolution(generic)));
}

/// Adds what `op` does, `times` times, with what is in its regions.
void addWork(Operation *op, double times, Work &work, Traffic &traffic) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    double operations =
        productOfSizes(linalgOp.getStaticLoopRanges()) * operationsOf(linalgOp);
    work.operations += times * operations;
    work.nanoseconds +=
        times *
        (isProduct(op)
             ? std::max(nanosecondsOfProducts(
                            operations,
                            getElementTypeOrSelf(op->getOperand(0).getType())),
                        nanosecondsOfTraffic(linalgOp))
             : estimateNanoseconds(linalgOp));
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      if (linalgOp.isDpsInit(&operand))
        traffic.write(operand.get(), times);
      else
        traffic.read(operand.get(), times);
    }
    for (auto load : linalgOp.getBlock()->getOps<memref::LoadOp>())
      traffic.read(load.getMemRef(), times);
    return;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    traffic.read(copy.getSource(), times);
    traffic.write(copy.getTarget(), times);
  } else if (isa<memref::LoadOp, memref::StoreOp>(op)) {
    // One element is as good as none: a loop of them reads a line at a time.
    bool loads = isa<memref::LoadOp>(op);
    Value buffer = op->getOperand(loads ? 0 : 1);
    double elements = std::max(
        1.0, double(cast<MemRefType>(buffer.getType()).getNumElements()));
    if (loads)
      traffic.read(buffer, times / elements);
    else
      traffic.write(buffer, times / elements);
  }
  if (op->getNumRegions() == 0) {
    if (op->getNumOperands() && op->getNumResults() == 1 &&
        isa<FloatType>(op->getResult(0).getType()) && !isa<memref::LoadOp>(op))
      work.operations += times;
    work.nanoseconds += times * estimateNanoseconds(op);
    return;
  }
  double trips = times * tripsOf(op);
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      addWork(&inner, trips, work, traffic);
}

static std::string shapeOf(linalg::LinalgOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      op.getStaticLoopRanges(), os,
      [&](int64_t size) {
        if (ShapedType::isDynamic(size))
          os << '?';
        else
          os << size;
      },
      "x");
  return text;
}

/// What a kernel is, in words.
std::string describeKernel(Operation *op) {
  if (isa<scf::ForallOp>(op) || op->hasAttr(kTiles)) {
    unsigned ops = 0;
    op->walk([&](linalg::LinalgOp) { ++ops; });
    return ops == 0   ? "items of a loop"
           : ops == 1 ? "items of one op"
                      : llvm::formatv("items of {0} ops", ops).str();
  }
  if (isa<memref::CopyOp>(op))
    return "copy";
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return "loop";
  const char *kind = isa<linalg::FillOp>(op)           ? "fill "
                     : isProduct(op)                   ? "product "
                     : linalgOp.getNumReductionLoops() ? "reduction "
                                                       : "map ";
  return kind + shapeOf(linalgOp);
}

/// Whether a kernel is in the op: then the op is none itself, but a loop or a
/// branch around them.
static bool holdsKernels(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) && !op->hasAttr(kTiles) &&
         op->walk([](Operation *inner) {
             return isa<linalg::LinalgOp, memref::CopyOp, scf::ForallOp>(inner)
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           }).wasInterrupted();
}

namespace {
/// Finds the kernels of an entry.
class Collector {
public:
  explicit Collector(func::FuncOp entry) {
    findFolded(entry);
    for (Operation &op : entry.getBody().front())
      visit(&op, 1);
  }

  std::vector<Kernel> kernels;

private:
  /// A zero that a product starts with is not written, and the epilogue of a
  /// product has no kernel of its own.
  void findFolded(func::FuncOp entry) {
    entry.walk([&](linalg::GenericOp op) {
      if (!isSumOfProducts(op) || !hasKernelTypes(op))
        return;
      linalg::FillOp fill = findFill(op, op.getDpsInits()[0]);
      if (fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
        folded.insert(fill);
      if (linalg::GenericOp epilogue = findEpilogue(op))
        folded.insert(epilogue);
    });
  }

  void visit(Operation *op, double times) {
    if (folded.contains(op))
      return;
    if (holdsKernels(op)) {
      for (Region &region : op->getRegions())
        for (Operation &inner : region.getOps())
          visit(&inner, times * tripsOf(op));
      return;
    }
    if (isa<linalg::LinalgOp, memref::CopyOp, scf::ForallOp, scf::ForOp,
            scf::WhileOp>(op))
      add(op, times);
  }

  void add(Operation *op, double times) {
    Kernel kernel{op, {}, times, {}, describeKernel(op), "-"};
    Traffic traffic(op);
    addWork(op, 1, kernel.work, traffic);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && isSumOfProducts(generic))
      kernel.epilogue = findEpilogue(op);
    if (kernel.epilogue) {
      addWork(kernel.epilogue, 1, kernel.work, traffic);
      Value c = generic.getDpsInits()[0];
      SmallVector<Operation *> users{generic, kernel.epilogue};
      if (linalg::FillOp fill = findFill(op, c); folded.contains(fill))
        users.push_back(fill);
      traffic.keep(c, isUsedOnlyBy(c, users));
      kernel.what += ", " + describeKernel(kernel.epilogue);
    }
    kernel.work.bytes = traffic.total();
    if (isa<scf::ForallOp>(op))
      kernel.items = std::to_string(int64_t(tripsOf(op)));
    else if (op->hasAttr(kTiles))
      kernel.items = "1";
    kernels.push_back(std::move(kernel));
  }

  DenseSet<Operation *> folded; ///< part of other kernels
};
} // namespace

std::vector<Kernel> kernelsOf(func::FuncOp entry) {
  return std::move(Collector(entry).kernels);
}

} // namespace cellgrad
