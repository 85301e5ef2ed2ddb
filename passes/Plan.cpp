//===- Plan.cpp - the kernels of a program, in numbers --------------------===//

#include "passes/Plan.h"

#include "passes/Failure.h"
#include "passes/lower/buffers/KernelWork.h"
#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/gpu/HostProgram.h"
#include "passes/lower/gpu/SpreadNest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace cellgrad;

namespace {

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

class PlanPrinter {
public:
  explicit PlanPrinter(llvm::raw_ostream &os) : os(os) {}

  void print(func::FuncOp entry) {
    for (const Kernel &kernel : kernelsOf(entry))
      addRow(kernel);
    os << llvm::formatv(
        "@{0}: {1:f0} kernels run, {2:f3} MB through memory "
        "(arguments and results are {3:f3} MB), {4:f3} million operations, "
        "about {5:f3} ms on one core\n",
        entry.getSymName(), count, total.bytes / 1e6, leastBytes(entry) / 1e6,
        total.operations / 1e6, total.nanoseconds / 1e6);
    os << "    runs  items       bytes  operations       us  kernel\n" << rows;
  }

private:
  void addRow(const Kernel &kernel) {
    const Work &work = kernel.work;
    count += kernel.times;
    total.bytes += kernel.times * work.bytes;
    total.operations += kernel.times * work.operations;
    total.nanoseconds += kernel.times * work.nanoseconds;
    llvm::raw_string_ostream text(rows);
    text << llvm::format("%8.0f %6s %11.0f %11.0f %8.1f  ", kernel.times,
                         kernel.items.c_str(), work.bytes, work.operations,
                         work.nanoseconds / 1000)
         << kernel.what << lineOf(kernel.op) << "\n";
  }

  llvm::raw_ostream &os;
  std::string rows;
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
        ops == 1 ? describeKernel(last) : llvm::formatv("{0} ops", ops).str();
    if (kernel->hasAttr(kGridNest)) {
      what = describeKernel(last);
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
