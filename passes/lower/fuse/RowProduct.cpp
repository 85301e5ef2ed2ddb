//===- RowProduct.cpp - products that run on a few rows at a time ---------===//

#include "passes/lower/fuse/RowProduct.h"

#include "passes/lower/buffers/Contraction.h"
#include "passes/lower/buffers/MemoryRoots.h"

#include "dialect/BatchParts.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace cellgrad {

/// Rows that are a multiple of so many bytes apart are in few sets of a cache,
/// but not where each is so much longer.
static constexpr int64_t kConflictBytes = 1024, kPaddingBytes = 64;
/// Each item has a part of such a C, which it reads and writes at each step.
static constexpr int64_t kMostBytesOfC = 32 << 10;

int64_t bytesOf(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  return type.getNumElements() * std::max(8u, type.getElementTypeBitWidth()) /
         8;
}

/// A product of matrices that there are kernels for, or null.
static linalg::GenericOp matrixProduct(linalg::LinalgOp linalgOp) {
  auto op = dyn_cast<linalg::GenericOp>(linalgOp.getOperation());
  return op && op.getNumLoops() >= 3 && op.getNumReductionLoops() == 1 &&
                 isContraction(op) && hasKernelTypes(op)
             ? op
             : linalg::GenericOp();
}

/// The loops that the last two dimensions of an operand walk; nothing where it
/// has others of more than one element, or its rows are not contiguous.
static std::optional<std::pair<unsigned, unsigned>>
loopsOf(linalg::GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || type.getRank() < 2 || !map.isProjectedPermutation() ||
      llvm::any_of(type.getShape().drop_back(2),
                   [](int64_t n) { return n != 1; }) ||
      failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return std::nullopt;
  unsigned last = type.getRank() - 1;
  return std::pair(map.getDimPosition(last - 1), map.getDimPosition(last));
}

std::optional<RowProduct> rowProduct(linalg::LinalgOp linalgOp, unsigned dim) {
  linalg::GenericOp op = matrixProduct(linalgOp);
  if (!op)
    return std::nullopt;
  auto c = loopsOf(op, op->getOpOperand(2));
  if (!c || c->first != dim)
    return std::nullopt;
  SmallVector<unsigned> reduction;
  op.getReductionDims(reduction);
  unsigned j = c->second, k = reduction.front();
  for (unsigned number : {0, 1}) {
    OpOperand &a = op->getOpOperand(number), &b = op->getOpOperand(1 - number);
    auto ofA = loopsOf(op, a), ofB = loopsOf(op, b);
    if (!ofA || !ofB || *ofA != std::pair(dim, k))
      continue;
    bool isTransposed = *ofB == std::pair(j, k);
    if (!isTransposed && *ofB != std::pair(k, j))
      continue;
    return RowProduct{&b, isTransposed};
  }
  return std::nullopt;
}

bool addsRowProducts(linalg::LinalgOp linalgOp, unsigned dim) {
  linalg::GenericOp op = matrixProduct(linalgOp);
  if (!op)
    return false;
  auto c = loopsOf(op, op->getOpOperand(2));
  auto walksRows = [&](OpOperand &operand, unsigned column) {
    auto loops = loopsOf(op, operand);
    return loops && *loops == std::pair(dim, column);
  };
  OpOperand &a = op->getOpOperand(0), &b = op->getOpOperand(1);
  return c && ((walksRows(a, c->first) && walksRows(b, c->second)) ||
               (walksRows(b, c->first) && walksRows(a, c->second)));
}

/// True when all that touches `buffer`, or a view of it, in `loop` is products
/// of `block` that add to `c`.
static bool isOnlyAddedTo(Value buffer, Value c, Operation *loop,
                          Block *block) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (isa<ViewLikeOpInterface>(user)) {
      if (loop->isAncestor(user) ||
          !isOnlyAddedTo(user->getResult(0), c, loop, block))
        return false;
      continue;
    }
    if (!loop->isAncestor(user))
      continue;
    auto product = dyn_cast<linalg::GenericOp>(user);
    if (!product || user->getBlock() != block || buffer != c ||
        !isContraction(product) || !product.isDpsInit(&use))
      return false;
  }
  return true;
}

/// True for memory of its own that is there before `loop` begins, and a view of
/// it that is.
static bool isBefore(Operation *loop, Value buffer) {
  auto isOutside = [&](Value value) {
    return !loop->isAncestor(value.getParentBlock()->getParentOp());
  };
  Value root = rootOf(buffer);
  return isa<scf::ForOp, scf::WhileOp>(loop) && isDistinctRoot(root) &&
         isOutside(root) && isOutside(buffer);
}

/// True for a loop over tiles of a batch, which may have none: what is made
/// before it for all of its trips may be for nothing.
static bool mayNotRun(Operation *loop) { return loop->hasAttr(kTileTrips); }

bool addsUpInLoop(linalg::LinalgOp product) {
  Value c = product.getDpsInits()[0];
  Operation *loop = product->getParentOp();
  return !mayNotRun(loop) && bytesOf(c) <= kMostBytesOfC && isBefore(loop, c) &&
         isOnlyAddedTo(rootOf(c), c, loop, product->getBlock());
}

/// True when all that touches `buffer`, or a view of it, in `loop` is ops that
/// read it.
static bool isOnlyRead(Value buffer, Operation *loop) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (isa<ViewLikeOpInterface>(user)) {
      if (!isOnlyRead(user->getResult(0), loop))
        return false;
      continue;
    }
    auto op = dyn_cast<linalg::LinalgOp>(user);
    if (loop->isAncestor(user) && !(op && op.isDpsInput(&use)))
      return false;
  }
  return true;
}

/// The map with its last two results exchanged.
static AffineMap turned(AffineMap map) {
  SmallVector<AffineExpr> results(map.getResults());
  std::swap(results[results.size() - 2], results.back());
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

bool isFixedIn(Operation *loop, Value matrix) {
  if (mayNotRun(loop))
    return false;
  return isBefore(loop, matrix) && isOnlyRead(rootOf(matrix), loop);
}

Value transposedCopy(Operation *place, Value matrix) {
  Operation *loop = place->getParentOp();
  if (isFixedIn(loop, matrix))
    place = loop;
  OpBuilder b(place);
  Location loc = place->getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  unsigned rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[rank - 2], shape[rank - 1]);
  // Rows that lie a page apart fall into one set of the first-level cache: each
  // tile would pack them.
  SmallVector<int64_t> padded(shape);
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (shape.back() * bytes % kConflictBytes == 0)
    padded.back() += kPaddingBytes / bytes;
  Value copy = memref::AllocOp::create(
      b, loc, MemRefType::get(padded, type.getElementType()));
  if (padded != shape) {
    SmallVector<OpFoldResult> zeros(rank, b.getIndexAttr(0)),
        ones(rank, b.getIndexAttr(1));
    copy = memref::SubViewOp::create(
        b, loc, copy, zeros, getAsIndexOpFoldResult(b.getContext(), shape),
        ones);
  }
  AffineMap straight = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  linalg::GenericOp::create(b, loc, ValueRange(matrix), ValueRange(copy),
                            ArrayRef<AffineMap>{turned(straight), straight},
                            parallel,
                            [](OpBuilder &inner, Location at, ValueRange args) {
                              linalg::YieldOp::create(inner, at, args[0]);
                            });
  return copy;
}

void readStraight(linalg::GenericOp op, unsigned operand, Value straight) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[operand] = turned(maps[operand]);
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  op->setOperand(operand, straight);
}

} // namespace cellgrad
