// A training step with a loss scale, as captured from nn.TrainOneStepWithLossScaleCell: donated state is
// updated in place, in one branch. The only copy is that of the scale, which is both state and result.
// RUN: rm -rf %t && mkdir %t && cellc %s -o %t/step.so --emit=so,h --target=x86-64-v3 --dump-ir=%t/ir
// RUN: cat %t/ir/*-cell-emit-gemm.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=HEADER < %t/step.h
// RUN: llvm-nm -D --undefined-only %t/step.so | FileCheck %s --check-prefix=CALLS

// CHECK-LABEL: func.func @train_step
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<8x5xf32>, %{{[a-z0-9]+}}: memref<8x3xf32>, %[[SCALE:[a-z0-9]+]]: memref<f32>, %[[W:[a-z0-9]+]]: memref<3x5xf32>, %[[B:[a-z0-9]+]]: memref<3xf32>,
// CHECK-SAME:    %[[STEP:[a-z0-9]+]]: memref<1xi32>, %[[MW:[a-z0-9]+]]: memref<3x5xf32>, %{{[a-z0-9]+}}: memref<f32>, %{{[a-z0-9]+}}: memref<f32>, %[[MB:[a-z0-9]+]]: memref<3xf32>,
// CHECK-NOT:     memref.copy
// CHECK:         scf.if %{{.*}} {
// CHECK-NOT:       memref.alloc
// CHECK-DAG:       linalg.generic {{.*}} outs(%[[W]], %[[MW]] :
// CHECK-DAG:       linalg.generic {{.*}} outs(%[[B]], %[[MB]] :
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     scf.yield
// CHECK:         memref.copy %{{.*}}, %[[SCALE]] : memref<f32> to memref<f32>
// CHECK-NEXT:    return

// HEADER:      float *weight; /* in/out state "weight": float32[3, 5], overwritten with result "weight" */
// HEADER:      cg_bool *overflow; /* result "overflow": bool[], where it is 1 the entry returns CG_SKIPPED */
// HEADER-NEXT: float *loss_scale;

// Without an arena of the caller's, one is allocated; nothing else is called.
// CALLS-DAG: aligned_alloc
// CALLS-DAG: free
// CALLS-NOT: mem

