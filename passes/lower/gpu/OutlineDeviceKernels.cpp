//===- OutlineDeviceKernels.cpp - a program as kernels and their host -----===//
//
// An entry on buffers becomes kernels and the host program that calls them:
//
//   %t = memref.alloc()              %t = memref.alloc()
//   linalg.generic (%x -> %t)        call @f_0(%x, %t)
//   linalg.generic (%t -> %y)
//   scf.forall (%i) in (64) {        call @f_1(%y, %z)
//     ... (%y -> %z)
//   }
//   %c = memref.load %t[]            %c = memref.load %t[]
//   cell.check %c "..."              cell.check %c "..."
//
// Ops that touch buffers run in kernels: an `scf.forall` in one of its own,
// with a block for each step, an op with many steps in one whose blocks share
// them (GridNest.h), and runs of other ops in one of one block. Only
// what the host alone can do stays: checks, prints, polls, stashes, and the
// control flow around them, and what follows is its conditions. Ops without
// effects (constants, views, arithmetic) are wherever they are used.
//
// A scalar that one kernel computes and the host or another kernel uses goes
// through a buffer of its own.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/gpu/GridNest.h"
#include "passes/lower/gpu/HostProgram.h"
#include "passes/lower/gpu/KernelCode.h"
#include "passes/lower/gpu/Passes.h"

#include "dialect/CollectiveOps.h"
#include "dialect/Refusal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace cellgrad {
#define GEN_PASS_DEF_OUTLINEDEVICEKERNELS
#include "passes/lower/gpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Longer kernels take the driver's compiler long.
constexpr unsigned kMostOps = 64;
/// In control flow that could be a kernel's, an op has to have so many times
/// the steps to be the host's to launch.
constexpr int64_t kStepsOfControlFlow = 16;

/// What the host alone can do.
bool needsHost(Operation *op) {
  return isa<CheckOp, PrintOp, PollOp, EndOp, RankLoadOp>(op) ||
         op->hasTrait<Collective>() ||
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<StashType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<StashType>);
}

bool isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op);
}

/// Ops of one block of the host program that become one kernel.
struct Group {
  SmallVector<Operation *> ops;
  bool isNest = false; ///< shared by a grid: one op, and fills before it

  /// The loop whose steps are the kernel's blocks; or null.
  scf::ForallOp blocks() const { return dyn_cast<scf::ForallOp>(ops.front()); }
};

/// An entry, cut into groups.
class Entry {
public:
  Entry(func::FuncOp func, SymbolTable &symbols,
        llvm::StringMap<func::FuncOp> &kernels, int64_t fewestSteps,
        bool printPlan)
      : func(func), symbols(symbols), kernels(kernels),
        fewestSteps(fewestSteps), printPlan(printPlan) {}

  LogicalResult outline();

private:
  LogicalResult serializeLoops();
  void findHostOps();
  void bringFills(Block &block);
  LogicalResult cut(Block &block);
  void print(const Group &group, func::FuncOp kernel) const;
  void markNeeded(Operation *hostOp);
  void keepLastLoads(Group &group);
  void findOwnBuffers();
  LogicalResult makeKernel(Group &group);
  void buildBuffersOfConstants();

  /// The group that runs `op`, or -1 for the host.
  int groupOf(Operation *op) const;
  /// Calls `visit` with the ops that use `value`, or what ops without effects
  /// make of it.
  void forEachConsumer(Value value,
                       llvm::function_ref<void(Operation *)> visit) const;
  func::FuncOp share(func::FuncOp kernel);

  func::FuncOp func;
  SymbolTable &symbols;
  /// By their text: those of all entries.
  llvm::StringMap<func::FuncOp> &kernels;
  int64_t fewestSteps;
  bool printPlan;
  DenseSet<Operation *> hostOps; ///< the host's, and those with such inside
  /// Of nests, and of which ops these are.
  DenseMap<Operation *, SmallVector<Operation *>> brought;
  DenseSet<Operation *> isBrought;
  SmallVector<Group> groups; ///< in program order
  DenseMap<Operation *, int> groupOfOp;
  DenseSet<Operation *> marked;   ///< looked at by markNeeded
  DenseSet<Operation *> needed;   ///< ops whose scalars the host needs
  DenseMap<Value, Value> spilled; ///< scalars, and the buffers they go through
  DenseSet<Operation *> own;      ///< buffers that one kernel of one block uses
};

} // namespace

