//===- EntryPoints.cpp - memref signatures for public functions -----------===//

#include "passes/lower/tensors/Passes.h"

#include "dialect/Addressable.h"
#include "dialect/Refusal.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cellgrad {
#define GEN_PASS_DEF_CONVERTENTRYPOINTS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

/// The name of an element type in the artifact's signature, or an empty string
/// when no artifact can carry it.
std::string dtypeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned width = integer.getWidth();
    if (width == 1)
      return "bool";
    if (width == 8 || width == 16 || width == 32 || width == 64)
      return (integer.isUnsigned() ? "uint" : "int") + std::to_string(width);
    return "";
  }
  if (type.isF16())
    return "float16";
  if (type.isBF16())
    return "bfloat16";
  if (type.isF32())
    return "float32";
  return type.isF64() ? "float64" : "";
}

/// The static, identity-layout memref that holds a tensor, or null.
MemRefType bufferType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding() ||
      dtypeName(tensor.getElementType()).empty())
    return {};
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

LogicalResult checkType(func::FuncOp func, Type type, const char *what,
                        unsigned index) {
  if (!cellgrad::isAddressable(type))
    return cellgrad::refuse(func)
           << what << " #" << index << " is " << type
           << ", which is larger than the 2^47 bytes that a process can "
              "address";
  if (bufferType(type))
    return success();
  return cellgrad::refuse(func)
         << what << " #" << index
         << " must be a ranked tensor of static shape with a "
            "bool, integer (8 to 64 bits), f16, bf16, f32 or "
            "f64 element type, but is "
         << type;
}

/// Maps each result to the argument donated to it, or -1.
FailureOr<SmallVector<int64_t>> collectDonations(func::FuncOp func) {
  SmallVector<int64_t> donor(func.getNumResults(), -1);
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    auto attr = func.getArgAttrOfType<IntegerAttr>(i, "cell.donate");
    if (!attr)
      continue;
    int64_t k = attr.getInt();
    if (k < 0 || k >= static_cast<int64_t>(donor.size()))
      return cellgrad::refuse(func)
             << "argument #" << i << " is donated to result #" << k
             << ", but the function has " << donor.size() << " results";
    if (donor[k] >= 0)
      return cellgrad::refuse(func)
             << "result #" << k << " has two donated arguments, #" << donor[k]
             << " and #" << i << "; donate one";
    if (func.getArgumentTypes()[i] != func.getResultTypes()[k])
      return cellgrad::refuse(func)
             << "argument #" << i << " of type " << func.getArgumentTypes()[i]
             << " is donated to result #" << k << " of type "
             << func.getResultTypes()[k] << "; the types must be equal";
    donor[k] = i;
  }
  return donor;
}

/// `openSize` stands in for a batch size that is not known, and becomes -1.
void appendTensor(Builder &b, SmallVectorImpl<NamedAttribute> &fields,
                  Type type, Attribute dtype, int64_t openSize) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  if (openSize != 0 && !shape.empty() && shape[0] == openSize)
    shape[0] = -1;
  if (!dtype) // cell-lower-unsigned notes what the type does not say
    dtype = b.getStringAttr(dtypeName(tensor.getElementType()));
  fields.push_back(b.getNamedAttr("dtype", dtype));
  fields.push_back(b.getNamedAttr("shape", b.getDenseI64ArrayAttr(shape)));
}

Attribute nameOr(Builder &b, Attribute given, const char *prefix,
                 unsigned index) {
  return given ? given : b.getStringAttr(prefix + std::to_string(index));
}

/// Only one truth value can tell that an entry skipped its update.
LogicalResult checkSkipped(func::FuncOp func) {
  std::optional<unsigned> found;
  for (auto [k, type] : llvm::enumerate(func.getResultTypes())) {
    if (!func.getResultAttr(k, "cell.skipped"))
      continue;
    if (found)
      return cellgrad::refuse(func) << "results #" << *found << " and #" << k
                                    << " both have cell.skipped; mark one";
    if (type !=
        RankedTensorType::get({}, IntegerType::get(type.getContext(), 1)))
      return cellgrad::refuse(func)
             << "result #" << k
             << " has cell.skipped and must be tensor<i1>, but is " << type;
    found = k;
  }
  return success();
}

