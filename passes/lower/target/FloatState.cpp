//===- FloatState.cpp - the state of floating-point arithmetic ------------===//

#include "passes/lower/target/FloatState.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace cellgrad;

namespace {
/// Round to nearest, keep subnormal numbers, no traps, no flags: of MXCSR; zero
/// is that of FPCR and of fcsr.
constexpr int64_t kDefaultMXCSR = 0x1f80;

Value constant(OpBuilder &b, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

/// Stores MXCSR to an address, or loads it.
void accessMXCSR(OpBuilder &b, Location loc, StringRef intrinsic,
                 Value address) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(intrinsic),
                                ValueRange{address});
}

/// FPCR or FPSR (AArch64): control and flags, 32 bits each.
Value readRegister(OpBuilder &b, Location loc, StringRef intrinsic) {
  return LLVM::CallIntrinsicOp::create(b, loc, b.getI64Type(),
                                       b.getStringAttr(intrinsic), ValueRange{})
      .getResults();
}
void writeRegister(OpBuilder &b, Location loc, StringRef intrinsic,
                   Value value) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(intrinsic),
                                ValueRange{value});
}

/// Sets fcsr (RISC-V) and returns what it was.
Value swapFcsr(OpBuilder &b, Location loc, Value value) {
  return LLVM::InlineAsmOp::create(
             b, loc, b.getI64Type(), ValueRange{value}, "fscsr $0, $1", "=r,r",
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr)
      .getRes();
}
} // namespace

Value cellgrad::setDefaultFloatState(OpBuilder &b, Location loc, Arch arch,
                                     Block &entry) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  switch (arch) {
  case Arch::X86: {
    Value before, own;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&entry);
      auto ptr = LLVM::LLVMPointerType::get(b.getContext());
      Value one = constant(b, loc, i32, 1);
      before = LLVM::AllocaOp::create(b, loc, ptr, i32, one);
      own = LLVM::AllocaOp::create(b, loc, ptr, i32, one);
    }
    accessMXCSR(b, loc, "llvm.x86.sse.stmxcsr", before);
    LLVM::StoreOp::create(b, loc, constant(b, loc, i32, kDefaultMXCSR), own);
    accessMXCSR(b, loc, "llvm.x86.sse.ldmxcsr", own);
    return before;
  }
  case Arch::AArch64: {
    Value control = readRegister(b, loc, "llvm.aarch64.get.fpcr");
    Value flags = readRegister(b, loc, "llvm.aarch64.get.fpsr");
    writeRegister(b, loc, "llvm.aarch64.set.fpcr", constant(b, loc, i64, 0));
    flags = LLVM::ShlOp::create(b, loc, flags, constant(b, loc, i64, 32));
    return LLVM::OrOp::create(b, loc, control, flags);
  }
  case Arch::RISCV:
    return swapFcsr(b, loc, constant(b, loc, i64, 0));
  case Arch::Wasm:
    return Value();
  }
  llvm_unreachable("every instruction set has a case");
}

void cellgrad::restoreFloatState(OpBuilder &b, Location loc, Arch arch,
                                 Value before) {
  switch (arch) {
  case Arch::X86:
    return accessMXCSR(b, loc, "llvm.x86.sse.ldmxcsr", before);
  case Arch::AArch64: {
    Type i64 = b.getI64Type();
    Value control =
        LLVM::AndOp::create(b, loc, before, constant(b, loc, i64, UINT32_MAX));
    Value flags =
        LLVM::LShrOp::create(b, loc, before, constant(b, loc, i64, 32));
    writeRegister(b, loc, "llvm.aarch64.set.fpcr", control);
    return writeRegister(b, loc, "llvm.aarch64.set.fpsr", flags);
  }
  case Arch::RISCV:
    swapFcsr(b, loc, before);
    return;
  case Arch::Wasm:
    return;
  }
}
