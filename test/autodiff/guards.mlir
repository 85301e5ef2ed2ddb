// Elements that a choice discards have a derivative of zero, at any order, whatever the ops before it do there.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s
// RUN: cell-run %s --entry=values --passes=cell-differentiate --digits=12 | FileCheck %s --check-prefix=VALUES

func.func private @root(%x: tensor<3xf64>) -> tensor<3xf64> {
  %zero = cell.constant dense<0.0> : tensor<3xf64>
  %c = cell.greater %x, %zero : tensor<3xf64>
  %r = cell.sqrt %x : tensor<3xf64>
  %s = cell.sin %r : tensor<3xf64>
  %0 = cell.select %c, %s, %zero : tensor<3xf64>
  return %0 : tensor<3xf64>
}

// The cosine of a root may be NaN, and the root has a pole: two guards, each of the cotangent that came in.
// CHECK-LABEL: func.func private @first(
// CHECK-SAME: %[[X:.*]]: tensor<3xf64>
// CHECK: %[[MASKED:.*]] = cell.select {{.*}}, %{{.*}}, %{{.*}} : tensor<3xf64>
// CHECK: cell.mul %[[MASKED]]
// CHECK: %[[INNER:.*]] = cell.guard %{{.*}}, %[[MASKED]]
// CHECK: cell.div
// CHECK: %[[R:.*]] = cell.guard %{{.*}}, %[[INNER]]
// CHECK-NEXT: return %[[R]]
func.func private @first(%x: tensor<3xf64>) -> tensor<3xf64> {
  %ones = cell.constant dense<1.0> : tensor<3xf64>
  %0:2 = cell.vjp @root(%x) cotangents(%ones) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}

// No choice follows: the pole is the program's own.
// CHECK-LABEL: func.func @no_choice(
// CHECK-NOT: cell.guard
// CHECK: return
func.func private @sqrt(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = cell.sqrt %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @no_choice(%x: tensor<3xf64>, %ct: tensor<3xf64>) -> tensor<3xf64> {
  %0:2 = cell.vjp @sqrt(%x) cotangents(%ct) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}

// Nothing before the choices is infinite, a division by a constant included.
// CHECK-LABEL: func.func @harmless(
// CHECK-NOT: cell.guard
// CHECK: return
func.func private @layers(%x: tensor<3xf64>) -> tensor<3xf64> {
  %two = cell.constant dense<2.0> : tensor<3xf64>
  %0 = cell.relu %x : tensor<3xf64>
  %1 = cell.tanh %0 : tensor<3xf64>
  %2 = cell.mul %1, %x : tensor<3xf64>
  %3 = cell.div %2, %two : tensor<3xf64>
  %4 = cell.maximum %3, %x : tensor<3xf64>
  return %4 : tensor<3xf64>
}
func.func @harmless(%x: tensor<3xf64>, %ct: tensor<3xf64>) -> tensor<3xf64> {
  %0:2 = cell.vjp @layers(%x) cotangents(%ct) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}

// sin(sqrt(x)) at 4: cos(2)/4, -sin(2)/16 - cos(2)/32; outside the domain and at its edge nothing.
// VALUES:      result 0: tensor<3xf64> [0.0, 0.0, -0.104036709137]
// VALUES-NEXT: result 1: tensor<3xf64> [0.0, 0.0, -0.0438265005345]
// VALUES-NEXT: result 2: tensor<3xf64> [0.0, 0.0, -0.0438265005345]
// VALUES-NEXT: result 3: tensor<3xf64> [0.0, 0.0, -0.0438265005345]
// An infinite slope that the choice takes, and one times a cotangent of zero that no choice has made.
// VALUES-NEXT: result 4: tensor<3xf64> [nan, inf, 0.25]
// VALUES-NEXT: result 5: tensor<3xf64> [nan, nan, 0.0]
func.func private @tangent(%x: tensor<3xf64>) -> tensor<3xf64> {
  %ones = cell.constant dense<1.0> : tensor<3xf64>
  %0:2 = cell.jvp @root(%x) tangents(%ones) wrt [0] of [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1 : tensor<3xf64>
}
func.func private @taken(%x: tensor<3xf64>) -> tensor<3xf64> {
  %ten = cell.constant dense<10.0> : tensor<3xf64>
  %c = cell.less %x, %ten : tensor<3xf64>
  %r = cell.sqrt %x : tensor<3xf64>
  %0 = cell.select %c, %r, %ten : tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @values() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %x = cell.constant dense<[-1.0, 0.0, 4.0]> : tensor<3xf64>
  %ones = cell.constant dense<1.0> : tensor<3xf64>
  %zeros = cell.constant dense<0.0> : tensor<3xf64>
  %0:2 = cell.vjp @root(%x) cotangents(%ones) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %1:2 = cell.vjp @first(%x) cotangents(%ones) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %2:2 = cell.jvp @first(%x) tangents(%ones) wrt [0] of [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %3:2 = cell.vjp @tangent(%x) cotangents(%ones) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %4:2 = cell.vjp @taken(%x) cotangents(%ones) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  %5:2 = cell.vjp @sqrt(%x) cotangents(%zeros) of [0] wrt [0] : (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#1, %1#1, %2#1, %3#1, %4#1, %5#1 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}
