// Device code to the LLVM and NVVM dialects: what each op becomes.
// RUN: cell-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(cell-gpu-to-nvvm,reconcile-unrealized-casts,cse))" | FileCheck %s
// RUN: cell-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(cell-gpu-to-nvvm{index-bits=64},reconcile-unrealized-casts,cse))" | FileCheck %s --check-prefix=WIDE

// Kernels take bare pointers into global memory, and keep what is known of them.
// CHECK-LABEL: llvm.func @math(
// CHECK-SAME:    %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i32)
// CHECK-SAME:    attributes {
// CHECK-SAME:    cell.note = 7 : i64
// CHECK-SAME:    nvvm.kernel
// CHECK-SAME:    nvvm.maxntid = array<i32: 256, 1, 1>

// Math ops are intrinsics: upstream's conversion calls a library for each of them.
// CHECK-DAG:     llvm.intr.fma
// CHECK-DAG:     llvm.intr.fabs
// CHECK-DAG:     llvm.intr.copysign
// CHECK-DAG:     llvm.intr.sqrt
// CHECK-DAG:     llvm.intr.floor
// CHECK-DAG:     llvm.intr.ceil
// CHECK-DAG:     llvm.intr.trunc
// CHECK-DAG:     llvm.intr.roundeven
// CHECK-DAG:     llvm.intr.maximum
// CHECK-DAG:     llvm.intr.minnum
// CHECK-DAG:     llvm.intr.cttz
// CHECK-NOT:     __nv_
// CHECK:         llvm.return
gpu.module @kernels {
  gpu.func @math(%x: memref<64xf32, 1> {llvm.noalias, llvm.readonly, llvm.align = 16 : i64}, %y: memref<64xf32, 1>, %n: index)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>, cell.note = 7 : i64} {
    %a = memref.load %x[%n] : memref<64xf32, 1>
    %0 = math.fma %a, %a, %a : f32
    %1 = math.absf %0 : f32
    %2 = math.copysign %1, %a : f32
    %3 = math.sqrt %2 : f32
    %4 = math.floor %3 : f32
    %5 = math.ceil %4 : f32
    %6 = math.trunc %5 : f32
    %7 = math.roundeven %6 : f32
    %8 = arith.maximumf %7, %a : f32
    %9 = arith.minnumf %8, %a : f32
    %i = arith.fptosi %9 : f32 to i32
    %z = math.cttz %i : i32
    %r = arith.sitofp %z : i32 to f32
    memref.store %r, %y[%n] : memref<64xf32, 1>
    gpu.return
  }
}

// -----

// Positions of small buffers have 32 bits; the option says otherwise.
// CHECK-LABEL: llvm.func @narrow(
// CHECK:         llvm.getelementptr {{.*}} : (!llvm.ptr<1>, i32)
// WIDE-LABEL:  llvm.func @narrow(
// WIDE:          nvvm.read.ptx.sreg.tid.x
// WIDE:          llvm.sext {{.*}} : i32 to i64
// WIDE:          llvm.getelementptr {{.*}} : (!llvm.ptr<1>, i64)
gpu.module @kernels {
  gpu.func @narrow(%x: memref<1073741823xi8, 1>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<1073741823xi8, 1>
    memref.store %v, %x[%t] : memref<1073741823xi8, 1>
    gpu.return
  }
}

// -----

// One larger buffer, of any function of the module, makes them all wide.
// CHECK-LABEL: llvm.func @wide(
// CHECK:         llvm.getelementptr {{.*}} : (!llvm.ptr<1>, i64)
gpu.module @kernels {
  gpu.func @wide(%x: memref<32768x32768xi8, 1>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t, %t] : memref<32768x32768xi8, 1>
    memref.store %v, %x[%t, %t] : memref<32768x32768xi8, 1>
    gpu.return
  }
}

// -----

// So does a number of steps that is no size of a buffer.
// CHECK-LABEL: llvm.func @many_steps(
// CHECK:         llvm.mlir.constant(5000000000 : index) : i64
gpu.module @kernels {
  gpu.func @many_steps(%x: memref<4xf32, 1>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 5000000000 : index
    %v = memref.load %x[%c0] : memref<4xf32, 1>
    scf.for %i = %c0 to %n step %c1 {
      memref.store %v, %x[%c1] : memref<4xf32, 1>
    }
    gpu.return
  }
}