int Entry::groupOf(Operation *op) const {
  for (; op != func; op = op->getParentOp())
    if (auto found = groupOfOp.find(op); found != groupOfOp.end())
      return found->second;
  return -1;
}

void Entry::forEachConsumer(Value value,
                            llvm::function_ref<void(Operation *)> visit) const {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (isFloating(user) && groupOf(user) < 0)
        values.insert_range(user->getResults());
      else
        visit(user);
    }
}

/// Kernels have loops of blocks outermost alone, of known length.
LogicalResult Entry::serializeLoops() {
  SmallVector<scf::ForallOp> loops; // inner ones first
  func.walk([&](scf::ForallOp loop) {
    bool known =
        loop.isNormalized() &&
        llvm::none_of(loop.getStaticUpperBound(), ShapedType::isDynamic);
    bool computes = !loop->walk([](Operation *op) {
                           return needsHost(op) ? WalkResult::interrupt()
                                                : WalkResult::advance();
                         })
                         .wasInterrupted();
    if (!known || !computes || loop->getParentOfType<scf::ForallOp>())
      loops.push_back(loop);
  });
  IRRewriter rewriter(func.getContext());
  for (scf::ForallOp loop : loops) {
    rewriter.setInsertionPoint(loop);
    if (failed(scf::forallToForLoop(rewriter, loop)))
      return failure();
  }
  return success();
}

void Entry::findHostOps() {
  func.walk([&](Operation *op) {
    bool host = needsHost(op);
    // What it gives is decided by the host, which knows where buffers are.
    host |= isControlFlow(op) &&
            llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>);
    if (host)
      hostOps.insert(op);
    // Control flow costs the host a wait, or launches for each trip.
    bool isLong = gridSteps(op) >= kStepsOfControlFlow * fewestSteps &&
                  !op->getParentOfType<scf::ForallOp>();
    if (!host && !isLong && !isa<scf::ForallOp>(op))
      return;
    for (Operation *parent = op->getParentOp(); parent != func;
         parent = parent->getParentOp())
      if (!hostOps.insert(parent).second)
        break;
  });
}

/// A nest begins with the fills of what it adds to.
void Entry::bringFills(Block &block) {
  for (Operation &op : block)
    if (gridSteps(&op) >= fewestSteps)
      for (Operation *fill : fillsOfGrid(&op)) {
        fill->moveBefore(&op);
        brought[&op].push_back(fill);
        isBrought.insert(fill);
      }
}

LogicalResult Entry::cut(Block &block) {
  bringFills(block);
  Group group;
  auto close = [&] {
    if (group.ops.empty())
      return;
    for (Operation *op : group.ops)
      groupOfOp[op] = groups.size();
    groups.push_back(std::move(group));
    group = {};
  };
  for (Operation &op : block) {
    if (isFloating(&op) || isa<memref::AllocOp>(op) || isBrought.contains(&op))
      continue;
    if (hostOps.contains(&op)) {
      close();
      if (op.getNumRegions() != 0 && !isControlFlow(&op))
        return refuse(&op, Blame::Form)
               << "cannot be in the host program of a device yet";
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (failed(cut(inner)))
            return failure();
    } else if (op.hasTrait<OpTrait::IsTerminator>()) {
      close();
    } else if (isa<scf::ForallOp>(op)) {
      close();
      group.ops.push_back(&op);
      close();
    } else if (gridSteps(&op) >= fewestSteps) {
      close();
      group.ops = brought.lookup(&op);
      group.ops.push_back(&op);
      group.isNest = true;
      close();
    } else {
      group.ops.push_back(&op);
      if (group.ops.size() == kMostOps)
        close();
    }
  }
  return success();
}

void Entry::markNeeded(Operation *hostOp) {
  SmallVector<Operation *> work{hostOp};
  while (!work.empty())
    for (Value operand : work.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!op || !marked.insert(op).second)
        continue;
      if (isFloating(op))
        work.push_back(op);
      else if (groupOfOp.contains(op))
        needed.insert(op);
    }
}

