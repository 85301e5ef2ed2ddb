"""Examples for the docstrings of functions that ``mint`` makes from a table."""

# By name.
EXAMPLES: dict[str, str] = {
    "add": """
>>> print(mint.add(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), alpha=2))
[ 7. 10.]
""",
    "addcdiv": """
>>> print(mint.addcdiv(ops.ones(2), Tensor([4.0, 6.0]), Tensor([2.0, 3.0]), value=0.5))
[2. 2.]
""",
    "addcmul": """
>>> print(mint.addcmul(ops.ones(2), Tensor([4.0, 6.0]), Tensor([2.0, 3.0]), value=0.5))
[ 5. 10.]
""",
    "addr_": """
>>> x = ops.ones((2, 2))
>>> _ = mint.addr_(x, Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
>>> print(x)
[[4. 5.]
 [7. 9.]]
""",
    "all": """
>>> print(mint.all(Tensor([[True, False], [True, True]]), dim=1))
[False  True]
""",
    "allclose": """
>>> print(mint.allclose(Tensor([1.0]), Tensor([1.000001])))
True
""",
    "amax": """
>>> print(mint.amax(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1))
[5. 3.]
""",
    "amin": """
>>> print(mint.amin(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1))
[1. 2.]
""",
    "any": """
>>> print(mint.any(Tensor([[True, False], [False, False]]), dim=1))
[ True False]
""",
    "argmin": """
>>> print(mint.argmin(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1))
[0 1]
""",
    "argsort": """
>>> print(mint.argsort(Tensor([3.0, 1.0, 2.0])))
[1 2 0]
""",
    "bernoulli": """
>>> print(mint.bernoulli(Tensor([1.0, 0.0, 1.0])))
[1. 0. 1.]
""",
    "bincount": """
>>> print(mint.bincount(Tensor([1, 1, 3])))
[0 2 0 1]
""",
    "bmm": """
>>> print(mint.bmm(ops.ones((2, 1, 3)), ops.ones((2, 3, 2))).shape)
(2, 1, 2)
""",
    "cat": """
>>> print(mint.cat([Tensor([[1], [2]]), Tensor([[3], [4]])], dim=1))
[[1 3]
 [2 4]]
""",
    "cdist": """
>>> print(mint.cdist(Tensor([[0.0, 0.0], [3.0, 4.0]]), Tensor([[0.0, 0.0]])))
[[0.]
 [5.]]
""",
    "chunk": """
>>> x, y = mint.chunk(Tensor([1, 2, 3, 4]), 2)
>>> print(x, y)
[1 2] [3 4]
""",
    "clone": """
>>> print(mint.clone(Tensor([1.0, 2.0])))
[1. 2.]
""",
    "concat": """
>>> print(mint.concat([Tensor([[1], [2]]), Tensor([[3], [4]])], dim=1))
[[1 3]
 [2 4]]
""",
    "conv2d": """
>>> print(mint.conv2d(ops.ones((1, 2, 3, 3)), ops.ones((4, 2, 2, 2))).shape)
(1, 4, 2, 2)
""",
    "count_nonzero": """
>>> print(mint.count_nonzero(Tensor([[0, 1], [2, 3]]), dim=1))
[1 2]
""",
    "cummax": """
>>> values, indices = mint.cummax(Tensor([1.0, 3.0, 2.0]), 0)
>>> print(values, indices)
[1. 3. 3.] [0 1 1]
""",
    "cummin": """
>>> values, indices = mint.cummin(Tensor([3.0, 1.0, 2.0]), 0)
>>> print(values, indices)
[3. 1. 1.] [0 1 1]
""",
    "cumsum": """
>>> print(mint.cumsum(Tensor([1.0, 2.0, 3.0]), 0))
[1. 3. 6.]
""",
    "diag": """
>>> print(mint.diag(Tensor([1, 2])))
[[1 0]
 [0 2]]
""",
    "diff": """
>>> print(mint.diff(Tensor([1, 4, 9])))
[3 5]
""",
    "fix": """
>>> print(mint.fix(Tensor([1.5, -2.25])))
[ 1. -2.]
""",
    "flatten": """
>>> print(mint.flatten(ops.ones((2, 3))).shape)
(6,)
""",
    "frac": """
>>> print(mint.frac(Tensor([1.5, -2.25])))
[ 0.5  -0.25]
""",
    "gather": """
>>> print(mint.gather(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
[[1 1]
 [4 3]]
""",
    "histc": """
>>> print(mint.histc(Tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3))
[0. 2. 1. 0.]
""",
    "index_add": """
>>> print(mint.index_add(ops.ones(3), 0, Tensor([0, 2]), Tensor([10.0, 20.0])))
[11.  1. 21.]
""",
    "index_select": """
>>> print(mint.index_select(Tensor([[1, 2], [3, 4]]), 1, Tensor([1])))
[[2]
 [4]]
""",
    "isnan": """
>>> print(mint.isnan(Tensor([1.0, float('nan')])))
[False  True]
""",
    "kthvalue": """
>>> value, index = mint.kthvalue(Tensor([3.0, 1.0, 2.0]), 2)
>>> print(value, index)
2.0 2
""",
    "linspace": """
>>> print(mint.linspace(0, 1, 5))
[0.   0.25 0.5  0.75 1.  ]
""",
    "max": """
>>> values, indices = mint.max(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1)
>>> print(values, indices)
[5. 3.] [1 0]
""",
    "mean": """
>>> print(mint.mean(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1))
[3.  2.5]
""",
    "median": """
>>> print(mint.median(Tensor([3.0, 1.0, 2.0])))
2.0
""",
    "meshgrid": """
>>> x, y = mint.meshgrid(Tensor([1, 2]), Tensor([3, 4]), indexing="ij")
>>> print(y)
[[3 4]
 [3 4]]
""",
    "min": """
>>> values, indices = mint.min(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1)
>>> print(values, indices)
[1. 2.] [0 1]
""",
    "multinomial": """
>>> print(mint.multinomial(Tensor([0.0, 1.0, 0.0]), 1))
[1]
""",
    "mv": """
>>> print(mint.mv(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
[21. 43.]
""",
    "nansum": """
>>> print(mint.nansum(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1))
[6. 5.]
""",
    "narrow": """
>>> print(mint.narrow(Tensor([1, 2, 3, 4]), 0, 1, 2))
[2 3]
""",
    "norm": """
>>> print(mint.norm(Tensor([3.0, 4.0])))
5.0
""",
    "ones": """
>>> print(mint.ones((2, 2)))
[[1. 1.]
 [1. 1.]]
""",
    "permute": """
>>> print(mint.permute(ops.ones((2, 3, 4)), (2, 0, 1)).shape)
(4, 2, 3)
""",
    "prod": """
>>> print(mint.prod(Tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1))
[5. 6.]
""",
    "rand": """
>>> print(mint.rand(2, 3).shape)
(2, 3)
""",
    "rand_like": """
>>> print(mint.rand_like(ops.ones((2, 3))).shape)
(2, 3)
""",
    "randn": """
>>> print(mint.randn(2, 3).shape)
(2, 3)
""",
    "randn_like": """
>>> print(mint.randn_like(ops.ones((2, 3))).shape)
(2, 3)
""",
    "randperm": """
>>> print(ops.sort(mint.randperm(4))[0])
[0 1 2 3]
""",
    "repeat_interleave": """
>>> print(mint.repeat_interleave(Tensor([1, 2]), 2))
[1 1 2 2]
""",
    "scatter": """
>>> print(mint.scatter(ops.zeros((2, 2)), 1, Tensor([[1], [0]]), Tensor([[8.0], [9.0]])))
[[0. 8.]
 [9. 0.]]
""",
    "scatter_add": """
>>> print(mint.scatter_add(ops.ones((2, 2)), 1, Tensor([[1], [0]]), Tensor([[8.0], [9.0]])))
[[ 1.  9.]
 [10.  1.]]
""",
    "select": """
>>> print(mint.select(Tensor([[1, 2], [3, 4]]), 1, 0))
[1 3]
""",
    "softmax": """
>>> print(mint.softmax(Tensor([0.0, 0.0]), dim=0))
[0.5 0.5]
""",
    "sort": """
>>> values, indices = mint.sort(Tensor([3.0, 1.0, 2.0]))
>>> print(values, indices)
[1. 2. 3.] [1 2 0]
""",
    "split": """
>>> x, y = mint.split(Tensor([1, 2, 3, 4]), 2)
>>> print(x, y)
[1 2] [3 4]
""",
    "sqrt": """
>>> print(mint.sqrt(Tensor([4.0, 9.0])))
[2. 3.]
""",
    "squeeze": """
>>> print(mint.squeeze(Tensor([[1, 2]]), 0))
[1 2]
""",
    "stack": """
>>> print(mint.stack([Tensor([1, 2]), Tensor([3, 4])], dim=1))
[[1 3]
 [2 4]]
""",
    "std": """
>>> print(mint.std(Tensor([1.0, 2.0, 3.0])))
1.0
""",
    "std_mean": """
>>> std, mean = mint.std_mean(Tensor([1.0, 2.0, 3.0]))
>>> print(std, mean)
1.0 2.0
""",
    "sub": """
>>> print(mint.sub(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), alpha=2))
[-5. -6.]
""",
    "topk": """
>>> values, indices = mint.topk(Tensor([1.0, 4.0, 2.0, 3.0]), 2)
>>> print(values, indices)
[4. 3.] [1 3]
""",
    "transpose": """
>>> print(mint.transpose(ops.ones((2, 3, 4)), 0, 2).shape)
(4, 3, 2)
""",
    "var": """
>>> print(mint.var(Tensor([1.0, 2.0, 3.0])))
1.0
""",
    "var_mean": """
>>> var, mean = mint.var_mean(Tensor([1.0, 2.0, 3.0]))
>>> print(var, mean)
1.0 2.0
""",
    "vdot": """
>>> print(mint.vdot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
11.0
""",
    "where": """
>>> print(mint.where(Tensor([True, False]), Tensor([1, 2]), Tensor([3, 4])))
[1 4]
""",
}
