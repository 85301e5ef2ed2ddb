//===- BucketCollectives.cpp - several reductions as one ------------------===//
//
// Reductions of a block that need nothing of each other, in program order, are
// one collective of at most `bucket_bytes`. It is full when it has an eighth of
// what the block reduces, but not before it has 1 MiB: the first ones are on
// their way while gradients of earlier layers are computed, and each is long
// enough for its latency not to count. What they send becomes parts of one
// buffer, and so does what they receive, so that nothing is copied:
//
//   cell.collective_start 0 send %a receive %x
//   cell.collective_wait 0 send %a receive %x
//   ...
//   cell.collective_start 0 send %b receive %y
//   cell.collective_wait 0 send %b receive %y
//
// becomes
//
//   %s = memref.alloc()            // and %r, with %x and %y
//   %a = memref.view %s[0]
//   %b = memref.view %s[256]
//   ...
//   cell.collective_start 0 send %s receive %r
//   cell.collective_wait 0 send %s receive %r
//
// Messages, and collectives of other groups, are a border: what is before one
// is not joined with what is behind it.
//
// A part begins where its buffer would in the arena; elements between parts are
// zeros. A small buffer that belongs to the caller is copied into and out of
// the bucket; a large one is reduced by itself.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/buffers/InFlight.h"
#include "passes/lower/buffers/MemoryRoots.h"
#include "passes/lower/buffers/Passes.h"

#include "runtime/cellgrad_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace cellgrad {
#define GEN_PASS_DEF_BUCKETCOLLECTIVES
#include "passes/lower/buffers/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Buffers begin at such places, as those of the arena do.
constexpr int64_t kAlignment = 64;
/// The largest buffer of the caller that is copied.
constexpr int64_t kMostCopied = 1 << 18;

MemRefType typeOf(Value buffer) { return cast<MemRefType>(buffer.getType()); }

int64_t bytesIn(Value buffer) {
  return typeOf(buffer).getNumElements() *
         (typeOf(buffer).getElementTypeBitWidth() / 8);
}

/// A bucket takes no more when it has this part of what the block reduces, and
/// so many bytes.
constexpr int64_t kBuckets = 8;
constexpr int64_t kFewestBytes = 1 << 20;

/// Reductions that become one.
struct Bucket {
  SmallVector<InFlight> parts;
  int64_t bytes = 0;
  Operation *end = nullptr; ///< the first op that needs a part to be done
};

class Buckets {
public:
  Buckets(Block &block, int64_t most) : block(block), most(most) {}

  void run() {
    std::vector<std::unique_ptr<Bucket>> all;
    SmallVector<Bucket *> filling;
    SmallVector<InFlight> pairs = pairsOf(block);
    int64_t total = 0;
    for (const InFlight &pair : pairs)
      if (isAllReduce(pair))
        total += bytesOf(pair);
    enough = std::max(total / kBuckets, kFewestBytes);
    for (const InFlight &pair : pairs) {
      closeBefore(pair.start, filling);
      if (!isReduction(pair))
        continue;
      auto found = llvm::find_if(
          filling, [&](Bucket *bucket) { return takes(*bucket, pair); });
      if (found == filling.end()) {
        llvm::erase_if(filling, [&](Bucket *bucket) {
          return isAlike(bucket->parts.front(), pair);
        });
        all.push_back(std::make_unique<Bucket>());
        filling.push_back(all.back().get());
        found = std::prev(filling.end());
      }
      add(**found, pair);
    }
    for (auto &bucket : all)
      if (bucket->parts.size() > 1)
        join(*bucket);
  }

private:
  static bool isAllReduce(const InFlight &pair) {
    CollectiveStartOp start = pair.start;
    return start.getKind() == CG_ALL_REDUCE && start.getSend();
  }

  bool isReduction(const InFlight &pair) {
    CollectiveStartOp start = pair.start;
    return pair.wait && isAllReduce(pair) && bytesIn(start.getSend()) < most &&
           llvm::all_of(
               start->getOperands(),
               [](Value buffer) {
                 return typeOf(buffer).getLayout().isIdentity() &&
                        (allocOf(buffer) || bytesIn(buffer) <= kMostCopied);
               });
  }