/// Loads at the end of a kernel that the host needs are its own.
void Entry::keepLastLoads(Group &group) {
  unsigned kept = group.ops.size();
  while (kept > 0 && isa<memref::LoadOp>(group.ops[kept - 1]))
    --kept;
  auto ownsUse = [&](Operation *loadOp) {
    bool uses = false;
    int own = groupOfOp.lookup(loadOp);
    forEachConsumer(loadOp->getResult(0),
                    [&](Operation *user) { uses |= groupOf(user) == own; });
    return uses;
  };
  SmallVector<Operation *> rest(group.ops.begin(), group.ops.begin() + kept);
  SmallVector<Operation *> last(group.ops.begin() + kept, group.ops.end());
  SmallVector<Operation *> back;
  for (Operation *op : llvm::reverse(last)) {
    if (needed.contains(op) && !ownsUse(op)) {
      groupOfOp.erase(op);
      markNeeded(op);
    } else {
      back.push_back(op);
    }
  }
  rest.append(back.rbegin(), back.rend());
  group.ops = std::move(rest);
}

/// A buffer that only one kernel uses, each time anew, is a part of it. Blocks
/// of one kernel share what is made before them.
void Entry::findOwnBuffers() {
  func.walk([&](memref::AllocOp alloc) {
    int user = -2; // not known yet
    forEachConsumer(alloc, [&](Operation *op) {
      int group = groupOf(op);
      user = user == -2 || user == group ? group : -1;
    });
    if (user >= 0 && !groups[user].blocks() && !groups[user].isNest &&
        groups[user].ops.front()->getBlock() == alloc->getBlock())
      own.insert(alloc);
  });
}

/// The function that was made of the same code before, or `kernel` itself.
func::FuncOp Entry::share(func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel.print(os, OpPrintingFlags().useLocalScope());
  auto [known, isNew] = kernels.try_emplace(text, kernel);
  if (!isNew) {
    kernel.erase();
    return known->second;
  }
  std::string name;
  for (char c : func.getSymName())
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || !llvm::isAlpha(name.front()))
    name.insert(0, "k");
  kernel.setSymName(name + "_kernel");
  symbols.insert(kernel);
  return kernel;
}

void Entry::print(const Group &group, func::FuncOp kernel) const {
  Operation *op = group.isNest ? group.ops.back() : group.ops.front();
  InFlightDiagnostic remark = mlir::emitRemark(op->getLoc())
                              << "kernel " << kernel.getSymName() << ": ";
  if (group.isNest) {
    remark << "a nest of " << gridSteps(op) << " steps";
    return;
  }
  scf::ForallOp blocks = group.blocks();
  int64_t count = 1;
  if (blocks)
    for (int64_t size : blocks.getStaticUpperBound())
      count *= size;
  remark << (blocks ? 1 : group.ops.size()) << " ops, " << count
         << (count == 1 ? " block" : " blocks");
}

LogicalResult Entry::makeKernel(Group &group) {
  if (group.ops.empty())
    return success();
  int number = groupOfOp.lookup(group.ops.front());
  Operation *first = group.ops.front(), *last = group.ops.back();
  Location loc = (group.isNest ? last : first)->getLoc();
  OpBuilder b(first);
  scf::ForallOp blocks = group.blocks();

  // Scalars that others use go through buffers.
  SmallVector<Value> spills;
  for (Operation *op : group.ops)
    for (Value result : op->getResults()) {
      bool escapes = false;
      forEachConsumer(
          result, [&](Operation *user) { escapes |= groupOf(user) != number; });
      if (!escapes)
        continue;
      auto type = MemRefType::get({}, typeInMemory(result.getType()));
      spilled[result] = memref::AllocOp::create(b, loc, type);
      spills.push_back(result);
    }

  auto kernelFunc =
      func::FuncOp::create(loc, "kernel", b.getFunctionType({}, {}));
  kernelFunc.setPrivate();
  kernelFunc->setAttr(kDeviceKernel, b.getUnitAttr());
  if (group.isNest)
    kernelFunc->setAttr(kGridNest, b.getUnitAttr());
  kernelFunc.addEntryBlock();
  KernelCode kernel(kernelFunc, spilled, own);
  LogicalResult made = [&]() -> LogicalResult {
    if (blocks)
      return kernel.copyBlocks(blocks);
    for (Operation *op : group.ops)
      if (failed(kernel.copy(op)))
        return failure();
    for (Value value : spills) {
      FailureOr<Value> buffer = kernel.resolve(spilled[value]);
      if (failed(buffer))
        return failure();
      storeValue(kernel.builder(), loc, kernel.values().lookup(value), *buffer);
    }
    return success();
  }();
  if (failed(made)) {
    kernelFunc.erase();
    return failure();
  }
  OpBuilder end = OpBuilder::atBlockEnd(&kernelFunc.getBody().front());
  func::ReturnOp::create(end, loc);
  kernelFunc.setType(
      b.getFunctionType(kernelFunc.getBody().front().getArgumentTypes(), {}));
  kernelFunc = share(kernelFunc);

  if (printPlan)
    print(group, kernelFunc);

  b.setInsertionPointAfter(last);
  auto call = func::CallOp::create(b, loc, kernelFunc, kernel.passed());
  // What the host needs is read once, after the kernel, and so is what it makes
  // of it.
  DenseSet<Value> late;
  SmallVector<std::pair<Value, Value>> read;
  for (Value value : spills)
    if (needed.contains(value.getDefiningOp())) {
      read.emplace_back(value,
                        loadValue(b, loc, spilled[value], value.getType()));
      late.insert(value);
    }
  Operation *place = read.empty() ? call : read.back().second.getDefiningOp();
  for (Operation *op = first; op != call;) {
    Operation *next = op->getNextNode();
    if (!groupOfOp.contains(op) &&
        (isa<memref::LoadOp>(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return late.contains(operand); }))) {
      late.insert_range(op->getResults());
      op->moveAfter(place);
      place = op;
    }
    op = next;
  }
  for (auto [value, loaded] : read) {
    // The group's own ops keep it until they are gone.
    value.replaceUsesWithIf(loaded, [&](OpOperand &use) {
      return groupOf(use.getOwner()) != number;
    });
    spilled.erase(value);
  }
  return success();
}

