// The code for large arguments is there once for all sines and cosines of a width, apart from the
// loops, and is the model's own: no symbol comes or goes.
// RUN: cellc %s -o %t.ll --name=m --target=x86-64-v4 --emit=ll
// RUN: FileCheck %s --input-file=%t.ll
// RUN: cellc %s -o %t.so --name=m --target=x86-64-v4
// RUN: llvm-nm -D %t.so | FileCheck %s --check-prefix=SYMBOLS

// CHECK-COUNT-3: call {{.*}} @cell_reduce_large_16xf32(
// CHECK-NOT:     call {{.*}} @cell_reduce_large
// CHECK:         define internal {{.*}} @cell_reduce_large_16xf32({{.*}}) #[[RARE:[0-9]+]]
// CHECK-NOT:     define internal {{.*}} @cell_reduce_large
// CHECK:         attributes #[[RARE]] = { cold noinline
// CHECK-SAME:    "target-cpu"="x86-64-v4"

// SYMBOLS-NOT:   cell_reduce_large
func.func @f(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = cell.sin %x : tensor<1024xf32>
  %1 = cell.cos %0 : tensor<1024xf32>
  %2 = cell.sin %1 : tensor<1024xf32>
  %3 = cell.cos %1 : tensor<1024xf32>
  %4 = cell.mul %2, %3 : tensor<1024xf32>
  return %4 : tensor<1024xf32>
}
