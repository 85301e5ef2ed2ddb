//===- SharedCode.h - code that becomes a function --------------*- C++ -*-===//
//
// Code on buffers and what it uses from outside. Pieces that differ only in
// which memory they use become calls of one function.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_SHAREDCODE_H
#define CELLGRAD_LOWER_BUFFERS_SHAREDCODE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SetVector.h"

namespace cellgrad {

/// Ops of one block in order, with what is inside of them. Memory is passed to
/// their function as a pointer to its begin, so buffers in it may begin
/// elsewhere in each piece; numbers are passed as they are; constants, and what
/// is made of them, are made again.
class SharedCode {
public:
  explicit SharedCode(llvm::ArrayRef<mlir::Operation *> ops)
      : ops(ops.begin(), ops.end()) {}

  llvm::ArrayRef<mlir::Operation *> getOps() const { return ops; }
  /// Finds what the ops use from outside; fails where that cannot be passed to
  /// a function. To be called once, before all that follows.
  llvm::LogicalResult collect();

  /// What pieces of which the next function is true have in common.
  llvm::hash_code hash() const;
  /// True when one function can stand for both.
  bool isEqual(const SharedCode &other) const;

private:
  friend class SharedFunction;
  /// Memory: an allocation, an argument.
  struct Root {
    mlir::Value value;
    int64_t first; ///< least offset of the buffers in it
    /// Types in the code name the offsets, so they are those of the memory.
    bool isFixed = false;

    mlir::Type elementType() const;
    bool isApart() const;
  };
  /// A buffer in a root.
  struct View {
    mlir::Value value;
    unsigned root;
    int64_t offset; ///< in elements

    mlir::MemRefType type() const;
  };

  bool contains(mlir::Value value) const;
  llvm::LogicalResult add(mlir::Value value);
  llvm::LogicalResult addView(mlir::Value value);

  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<Root> roots;
  llvm::SmallVector<View> views;
  llvm::SetVector<mlir::Value> numbers;
  llvm::SetVector<mlir::Operation *> repeated; ///< in order of definition
};

/// Pieces of code that are equal, by the order in which they were added.
class SharedGroups {
public:
  void add(SharedCode code);
  llvm::ArrayRef<std::vector<SharedCode>> get() const { return groups; }

private:
  std::vector<std::vector<SharedCode>> groups;
  llvm::DenseMap<size_t, llvm::SmallVector<unsigned>> byHash;
};

/// A private function for a group of equal pieces of code.
class SharedFunction {
public:
  /// Its body has no ops but what makes buffers and constants of its arguments;
  /// the last of these are `more`.
  SharedFunction(llvm::StringRef name, llvm::ArrayRef<SharedCode> group,
                 mlir::TypeRange more = {});

  mlir::func::FuncOp function;
  mlir::IRMapping map; ///< from the first piece into the function
  /// Arguments before `more`.
  unsigned argumentCount() const { return count; }
  /// Operands of a call in place of the piece, but for `more`.
  llvm::SmallVector<mlir::Value> operandsFor(const SharedCode &code,
                                             mlir::OpBuilder &b);

private:
  llvm::SmallVector<bool> moves; ///< by root: its offset is an argument
  unsigned count;
};

} // namespace cellgrad

#endif
