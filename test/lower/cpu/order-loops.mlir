// Conditions hand on all carried values in order, as bufferisation needs it.
// RUN: cell-opt %s --cell-order-loops | FileCheck %s

// CHECK-LABEL: func.func @exchanged
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf64>, %[[Y:[a-z0-9]+]]: tensor<4xf64>, %[[C:[a-z0-9]+]]: i1
// CHECK:         %[[R:.*]]:2 = scf.while (%[[A:.*]] = %[[X]], %[[B:.*]] = %[[Y]])
// CHECK:           scf.condition(%[[C]]) %[[A]], %[[B]]
// CHECK:         ^bb0(%[[A2:.*]]: tensor<4xf64>, %[[B2:.*]]: tensor<4xf64>):
// CHECK:           %[[S:.*]] = cell.sub %[[B2]], %[[A2]]
// CHECK:           scf.yield %[[S]], %[[B2]]
// CHECK:         return %[[R]]#1, %[[R]]#0
func.func @exchanged(%x: tensor<4xf64>, %y: tensor<4xf64>, %c: i1) -> (tensor<4xf64>, tensor<4xf64>) {
  %0:2 = scf.while (%a = %x, %b = %y) : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
    scf.condition(%c) %b, %a : tensor<4xf64>, tensor<4xf64>
  } do {
  ^bb0(%b: tensor<4xf64>, %a: tensor<4xf64>):
    %1 = cell.sub %b, %a : tensor<4xf64>
    scf.yield %1, %b : tensor<4xf64>, tensor<4xf64>
  }
  return %0#0, %0#1 : tensor<4xf64>, tensor<4xf64>
}

// One that is not handed on, one that is not carried.
// CHECK-LABEL: func.func @fewer
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf64>, %[[Y:[a-z0-9]+]]: tensor<4xf64>
// CHECK:         %[[R:.*]]:2 = scf.while (%[[A:.*]] = %[[X]], %[[B:.*]] = %[[Y]])
// CHECK:           scf.condition(%{{.*}}) %[[A]], %[[B]]
// CHECK:         ^bb0(%[[A2:.*]]: tensor<4xf64>, %[[B2:.*]]: tensor<4xf64>):
// CHECK:           %[[S:.*]] = cell.add %[[B2]], %[[Y]]
// CHECK:           scf.yield %[[S]], %[[S]]
// CHECK:         return %[[R]]#1, %[[Y]]
func.func @fewer(%x: tensor<4xf64>, %y: tensor<4xf64>, %c: i1) -> (tensor<4xf64>, tensor<4xf64>) {
  %0:2 = scf.while (%a = %x, %b = %y) : (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
    scf.condition(%c) %b, %y : tensor<4xf64>, tensor<4xf64>
  } do {
  ^bb0(%b: tensor<4xf64>, %z: tensor<4xf64>):
    %1 = cell.add %b, %z : tensor<4xf64>
    scf.yield %1, %1 : tensor<4xf64>, tensor<4xf64>
  }
  return %0#0, %0#1 : tensor<4xf64>, tensor<4xf64>
}

// What the condition computes stays there.
// CHECK-LABEL: func.func @computed
// CHECK:           %[[N:.*]] = cell.neg
// CHECK:           scf.condition(%{{.*}}) %[[N]]
func.func @computed(%x: tensor<4xf64>, %c: i1) -> tensor<4xf64> {
  %0 = scf.while (%a = %x) : (tensor<4xf64>) -> tensor<4xf64> {
    %1 = cell.neg %a : tensor<4xf64>
    scf.condition(%c) %1 : tensor<4xf64>
  } do {
  ^bb0(%b: tensor<4xf64>):
    scf.yield %b : tensor<4xf64>
  }
  return %0 : tensor<4xf64>
}
