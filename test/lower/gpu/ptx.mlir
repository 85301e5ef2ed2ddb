// From kernels to PTX: the text is what runs.
// RUN: cell-opt %s --pass-pipeline="builtin.module(cell-gpu-pipeline,gpu.module(cell-emit-ptx{chip=sm_80,sm_90a}))" | FileCheck %s --check-prefix=ATTR
// RUN: cellc %s --emit=ptx --chip=sm_80 -o %t.ptx && FileCheck %s < %t.ptx
// RUN: cellc %s --emit=ptx -o %t.default.ptx && diff %t.ptx %t.default.ptx
// RUN: cellc %s --emit=ptx --chip=sm_75,sm_90a -o %t.ptx
// RUN: FileCheck %s --check-prefix=OLD < %t.sm_75.ptx
// RUN: FileCheck %s --check-prefix=NEW < %t.sm_90a.ptx
// RUN: not cellc %s --emit=ptx --chip=sm_70 -o %t.none 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not cellc %s --emit=ptx,so -o %t.none 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not cellc %s --chip=sm_80 -o %t.none 2>&1 | FileCheck %s --check-prefix=WITH
// RUN: not cell-opt %s --pass-pipeline="builtin.module(gpu.module(cell-emit-ptx{chip=sm_1}))" 2>&1 | FileCheck %s --check-prefix=CHIP

// ATTR: gpu.module @kernels attributes {cell.ptx = {sm_80 = "{{.*}}.version 8.0{{.*}}", sm_90a = "{{.*}}.target sm_90a{{.*}}"}, llvm.data_layout = "{{.*}}"}
// OLD: .target sm_75
// NEW: .target sm_90a
// CHIP: error: unknown chip 'sm_{{70|1}}': expected one of sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a
// ALONE: error: --emit=ptx goes without other kinds
// WITH: error: --chip goes with --device=cuda or --emit=ptx

// CHECK: .version 8.0
// CHECK: .target sm_80
// CHECK-NOT: .extern .func
// CHECK-NOT: .local

