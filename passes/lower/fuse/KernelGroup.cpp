//===- KernelGroup.cpp - linalg ops that share an item dimension ----------===//

#include "passes/lower/fuse/KernelGroup.h"

#include "passes/lower/buffers/Epilogue.h"
#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/fuse/RowProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace cellgrad {

Combination combinationOf(linalg::LinalgOp op, unsigned output) {
  Block *body = op.getBlock();
  BlockArgument old = op.getRegionOutputArgs()[output];
  Operation *inner = body->getTerminator()->getOperand(output).getDefiningOp();
  if (!inner || !old.hasOneUse() || inner->getNumOperands() != 2 ||
      *old.getUsers().begin() != inner || !inner->getResult(0).hasOneUse())
    return {};
  if (std::optional<TypedAttr> neutral = arith::getNeutralElement(inner))
    return {inner, *neutral};
  return {};
}

double nanosecondsOfMember(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  return generic && isContraction(generic) ? nanosecondsOfProduct(generic)
                                           : estimateNanoseconds(op);
}

/// True for a product whose loop `dim` repeats it.
static bool isProductOfItems(linalg::LinalgOp op, unsigned dim) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || !isContraction(generic) || !hasKernelTypes(generic) ||
      op.getIteratorTypesArray()[dim] != utils::IteratorType::parallel)
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim);
  });
}

bool mayBeOfItems(linalg::LinalgOp op) {
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    if (isProductOfItems(op, dim))
      return true;
  return false;
}

/// True for ops that have kernels of their own, or none.
bool KernelGroup::isApart(linalg::LinalgOp op) const {
  if (!op.hasPureBufferSemantics() || op.hasDynamicShape())
    return true;
  if (llvm::is_contained(op.getStaticLoopRanges(), 0))
    return true;
  if (isa<linalg::FillOp>(op.getOperation()))
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic)
    return true;
  if (isContraction(generic)) {
    if (limits.itemBytes > 0 && mayBeOfItems(op))
      return false;
    // Those that take longer are cut into items by themselves.
    double nanoseconds = nanosecondsOfMember(op);
    if (linalg::GenericOp epilogue = findEpilogue(op))
      nanoseconds +=
          estimateNanoseconds(cast<linalg::LinalgOp>(epilogue.getOperation()));
    return nanoseconds >= limits.productNanoseconds;
  }
  return isSumOfProducts(generic) && !isConvolution(generic);
}

/// Weights of a convolution that every tile of images reads again: more would
/// leave no room in the second-level cache.
static constexpr int64_t kMostWeightBytes = 128 << 10;

/// Fewest places of windows in an item of a convolution.
static constexpr int64_t kFewestPlaces = 16;

/// True for a convolution that is best on all items at once: one that sums over
/// them, whose weights are large, that has too few images for all cores, or
/// whose items are its filters: those of one image share what they read, and a
/// product of one filter has a single row.
static bool needsAllItems(linalg::LinalgOp op, unsigned dim,
                          int64_t fewestImages) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic || !isConvolution(generic))
    return false;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto isParallel = [&](unsigned loop) {
    return iterators[loop] == utils::IteratorType::parallel;
  };
  if (!isParallel(dim) || sizes[dim] < fewestImages)
    return true;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    bool isImage = !map.isProjectedPermutation(/*allowZeroInResults=*/true);
    if (isImage) {
      int64_t places = 1;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (loop != dim && isParallel(loop) && map.isFunctionOfDim(loop))
          places *= sizes[loop];
      if (places < kFewestPlaces)
        return true;
    }
    if (!map.isFunctionOfDim(dim)) {
      auto type = cast<MemRefType>(operand->get().getType());
      if (isImage || type.getNumElements() * type.getElementTypeBitWidth() / 8 >
                         kMostWeightBytes)
        return true;
    }
  }
  return false;
}

KernelGroup::KernelGroup(linalg::LinalgOp seed, unsigned dim,
                         const FillsOfOperands &fills, const JoinLimits &limits)
    : fills(&fills), limits(limits) {
  if (isApart(seed) || seed->hasAttr(kEpilogue))
    return;
  size = seed.getStaticLoopRanges()[dim];
  linalg::GenericOp epilogue = findEpilogue(seed);
  if (addOp(seed, dim) && epilogue &&
      !addAlone(cast<linalg::LinalgOp>(epilogue.getOperation())))
    members.clear();
}

bool KernelGroup::add(linalg::LinalgOp op) {
  if (op->hasAttr(kEpilogue)) // without its product
    return false;
  linalg::GenericOp epilogue = findEpilogue(op);
  if (!epilogue)
    return addAlone(op);
  if (isApart(op))
    return false;
  KernelGroup both = *this;
  if (!both.addAlone(op) ||
      !both.addAlone(cast<linalg::LinalgOp>(epilogue.getOperation())))
    return false;
  *this = std::move(both);
  return true;
}