DictionaryAttr buildSignature(func::FuncOp func, ArrayRef<int64_t> donor) {
  Builder b(func.getContext());
  SmallVector<Attribute> args, results;
  auto batch = func->getAttrOfType<DictionaryAttr>("cell.batch");
  int64_t openSize = batch ? batch.getAs<IntegerAttr>("size").getInt() : 0;
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    SmallVector<NamedAttribute> fields;
    fields.push_back(b.getNamedAttr(
        "name", nameOr(b, func.getArgAttr(i, "cell.name"), "arg", i)));
    Attribute role = func.getArgAttr(i, "cell.role");
    fields.push_back(
        b.getNamedAttr("role", role ? role : b.getStringAttr("input")));
    appendTensor(b, fields, type, func.getArgAttr(i, "cell.dtype"), openSize);
    if (Attribute donate = func.getArgAttr(i, "cell.donate"))
      fields.push_back(b.getNamedAttr("donate", donate));
    args.push_back(b.getDictionaryAttr(fields));
  }
  for (auto [k, type] : llvm::enumerate(func.getResultTypes())) {
    SmallVector<NamedAttribute> fields;
    fields.push_back(b.getNamedAttr(
        "name", nameOr(b, func.getResultAttr(k, "cell.name"), "out", k)));
    appendTensor(b, fields, type, func.getResultAttr(k, "cell.dtype"),
                 openSize);
    if (donor[k] >= 0)
      fields.push_back(
          b.getNamedAttr("donated_arg", b.getI64IntegerAttr(donor[k])));
    if (func.getResultAttr(k, "cell.skipped"))
      fields.push_back(b.getNamedAttr("skipped", b.getUnitAttr()));
    results.push_back(b.getDictionaryAttr(fields));
  }
  NamedAttrList signature;
  signature.append("args", b.getArrayAttr(args));
  signature.append("results", b.getArrayAttr(results));
  if (batch)
    signature.append("max_batch", batch.get("max"));
  return signature.getDictionary(func.getContext());
}

/// Refuses calls: what can be inlined is.
LogicalResult checkCalls(func::FuncOp func) {
  auto left = func.walk([](func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (callee && callee.isDeclaration())
      cellgrad::refuse(call) << "calls " << call.getCalleeAttr()
                             << ", which has no body: a model contains all "
                                "that it calls; give it one";
    else
      cellgrad::refuse(call)
          << "calls " << call.getCalleeAttr()
          << ", which was not inlined: recursion cannot be compiled; write it "
             "as a loop";
    return WalkResult::interrupt();
  });
  return failure(left.wasInterrupted());
}

/// From values to memory, for one function: `f(%x: tensor) -> tensor` becomes
/// `f(%X: memref, %R: memref)`, which reads `%X` as a tensor at its beginning
/// and stores its result into `%R` at its end. A result that an argument is
/// donated to is stored into that argument, which is then `writable`: what is
/// computed may lie there. All checks come first, so that a function that is
/// refused is as it was.
LogicalResult convertFunction(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return cellgrad::refuse(func)
           << "must have one block; control flow is written with scf";
  auto ret = dyn_cast<func::ReturnOp>(func.getBody().front().getTerminator());
  if (!ret)
    return cellgrad::refuse(func) << "must end in func.return";
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (failed(checkType(func, type, "argument", i)))
      return failure();
  for (auto [k, type] : llvm::enumerate(func.getResultTypes()))
    if (failed(checkType(func, type, "result", k)))
      return failure();
  FailureOr<SmallVector<int64_t>> donor = collectDonations(func);
  if (failed(donor) || failed(checkCalls(func)) || failed(checkSkipped(func)))
    return failure();
  func->setAttr("cell.signature", buildSignature(func, *donor));
  func->removeAttr("cell.batch");

  Block &body = func.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  for (BlockArgument arg : body.getArguments()) {
    auto type = cast<RankedTensorType>(arg.getType());
    bool donated = llvm::is_contained(*donor, arg.getArgNumber());
    arg.setType(bufferType(type));
    auto tensor = bufferization::ToTensorOp::create(b, arg.getLoc(), type, arg,
                                                    /*restrict=*/true, donated);
    arg.replaceAllUsesExcept(tensor.getResult(), tensor);
  }

  unsigned numInputs = body.getNumArguments();
  b.setInsertionPoint(ret);
  for (auto [k, value] : llvm::enumerate(ret.getOperands())) {
    Value target;
    if ((*donor)[k] >= 0) {
      target = body.getArgument((*donor)[k]);
    } else {
      target = body.addArgument(bufferType(value.getType()), ret.getLoc());
    }
    bufferization::MaterializeInDestinationOp::create(
        b, ret.getLoc(), /*result=*/Type(), value, target, /*restrict=*/true,
        /*writable=*/true);
  }
  ret->setOperands({});

  // Names and roles live on in cell.signature. Pointers that nothing else may
  // alias (results that have a buffer of their own) are marked for LLVM.
  UnitAttr noalias = UnitAttr::get(func.getContext());
  func.setType(
      FunctionType::get(func.getContext(), body.getArgumentTypes(), {}));
  func.removeResAttrsAttr();
  SmallVector<DictionaryAttr> argAttrs(body.getNumArguments());
  for (auto [i, attrs] : llvm::enumerate(argAttrs)) {
    NamedAttribute attr("llvm.noalias", noalias);
    attrs = DictionaryAttr::get(func.getContext(),
                                i < numInputs ? ArrayRef<NamedAttribute>()
                                              : ArrayRef<NamedAttribute>(attr));
  }
  func.setAllArgAttrs(argAttrs);
  return success();
}

struct ConvertEntryPoints
    : cellgrad::impl::ConvertEntryPointsBase<ConvertEntryPoints> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isDeclaration())
        continue;
      if (!func.isPublic()) {
        cellgrad::refuse(func)
            << "is private and was not inlined; inline calls before "
               "lowering entry points";
        return signalPassFailure();
      }
      if (failed(convertFunction(func)))
        return signalPassFailure();
    }
  }
};

} // namespace
