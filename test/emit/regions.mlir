// A call of cell_run is a parallel region: it gets the caller's context, and the entry and the model
// the functions that lending threads takes.
// RUN: split-file %s %t
// RUN: cell-opt %t/regions.mlir --cell-emit-abi="model=m target=x86-64-v3" | FileCheck %s
// RUN: cellc %t/regions.mlir -o %t/m.so --emit=so,h,o
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t/m.h
// RUN: llvm-nm -D --defined-only %t/m.so | FileCheck %s --check-prefix=EXPORTS
// RUN: llvm-nm --defined-only --extern-only %t/m.o | FileCheck %s --check-prefix=EXPORTS
// RUN: llvm-nm -D --undefined-only %t/m.so | FileCheck %s --check-prefix=IMPORTS
// RUN: llvm-readelf -d %t/m.so | FileCheck %s --check-prefix=DYNAMIC

// CHECK: cell.model = {entries = [{arena_bytes = 384 : i64, args = [], name = "f", parallel, results = []}, {arena_bytes = 0 : i64, args = [], name = "loud", results = []}]
// CHECK: @cell_signature({{.*}}\22arena\22:{\22fixed\22:128,\22thread\22:256},\22arena_bytes\22:384,{{.*}}\22cancellable\22:false,\22name\22:\22f\22,\22parallel\22:true
// CHECK-SAME: \22cancellable\22:true,\22name\22:\22loud\22,\22parallel\22:false
// CHECK-DAG: llvm.func hidden @cell_rt_run(!llvm.ptr, i64, i32, !llvm.ptr, !llvm.ptr)
// CHECK-DAG: llvm.func hidden @cell_rt_workers(!llvm.ptr, i64, i64) -> i32

// The task itself is as it was.
// CHECK: llvm.func internal @task(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i32)
// CHECK: llvm.func internal @region(%[[COUNT:.*]]: i64, %[[CTX:.*]]: !llvm.ptr)
// CHECK: %[[W:.*]] = llvm.call @cell_rt_workers(%[[CTX]],
// CHECK: %[[TASK:.*]] = llvm.mlir.addressof @task
// CHECK: llvm.call @cell_rt_run(%[[CTX]], %[[COUNT]], %[[W]], %[[TASK]], %{{.*}})
// CHECK: llvm.func internal @f(%{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.dereferenceable = 384 : i64, {{.*}}}, %[[CTX2:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.call @region(%{{.*}}, %[[CTX2]])

// An arena of the call's own has a slot for each worker.
// CHECK: llvm.func @cg_m_f(
// CHECK: %[[WORKERS:.*]] = llvm.call @cell_rt_workers(
// CHECK: llvm.icmp "eq" %[[WORKERS]],
// CHECK: llvm.sub %[[WORKERS]],
// CHECK: %[[SLOTS:.*]] = llvm.mul
// CHECK: %[[BYTES:.*]] = llvm.add %{{.*}}, %[[SLOTS]]
// CHECK: %[[ARENA:.*]] = llvm.call @cell_rt_arena_new(%[[CALLERS:.*]], %[[BYTES]])
// CHECK: llvm.call @f(%[[ARENA]], %[[CALLERS]])
// CHECK: llvm.call @cell_rt_arena_free(%[[CALLERS]], %[[ARENA]], %[[BYTES]])
// CHECK: llvm.func @cg_m_f_arena_bytes(%{{.*}}: i64, %{{.*}}: i32) -> i64
// CHECK: llvm.func @cg_m_loud(
// CHECK-NOT: cell_rt_workers
// CHECK-NOT: cg_m_loud_arena_bytes
// CHECK: llvm.func @cg_m_pool_new(%{{.*}}: i32) -> !llvm.ptr
// CHECK: llvm.func @cg_m_pool_free(%{{.*}}: !llvm.ptr)

// HEADER: cg_parallel *cg_m_pool_new(int32_t threads);
// HEADER: void cg_m_pool_free(cg_parallel *pool);
// HEADER: #define CG_M_F_ARENA_BYTES 384u
// HEADER: uint64_t cg_m_f_arena_bytes(int64_t batch, int32_t threads) __asm__("cg_m.f_arena_bytes");
// HEADER: #define CG_M_LOUD_ARENA_BYTES 0u
// HEADER-NOT: cg_m_loud_arena_bytes

// EXPORTS-NOT: cell
// EXPORTS-DAG: T cg_m.f_arena_bytes
// EXPORTS-DAG: T cg_m_f_arena_bytes
// EXPORTS-DAG: T cg_m_pool_free
// EXPORTS-DAG: T cg_m_pool_new
// EXPORTS-NOT: cell

// Where a process has no threads, the model loads all the same.
// IMPORTS: aligned_alloc@GLIBC_2.16
// IMPORTS-DAG: U clock_gettime@GLIBC_2.17
// IMPORTS-DAG: U free@GLIBC_2.2.5
// IMPORTS-DAG: U madvise@GLIBC_2.2.5
// IMPORTS-DAG: U mmap@GLIBC_2.2.5
// IMPORTS-DAG: U munmap@GLIBC_2.2.5
// IMPORTS-DAG: w pthread_attr_destroy{{$}}
// IMPORTS-DAG: w pthread_attr_init{{$}}
// IMPORTS-DAG: w pthread_attr_setstacksize{{$}}
// IMPORTS-DAG: w pthread_create{{$}}
// IMPORTS-DAG: w pthread_join{{$}}
// IMPORTS-DAG: w pthread_sigmask{{$}}
// IMPORTS-DAG: U sched_getaffinity@GLIBC_2.3.4
// IMPORTS-DAG: U syscall@GLIBC_2.2.5

// DYNAMIC: NEEDED{{.*}}[libc.so.6]
// DYNAMIC-NOT: NEEDED

//--- regions.mlir
module @m {
  llvm.func @cell_run(i64, i32, !llvm.ptr, !llvm.ptr)
  llvm.func @cell_workers(i64, i64) -> i32
  llvm.func @cell_print(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr)
  llvm.func internal @task(%frame: !llvm.ptr, %begin: i64, %end: i64, %worker: i32) {
    llvm.return
  }
  llvm.func internal @region(%count: i64) {
    %fixed = llvm.mlir.constant(128 : i64) : i64
    %slot = llvm.mlir.constant(256 : i64) : i64
    %workers = llvm.call @cell_workers(%fixed, %slot) : (i64, i64) -> i32
    %task = llvm.mlir.addressof @task : !llvm.ptr
    %frame = llvm.mlir.zero : !llvm.ptr
    llvm.call @cell_run(%count, %workers, %task, %frame) : (i64, i32, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return
  }
  llvm.func @f(%arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 356 : i64, cell.slot_bytes = 256 : i64,
      cell.signature = {args = [], results = []}} {
    %count = llvm.mlir.constant(7 : i64) : i64
    llvm.call @region(%count) : (i64) -> ()
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
  llvm.func @loud(%arena: !llvm.ptr) -> i32 attributes {cell.signature = {args = [], results = []}} {
    %p = llvm.mlir.zero : !llvm.ptr
    %0 = llvm.mlir.constant(0 : i32) : i32
    llvm.call @cell_print(%p, %0, %0, %p, %p) : (!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> ()
    llvm.return %0 : i32
  }
}
