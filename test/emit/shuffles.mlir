// A transpose in registers is cut behind every second level for x86, which makes no instructions; each shuffle is one.
// RUN: cellc %s -o %t.ll --target=x86-64-v4 --emit=ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: cellc %s -o %t.s --target=x86-64-v4 --emit=s
// RUN: FileCheck %s --input-file=%t.s --check-prefix=CODE
// RUN: cellc %s -o %t.a.ll --target=aarch64 --emit=ll
// RUN: FileCheck %s --input-file=%t.a.ll --check-prefix=OTHER

// CHECK:             %[[X:.*]] = shufflevector <16 x float> %{{.*}}, <16 x float> %{{.*}}, <16 x i32> <i32 0, i32 16, i32 1, i32 17,
// CHECK:             %[[Y:.*]] = shufflevector <16 x float> %[[X]], <16 x float> %{{.*}}, <16 x i32> <i32 0, i32 1, i32 16, i32 17,
// CHECK-NEXT:        %[[CUT:.*]] = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %[[Y]])
// CHECK-COUNT-15:    call <16 x float> @llvm.arithmetic.fence.v16f32(
// CHECK:             shufflevector <16 x float> %[[CUT]],
// CHECK-NOT:         call {{.*}}arithmetic.fence

// CODE-LABEL: f:
// CODE-COUNT-16: vunpck{{[lh]}}ps
// CODE-NOT:      vperm
// CODE-COUNT-16: vunpck{{[lh]}}pd
// CODE-NOT:      vperm
// CODE-COUNT-32: vshuff64x2
// CODE:      .size f

// OTHER:     shufflevector
// OTHER-NOT: arithmetic.fence
func.func @f(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = cell.transpose %x perm [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
