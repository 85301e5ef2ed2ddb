//===- PlanMemory.cpp - one arena for all temporaries ---------------------===//

#include "passes/lower/cpu/Passes.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

namespace cellgrad {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

constexpr int64_t kAlignment = 64;

/// A temporary: its size and the range of top-level ops during which it is
/// live.
struct Buffer {
  Operation *alloc;
  int64_t bytes;
  unsigned first, last;
  int64_t offset = 0;

  bool liveWith(const Buffer &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Size of a static memref in bytes, rounded up to the alignment; a boolean
/// takes one byte.
int64_t sizeInBytes(MemRefType type) {
  int64_t bits = std::max(8u, type.getElementTypeBitWidth());
  return llvm::alignTo(type.getNumElements() * (bits / 8), kAlignment);
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
      if (!buffer->liveWith(*other))
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
FailureOr<SmallVector<Buffer>> collectBuffers(func::FuncOp func) {
  Block &body = func.getBody().front();
  DenseMap<Operation *, unsigned> position;
  for (auto [i, op] : llvm::enumerate(body))
    position[&op] = i;

  BufferViewFlowAnalysis aliases(func);
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
    Buffer buffer{op, sizeInBytes(type), ~0u, 0};
    // The view of booleans as bytes is a cast that the analysis does not
    // know, and a branch that only names a buffer has become a select.
    SmallVector<Value> views{op->getResult(0)};
    while (!views.empty())
      for (Value alias : aliases.resolve(views.pop_back_val()))
        for (Operation *user : alias.getUsers()) {
          unsigned at = position.lookup(body.findAncestorOpInBlock(*user));
          buffer.first = std::min(buffer.first, at);
          buffer.last = std::max(buffer.last, at);
          if (isa<UnrealizedConversionCastOp, arith::SelectOp>(user))
            llvm::append_range(views, user->getResults());
        }
    if (buffer.first == ~0u)
      buffer.first = buffer.last =
          position.lookup(body.findAncestorOpInBlock(*op));
    buffers.push_back(buffer);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return buffers;
}

/// Makes the buffers views into a last argument of `total` bytes.
void moveToArena(func::FuncOp func, ArrayRef<Buffer> buffers, int64_t total) {
  Block &body = func.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  auto arenaType = MemRefType::get({total}, b.getI8Type());
  BlockArgument arena = body.addArgument(arenaType, func.getLoc());
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
  void runOnOperation() override {
    // What a private function needs is a temporary of those that call it.
    DenseMap<StringAttr, MemRefType> lent;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPrivate() && !func.isDeclaration()) {
        FailureOr<SmallVector<Buffer>> buffers = collectBuffers(func);
        if (failed(buffers))
          return signalPassFailure();
        if (buffers->empty())
          continue;
        int64_t total = assignOffsets(*buffers);
        moveToArena(func, *buffers, total);
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
        FailureOr<SmallVector<Buffer>> buffers = collectBuffers(func);
        if (failed(buffers))
          return signalPassFailure();
        int64_t total = assignOffsets(*buffers);
        moveToArena(func, *buffers, total);
        func->setAttr("cell.arena_bytes",
                      Builder(func).getI64IntegerAttr(total));
      }
  }
};

} // namespace
