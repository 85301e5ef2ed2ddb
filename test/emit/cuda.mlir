// A model with CUDA kernels: what it exports, needs, and says in its header.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %s --device=cuda --chip=sm_80,sm_90a -o %t/m.so --name=two_words --emit=so,h,ll,o --dump-ir=%t/dump
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t/m.h
// RUN: llvm-nm -D --defined-only %t/m.so | FileCheck %s --check-prefix=EXPORTS
// RUN: llvm-nm --defined-only --extern-only %t/m.o | FileCheck %s --check-prefix=EXPORTS
// RUN: llvm-readelf -d %t/m.so | FileCheck %s --check-prefix=DYNAMIC
// RUN: FileCheck %s --check-prefix=LL --input-file=%t/m.ll
// RUN: cat %t/dump/*-cell-outline-device-kernels.mlir | FileCheck %s --check-prefix=DUMP
// RUN: %cc %strict -fsyntax-only -include %t/m.h -x c /dev/null

// One file of PTX for each chip, of the same module.
// RUN: cellc %s --emit=ptx --chip=sm_80,sm_90a -o %t/m.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t/m.sm_90a.ptx
// PTX: .target sm_90a
// PTX: .entry f_kernel(

// RUN: not cellc %s --device=cuda --chip=sm_12 -o %t/no.so 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: unknown chip 'sm_12': expected one of sm_75, sm_80,
// RUN: not cellc %s --chip=sm_80 -o %t/no.so 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --chip goes with --device=cuda or --emit=ptx
// RUN: not cellc %s --device=cuda --sanitize=address -o %t/no.so 2>&1 | FileCheck %s --check-prefix=SANITIZE
// SANITIZE: error: --sanitize is for code of the CPU: leave --device=cuda out
// RUN: not ls %t/no.so

// The same program for the CPU is another model: no header fits the other.
// RUN: cellc %s -o %t/cpu.so --name=two_words
// RUN: grep FINGERPRINT %t/cpu.h | head -1 > %t/cpu.txt
// RUN: grep FINGERPRINT %t/m.h | head -1 > %t/cuda.txt
// RUN: not diff %t/cpu.txt %t/cuda.txt

// HEADER: int32_t cg_two_words_open(int32_t device, struct cg_cuda **out, char *message, uint64_t size) __asm__("cg_two_words.open");
// HEADER: void cg_two_words_close(struct cg_cuda *cuda)
// HEADER: const char *cg_two_words_cuda_message(const struct cg_cuda *cuda)
// HEADER: int32_t cg_two_words_wait(const cg_context *context)
// 2 x 256 of buffers behind the temporaries.
// HEADER: #define CG_TWO_WORDS_F_ARENA_BYTES 512u
// HEADER-NEXT: #define CG_TWO_WORDS_F_DEVICE_ARENA_BYTES 0u
// HEADER: int32_t cg_two_words_f(const cg_two_words_f_args *args, const cg_context *context)
// HEADER-NEXT: /* The same with pointers of the device. It enqueues its work on cg_context.stream. */
// HEADER-NEXT: int32_t cg_two_words_f_device(const cg_two_words_f_args *args, const cg_context *context)
// HEADER: #define CG_TWO_WORDS_G_ARENA_BYTES 768u
// HEADER-NEXT: #define CG_TWO_WORDS_G_DEVICE_ARENA_BYTES 256u
// HEADER: /* The same with pointers of the device. It enqueues its work on cg_context.stream,
// HEADER-NEXT: and waits for values that the host needs on the way. */
// An entry takes the names that are left.
// HEADER: int32_t cg_two_words_open_2(
// HEADER: int32_t cg_two_words_f_device_2(

// EXPORTS-DAG: T cg_two_words_f_device
// EXPORTS-DAG: T cg_two_words_open
// EXPORTS-DAG: T cg_two_words_cuda_message
// EXPORTS-NOT: {{ [A-Za-z] cell}}

// DYNAMIC: NEEDED{{.*}}[libc.so.6]
// DYNAMIC-NOT: NEEDED

// LL-DAG: @cell_cuda_program = internal {{.*}}constant { ptr, ptr, i32, i32, i32, i32 } { ptr @cell_images, ptr @cell_kernels, i32 2, i32 [[#KERNELS:]], i32 8, i32 0 }
// LL-DAG: @cell_images = internal {{.*}}constant [2 x { ptr, i64, i32, i32 }] [{ ptr, i64, i32, i32 } { ptr @cell_images_0_0, i64 {{[0-9]+}}, i32 80, i32 0 }, { ptr, i64, i32, i32 } { ptr @cell_images_1_0, i64 {{[0-9]+}}, i32 90, i32 1 }]
// LL-DAG: c"f_kernel\00"
// LL-DAG: c"cuda.mlir:[[#]]\00"
// LL: define {{.*}}i32 @cg_two_words_f(
// LL: call {{.*}} @cell_rt_cuda_enter(
// LL: call {{.*}} @cell_rt_cuda_upload(
// LL: call {{.*}} @cell_rt_cuda_run({{.*}} i32 1, ptr {{.*}}@cell_list_0, {{.*}} i32 2)
// LL: call {{.*}} @cell_rt_cuda_finish(
// LL: call {{.*}} @cell_rt_cuda_download(
// LL: call {{.*}} @cell_rt_cuda_finish(

// DUMP: call @f_kernel(

func.func @f(%x: tensor<4xf32> {cell.name = "x"}) -> (tensor<4xf32> {cell.name = "y"}) {
  %0 = cell.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32> {cell.name = "x"}) -> (tensor<4xf32> {cell.name = "y"}) {
  %z = cell.constant dense<0.0> : tensor<4xf32>
  %ok = cell.less %z, %x : tensor<4xf32>
  cell.check %ok "x > 0" : tensor<4xi1>
  %0 = cell.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @open(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @f_device(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
