// The smallest model: y = a*x + y in place, and a sum that needs an arena.
// RUN: cellc %s -o %t.so --name=axpy --emit=so,h,ll,s,o
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t.h
// RUN: llvm-nm -D --defined-only %t.so | FileCheck %s --check-prefix=EXPORTS
// RUN: llvm-nm -D --undefined-only %t.so | FileCheck %s --check-prefix=IMPORTS
// RUN: llvm-nm --defined-only --extern-only %t.o | FileCheck %s --check-prefix=EXPORTS
// RUN: llvm-readelf -d %t.so | FileCheck %s --check-prefix=DYNAMIC
// RUN: FileCheck %s --check-prefix=LL --input-file=%t.ll
// RUN: FileCheck %s --check-prefix=ASM --input-file=%t.s

// EXPORTS-DAG: T cg_axpy_abi_version
// EXPORTS-DAG: T cg_axpy_axpy
// EXPORTS-DAG: T cg_axpy_signature
// EXPORTS-DAG: T cg_axpy_status_message
// EXPORTS-NOT: {{ [A-Za-z] (cell|axpy)}}

// IMPORTS-DAG: aligned_alloc@GLIBC_2.16
// IMPORTS-DAG: free@GLIBC_2.2.5
// IMPORTS-DAG: madvise@GLIBC_2.2.5
// IMPORTS-NOT: {{.}}

// DYNAMIC: NEEDED{{.*}}[libc.so.6]
// DYNAMIC-NOT: NEEDED

// HEADER: #define CELLGRAD_ABI_VERSION 2u
// HEADER: #define CG_AXPY_AXPY_ARENA_BYTES 64u
// HEADER: #define CG_AXPY_AXPY_FC_WEIGHT_ELEMENTS 4u
// HEADER: typedef struct cg_axpy_axpy_args {
// HEADER-NEXT: const float *a; /* input "a": float32[] */
// HEADER-NEXT: const float *x; /* input "x": float32[4] */
// HEADER-NEXT: float *fc_weight; /* in/out parameter "fc.weight": float32[4], overwritten with result "y" */
// HEADER-NEXT: float *sum; /* result "sum": float32[] */
// HEADER-NEXT: } cg_axpy_axpy_args;
// HEADER-NEXT: int32_t cg_axpy_axpy(const cg_axpy_axpy_args *args, const cg_context *context);

// LL: define {{.*}}i32 @cg_axpy_axpy(ptr
// ASM: cg_axpy_axpy:

llvm.func @axpy(%a: !llvm.ptr, %x: !llvm.ptr, %y: !llvm.ptr, %sum: !llvm.ptr, %arena: !llvm.ptr) -> i32
    attributes {cell.arena_bytes = 16 : i64, cell.signature = {
      args = [{name = "a", role = "input", dtype = "float32", shape = []},
              {name = "x", role = "input", dtype = "float32", shape = [4]},
              {name = "fc.weight", role = "parameter", dtype = "float32", shape = [4], donate = 0 : i64}],
      results = [{name = "y", dtype = "float32", shape = [4], donated_arg = 2 : i64},
                 {name = "sum", dtype = "float32", shape = []}]}} {
  %0 = llvm.load %a : !llvm.ptr -> f32
  %1 = llvm.load %x {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %2 = llvm.load %y {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %poison = llvm.mlir.poison : vector<4xf32>
  %i = llvm.mlir.constant(0 : i32) : i32
  %3 = llvm.insertelement %0, %poison[%i : i32] : vector<4xf32>
  %4 = llvm.shufflevector %3, %poison [0, 0, 0, 0] : vector<4xf32>
  %5 = llvm.intr.fma(%4, %1, %2) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  llvm.store %5, %y {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  llvm.store volatile %5, %arena {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
  %6 = llvm.load volatile %arena {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  %zero = llvm.mlir.constant(0.0 : f32) : f32
  %7 = "llvm.intr.vector.reduce.fadd"(%zero, %6) : (f32, vector<4xf32>) -> f32
  llvm.store %7, %sum : f32, !llvm.ptr
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}