  /// A reduction goes behind no message and no collective of another group:
  /// other ranks may need it to be done before.
  static void closeBefore(CollectiveStartOp start,
                          SmallVectorImpl<Bucket *> &filling) {
    auto kind = static_cast<int32_t>(start.getKind());
    bool isOfTwo = kind == CG_SEND || kind == CG_RECEIVE;
    llvm::erase_if(filling, [&](Bucket *bucket) {
      CollectiveStartOp first = bucket->parts.front().start;
      return isOfTwo || first.getGroupAttr() != start.getGroupAttr();
    });
  }

  static bool isAlike(const InFlight &a, const InFlight &b) {
    CollectiveStartOp x = a.start, y = b.start;
    return x.getCombine() == y.getCombine() && x.getFlags() == y.getFlags() &&
           x.getGroupAttr() == y.getGroupAttr() &&
           typeOf(x.getSend()).getElementType() ==
               typeOf(y.getSend()).getElementType();
  }

  /// Whether all parts of the bucket can be done where `pair` is.
  bool takes(const Bucket &bucket, const InFlight &pair) {
    return isAlike(bucket.parts.front(), pair) && bucket.bytes < enough &&
           bucket.bytes + bytesOf(pair) <= most &&
           (!bucket.end || pair.start->isBeforeInBlock(bucket.end));
  }

  static int64_t bytesOf(const InFlight &pair) {
    CollectiveStartOp start = pair.start;
    return static_cast<int64_t>(
        llvm::alignTo(bytesIn(start.getSend()), kAlignment));
  }

  void add(Bucket &bucket, const InFlight &pair) {
    bucket.parts.push_back(pair);
    bucket.bytes += bytesOf(pair);
    CollectiveStartOp start = pair.start;
    CollectiveWaitOp wait = pair.wait;
    Operation *end = wait->getNextNode();
    while (end != bucket.end &&
           !prints.needsEnd(end, start.getSend(), start.getReceive()))
      end = end->getNextNode();
    bucket.end = end;
  }

  /// The allocation that `buffer` is all of, in this block.
  static memref::AllocOp allocOf(Value buffer) {
    auto alloc = rootOf(buffer).getDefiningOp<memref::AllocOp>();
    return alloc && alloc.getType().getLayout().isIdentity() &&
                   alloc.getType().getElementType() ==
                       typeOf(buffer).getElementType() &&
                   alloc.getType().getNumElements() ==
                       typeOf(buffer).getNumElements()
               ? alloc
               : memref::AllocOp();
  }

  /// A buffer of one side of a bucket.
  struct Part {
    OpOperand *use;        ///< of the start
    memref::AllocOp alloc; ///< becomes a part; null: `buffer` is copied
    int64_t bytes;         ///< in the bucket
    Operation *first;      ///< the first op that uses the part
  };

  /// The first op of the block that uses `alloc`, itself or in it.
  Operation *firstUser(memref::AllocOp alloc) {
    Operation *first = nullptr;
    for (Operation *user : alloc->getUsers()) {
      Operation *at = block.findAncestorOpInBlock(*user);
      if (!first || at->isBeforeInBlock(first))
        first = at;
    }
    return first;
  }

  /// The first place where `buffer` has what `start` sends.
  Operation *writtenAt(CollectiveStartOp start, Value buffer) {
    prints.forget();
    Operation *at = start;
    for (Operation *op = at->getPrevNode();
         op && op != buffer.getDefiningOp() &&
         !prints.needsBefore(op, buffer, Value());
         op = op->getPrevNode())
      if (!isa<memref::AllocOp>(op)) // which may be erased
        at = op;
    return at;
  }

  Part partOf(const InFlight &pair, bool sends, ArrayRef<Part> others) {
    CollectiveStartOp start = pair.start;
    OpOperand *use =
        sends ? &start.getSendMutable()[0] : &start.getReceiveMutable()[0];
    memref::AllocOp alloc = allocOf(use->get());
    auto isTaken = [&](const Part &part) { return part.alloc == alloc; };
    if (alloc && alloc->getBlock() == &block && llvm::none_of(others, isTaken))
      return {use, alloc, bytesOf(pair), firstUser(alloc)};
    return {use,
            {},
            bytesOf(pair),
            sends ? writtenAt(start, use->get()) : start.getOperation()};
  }

