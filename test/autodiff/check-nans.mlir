// Every op that gives floating-point numbers is checked, by its own name or that
// of the rule that made it, with the path of its Cell.
// RUN: cell-opt %s --cell-check-nans | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT: cell.constant
// CHECK-NEXT: %[[LOG:.*]] = cell.log %{{.*}} : tensor<2xf32>
// CHECK-NEXT: %[[NAN:.*]] = cell.is_nan %[[LOG]]
// CHECK-NEXT: %[[OK:.*]] = cell.logical_not %[[NAN]]
// CHECK-NEXT: cell.check %[[OK]] "NaN in log at 'net.fc'" : tensor<2xi1>
// CHECK-NEXT: cell.mul
// CHECK-NEXT: cell.is_nan
// CHECK-NEXT: cell.logical_not
// CHECK-NEXT: cell.check {{.*}} "NaN in the vjp of sqrt"
// CHECK-NEXT: cell.greater
// CHECK-NEXT: return
func.func @f(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>) {
  %c = cell.constant dense<1.0> : tensor<2xf32>
  %0 = cell.log %x : tensor<2xf32> loc("net.fc"("a.py":1:1))
  %1 = cell.mul %0, %c : tensor<2xf32> loc(fused<"vjp of cell.sqrt">["a.py":2:1])
  %2 = cell.greater %1, %c : tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xi1>
}
