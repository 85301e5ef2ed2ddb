//===- PlanMemory.cpp - one arena for all temporaries ---------------------===//

#include "passes/lower/buffers/BufferLifetimes.h"
#include "passes/lower/buffers/Callers.h"
#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/Passes.h"
#include "passes/lower/buffers/PeakMemory.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

namespace cellgrad {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/lower/buffers/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Workers write to pages, or at least to cache lines, of their own.
constexpr int64_t kWorkerAlignment = 256;

using Buffer = PlacedBuffer;

/// Size of a static memref in bytes, rounded up to the alignment; a boolean
/// takes one byte.
int64_t sizeInBytes(MemRefType type, int64_t alignment) {
  int64_t bits = std::max(8u, type.getElementTypeBitWidth());
  return llvm::alignTo(type.getNumElements() * (bits / 8), alignment);
}

/// Gives each buffer the lowest offset at which no buffer that is live with it
/// lies; large buffers first. Returns the total size.
int64_t assignOffsets(SmallVectorImpl<Buffer> &buffers) {
  SmallVector<Buffer *> order =
      llvm::map_to_vector(buffers, [](Buffer &buffer) { return &buffer; });
  llvm::sort(order, [](Buffer *a, Buffer *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  SmallVector<Buffer *> placed; // sorted by offset
  int64_t total = 0;
  for (Buffer *buffer : order) {
    int64_t offset = 0;
    for (Buffer *other : placed) {
      if (!buffer->life.overlaps(other->life))
        continue;
      if (offset + buffer->bytes <= other->offset)
        break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    buffer->offset = offset;
    total = std::max(total, offset + buffer->bytes);
    auto at = llvm::upper_bound(placed, buffer, [](Buffer *a, Buffer *b) {
      return a->offset < b->offset;
    });
    placed.insert(at, buffer);
  }
  return total;
}

/// The temporaries of a function; fails, with an error, where one has no place
/// in an arena.
FailureOr<SmallVector<Buffer>> collectBuffers(func::FuncOp func,
                                              int64_t alignment) {
  BufferLifetimes lifetimes(func);
  SmallVector<Buffer> buffers;
  WalkResult result = func.walk([&](Operation *op) {
    if (!isa<memref::AllocOp, memref::AllocaOp>(op))
      return WalkResult::advance();
    auto type = cast<MemRefType>(op->getResult(0).getType());
    if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
      cellgrad::refuse(op, cellgrad::Blame::Form)
          << "of type " << type
          << " cannot be placed in the arena; temporaries must have a "
          << "static shape and the identity layout";
      return WalkResult::interrupt();
    }
    FailureOr<Lifetime> life = lifetimes.of(op);
    if (failed(life))
      return WalkResult::interrupt();
    buffers.push_back({op, sizeInBytes(type, alignment), 0, *life});
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return buffers;
}

/// Fills the memory of a buffer with bytes that make a NaN of any float, an
/// index out of range of any integer.
void fillWithNans(OpBuilder &b, Location loc, Value arena,
                  const Buffer &buffer) {
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto type = MemRefType::get({buffer.bytes / 8}, b.getI64Type());
  Value words = memref::ViewOp::create(b, loc, type, arena,
                                       index(buffer.offset), ValueRange());
  Value ones = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(-1));
  scf::ForOp::create(b, loc, index(0), index(type.getNumElements()), index(1),
                     ValueRange(),
                     [&](OpBuilder &inner, Location, Value i, ValueRange) {
                       memref::StoreOp::create(inner, loc, ones, words, i);
                       scf::YieldOp::create(inner, loc);
                     });
}

/// Fills every buffer before its life begins and after it has ended: one that
/// is needed then, or lies where another is needed, gives other results.
void poisonBuffers(Value arena, ArrayRef<Buffer> buffers) {
  OpBuilder b(arena.getContext());
  for (const Buffer &buffer : buffers) {
    Operation *last = buffer.life.lastOp;
    b.setInsertionPoint(buffer.life.firstOp);
    fillWithNans(b, last->getLoc(), arena, buffer);
    if (last->hasTrait<OpTrait::IsTerminator>())
      b.setInsertionPoint(last);
    else
      b.setInsertionPointAfter(last);
    fillWithNans(b, last->getLoc(), arena, buffer);
  }
}

/// The part of a worker of the memory of all workers.
Value memoryOfWorker(func::FuncOp kernel, Value memory, int64_t bytes) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  auto first = kernel->getAttrOfType<IntegerAttr>(kKernel).getInt();
  Value stride = arith::ConstantIndexOp::create(b, loc, bytes);
  Value offset =
      arith::MulIOp::create(b, loc, kernel.getArgument(first + 2), stride);
  return memref::ViewOp::create(b, loc, memory.getType(), memory, offset,
                                ValueRange());
}

/// Makes the buffers views into a last argument of `total` bytes, which for a
/// kernel are those of one worker.
void moveToArena(func::FuncOp func, ArrayRef<Buffer> buffers, int64_t total,
                 bool poison) {
  Block &body = func.getBody().front();
  OpBuilder b(func.getContext());
  auto arenaType = MemRefType::get({total}, b.getI8Type());
  Value arena = body.addArgument(arenaType, func.getLoc());
  if (func->hasAttr(kKernel))
    arena = memoryOfWorker(func, arena, total);
  if (poison)
    poisonBuffers(arena, buffers);
  for (const Buffer &buffer : buffers) {
    b.setInsertionPoint(buffer.alloc);
    Location loc = buffer.alloc->getLoc();
    Value offset = arith::ConstantIndexOp::create(b, loc, buffer.offset);
    Value view =
        memref::ViewOp::create(b, loc, buffer.alloc->getResult(0).getType(),
                               arena, offset, ValueRange());
    buffer.alloc->getResult(0).replaceAllUsesWith(view);
    buffer.alloc->erase();
  }
  SmallVector<Operation *> deallocs;
  func.walk([&](memref::DeallocOp op) { deallocs.push_back(op); });
  for (Operation *op : deallocs)
    op->erase();

  SmallVector<DictionaryAttr> attrs;
  func.getAllArgAttrs(attrs);
  attrs.push_back(
      b.getDictionaryAttr(b.getNamedAttr("llvm.noalias", b.getUnitAttr())));
  func.setType(b.getFunctionType(body.getArgumentTypes(), {}));
  func.setAllArgAttrs(attrs);
}

struct PlanMemory : cellgrad::impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    Callers calls(getOperation());
    callers = &calls;
    workersMemory.clear();
    SmallVector<func::FuncOp> leaves, kernels, callers, entries;
    llvm::StringSet<> kernelNames;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(kKernel))
        kernelNames.insert(func.getSymName());
    auto callsKernels = [&](func::FuncOp func) {
      return func
          ->walk([&](func::CallOp call) {
            return kernelNames.contains(call.getCallee())
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
    };
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isDeclaration())
        (func->hasAttr(kKernel) ? kernels
         : !func.isPrivate()    ? entries
         : callsKernels(func)   ? callers
                                : leaves)
            .push_back(func);
    for (func::FuncOp func : leaves)
      if (failed(placeInCallers(func)))
        return signalPassFailure();
    // All kernels have the same memory for their workers.
    int64_t workerBytes = 0;
    SmallVector<std::pair<func::FuncOp, Plan>> needing;
    for (func::FuncOp func : kernels) {
      FailureOr<Plan> plan = planOf(func);
      if (failed(plan))
        return signalPassFailure();
      workerBytes = std::max(workerBytes, plan->total);
      if (!plan->buffers.empty())
        needing.emplace_back(func, std::move(*plan));
    }
    workerBytes = llvm::alignTo(workerBytes, kWorkerAlignment);
    for (auto &[func, plan] : needing) {
      moveToArena(func, plan.buffers, workerBytes, poison);
      lend(func, [&](OpBuilder &b, func::CallOp call, MemRefType type) {
        return memoryOfWorkers(b, call, type);
      });
    }
    for (func::FuncOp func : callers)
      if (failed(placeInCallers(func)))
        return signalPassFailure();
    for (func::FuncOp func : entries)
      if (failed(placeInEntry(func, workerBytes)))
        return signalPassFailure();
  }

private:
  struct Plan {
    SmallVector<Buffer> buffers;
    int64_t total;
  };

  FailureOr<Plan> planOf(func::FuncOp func) {
    FailureOr<SmallVector<Buffer>> buffers = collectBuffers(func, alignment);
    if (failed(buffers))
      return failure();
    int64_t total = assignOffsets(*buffers);
    return Plan{std::move(*buffers), total};
  }

  /// What a private function needs is a temporary of those that call it.
  LogicalResult placeInCallers(func::FuncOp func) {
    FailureOr<Plan> plan = planOf(func);
    if (failed(plan))
      return failure();
    if (plan->buffers.empty())
      return success();
    moveToArena(func, plan->buffers, plan->total, poison);
    lend(func, [](OpBuilder &b, func::CallOp call, MemRefType type) -> Value {
      return memref::AllocOp::create(b, call.getLoc(), type);
    });
    return success();
  }

  /// Gives all calls of `func` the memory that is its last argument now.
  void lend(func::FuncOp func,
            function_ref<Value(OpBuilder &, func::CallOp, MemRefType)> make) {
    auto type = cast<MemRefType>(func.getArgumentTypes().back());
    for (Operation *user : callers->of(func)) {
      auto call = cast<func::CallOp>(user);
      OpBuilder b(call);
      call.getOperandsMutable().append(make(b, call, type));
    }
  }

  /// The memory of all workers, where a kernel is called: an entry has it at
  /// the end of its arena, and other functions get it from entries.
  Value memoryOfWorkers(OpBuilder &b, func::CallOp call, MemRefType type) {
    auto caller = call->getParentOfType<func::FuncOp>();
    if (!caller.isPrivate()) {
      auto alloc = memref::AllocOp::create(b, call.getLoc(), type);
      alloc->setAttr(kWorkerBytes, b.getUnitAttr());
      return alloc;
    }
    if (Value known = workersMemory.lookup(caller))
      return known;
    Value memory = caller.getBody().front().addArgument(type, caller.getLoc());
    workersMemory[caller] = memory;
    SmallVector<DictionaryAttr> attrs;
    caller.getAllArgAttrs(attrs);
    attrs.push_back(b.getDictionaryAttr({}));
    caller.setType(
        b.getFunctionType(caller.getBody().front().getArgumentTypes(), {}));
    caller.setAllArgAttrs(attrs);
    lend(caller, [&](OpBuilder &inner, func::CallOp outer, MemRefType of) {
      return memoryOfWorkers(inner, outer, of);
    });
    return memory;
  }

  /// The argument of functions that are no entries.
  DenseMap<Operation *, Value> workersMemory;
  /// Who calls which function.
  const Callers *callers = nullptr;

  /// Gives an entry its arena. The memory of workers lies at the end, where
  /// there may be more of it than for one.
  LogicalResult placeInEntry(func::FuncOp func, int64_t workerBytes) {
    FailureOr<Plan> plan = planOf(func);
    if (failed(plan))
      return failure();
    auto isOfWorkers = [](const Buffer &buffer) {
      return buffer.alloc->hasAttr(kWorkerBytes);
    };
    if (llvm::any_of(plan->buffers, isOfWorkers)) {
      SmallVector<Buffer> own;
      llvm::copy_if(plan->buffers, std::back_inserter(own),
                    [&](const Buffer &buffer) { return !isOfWorkers(buffer); });
      int64_t fixed = llvm::alignTo(assignOffsets(own), kWorkerAlignment);
      for (Buffer &buffer : plan->buffers)
        if (isOfWorkers(buffer)) {
          buffer.offset = fixed;
          own.push_back(buffer);
        }
      *plan = {std::move(own), fixed + workerBytes};
      func->setAttr(kWorkerBytes, Builder(func).getI64IntegerAttr(workerBytes));
    }
    if (report)
      func->setAttr(kMemory, describePeak(&getContext(), plan->buffers));
    moveToArena(func, plan->buffers, plan->total, poison);
    func->setAttr("cell.arena_bytes",
                  Builder(func).getI64IntegerAttr(plan->total));
    return success();
  }
};

} // namespace
