//===- PlanMemory.cpp - one arena for all temporaries ---------------------===//

#include "passes/lower/buffers/BufferLifetimes.h"
#include "passes/lower/buffers/Passes.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

namespace cellgrad {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/lower/buffers/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// A temporary.
struct Buffer {
  Operation *alloc;
  int64_t bytes;
  Lifetime life;
  int64_t offset = 0;
};

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
    buffers.push_back({op, sizeInBytes(type, alignment), *life});
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

/// Makes the buffers views into a last argument of `total` bytes.
void moveToArena(func::FuncOp func, ArrayRef<Buffer> buffers, int64_t total,
                 bool poison) {
  Block &body = func.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  auto arenaType = MemRefType::get({total}, b.getI8Type());
  BlockArgument arena = body.addArgument(arenaType, func.getLoc());
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
    // What a private function needs is a temporary of those that call it.
    DenseMap<StringAttr, MemRefType> lent;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPrivate() && !func.isDeclaration()) {
        FailureOr<int64_t> total = plan(func, /*always=*/false);
        if (failed(total))
          return signalPassFailure();
        if (*total != 0)
          lent[func.getSymNameAttr()] =
              cast<MemRefType>(func.getArgumentTypes().back());
      }
    getOperation().walk([&](func::CallOp call) {
      auto found = lent.find(call.getCalleeAttr().getAttr());
      if (found == lent.end())
        return;
      OpBuilder b(call);
      call.getOperandsMutable().append(
          memref::AllocOp::create(b, call.getLoc(), found->second).getResult());
    });
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isPrivate()) {
        FailureOr<int64_t> total = plan(func, /*always=*/true);
        if (failed(total))
          return signalPassFailure();
        func->setAttr("cell.arena_bytes",
                      Builder(func).getI64IntegerAttr(*total));
      }
  }

private:
  /// Gives `func` an arena, if it needs one or `always`; returns its size.
  FailureOr<int64_t> plan(func::FuncOp func, bool always) {
    FailureOr<SmallVector<Buffer>> buffers = collectBuffers(func, alignment);
    if (failed(buffers))
      return failure();
    int64_t total = assignOffsets(*buffers);
    if (always || !buffers->empty())
      moveToArena(func, *buffers, total, poison);
    return total;
  }
};

} // namespace
