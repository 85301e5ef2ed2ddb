// Every adjoint and tangent op leads back to its forward op and the line it was written on.
// RUN: cell-opt %s --cell-differentiate=simplify=false -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s
// RUN: cell-opt %s --cell-differentiate -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=KEPT

func.func private @f(%x: tensor<f64>) -> tensor<f64> {
  %0 = cell.sin %x : tensor<f64> loc("net.py":12:5)
  %1 = cell.tanh %0 : tensor<f64> loc("net.fc"("net.py":13:9))
  return %1 : tensor<f64>
}

// CHECK-LABEL: func.func @vjp(
// CHECK: cell.sin {{.*}} loc("net.py":12:5)
// CHECK: cell.tanh {{.*}} loc("net.fc"("net.py":13:9))
// CHECK: cell.sech_squared {{.*}} loc(fused<"vjp of cell.tanh">["net.fc"("net.py":13:9)])
// CHECK: cell.cos {{.*}} loc(fused<"vjp of cell.sin">["net.py":12:5])
// CHECK: cell.mul {{.*}} loc(fused<"vjp of cell.sin">["net.py":12:5])
// Simplification keeps them.
// KEPT-LABEL: func.func @vjp(
// KEPT: cell.sech_squared {{.*}} loc(fused<"vjp of cell.tanh">["net.fc"("net.py":13:9)])
// KEPT: cell.cos {{.*}} loc(fused<"vjp of cell.sin">["net.py":12:5])
func.func @vjp(%x: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @f(%x) cotangents(%ct) of [0] wrt [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// CHECK-LABEL: func.func @jvp(
// CHECK: cell.cos {{.*}} loc(fused<"jvp of cell.sin">["net.py":12:5])
// CHECK: cell.sech_squared {{.*}} loc(fused<"jvp of cell.tanh">["net.fc"("net.py":13:9)])
func.func @jvp(%x: tensor<f64>, %t: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.jvp @f(%x) tangents(%t) wrt [0] of [0] : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}

// An adjoint of an adjoint names both.
// CHECK-LABEL: func.func @second(
// CHECK: loc(fused<"vjp of cell.cos">[fused<"vjp of cell.sin">["net.py":12:5]])
func.func @second(%x: tensor<f64>, %ct: tensor<f64>) -> tensor<f64> {
  %0:2 = cell.vjp @vjp(%x, %ct) cotangents(%ct) of [0] wrt [0] : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0#1 : tensor<f64>
}