/// The loop over the rows of the first result, if it has any. (A vector of as
/// many elements as there are rows is most likely another one: it is left to
/// ops that read it as a whole.)
static std::optional<unsigned> leadingLoopOf(linalg::LinalgOp op) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  ArrayRef<int64_t> shape =
      cast<MemRefType>(op.getDpsInits()[0].getType()).getShape();
  unsigned first = 0; // of more than one element
  while (first < shape.size() && shape[first] == 1)
    ++first;
  if (first + 2 > shape.size())
    return std::nullopt;
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(first));
  return expr ? std::optional(expr.getPosition()) : std::nullopt;
}

bool KernelGroup::addAlone(linalg::LinalgOp op) {
  if (isApart(op))
    return false;
  std::optional<unsigned> dim;
  if (!itemLoopOf(op, dim))
    return false;
  // A fill comes with the op that needs it.
  bool mayBegin = kind == KernelProducts::ByRows
                      ? !isa<linalg::FillOp>(op.getOperation())
                      : kind == KernelProducts::ByItems && mayBeOfItems(op);
  if (!dim && mayBegin)
    dim = leadingLoopOf(op);
  return dim && op.getStaticLoopRanges()[*dim] == size && addOp(op, *dim);
}

/// Finds the loop that walks the items of the buffers the op has in common with
/// the group, if there are any; false where they are walked in several ways.
bool KernelGroup::itemLoopOf(linalg::LinalgOp op,
                             std::optional<unsigned> &loop) const {
  for (OpOperand &operand : op->getOpOperands()) {
    auto found = sliced.find(operand.get());
    if (found == sliced.end())
      continue;
    auto expr = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(&operand).getResult(found->second));
    if (!expr || (loop && *loop != expr.getPosition()))
      return false;
    loop = expr.getPosition();
  }
  return true;
}

/// The buffers the op uses; false where one is not walked item by item.
bool KernelGroup::collectUses(linalg::LinalgOp op, unsigned dim,
                              SmallVectorImpl<Use> &uses) const {
  AffineExpr item = getAffineDimExpr(dim, op.getContext());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    Use use{operand.get(), std::nullopt, op.isDpsInit(&operand)};
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (!expr.isFunctionOfDim(dim))
        continue;
      if (expr != item || use.position)
        return false;
      use.position = i;
    }
    uses.push_back(use);
  }
  for (auto load : op.getBlock()->getOps<memref::LoadOp>())
    uses.push_back({load.getMemRef(), std::nullopt, false});
  return true;
}

bool KernelGroup::fits(const Use &use, bool reduces) const {
  Value root = rootOf(use.buffer);
  if (!isKnownRoot(root))
    return false;
  auto view = viewOfRoot.find(root);
  bool isUsed = view != viewOfRoot.end();
  bool written = memory.writes(root);
  if (isUsed && view->second != use.buffer && (use.writes || written))
    return false;
  if (use.addsUp)
    return !isUsed || addedUp.contains(use.buffer);
  if (reduced.contains(use.buffer))
    return false;
  if (reduces && use.writes)
    return !isUsed; // nobody else has to do with the sum
  if (!use.position)
    return !use.writes && !written;
  // Slices that are not contiguous would be read a few bytes at a time.
  ArrayRef<int64_t> shape = cast<MemRefType>(use.buffer.getType()).getShape();
  if (llvm::any_of(shape.take_front(*use.position),
                   [](int64_t n) { return n != 1; }))
    return false;
  if (shared.contains(use.buffer) && (use.writes || written))
    return false;
  auto found = sliced.find(use.buffer);
  return found == sliced.end() || found->second == *use.position;
}

/// Whether a product may join with `dim` as the loop over the items.
bool KernelGroup::mayHaveProduct(linalg::GenericOp op, unsigned dim) const {
  if (limits.itemBytes > 0)
    return size >= limits.images && isProductOfItems(op, dim);
  bool addsUp = addsRowProducts(op, dim);
  if (addsUp) {
    bool mayAdd = limits.inOrder ? size <= limits.rowsInOrder
                                 : cellgrad::addsUpInLoop(op);
    if (kind == KernelProducts::None || !mayAdd)
      return false;
  } else {
    std::optional<RowProduct> product = rowProduct(op, dim);
    if (!product || bytesOf(product->b->get()) > limits.matrixBytes)
      return false;
  }
  return size >= 2 * (addsUp && !limits.inOrder ? kFewestRowsOfSum
                                                : kFewestRowsOfProduct);
}

