// Collectives of a model for GPUs: two that go on beside a product, one that is waited for at once, and one that
// NCCL does not do.
module @ranks {
  func.func @f(%x: tensor<1000xf32> {cell.name = "x", cell.role = "input"},
               %w: tensor<1000xf32> {cell.name = "w", cell.role = "parameter", cell.donate = 0 : i64})
      -> (tensor<1000xf32> {cell.name = "new"}, tensor<2000xf32> {cell.name = "all"},
          tensor<1000xf32> {cell.name = "most"}, tensor<i64> {cell.name = "rank"}) {
    %y = cell.mul %x, %x : tensor<1000xf32>
    %sum = cell.all_reduce %y "sum" : tensor<1000xf32>
    %all = cell.all_gather %x ranks 2 : tensor<1000xf32> -> tensor<2000xf32>
    %most = cell.all_reduce %x "max" : tensor<1000xf32>
    %new = cell.sub %w, %sum : tensor<1000xf32>
    %rank = cell.rank : tensor<i64>
    return %new, %all, %most, %rank : tensor<1000xf32>, tensor<2000xf32>, tensor<1000xf32>, tensor<i64>
  }
}