  /// Makes the buffers on one side parts of one, and returns it. Those that
  /// stay where they are go to `copied`, each with its part.
  Value place(ArrayRef<Part> parts, bool sends,
              SmallVectorImpl<std::pair<const Part *, Value>> &copied) {
    Operation *first = parts.front().first;
    int64_t bytes = 0;
    for (const Part &part : parts) {
      bytes += part.bytes;
      if (part.first->isBeforeInBlock(first))
        first = part.first;
    }
    OpBuilder b(first);
    Location loc = parts.back().use->getOwner()->getLoc();
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Type element = typeOf(parts.front().use->get()).getElementType();
    int64_t size = element.getIntOrFloatBitWidth() / 8, at = 0;
    Value memory = memref::AllocOp::create(
        b, loc, MemRefType::get({bytes}, b.getI8Type()));
    Value whole =
        memref::ViewOp::create(b, loc, MemRefType::get({bytes / size}, element),
                               memory, index(0), ValueRange());
    for (const Part &part : parts) {
      memref::AllocOp alloc = part.alloc;
      Value buffer = alloc ? Value(alloc.getResult()) : part.use->get();
      Value view = memref::ViewOp::create(b, loc, typeOf(buffer), memory,
                                          index(at), ValueRange());
      int64_t end = at + bytesIn(buffer);
      at += part.bytes;
      if (sends && end != at)
        fillWithZeros(b, loc, whole, end / size, at / size);
      if (alloc) {
        buffer.replaceAllUsesWith(view);
        alloc.erase();
      } else {
        copied.emplace_back(&part, view);
      }
    }
    return whole;
  }

  static void fillWithZeros(OpBuilder &b, Location loc, Value whole,
                            int64_t begin, int64_t end) {
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(typeOf(whole).getElementType()));
    scf::ForOp::create(b, loc, index(begin), index(end), index(1), ValueRange(),
                       [&](OpBuilder &inner, Location, Value i, ValueRange) {
                         memref::StoreOp::create(inner, loc, zero, whole, i);
                         scf::YieldOp::create(inner, loc);
                       });
  }

  void join(Bucket &bucket) {
    CollectiveStartOp last = bucket.parts.back().start;
    SmallVector<Location> places;
    for (const InFlight &pair : bucket.parts)
      places.push_back(pair.start->getLoc());
    Location loc = FusedLoc::get(last.getContext(), places);
    SmallVector<std::pair<const Part *, Value>> in, out;
    SmallVector<Part> parts;
    for (const InFlight &pair : bucket.parts)
      parts.push_back(partOf(pair, /*sends=*/true, parts));
    Value send = place(parts, /*sends=*/true, in);
    for (auto [part, view] : in) {
      OpBuilder b(part->first);
      memref::CopyOp::create(b, loc, part->use->get(), view);
    }
    SmallVector<Part> received;
    for (const InFlight &pair : bucket.parts)
      received.push_back(partOf(pair, /*sends=*/false, received));
    Value receive = place(received, /*sends=*/false, out);
    OpBuilder b(last);
    auto start = CollectiveStartOp::create(
        b, loc, send, receive, last.getKind(), last.getCombine(),
        last.getRoot(), last.getFlags(), last.getRanks(), /*slot=*/0,
        last.getTag(), last.getGroupAttr());
    auto wait = CollectiveWaitOp::create(b, loc, send, receive, /*slot=*/0);
    // Of a profile.
    start->setDiscardableAttrs(last->getDiscardableAttrDictionary());
    wait->setDiscardableAttrs(
        bucket.parts.back().wait->getDiscardableAttrDictionary());
    for (auto [part, view] : out)
      memref::CopyOp::create(b, loc, view, part->use->get());
    for (InFlight &pair : bucket.parts) {
      pair.wait->erase();
      pair.start->erase();
    }
    prints.forget();
  }

  Block &block;
  int64_t most;
  int64_t enough = 0;
  Footprints prints;
};

struct BucketCollectives
    : cellgrad::impl::BucketCollectivesBase<BucketCollectives> {
  using BucketCollectivesBase::BucketCollectivesBase;

  void runOnOperation() override {
    llvm::SmallSetVector<Block *, 4> blocks;
    getOperation().walk(
        [&](CollectiveStartOp start) { blocks.insert(start->getBlock()); });
    for (Block *block : blocks)
      Buckets(*block, bucketBytes).run();
  }
};

} // namespace