/// Whether what an item uses stays in a cache, with `uses`.
bool KernelGroup::staysInCache(ArrayRef<Use> uses) const {
  int64_t bytes = 0;
  auto add = [&](Value buffer, bool isSliced) {
    bytes += sliceBytes(buffer) * (isSliced ? 1 : size);
  };
  for (auto [buffer, position] : sliced)
    add(buffer, true);
  for (Value buffer : shared)
    add(buffer, false);
  DenseSet<Value> added;
  for (const Use &use : uses)
    if (!sliced.contains(use.buffer) && !shared.contains(use.buffer) &&
        added.insert(use.buffer).second)
      add(use.buffer, use.position.has_value());
  return bytes <= limits.itemBytes;
}

bool KernelGroup::addOp(linalg::LinalgOp op, unsigned dim) {
  if (needsAllItems(op, dim, limits.images))
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  bool isProduct = generic && isContraction(generic);
  if (isProduct && !mayHaveProduct(generic, dim))
    return false;
  bool addsUp = isProduct && limits.itemBytes == 0 && addsRowProducts(op, dim);
  if (op.hasIndexSemantics())
    for (auto index : op.getBlock()->getOps<linalg::IndexOp>())
      if (index.getDim() == dim)
        return false;
  SmallVector<Use> uses;
  if (!collectUses(op, dim, uses))
    return false;
  // Every step writes a slice of all results, or adds to all of all of them.
  bool reduces = llvm::none_of(
      uses, [](const Use &use) { return use.writes && use.position; });
  if (!reduces && llvm::any_of(uses, [](const Use &use) {
        return use.writes && !use.position;
      }))
    return false;
  if (reduces && !limits.sums && !(addsUp && limits.inOrder))
    return false;
  if (reduces)
    for (unsigned o = 0; o < op.getNumDpsInits(); ++o) {
      Type type = getElementTypeOrSelf(op.getDpsInits()[o].getType());
      if (!combinationOf(op, o).op || type.getIntOrFloatBitWidth() < 32)
        return false;
    }
  for (Use &use : uses) {
    use.addsUp = addsUp && use.writes;
    if (!fits(use, reduces))
      return false;
  }
  auto isWritten = [&](const Use &use) {
    return use.writes || (use.position && fills->contains({op, use.buffer}));
  };
  if (limits.itemBytes > 0 && !staysInCache(uses))
    return false;
  // Within the op, too, what is written is read at the same place or not.
  for (const Use &use : uses)
    for (const Use &other : uses)
      if (isWritten(use) && rootOf(use.buffer) == rootOf(other.buffer) &&
          (use.buffer != other.buffer || use.position != other.position))
        return false;

  for (const Use &use : uses) {
    if (!use.position)
      continue;
    // The fill of an accumulator, or of what is read, comes along.
    auto fill = fills->find({op, use.buffer});
    if (fill != fills->end() && !contains(fill->second))
      members.push_back({fill->second, *use.position, /*reduces=*/false});
  }
  for (const Use &use : uses) {
    auto view = viewOfRoot.try_emplace(rootOf(use.buffer), use.buffer).first;
    if (view->second != use.buffer)
      view->second = Value();
    memory.add(use.buffer, isWritten(use));
    if (&use == llvm::find_if(uses, [&](const Use &other) {
          return other.buffer == use.buffer;
        }))
      ++touches[use.buffer];
    if (use.addsUp)
      addedUp.insert(use.buffer);
    if (reduces && use.writes)
      reduced.insert(use.buffer);
    else if (use.position)
      sliced[use.buffer] = *use.position;
    else
      shared.insert(use.buffer);
  }
  members.push_back({op, dim, reduces});
  if (isProduct)
    kind =
        limits.itemBytes > 0 ? KernelProducts::ByItems : KernelProducts::ByRows;
  return true;
}

bool KernelGroup::contains(Operation *op) const {
  return llvm::any_of(members, [&](KernelMember member) {
    return member.op.getOperation() == op;
  });
}

bool KernelGroup::isLocal(Value buffer) const {
  return buffer.getDefiningOp<memref::AllocOp>() && sliced.contains(buffer) &&
         !shared.contains(buffer) &&
         llvm::all_of(buffer.getUsers(),
                      [&](Operation *user) { return contains(user); });
}

int64_t KernelGroup::sliceBytes(Value buffer) const {
  return bytesOf(buffer) / size;
}

int64_t KernelGroup::savedBytes() const {
  int64_t bytes = 0;
  for (auto [buffer, position] : sliced) {
    int64_t passes = touches.lookup(buffer) - (isLocal(buffer) ? 0 : 1);
    bytes += passes * sliceBytes(buffer) * size;
  }
  return bytes;
}

} // namespace cellgrad