// Memory whose size the launch tells has none here.
// CHECK: .extern .shared {{.*}}__dynamic_shmem__0[];
gpu.module @kernels {
  memref.global "private" @pad : memref<8xf32, 3> = uninitialized {alignment = 16 : i64}

  // Arithmetic that ptxas may not merge, and rounds as the CPU does; NaN is kept by the maximum, and nothing is flushed.
  // CHECK-LABEL: .entry arithmetic(
  // CHECK:       .maxntid 256
  // CHECK-NOT:   .ftz
  // CHECK:       mul.rn.f32
  // CHECK:       add.rn.f32
  // CHECK:       sub.rn.f32
  // CHECK:       div.rn.f32
  // CHECK:       sqrt.rn.f32
  // CHECK:       max.NaN.f32
  // CHECK:       min.f32
  // CHECK:       fma.rn.f32
  // CHECK:       ret;
  gpu.func @arithmetic(%x: memref<64xf32, 1>, %i: index) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %v = memref.load %x[%i] : memref<64xf32, 1>
    %0 = arith.mulf %v, %v : f32
    %1 = arith.addf %0, %v : f32
    %2 = arith.subf %1, %0 : f32
    %3 = arith.divf %2, %1 : f32
    %4 = math.sqrt %3 : f32
    %5 = arith.maximumf %4, %v : f32
    %6 = arith.minnumf %5, %0 : f32
    %7 = math.fma %6, %v, %0 : f32
    memref.store %7, %x[%i] : memref<64xf32, 1>
    gpu.return
  }

  // The same of f64.
  // CHECK-LABEL: .entry arithmetic64(
  // CHECK:       mul.rn.f64
  // CHECK:       add.rn.f64
  // CHECK:       div.rn.f64
  // CHECK:       ret;
  gpu.func @arithmetic64(%x: memref<64xf64, 1>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<64xf64, 1>
    %0 = arith.mulf %v, %v : f64
    %1 = arith.addf %0, %v : f64
    %2 = arith.divf %0, %1 : f64
    memref.store %2, %x[%i] : memref<64xf64, 1>
    gpu.return
  }

  // Half precision: one rounding after every op. That is what instructions of half precision give; a product of bf16
  // is one that adds -0.
  // CHECK-LABEL: .entry half(
  // CHECK:       mul.rn.f16
  // CHECK:       add.rn.f16
  // CHECK:       0x8000
  // CHECK:       fma.rn.bf16
  // CHECK:       ret;
  gpu.func @half(%x: memref<64xf16, 1>, %y: memref<64xbf16, 1>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<64xf16, 1>
    %0 = arith.mulf %v, %v : f16
    %1 = arith.addf %0, %v : f16
    memref.store %1, %x[%i] : memref<64xf16, 1>
    %w = memref.load %y[%i] : memref<64xbf16, 1>
    %2 = arith.mulf %w, %w : bf16
    memref.store %2, %y[%i] : memref<64xbf16, 1>
    gpu.return
  }

  // Accesses of 16 bytes where the alignment is told; memory that no other argument writes is read as such.
  // CHECK-LABEL: .entry vectors(
  // CHECK:       ld.global.nc.v4.b32
  // CHECK:       st.shared.v4.b32
  // CHECK:       bar.sync 0
  // CHECK:       ld.shared.v4.b32
  // CHECK:       st.global.v4.b32
  // CHECK:       ret;
  gpu.func @vectors(%x: memref<64xf32, 1> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64},
                    %y: memref<64xf32, 1> {llvm.noalias, llvm.align = 16 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %s = memref.get_global @pad : memref<8xf32, 3>
    %v = vector.load %x[%c4] {alignment = 16} : memref<64xf32, 1>, vector<4xf32>
    vector.store %v, %s[%c4] {alignment = 16} : memref<8xf32, 3>, vector<4xf32>
    gpu.barrier
    %w = vector.load %s[%c0] {alignment = 16} : memref<8xf32, 3>, vector<4xf32>
    vector.store %w, %y[%c4] {alignment = 16} : memref<64xf32, 1>, vector<4xf32>
    gpu.return
  }

  // Lanes of a warp: of 64 bits, two words are passed.
  // CHECK-LABEL: .entry lanes(
  // CHECK:       shfl.sync.bfly.b32
  // CHECK-COUNT-2: shfl.sync.{{down|bfly}}.b32
  // CHECK:       vote.sync.ballot.b32
  // CHECK:       ret;
  gpu.func @lanes(%x: memref<64xf32, 1>, %y: memref<64xf64, 1>, %z: memref<64xi32, 1>) kernel {
    %t = gpu.thread_id x
    %w = arith.constant 32 : i32
    %c16 = arith.constant 16 : i32
    %all = arith.constant -1 : i32
    %v = memref.load %x[%t] : memref<64xf32, 1>
    %a, %p = gpu.shuffle xor %v, %c16, %w : f32
    memref.store %a, %x[%t] : memref<64xf32, 1>
    %d = memref.load %y[%t] : memref<64xf64, 1>
    %e, %q = gpu.shuffle xor %d, %c16, %w : f64
    memref.store %e, %y[%t] : memref<64xf64, 1>
    %hit = arith.cmpf ogt, %v, %a : f32
    %bits = nvvm.vote.sync ballot %all, %hit -> i32
    memref.store %bits, %z[%t] : memref<64xi32, 1>
    gpu.return
  }

  // CHECK-LABEL: .entry dynamic(
  // CHECK:       st.shared.b32
  gpu.func @dynamic(%x: memref<64xf32, 1>) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %m[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
    %v = memref.load %x[%t] : memref<64xf32, 1>
    memref.store %v, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %s[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %x[%t] : memref<64xf32, 1>
    gpu.return
  }

  // The project's own functions; device functions are written out where they are called.
  // CHECK-LABEL: .entry functions(
  // CHECK-NOT:   ex2.approx
  // CHECK-NOT:   sin.approx
  // CHECK-NOT:   call
  // CHECK:       fma.rn.f32
  // CHECK:       ret;
  gpu.func @functions(%x: memref<64xf32, 1>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xf32, 1>
    %0 = func.call @twice(%v) : (f32) -> f32
    %1 = math.exp %0 : f32
    %2 = math.sin %1 : f32
    %3 = special.sech_squared %2 : f32
    memref.store %3, %x[%t] : memref<64xf32, 1>
    gpu.return
  }
  func.func private @twice(%x: f32) -> f32 {
    %0 = arith.addf %x, %x : f32
    return %0 : f32
  }
}
