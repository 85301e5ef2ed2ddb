// RUN: split-file %s %t
// RUN: not cellc %t/group.mlir --device=cuda -o %t/group.so 2>&1 | FileCheck %s
// RUN: not cellc %t/message.mlir --device=cuda -o %t/message.so 2>&1 | FileCheck %s

// CHECK: mlir:2:8: error: {{.*}} is done by two ranks or by a group of them, which is for models of the CPU: compile for the CPU, or let all ranks of a GPU take part

//--- group.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = cell.all_reduce %x "sum" group [0, 1] : tensor<4xf32>
  return %y : tensor<4xf32>
}

//--- message.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = cell.receive %x from 0 tag 5 : tensor<4xf32>
  return %y : tensor<4xf32>
}
