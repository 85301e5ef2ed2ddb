//===- AbiBuilder.h - what functions of every ABI are built of ------------===//

#ifndef CELLGRAD_PASSES_EMIT_ABIBUILDER_H
#define CELLGRAD_PASSES_EMIT_ABIBUILDER_H

#include "passes/emit/AbiWriter.h"
#include "passes/lower/target/FloatState.h"

#include "mlir/IR/Builders.h"

namespace cellgrad {

/// Builds functions that the C caller sees, piece by piece.
class AbiBuilder {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  /// With more buffers, code goes through them in a loop.
  static constexpr unsigned kManyBuffers = 32;

  AbiBuilder(mlir::ModuleOp module, const ModelSpec &model, Arch arch,
             uint64_t cpuFeatures)
      : module(module), model(model), arch(arch), cpuFeatures(cpuFeatures),
        b(module.getContext()),
        ptr(mlir::LLVM::LLVMPointerType::get(b.getContext())),
        i1(b.getI1Type()), i32(b.getI32Type()), i64(b.getI64Type()) {}

  /// Those that every model has; `statusMessage` is the runtime's.
  void writeModelFunctions(llvm::StringRef signature, mlir::ArrayAttr checks,
                           llvm::StringRef statusMessage);

protected:
  mlir::LLVM::LLVMFuncOp declare(llvm::StringRef name, Type result,
                                 mlir::ArrayRef<Type> args);
  /// Calls a function of the runtime; returns its result, if it has one.
  Value callRuntime(llvm::StringRef name, Type result, mlir::ValueRange args);
  /// Starts a function that the caller sees, also by its linkName.
  mlir::LLVM::LLVMFuncOp define(llvm::StringRef name, Type result,
                                mlir::ArrayRef<Type> args);
  /// Starts a function of the entry that takes (args, context), and checks the
  /// processor and the buffers, which it returns: they are aligned to their
  /// elements, and to `alignment`.
  mlir::SmallVector<Value> beginEntry(const EntrySpec &entry,
                                      llvm::StringRef symbol,
                                      mlir::Location location, Value &context,
                                      int64_t alignment = 1);
  Value constant(Type type, int64_t value) {
    return mlir::LLVM::ConstantOp::create(b, loc, type,
                                          b.getIntegerAttr(type, value));
  }
  Value null() { return mlir::LLVM::ZeroOp::create(b, loc, ptr); }
  Value isNull(Value pointer) {
    return mlir::LLVM::ICmpOp::create(b, loc, mlir::LLVM::ICmpPredicate::eq,
                                      pointer, null());
  }
  Value member(Value base, int64_t offset) {
    return mlir::LLVM::GEPOp::create(
        b, loc, ptr, b.getI8Type(), base,
        mlir::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(offset)});
  }
  Value loadAt(Value base, int64_t offset, Type type) {
    return mlir::LLVM::LoadOp::create(b, loc, type, member(base, offset));
  }
  /// The buffers that the struct of arguments at `args` names.
  mlir::SmallVector<Value> loadBuffers(const EntrySpec &entry, Value args);
  /// Leaves with `status` where `bad` holds; building goes on where it does
  /// not.
  void failIf(Value bad, int32_t status);
  /// The function that gives the file of weights inside the model.
  void writeWeights();
  /// Leaves the function `symbol` where one of the buffers, to which the struct
  /// at `args` points, is null or misaligned.
  void checkBuffers(const EntrySpec &entry, llvm::StringRef symbol, Value args,
                    mlir::ValueRange buffers, int64_t alignment);
  /// Leaves where a context, not null, is of no version that is known.
  void checkContext(Value context);
  /// What the entry returns after its implementation returned `status`.
  Value outcome(const EntrySpec &entry, Value status,
                mlir::ArrayRef<Value> buffers);
  /// Address of a private constant of the module with these numbers.
  Value table(llvm::StringRef name, mlir::ArrayRef<int32_t> numbers);
  /// Address of a private constant of the module that holds `text`.
  Value text(llvm::StringRef name, llvm::StringRef text, uint64_t align = 1);
  void ret(Value status) { mlir::LLVM::ReturnOp::create(b, loc, status); }

private:
  /// A buffer that is checked: which it is, and the bits that are 0 in its
  /// address.
  struct Check {
    unsigned index;
    int64_t low;
  };
  /// Whether any buffer is null, an i1, and which bits of the addresses are
  /// set that must not be, an i64; of a few buffers, or of many, by code whose
  /// length does not depend on how many.
  std::pair<Value, Value> lookAtFew(mlir::ArrayRef<Check> checks,
                                    mlir::ValueRange buffers);
  std::pair<Value, Value> lookAtMany(llvm::StringRef symbol,
                                     mlir::ArrayRef<Check> checks, Value args);

protected:
  mlir::ModuleOp module;
  const ModelSpec &model;
  Arch arch;
  uint64_t cpuFeatures; ///< mask of runtime/cpu.h
  mlir::OpBuilder b;
  mlir::Location loc = b.getUnknownLoc();
  Type ptr, i1, i32, i64;
};

} // namespace cellgrad

#endif
