// CHECK: cg_bool *overflow; /* result "overflow": bool[], where it is 1 the entry returns CG_SKIPPED */
func.func @train_step(
    %w: tensor<2xf32> {cell.name = "w", cell.role = "state", cell.donate = 1 : i64},
    %g: tensor<2xf32> {cell.name = "g"})
    -> (tensor<i1> {cell.name = "overflow", cell.skipped}, tensor<2xf32> {cell.name = "w"}) {
  %finite = cell.is_finite %g : tensor<2xf32>
  %bad = cell.logical_not %finite : tensor<2xi1>
  %number = cell.cast %bad : tensor<2xi1> to tensor<2xi32>
  %most = cell.reduce_max %number over [0] : tensor<2xi32> -> tensor<i32>
  %any = cell.cast %most : tensor<i32> to tensor<i1>
  %all = cell.broadcast %any along [0] : tensor<i1> -> tensor<2xi1>
  %new = cell.sub %w, %g : tensor<2xf32>
  %kept = cell.select %all, %w, %new : tensor<2xf32>
  return %any, %kept : tensor<i1>, tensor<2xf32>
}
