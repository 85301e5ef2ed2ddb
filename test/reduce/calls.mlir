// Arguments and results of private functions that no call uses go, and so do calls.

// RUN: cell-reduce %s --test='grep -q "call @deep(.*f64" --' 2>/dev/null | FileCheck %s

// CHECK:      func.func private @deep(%{{.*}}: tensor<f64>) {
// CHECK:      func.func private @other() -> tensor<f32> {
// CHECK:      func.func @main(%{{.*}}: tensor<f64>)
// CHECK:        call @deep(%{{.*}}) : (tensor<f64>) -> ()
// CHECK:        call @other() : () -> tensor<f32>

func.func private @deep(%a: tensor<f32>, %b: tensor<f64>, %c: tensor<2xi32>)
    -> (tensor<f32>, tensor<f64>, tensor<2xi32>) {
  %0 = cell.exp %b : tensor<f64>
  %1 = cell.sin %a : tensor<f32>
  return %1, %0, %c : tensor<f32>, tensor<f64>, tensor<2xi32>
}
func.func private @other(%a: tensor<f32>) -> tensor<f32> {
  %0 = cell.cos %a : tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%a: tensor<f32>, %b: tensor<f64>, %c: tensor<2xi32>) -> (tensor<f32>, tensor<f64>) {
  %0:3 = call @deep(%a, %b, %c) : (tensor<f32>, tensor<f64>, tensor<2xi32>) -> (tensor<f32>, tensor<f64>, tensor<2xi32>)
  %1 = call @other(%a) : (tensor<f32>) -> tensor<f32>
  return %1, %0#1 : tensor<f32>, tensor<f64>
}