// -----

// And a number of 64 bits that becomes a position. One that is clamped before has 32.
// CHECK-LABEL: llvm.func @any_number(
// CHECK:         llvm.getelementptr {{.*}} : (!llvm.ptr<1>, i64)
gpu.module @kernels {
  gpu.func @any_number(%x: memref<4xf32, 1>, %n: i64) kernel {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %i = arith.index_cast %n : i64 to index
    %j = arith.maxsi %i, %c0 : index
    %k = arith.minsi %j, %c3 : index
    %v = memref.load %x[%k] : memref<4xf32, 1>
    memref.store %v, %x[%c0] : memref<4xf32, 1>
    gpu.return
  }
}

// -----

// CHECK-LABEL: llvm.func @clamped(
// CHECK:         llvm.getelementptr {{.*}} : (!llvm.ptr<1>, i32)
gpu.module @kernels {
  gpu.func @clamped(%x: memref<4xf32, 1>, %n: i64, %m: i32) kernel {
    %c0 = arith.constant 0 : i64
    %c3 = arith.constant 3 : i64
    %0 = arith.minsi %n, %c3 : i64
    %1 = arith.maxsi %0, %c0 : i64
    %i = arith.index_cast %1 : i64 to index
    %2 = arith.extsi %m : i32 to i64
    %j = arith.index_cast %2 : i64 to index
    %v = memref.load %x[%i] : memref<4xf32, 1>
    memref.store %v, %x[%j] : memref<4xf32, 1>
    gpu.return
  }
}

// -----

// The launch tells how many bytes this memory has: it is somebody else's.
// CHECK-LABEL: gpu.module @kernels
// CHECK:         llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32{{.*}}} : !llvm.array<0 x i8>
gpu.module @kernels {
  gpu.func @dynamic(%x: memref<64xf32, 1>, %shift: index) kernel {
    %t = gpu.thread_id x
    %m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %m[%shift][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
    %v = memref.load %x[%t] : memref<64xf32, 1>
    memref.store %v, %s[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %s[%shift] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %x[%t] : memref<64xf32, 1>
    gpu.return
  }
}

// -----

// Types of nvgpu: tokens are integers, in one conversion with 32-bit positions.
// CHECK-LABEL: llvm.func @async(
// CHECK:         nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = ca
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         nvvm.cp.async.wait.group 0
// CHECK:         nvvm.barrier
gpu.module @kernels {
  gpu.func @async(%x: memref<64xf32, 1>) workgroup(%s : memref<64xf32, 3>) kernel {
    %t = gpu.thread_id x
    %0 = nvgpu.device_async_copy %x[%t], %s[%t], 4 : memref<64xf32, 1> to memref<64xf32, 3>
    %1 = nvgpu.device_async_create_group %0
    nvgpu.device_async_wait %1
    gpu.barrier
    gpu.return
  }
}

// -----

// Half precision is computed in single and rounded after every op, as on the CPU.
// CHECK-LABEL: llvm.func @half(
// CHECK:         %[[A:.*]] = llvm.fpext %{{.*}} : f16 to f32
// CHECK:         %[[S:.*]] = llvm.fmul %[[A]], %[[A]] : f32
// CHECK:         %[[R:.*]] = llvm.fptrunc %[[S]] : f32 to f16
// CHECK:         %[[B:.*]] = llvm.fpext %[[R]] : f16 to f32
// CHECK:         llvm.fadd %[[B]], %[[A]] : f32
// CHECK:         llvm.fptrunc
gpu.module @kernels {
  gpu.func @half(%x: memref<64xf16, 1>, %i: index) kernel {
    %v = memref.load %x[%i] : memref<64xf16, 1>
    %0 = arith.mulf %v, %v : f16
    %1 = arith.addf %0, %v : f16
    memref.store %1, %x[%i] : memref<64xf16, 1>
    gpu.return
  }
}
