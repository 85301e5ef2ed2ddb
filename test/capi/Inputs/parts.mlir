// Unsigned integers, and tensors without elements.
module @parts {
  func.func @halves(%a: tensor<3xui8>, %b: tensor<3xui32>, %none: tensor<2x0xf32>)
      -> (tensor<3xui8>, tensor<3xui64>, tensor<2x0xf32>, tensor<2xf32>) {
    %two = cell.constant dense<2> : tensor<3xui8>
    %0 = cell.floor_div %a, %two : tensor<3xui8>
    %1 = cell.cast %b : tensor<3xui32> to tensor<3xui64>
    %2 = cell.mul %1, %1 : tensor<3xui64>
    %3 = cell.neg %none : tensor<2x0xf32>
    %4 = cell.reduce_sum %none over [1] : tensor<2x0xf32> -> tensor<2xf32>
    return %0, %2, %3, %4 : tensor<3xui8>, tensor<3xui64>, tensor<2x0xf32>, tensor<2xf32>
  }
}
