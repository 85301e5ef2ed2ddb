//===- Print.cpp - cell.print as calls of the print hook ------------------===//

#include "passes/lower/cpu/Print.h"

#include "dialect/CellDialect.h"
#include "runtime/cellgrad_abi.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cellgrad;

namespace {

constexpr llvm::StringLiteral shapesName = "cell.shapes";

} // namespace

int32_t cellgrad::dtypeCode(Type type, bool isUnsigned) {
  if (type.isBF16())
    return CG_BFLOAT16;
  if (isa<FloatType>(type))
    return type.isF16() ? CG_FLOAT16 : type.isF32() ? CG_FLOAT32 : CG_FLOAT64;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return CG_BOOL;
  case 8:
    return isUnsigned ? CG_UINT8 : CG_INT8;
  case 16:
    return isUnsigned ? CG_UINT16 : CG_INT16;
  case 32:
    return isUnsigned ? CG_UINT32 : CG_INT32;
  default:
    return isUnsigned ? CG_UINT64 : CG_INT64;
  }
}

namespace {

class PrintLowering : public ConvertOpToLLVMPattern<PrintOp> {
public:
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(PrintOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    declarePrint(module, rewriter);
    auto emit = [&](StringRef text, int32_t dtype, ArrayRef<int64_t> shape,
                    Value data) {
      Value arguments[] = {
          constantData(
              rewriter, loc, module, rewriter.getStringAttr(text.str() + '\0'),
              LLVM::LLVMArrayType::get(rewriter.getI8Type(), text.size() + 1)),
          LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), dtype),
          LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(),
                                   static_cast<int32_t>(shape.size())),
          shape.empty()
              ? Value(LLVM::ZeroOp::create(rewriter, loc, pointer))
              : constantData(rewriter, loc, module,
                             rewriter.getI64TensorAttr(shape),
                             LLVM::LLVMArrayType::get(rewriter.getI64Type(),
                                                      shape.size())),
          data};
      LLVM::CallOp::create(rewriter, loc, TypeRange(), "cell_print", arguments);
    };

    StringRef rest = op.getFormat();
    auto marks = op->getAttrOfType<DenseBoolArrayAttr>("cell.unsigned");
    auto shapes = op->getAttrOfType<ArrayAttr>(shapesName);
    for (auto [i, operand, buffer] :
         llvm::enumerate(op.getXs(), adaptor.getXs())) {
      auto type = cast<MemRefType>(operand.getType());
      auto [text, after] = rest.split("{}");
      Value data = MemRefDescriptor(buffer).alignedPtr(rewriter, loc);
      emit(text, dtypeCode(type.getElementType(), marks && marks[i]),
           shapes ? cast<DenseI64ArrayAttr>(shapes[i]).asArrayRef()
                  : type.getShape(),
           data);
      rest = after;
    }
    emit((rest + "\n").str(), CG_FLOAT32, {},
         LLVM::ZeroOp::create(rewriter, loc, pointer));
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void declarePrint(ModuleOp module, OpBuilder &builder) {
    if (module.lookupSymbol("cell_print"))
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Type i32 = builder.getI32Type();
    LLVM::LLVMFuncOp::create(builder, module.getLoc(), "cell_print",
                             LLVM::LLVMFunctionType::get(
                                 LLVM::LLVMVoidType::get(builder.getContext()),
                                 {pointer, i32, i32, pointer, pointer}));
  }

  /// Address of a private constant of the module that holds `value`.
  static Value constantData(OpBuilder &builder, Location loc, ModuleOp module,
                            Attribute value, Type type) {
    std::string name;
    for (unsigned i = 0;; ++i) {
      name = "cell_print_data_" + std::to_string(i);
      auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
      if (global && global.getValueOrNull() == value)
        break;
      if (global)
        continue;
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(module.getBody());
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, value);
      break;
    }
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    return LLVM::AddressOfOp::create(builder, loc, pointer, name);
  }
};

} // namespace

void cellgrad::separateEmptyPrints(FunctionOpInterface func) {
  func.walk([](PrintOp op) {
    OpBuilder b(op);
    SmallVector<Attribute> shapes;
    bool found = false;
    for (OpOperand &operand : op.getXsMutable()) {
      auto type = cast<MemRefType>(operand.get().getType());
      shapes.push_back(b.getDenseI64ArrayAttr(type.getShape()));
      if (type.getNumElements() != 0)
        continue;
      found = true;
      auto flat = MemRefType::get({0}, type.getElementType());
      operand.set(memref::AllocaOp::create(b, op.getLoc(), flat));
    }
    if (found)
      op->setAttr(shapesName, b.getArrayAttr(shapes));
  });
}

void cellgrad::populatePrintToLLVMPatterns(const LLVMTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<PrintLowering>(converter);
}
