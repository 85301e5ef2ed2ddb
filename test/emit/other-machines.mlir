// Code for other machines works on vectors: a product and an elementwise chain have no loop of scalars.
// RUN: cellc %s -o %t.neon.s --emit=s --target=aarch64
// RUN: FileCheck %s --check-prefix=NEON --input-file=%t.neon.s
// RUN: cellc %s -o %t.sve.s --emit=s --target=aarch64+sve
// RUN: FileCheck %s --check-prefix=SVE --input-file=%t.sve.s
// RUN: cellc %s -o %t.rvv.s --emit=s --target=riscv64+v
// RUN: FileCheck %s --check-prefix=RVV --input-file=%t.rvv.s
// RUN: cellc %s -o %t.wasm.s --emit=s --target=wasm32
// RUN: FileCheck %s --check-prefix=WASM --input-file=%t.wasm.s
// RUN: cellc %s -o %t.rv64.so --emit=so --target=riscv64
// RUN: llvm-readelf -h %t.rv64.so | FileCheck %s --check-prefix=RV64

// NEON-NOT: fmadd
// NEON-NOT: fmul s
// NEON: fmla v{{[0-9]+}}.4s, v{{[0-9]+}}.4s
// NEON-NOT: fmadd
// NEON-NOT: fmul s

// The processor is asked for SVE before the model computes: bit 22 of AT_HWCAP.
// SVE: fmla
// SVE: #4194304
// SVE: cell_rt_check_cpu

// RVV: vfmacc
// WASM: f32x4.mul
// WASM-NOT: f32.mul

// RV64: Machine: RISC-V
// RV64: Flags: {{.*}}RVC, double-float ABI

func.func @f(%x: tensor<64x96xf32>, %w: tensor<96x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = cell.matmul %x, %w : (tensor<64x96xf32>, tensor<96x64xf32>) -> tensor<64x64xf32>
  %1 = cell.mul %0, %b : tensor<64x64xf32>
  %2 = cell.add %1, %b : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
