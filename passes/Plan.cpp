//===- Plan.cpp - the kernels of a program, in numbers --------------------===//

#include "passes/Plan.h"

#include "passes/Failure.h"
#include "passes/lower/buffers/Epilogue.h"
#include "passes/lower/buffers/FillFolding.h"
#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/MemoryRoots.h"
#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/gpu/HostProgram.h"
#include "passes/lower/gpu/SpreadNest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace cellgrad;

namespace {

double bytesOf(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.hasStaticShape())
    return 0;
  return double(memref.getNumElements()) *
         std::max(8u, memref.getElementTypeBitWidth()) / 8;
}

/// What one kernel does.
struct Work {
  double bytes = 0, operations = 0, nanoseconds = 0;
};

/// Bytes that go in and out of each buffer from outside of a kernel.
class Traffic {
public:
  explicit Traffic(Operation *kernel) : kernel(kernel) {}

  void read(Value view, double times) { add(reads, view, times); }
  void write(Value view, double times) { add(writes, view, times); }

  /// What is read of `view` is still in a cache; with `gone`, it is in no
  /// memory outside either.
  void keep(Value view, bool gone) {
    reads.erase(rootOf(view));
    if (gone)
      writes.erase(rootOf(view));
  }

  double total() const {
    double sum = 0;
    for (const auto &side : {reads, writes})
      for (auto [root, bytes] : side)
        sum += bytes;
    return sum;
  }

private:
  using Bytes = llvm::MapVector<Value, double>;

  /// No more than there is of the buffer: what comes again is in a cache.
  void add(Bytes &side, Value view, double times) {
    Value root = rootOf(view);
    bool isGiven = isa<BlockArgument>(root) && isa<func::FuncOp>(kernel) &&
                   root.getParentRegion() == &kernel->getRegion(0);
    if (!isGiven && kernel->isAncestor(root.getParentRegion()->getParentOp()))
      return; // made in the kernel
    double &bytes = side[root];
    bytes = std::min(bytes + times * bytesOf(view.getType()),
                     bytesOf(root.getType()));
  }

  Operation *kernel;
  Bytes reads, writes;
};

/// The arithmetic of one step of a body.
double operationsOf(linalg::LinalgOp op) {
  return llvm::count_if(op.getBlock()->without_terminator(),
                        [](Operation &inner) {
                          return !inner.hasTrait<OpTrait::ConstantLike>() &&
                                 !isa<linalg::IndexOp, memref::LoadOp>(inner);
                        });
}

bool isProduct(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op) ||
         (generic && (isContraction(generic) || isConvolution(generic)));
}

/// Adds what `op` does, `times` times, with what is in its regions.
void addWork(Operation *op, double times, Work &work, Traffic &traffic) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    double steps = 1;
    for (int64_t range : linalgOp.getStaticLoopRanges())
      steps *= range;
    double operations = steps * operationsOf(linalgOp);
    work.operations += times * operations;
    work.nanoseconds += times * (isProduct(op) ? operations / 150
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

std::string shapeOf(linalg::LinalgOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(op.getStaticLoopRanges(), os, "x");
  return text;
}

/// What a kernel is, in words.
std::string describe(Operation *op) {
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

std::string lineOf(Operation *op) {
  FileLineColLoc line = findPosition(op->getLoc());
  return line ? llvm::formatv(
                    "  {0}:{1}",
                    llvm::sys::path::filename(line.getFilename().getValue()),
                    line.getLine())
                    .str()
              : std::string();
}

/// Of arguments and results of an entry.
double leastBytes(func::FuncOp entry) {
  double bytes = 0;
  for (Type type : entry.getArgumentTypes())
    bytes += bytesOf(type);
  return bytes;
}

/// Whether a kernel is in the op: then the op is none itself, but a loop or a
/// branch around them.
bool holdsKernels(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) && !op->hasAttr(kTiles) &&
         op->walk([](Operation *inner) {
             return isa<linalg::LinalgOp, memref::CopyOp, scf::ForallOp>(inner)
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           }).wasInterrupted();
}

class PlanPrinter {
public:
  explicit PlanPrinter(llvm::raw_ostream &os) : os(os) {}

  void print(func::FuncOp entry) {
    findFolded(entry);
    for (Operation &op : entry.getBody().front())
      visit(&op, 1);
    os << llvm::formatv(
        "@{0}: {1:f0} kernels run, {2:f3} MB through memory "
        "(arguments and results are {3:f3} MB), {4:f3} million operations, "
        "about {5:f3} ms on one core\n",
        entry.getSymName(), count, total.bytes / 1e6, leastBytes(entry) / 1e6,
        total.operations / 1e6, total.nanoseconds / 1e6);
    os << "    runs  items       bytes  operations       us  kernel\n" << rows;
  }

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
      addRow(op, times);
  }

  void addRow(Operation *op, double times) {
    Work work;
    Traffic traffic(op);
    addWork(op, 1, work, traffic);
    std::string what = describe(op);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    linalg::GenericOp epilogue = generic && isSumOfProducts(generic)
                                     ? findEpilogue(op)
                                     : linalg::GenericOp();
    if (epilogue) {
      addWork(epilogue, 1, work, traffic);
      Value c = generic.getDpsInits()[0];
      SmallVector<Operation *> users{generic, epilogue};
      if (linalg::FillOp fill = findFill(op, c); folded.contains(fill))
        users.push_back(fill);
      traffic.keep(c, isUsedOnlyBy(c, users));
      what += ", " + describe(epilogue);
    }
    work.bytes = traffic.total();
    count += times;
    total.bytes += times * work.bytes;
    total.operations += times * work.operations;
    total.nanoseconds += times * work.nanoseconds;
    std::string items = isa<scf::ForallOp>(op)
                            ? std::to_string(int64_t(tripsOf(op)))
                        : op->hasAttr(kTiles) ? "1"
                                              : "-";
    llvm::raw_string_ostream text(rows);
    text << llvm::format("%8.0f %6s %11.0f %11.0f %8.1f  ", times,
                         items.c_str(), work.bytes, work.operations,
                         work.nanoseconds / 1000)
         << what << lineOf(op) << "\n";
  }

  llvm::raw_ostream &os;
  std::string rows;
  DenseSet<Operation *> folded; ///< part of other kernels
  Work total;
  double count = 0;
};

