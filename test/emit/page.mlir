// A page of all stages: the text of each with the place of each line, the graph, kernels and memory.

// RUN: cellc %s --target=x86-64-v3 --emit=html -o %t.html && FileCheck %s < %t.html
// RUN: sed -n 's/.*type="application.json">\(.*\)<.script><script>/\1/p' %t.html > %t.json
// RUN: %python -c "import json, sys; d = json.load(open(sys.argv[1])); print([s['name'] for s in d['stages']], d['kernels'][0]['what'], [n['op'] for n in d['graphs'][0]['nodes']])" %t.json | FileCheck %s --check-prefix=DATA

// CHECK: <title>cellgrad: a program through all stages</title>
// CHECK-NOT: <script src
// CHECK: "what":"map 1000"
// CHECK-SAME: cell.mul %0, %arg0
// CHECK: </html>

// DATA: ['captured', 'differentiated', 'linalg on tensors', 'fused', 'buffers', 'kernels', 'loops over vectors', 'memory placed']
// DATA-SAME: map 1000 ['x', 'tanh', 'mul', 'return']
func.func @smooth(%x: tensor<1000xf32> {cell.name = "x"}) -> (tensor<1000xf32> {cell.name = "y"}) {
  %0 = cell.tanh %x : tensor<1000xf32>
  %1 = cell.mul %0, %x : tensor<1000xf32>
  return %1 : tensor<1000xf32>
}
