// Vectors that are spilled lie within one cache line each, wherever the caller's stack is.
// RUN: cellc %s -o %t.ll --target=x86-64-v4 --emit=ll
// RUN: FileCheck %s --input-file=%t.ll

// CHECK:     define internal i32 @f({{.*}}) #[[INSIDE:[0-9]+]]
// CHECK-NOT: #[[INSIDE]]
// CHECK:     define i32 @cg_
// CHECK:     attributes #[[INSIDE]] = { {{.*}}"stackrealign"
func.func @f(%x: tensor<40xf32>) -> tensor<40xf32> {
  %0 = cell.tanh %x : tensor<40xf32>
  return %0 : tensor<40xf32>
}
