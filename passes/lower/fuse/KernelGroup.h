//===- KernelGroup.h - linalg ops that share an item dimension ------------===//
//
// Ops on buffers that may run item by item: each has one loop, the item loop,
// whose step i touches only slice i of what the group writes. So all ops can be
// run on one slice before the next slice is begun, and slices in any order.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_FUSE_KERNELGROUP_H
#define CELLGRAD_LOWER_FUSE_KERNELGROUP_H

#include "passes/lower/buffers/MemoryRoots.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace cellgrad {

/// One op of a group.
struct KernelMember {
  mlir::linalg::LinalgOp op;
  /// Its loop over the items.
  unsigned dim;
  /// True when that loop is a reduction: every item adds to all of its results.
  bool reduces;
};

/// The fill that an op finds in one of its operands, with nothing between.
using FillsOfOperands =
    llvm::DenseMap<std::pair<mlir::Operation *, mlir::Value>,
                   mlir::linalg::LinalgOp>;

/// Which ops with kernels of their own join others.
struct JoinLimits {
  /// Fewest images of a convolution, and fewest items with products.
  int64_t images;
  /// Longest product that joins, with its epilogue; 0: none does.
  double productNanoseconds;
  /// Whether ops join that reduce over the items.
  bool sums = true;
  /// Most bytes of one item of a group that has a product for each item; 0: no
  /// group has.
  int64_t itemBytes = 0;
  /// Most bytes of a matrix that every tile of rows reads again: more would
  /// leave no room in the second-level cache.
  int64_t matrixBytes = 128 << 10;
  /// Whether tiles run one after the other: sums of products are added up as
  /// they are, of so many rows at most.
  bool inOrder = false;
  int64_t rowsInOrder = 0;
};

/// Products among other ops: none, those of a few rows of a matrix at a time
/// (RowProduct.h), or whole ones, one or more for each item.
enum class KernelProducts { None, ByRows, ByItems };

class KernelGroup {
public:
  /// A group of `seed` alone, and its epilogue, with `dim` as its item loop.
  KernelGroup(mlir::linalg::LinalgOp seed, unsigned dim,
              const FillsOfOperands &fills, const JoinLimits &limits);

  bool empty() const { return members.empty(); }
  /// Adds `op`, its epilogue and the fills of what it accumulates into, if they
  /// fit.
  bool add(mlir::linalg::LinalgOp op);
  /// True when `op`, which is not added, must come after the group.
  bool isBefore(mlir::Operation *op) const { return memory.conflictsWith(op); }

  int64_t items() const { return size; }
  llvm::ArrayRef<KernelMember> ops() const { return members; }
  /// What is cut into slices: the buffer, and the dimension of the items.
  const llvm::MapVector<mlir::Value, unsigned> &slices() const {
    return sliced;
  }
  bool contains(mlir::Operation *op) const;
  KernelProducts products() const { return kind; }
  /// True for a result of all items that a loop adds up: their parts are added
  /// to it behind the loop.
  bool isAddedUpInLoop(mlir::Value buffer) const {
    return addedUp.contains(buffer);
  }
  bool addsUpInLoop() const { return !addedUp.empty(); }
  /// True for a temporary that only members use: it need not be there as a
  /// whole.
  bool isLocal(mlir::Value buffer) const;
  /// Bytes of one slice of `buffer`.
  int64_t sliceBytes(mlir::Value buffer) const;
  /// Bytes that need not go through memory when a slice stays in the cache.
  int64_t savedBytes() const;

private:
  struct Use {
    mlir::Value buffer;
    std::optional<unsigned> position; ///< of the item loop in its map
    bool writes;
    bool addsUp = false; ///< in the loop around
  };
  bool isApart(mlir::linalg::LinalgOp op) const;
  bool mayHaveProduct(mlir::linalg::GenericOp op, unsigned dim) const;
  bool addAlone(mlir::linalg::LinalgOp op);
  bool addOp(mlir::linalg::LinalgOp op, unsigned dim);
  bool itemLoopOf(mlir::linalg::LinalgOp op,
                  std::optional<unsigned> &loop) const;
  bool collectUses(mlir::linalg::LinalgOp op, unsigned dim,
                   llvm::SmallVectorImpl<Use> &uses) const;
  bool fits(const Use &use, bool reduces) const;
  bool staysInCache(llvm::ArrayRef<Use> uses) const;

  const FillsOfOperands *fills;
  JoinLimits limits;
  int64_t size = 0;
  KernelProducts kind = KernelProducts::None;
  llvm::SmallVector<KernelMember> members;
  llvm::MapVector<mlir::Value, unsigned> sliced;
  /// How often members touch each buffer.
  llvm::DenseMap<mlir::Value, unsigned> touches;
  /// Read as a whole.
  llvm::DenseSet<mlir::Value> shared;
  /// Results of members that reduce.
  llvm::DenseSet<mlir::Value> reduced;
  /// Those of them that the loop around adds up.
  llvm::DenseSet<mlir::Value> addedUp;
  /// By what view the memory of each buffer is used; null: by several.
  llvm::DenseMap<mlir::Value, mlir::Value> viewOfRoot;
  MemoryUse memory;
};

/// True for a product that a loop repeats: each step is one of its own.
bool mayBeOfItems(mlir::linalg::LinalgOp op);

/// About how long an op takes that may be a product of matrices.
double nanosecondsOfMember(mlir::linalg::LinalgOp op);

/// How the op combines output `o` with what it holds: the one use of the old
/// value, and the neutral element; or null.
struct Combination {
  mlir::Operation *op = nullptr;
  mlir::TypedAttr neutral;
};
Combination combinationOf(mlir::linalg::LinalgOp op, unsigned output);

} // namespace cellgrad

#endif
