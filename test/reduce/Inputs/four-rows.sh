# Exit status 0 for a file with a product of an argument of at least four rows, with its example.
grep -Eq 'main\(%arg0: tensor<[4-9]x.*example' "$1" && grep -q 'cell.matmul %arg0' "$1"