/// The launches of an entry, whose kernels are functions.
class DevicePlanPrinter {
public:
  DevicePlanPrinter(SymbolTable &symbols, llvm::raw_ostream &os)
      : symbols(symbols), os(os) {}

  void print(func::FuncOp entry) {
    for (Operation &op : entry.getBody().front())
      visit(&op, 1);
    os << llvm::formatv(
        "@{0}: {1:f0} kernels run, {2:f3} MB through memory "
        "(arguments and results are {3:f3} MB), {4:f3} million operations\n",
        entry.getSymName(), count, bytes / 1e6, leastBytes(entry) / 1e6,
        operations / 1e6);
    os << "    runs   blocks       bytes  operations  kernel\n" << rows;
  }

private:
  void visit(Operation *op, double times) {
    if (auto call = dyn_cast<func::CallOp>(op))
      return addRow(call, times);
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        visit(&inner, times * tripsOf(op));
  }

  void addRow(func::CallOp call, double times) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!kernel || !kernel->hasAttr(kDeviceKernel))
      return;
    Work work;
    Traffic traffic(kernel);
    unsigned ops = 0;
    Operation *last = nullptr;
    for (Operation &op : kernel.getBody().front()) {
      addWork(&op, 1, work, traffic);
      if (isa<linalg::LinalgOp, memref::CopyOp, scf::ForallOp, scf::ForOp,
              scf::WhileOp, scf::IfOp>(op)) {
        ++ops;
        last = &op;
      }
    }
    int64_t blocks = 1;
    std::string what =
        ops == 1 ? describe(last) : llvm::formatv("{0} ops", ops).str();
    if (kernel->hasAttr(kGridNest)) {
      what = describe(last);
      blocks = blocksOfNest(kernel);
    } else if (auto loop = dyn_cast_or_null<scf::ForallOp>(last);
               loop && ops == 1) {
      blocks = tripsOf(loop);
    }
    count += times;
    bytes += times * traffic.total();
    operations += times * work.operations;
    llvm::raw_string_ostream text(rows);
    text << llvm::format("%8.0f %8lld %11.0f %11.0f  ", times,
                         static_cast<long long>(blocks), traffic.total(),
                         work.operations)
         << what << lineOf(call) << "\n";
  }

  SymbolTable &symbols;
  llvm::raw_ostream &os;
  std::string rows;
  double count = 0, bytes = 0, operations = 0;
};

} // namespace

void cellgrad::printDevicePlan(ModuleOp module, llvm::raw_ostream &os) {
  SymbolTable symbols(module);
  for (auto entry : module.getOps<func::FuncOp>())
    if (!entry.isPrivate() && !entry.isDeclaration())
      DevicePlanPrinter(symbols, os).print(entry);
}

void cellgrad::printPlan(ModuleOp module, llvm::raw_ostream &os) {
  for (auto entry : module.getOps<func::FuncOp>())
    if (!entry.isPrivate() && !entry.isDeclaration())
      PlanPrinter(os).print(entry);
}