/// The host has no address of a constant that a kernel knows: a kernel copies
/// it where the host needs one.
void Entry::buildBuffersOfConstants() {
  SmallVector<memref::GetGlobalOp> constants;
  func.walk([&](memref::GetGlobalOp get) { constants.push_back(get); });
  for (memref::GetGlobalOp get : constants) {
    Location loc = get.getLoc();
    OpBuilder b(get);
    auto kernel = func::FuncOp::create(loc, "kernel",
                                       b.getFunctionType({get.getType()}, {}));
    kernel.setPrivate();
    kernel->setAttr(kDeviceKernel, b.getUnitAttr());
    Block *body = kernel.addEntryBlock();
    b.setInsertionPointToStart(body);
    auto constant =
        memref::GetGlobalOp::create(b, loc, get.getType(), get.getName());
    memref::CopyOp::create(b, loc, constant, body->getArgument(0));
    func::ReturnOp::create(b, loc);
    kernel = share(kernel);
    b.setInsertionPoint(get);
    Value buffer = memref::AllocOp::create(b, loc, get.getType());
    func::CallOp::create(b, loc, kernel, buffer);
    get.replaceAllUsesWith(buffer);
    get.erase();
  }
}

LogicalResult Entry::outline() {
  SmallVector<Operation *> deallocs;
  func.walk([&](memref::DeallocOp op) { deallocs.push_back(op); });
  for (Operation *op : deallocs)
    op->erase();
  if (failed(serializeLoops()))
    return failure();
  findHostOps();
  if (failed(cut(func.getBody().front())))
    return failure();
  func.walk([&](Operation *op) {
    if (!isFloating(op) && op != func && groupOf(op) < 0)
      markNeeded(op);
  });
  for (Group &group : llvm::reverse(groups))
    if (!group.blocks())
      keepLastLoads(group);
  findOwnBuffers();
  for (Group &group : groups)
    if (failed(makeKernel(group)))
      return failure();

  // What is left of the kernels' ops, and what only they used.
  for (Group &group : llvm::reverse(groups))
    for (Operation *op : llvm::reverse(group.ops)) {
      op->dropAllReferences();
      op->dropAllUses();
      op->erase();
    }
  SmallVector<Operation *> all;
  func.walk([&](Operation *op) { all.push_back(op); });
  for (Operation *op : llvm::reverse(all))
    if ((isFloating(op) || isa<memref::AllocOp>(op)) && op->use_empty())
      op->erase();
  buildBuffersOfConstants();
  return success();
}

namespace {

struct OutlineDeviceKernels
    : cellgrad::impl::OutlineDeviceKernelsBase<OutlineDeviceKernels> {
  using OutlineDeviceKernelsBase::OutlineDeviceKernelsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::StringMap<func::FuncOp> kernels;
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!func.isPrivate() && !func.isDeclaration() &&
          failed(
              Entry(func, symbols, kernels, fewestSteps, printPlan).outline()))
        return signalPassFailure();
  }
};

} // namespace