func.func private @train_step_body(%arg0: tensor<8x5xf32> , %arg1: tensor<8x3xf32> , %arg2: tensor<f32> {cell.name = "scale_sense", cell.role = "parameter"}, %arg3: tensor<3x5xf32> {cell.name = "weight", cell.role = "parameter"}, %arg4: tensor<3xf32> {cell.name = "bias", cell.role = "parameter"}, %arg5: tensor<i32> {cell.name = "current_iterator_step", cell.role = "parameter"}, %arg6: tensor<i32> {cell.name = "last_overflow_iterator_step", cell.role = "parameter"}, %arg7: tensor<1xi32> {cell.name = "global_step", cell.role = "parameter"}, %arg8: tensor<3x5xf32> {cell.name = "moments.weight", cell.role = "parameter"}, %arg9: tensor<f32> {cell.name = "momentum", cell.role = "parameter"}, %arg10: tensor<f32> {cell.name = "learning_rate", cell.role = "parameter"}, %arg11: tensor<3xf32> {cell.name = "moments.bias", cell.role = "parameter"}) -> (tensor<f32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = cell.constant dense<1.000000e+00> : tensor<f32>
  %1:4 = cell.vjp @_scaled(%arg2, %arg0, %arg1, %arg3, %arg4) cotangents(%0) of [0] wrt [3, 4] : (tensor<f32>, tensor<8x5xf32>, tensor<8x3xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<3x5xf32>, tensor<3xf32>)
  %2 = cell.reciprocal %arg2 : tensor<f32>
  %3 = cell.broadcast %2 along [0, 1] : tensor<f32> -> tensor<3x5xf32>
  %4 = cell.mul %1#2, %3 : tensor<3x5xf32>
  %5 = cell.broadcast %2 along [0] : tensor<f32> -> tensor<3xf32>
  %6 = cell.mul %1#3, %5 : tensor<3xf32>
  %7 = cell.constant dense<0> : tensor<8xi32>
  %8 = cell.is_finite %4 : tensor<3x5xf32>
  %9 = cell.cast %8 : tensor<3x5xi1> to tensor<3x5xi32>
  %10 = cell.reduce_min %9 over [0, 1] : tensor<3x5xi32> -> tensor<i32>
  %11 = cell.cast %10 : tensor<i32> to tensor<i1>
  %12 = cell.is_finite %6 : tensor<3xf32>
  %13 = cell.cast %12 : tensor<3xi1> to tensor<3xi32>
  %14 = cell.reduce_min %13 over [0] : tensor<3xi32> -> tensor<i32>
  %15 = cell.cast %14 : tensor<i32> to tensor<i1>
  %16 = cell.logical_and %11, %15 : tensor<i1>
  %17 = cell.logical_not %16 : tensor<i1>
  %18 = cell.sub %arg5, %arg6 : tensor<i32>
  %19 = cell.constant dense<1000> : tensor<i32>
  %20 = cell.greater_equal %18, %19 : tensor<i32>
  %21 = cell.constant dense<2.000000e+00> : tensor<f32>
  %22 = cell.div %arg2, %21 : tensor<f32>
  %23 = cell.maximum %22, %0 : tensor<f32>
  %24 = cell.mul %arg2, %21 : tensor<f32>
  %25 = cell.is_finite %24 : tensor<f32>
  %26 = cell.logical_and %20, %25 : tensor<i1>
  %27 = cell.select %26, %24, %arg2 : tensor<f32>
  %28 = cell.select %17, %23, %27 : tensor<f32>
  %29 = cell.logical_or %17, %20 : tensor<i1>
  %30 = cell.select %29, %arg5, %arg6 : tensor<i32>
  %31 = cell.constant dense<1> : tensor<i32>
  %32 = cell.add %arg5, %31 : tensor<i32>
  %33 = cell.logical_not %17 : tensor<i1>
  %extracted = tensor.extract %33[] : tensor<i1>
  %34:5 = scf.if %extracted -> (tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>) {
    %35:5 = func.call @train_step_performed(%arg7, %4, %6, %arg8, %arg9, %arg3, %arg10, %arg11, %arg4) : (tensor<1xi32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3x5xf32>, tensor<f32>, tensor<3x5xf32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>)
    scf.yield %35#0, %35#1, %35#2, %35#3, %35#4 : tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>
  } else {
    %35:5 = func.call @train_step_left_out(%arg7, %arg8, %arg3, %arg11, %arg4) : (tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>)
    scf.yield %35#0, %35#1, %35#2, %35#3, %35#4 : tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>
  }
  return %1#1, %17, %28, %28, %30, %32, %34#0, %34#1, %34#2, %34#3, %34#4 : tensor<f32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func private @_scaled(%arg0: tensor<f32> , %arg1: tensor<8x5xf32> , %arg2: tensor<8x3xf32> , %arg3: tensor<3x5xf32> {cell.name = "weight", cell.role = "parameter"}, %arg4: tensor<3xf32> {cell.name = "bias", cell.role = "parameter"}) -> (tensor<f32>, tensor<f32>) {
  %0 = cell.matmul %arg1, %arg3 {transpose_b = true} : (tensor<8x5xf32>, tensor<3x5xf32>) -> tensor<8x3xf32>
  %1 = cell.broadcast %arg4 along [0] : tensor<3xf32> -> tensor<8x3xf32>
  %2 = cell.add %0, %1 : tensor<8x3xf32>
  %3 = cell.sub %2, %arg2 : tensor<8x3xf32>
  %4 = cell.square %3 : tensor<8x3xf32>
  %5 = cell.reduce_sum %4 over [0, 1] : tensor<8x3xf32> -> tensor<f32>
  %6 = cell.constant dense<2.400000e+01> : tensor<f32>
  %7 = cell.div %5, %6 : tensor<f32>
  %8 = cell.mul %7, %arg0 : tensor<f32>
  return %8, %7 : tensor<f32>, tensor<f32>
}
func.func private @train_step_performed(%arg0: tensor<1xi32> {cell.name = "global_step", cell.role = "parameter"}, %arg1: tensor<3x5xf32> , %arg2: tensor<3xf32> , %arg3: tensor<3x5xf32> {cell.name = "moments.weight", cell.role = "parameter"}, %arg4: tensor<f32> {cell.name = "momentum", cell.role = "parameter"}, %arg5: tensor<3x5xf32> {cell.name = "weight", cell.role = "parameter"}, %arg6: tensor<f32> {cell.name = "learning_rate", cell.role = "parameter"}, %arg7: tensor<3xf32> {cell.name = "moments.bias", cell.role = "parameter"}, %arg8: tensor<3xf32> {cell.name = "bias", cell.role = "parameter"}) -> (tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = cell.constant dense<1> : tensor<1xi32>
  %1 = cell.add %arg0, %0 : tensor<1xi32>
  %2 = cell.broadcast %arg4 along [0, 1] : tensor<f32> -> tensor<3x5xf32>
  %3 = cell.mul %arg3, %2 : tensor<3x5xf32>
  %4 = cell.add %3, %arg1 : tensor<3x5xf32>
  %5 = cell.broadcast %arg6 along [0, 1] : tensor<f32> -> tensor<3x5xf32>
  %6 = cell.mul %5, %4 : tensor<3x5xf32>
  %7 = cell.sub %arg5, %6 : tensor<3x5xf32>
  %8 = cell.broadcast %arg4 along [0] : tensor<f32> -> tensor<3xf32>
  %9 = cell.mul %arg7, %8 : tensor<3xf32>
  %10 = cell.add %9, %arg2 : tensor<3xf32>
  %11 = cell.broadcast %arg6 along [0] : tensor<f32> -> tensor<3xf32>
  %12 = cell.mul %11, %10 : tensor<3xf32>
  %13 = cell.sub %arg8, %12 : tensor<3xf32>
  return %1, %4, %7, %10, %13 : tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func private @train_step_left_out(%arg0: tensor<1xi32> {cell.name = "global_step", cell.role = "parameter"}, %arg1: tensor<3x5xf32> {cell.name = "moments.weight", cell.role = "parameter"}, %arg2: tensor<3x5xf32> {cell.name = "weight", cell.role = "parameter"}, %arg3: tensor<3xf32> {cell.name = "moments.bias", cell.role = "parameter"}, %arg4: tensor<3xf32> {cell.name = "bias", cell.role = "parameter"}) -> (tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>) {
  return %arg0, %arg1, %arg2, %arg3, %arg4 : tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func @train_step(%arg0: tensor<8x5xf32> {cell.name = "data", cell.role = "input"}, %arg1: tensor<8x3xf32> {cell.name = "label", cell.role = "input"}, %arg2: tensor<f32> {cell.donate = 3 : i64, cell.name = "scale_sense", cell.role = "state"}, %arg3: tensor<3x5xf32> {cell.donate = 8 : i64, cell.name = "weight", cell.role = "state"}, %arg4: tensor<3xf32> {cell.donate = 10 : i64, cell.name = "bias", cell.role = "state"}, %arg5: tensor<i32> {cell.donate = 5 : i64, cell.name = "current_iterator_step", cell.role = "state"}, %arg6: tensor<i32> {cell.donate = 4 : i64, cell.name = "last_overflow_iterator_step", cell.role = "state"}, %arg7: tensor<1xi32> {cell.donate = 6 : i64, cell.name = "global_step", cell.role = "state"}, %arg8: tensor<3x5xf32> {cell.donate = 7 : i64, cell.name = "moments.weight", cell.role = "state"}, %arg9: tensor<f32> {cell.name = "momentum", cell.role = "parameter"}, %arg10: tensor<f32> {cell.name = "learning_rate", cell.role = "parameter"}, %arg11: tensor<3xf32> {cell.donate = 9 : i64, cell.name = "moments.bias", cell.role = "state"}) -> (tensor<f32> {cell.name = "loss"}, tensor<i1> {cell.name = "overflow", cell.skipped}, tensor<f32> {cell.name = "loss_scale"}, tensor<f32> {cell.name = "scale_sense"}, tensor<i32> {cell.name = "last_overflow_iterator_step"}, tensor<i32> {cell.name = "current_iterator_step"}, tensor<1xi32> {cell.name = "global_step"}, tensor<3x5xf32> {cell.name = "moments.weight"}, tensor<3x5xf32> {cell.name = "weight"}, tensor<3xf32> {cell.name = "moments.bias"}, tensor<3xf32> {cell.name = "bias"}) {
  %0:11 = call @train_step_body(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11) : (tensor<8x5xf32>, tensor<8x3xf32>, tensor<f32>, tensor<3x5xf32>, tensor<3xf32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<3x5xf32>, tensor<f32>, tensor<f32>, tensor<3xf32>) -> (tensor<f32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7, %0#8, %0#9, %0#10 : tensor<f32>, tensor<i1>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<1xi32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>
}
