// RUN: cell-opt %s --cell-to-linalg --split-input-file --verify-diagnostics

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @transform(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'cell.vjp' op has no lowering; run --cell-differentiate first}}
  %y, %d = cell.vjp @f(%x) cotangents(%x) of [0] wrt [0] : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %d : tensor<f32>
}
