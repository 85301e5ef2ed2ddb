// What a loop does not change of an address is computed ahead of it, and constants come last. Level 1 leaves addresses
// to LLVM, and so do other machines.
// RUN: cellc %s -o %t.ll --target=x86-64-v3 --emit=ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: cellc %s -o %t.s --target=x86-64-v3 --emit=s
// RUN: FileCheck %s --input-file=%t.s --check-prefix=CODE
// RUN: cellc %s -o %t.1.ll --target=x86-64-v3 --emit=ll -O1
// RUN: FileCheck %s --input-file=%t.1.ll --check-prefix=OTHER
// RUN: cellc %s -o %t.a.ll --target=aarch64 --emit=ll
// RUN: FileCheck %s --input-file=%t.a.ll --check-prefix=OTHER

// CHECK:      %[[ROW:.*]] = mul {{.*}}i64 %{{.*}}, 1000
// CHECK-NEXT: %[[BASE:.*]] = getelementptr float, ptr %{{.*}}, i64 %[[ROW]]
// CHECK:      %[[AT:.*]] = getelementptr float, ptr %[[BASE]], i64 %{{.*}}
// CHECK-NEXT: load <8 x float>, ptr %[[AT]]
// CHECK:      %[[NEXT:.*]] = getelementptr float, ptr %[[AT]], i64 8
// CHECK-NEXT: load <8 x float>, ptr %[[NEXT]]
// CHECK:      !cell-split-addresses = !{}

// All of an address is one operand; the loop adds to the column alone, where LLVM's own pass adds to pointers, too.
// CODE:      vaddps (%[[BASE:r[a-z0-9]+]],%[[COLUMN:r[a-z0-9]+]],4), %ymm
// CODE-NEXT: vaddps 32(%[[BASE]],%[[COLUMN]],4), %ymm
// CODE:      addq $32, %[[COLUMN]]
// CODE-NEXT: cmpq
// CODE-NEXT: jle
// CODE-NOT:  addq $4000

// OTHER-NOT: cell-split-addresses
func.func @f(%x: tensor<40x1000xf32>) -> tensor<40xf32> {
  %0 = cell.reduce_sum %x over [1] : tensor<40x1000xf32> -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
