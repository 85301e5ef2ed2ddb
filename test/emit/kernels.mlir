// Code that two ops share is there once, and is not inlined again.
// RUN: cellc %s -o %t.ll --target=x86-64-v4 --emit=ll
// RUN: FileCheck %s --input-file=%t.ll

// CHECK-DAG: call void @cell_kernel(
// CHECK-DAG: define internal void @cell_kernel({{.*}}) #[[KERNEL:[0-9]+]]
// CHECK:     attributes #[[KERNEL]] = { noinline
func.func @f(%x: tensor<40x24xf32>, %w: tensor<24x24xf32>) -> tensor<40x24xf32> {
  %0 = cell.matmul %x, %w : (tensor<40x24xf32>, tensor<24x24xf32>) -> tensor<40x24xf32>
  %1 = cell.matmul %0, %w : (tensor<40x24xf32>, tensor<24x24xf32>) -> tensor<40x24xf32>
  return %1 : tensor<40x24xf32>
}
