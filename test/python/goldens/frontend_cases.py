"""Cells, containers, Parameters, initial values and text of tensors: expressions whose results under
MindSpore 2.10 are recorded in `frontend.json`, in pynative mode.

They see `ms`, `nn`, `ops`, `np`, `Tensor`, `Parameter`, `ParameterTuple` and the names of SETUP.
"""

SETUP = """
import importlib
from collections import OrderedDict
I = importlib.import_module(ms.__name__ + '.common.initializer')
def P(name=None, **options):
    return Parameter(Tensor([1.]), name=name, **options)
def names(cell):
    return [p.name for p in cell.get_parameters()]
def after(value, *steps):
    for step in steps:
        step(value)
    return value
def D(n=1):
    return nn.Dense(n, n)
def seq():
    return nn.SequentialCell(D(), nn.ReLU(), D())
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.seq = seq()
        self.cells_list = nn.CellList([D(), nn.ReLU(), D()])
        self.w = P('w')
        self.free = P(requires_grad=False)
        self.seen = []
    def construct(self, x):
        return self.seq(x) * self.w
    def extend_repr(self):
        return 'first=1\\nsecond=2'
class Tree(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Net()
        self.again = self.net.seq
        self.table = nn.CellDict({'a': D(), 'b': nn.Tanh()})
    def construct(self, x):
        return x
class Buffered(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer('total', Tensor([1., 2.]))
        self.register_buffer('scratch', Tensor([3.]), persistent=False)
        self.fc = D(2)
    def construct(self, x):
        return x + self.total
class Listed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.ps = [P('a'), P('b')]
        self.pt = (P('c'),)
    def construct(self, x):
        return x * self.ps[0] * self.pt[0]
class ListedClash(nn.Cell):
    def __init__(self):
        super().__init__()
        self.ps = [P('a'), P('a')]
class Plain(nn.Cell):
    def construct(self, x, k=1.0):
        return x * k
def hooked(*register):
    net = Plain()
    for r in register:
        r(net)
    return net(Tensor([1., 2.]))
def initial(init, shape, dtype=ms.float32):
    ms.set_seed(7)
    return I.initializer(init, shape, dtype).init_data().asnumpy()
def digest(init, shape, dtype=ms.float32):
    return initial(init, shape, dtype).tobytes().hex()
def array(dtype, *values):
    return Tensor(np.array(values, dtype))
def grid(dtype, *shape):
    return Tensor((np.arange(np.prod(shape)).reshape(shape) % 251).astype(dtype))
"""

CELLS = [
    "Net()",
    "Tree()",
    "nn.Cell()",
    "nn.CellList()",
    "nn.SequentialCell()",
    "nn.SequentialCell([D(), nn.Tanh()])",
    "nn.SequentialCell(OrderedDict([('fc', D()), ('act', nn.ReLU())]))",
    "nn.SequentialCell(OrderedDict([('fc', D()), ('act', nn.ReLU())]))[0]",
    "nn.SequentialCell(nn.SequentialCell(D()), D())",
    "names(Tree())",
    "[n for n, _ in Tree().parameters_and_names()]",
    "[n for n, _ in Tree().parameters_and_names('top')]",
    "[n for n, _ in Tree().parameters_and_names(expand=False)]",
    "[n for n, _ in Tree().cells_and_names()]",
    "[n for n, _ in Tree().cells_and_names(name_prefix='top')]",
    "[type(c).__name__ for c in Tree().cells()]",
    "list(Tree().name_cells())",
    "[p.name for p in Net().trainable_params()]",
    "[p.name for p in Net().trainable_params(recurse=False)]",
    "[p.name for p in Net().untrainable_params()]",
    "[p.name for p in Net().get_parameters(expand=False)]",
    "list(Net().parameters_dict())",
    "list(Net().parameters_dict(recurse=False))",
    "names(after(Net(), lambda n: n.update_parameters_name('pre.')))",
    "names(after(Net(), lambda n: n.update_parameters_name('pre.', recurse=False)))",
    "names(after(Net(), lambda n: n.insert_child_to_cell('more', D())))",
    "names(after(Net(), lambda n: n.insert_param_to_cell('more', P())))",
    "Net().insert_child_to_cell('w', D())",
    "Net().insert_child_to_cell('construct', D())",
    "Net().insert_child_to_cell('a.b', D())",
    "Net().insert_child_to_cell('', D())",
    "Net().insert_child_to_cell(3, D())",
    "Net().insert_child_to_cell('a', 3)",
    "Net().insert_param_to_cell('a.b', P())",
    "Net().insert_param_to_cell('', P())",
    "Net().insert_param_to_cell('construct', P())",
    "Net().insert_param_to_cell('a', 3)",
    "setattr(Net(), 'w', 3)",
    "setattr(Net(), 'seq', 3)",
    "after(Net(), lambda n: setattr(n, 'w', Tensor([5.]))).w.asnumpy()",
    "after(Net(), lambda n: setattr(n, 'seq', None)).seq",
    "names(after(Net(), lambda n: delattr(n, 'w')))",
    "names(after(Net(), lambda n: delattr(n, 'seq')))",
    "Net().nothing",
    "Net().set_train().training, Net().training, Net().set_train().set_train(False).training",
    "[c.training for _, c in Net().set_train().cells_and_names()]",
    "Net().set_grad().requires_grad, Net().requires_grad",
    "[c.requires_grad for _, c in after(Net(), lambda n: n.seq.set_grad()).cells_and_names()]",
    "Net().cls_name",
    "bool(Net()), bool(nn.CellList()), bool(nn.SequentialCell()), bool(nn.CellDict())",
    "after([], lambda seen: seq().apply(lambda c: seen.append(type(c).__name__)))",
    "after(Net(), lambda n: n.add_flags(blue=True)).blue",
    "after(Net(), lambda n: n.add_flags_recursive(blue=True)).seq[0].blue",
    "Net().get_sub_cell('seq.0')",
    "Net().get_sub_cell('seq.7')",
    "Net().get_sub_cell('w')",
    "Listed()(Tensor([2.]))",
    "names(Listed())",
    "ListedClash()",
]

CONTAINERS = [
    "after(seq(), lambda s: s.append(nn.Tanh()))",
    "names(after(seq(), lambda s: s.append(D())))",
    "names(after(seq(), lambda s: s.__setitem__(0, D())))",
    "names(after(seq(), lambda s: s.__delitem__(0)))",
    "after(seq(), lambda s: s.__delitem__(0))",
    "after(seq(), lambda s: s.__delitem__(slice(0, 2)))",
    "names(after(Net(), lambda n: n.seq.append(D())))",
    "names(after(Net(), lambda n: n.seq.__delitem__(0)))",
    "names(after(Net(), lambda n: n.cells_list.insert(1, D())))",
    "names(after(Net(), lambda n: n.cells_list.append(D())))",
    "names(after(Net(), lambda n: n.cells_list.extend([D(), D()])))",
    "names(after(Net(), lambda n: n.cells_list.__setitem__(1, D())))",
    "names(after(Net(), lambda n: n.cells_list.__delitem__(0)))",
    "names(after(nn.SequentialCell(OrderedDict([('fc', D()), ('g', D())])), lambda s: s.append(D())))",
    "after(nn.SequentialCell(OrderedDict([('f', D()), ('g', nn.ReLU())])), lambda s: s.__delitem__(0))",
    "seq()[0], seq()[-1], len(seq())",
    "seq()[1:]",
    "nn.CellList([D(), nn.ReLU(), D()])[1:]",
    "seq()[3]",
    "seq()['a']",
    "nn.CellList([D()])[1.0]",
    "nn.CellList([D()])[-2]",
    "nn.CellList([D()]).insert(2, D())",
    "after(nn.CellList([D()]), lambda c: c.insert(-1, nn.ReLU()))",
    "after(nn.CellList([D()]), lambda c: c.insert(1, nn.ReLU()))",
    "nn.CellList([D()]).insert('a', D())",
    "nn.CellList([D()]).extend((D(),))",
    "nn.CellList((D(),))",
    "nn.CellList([nn.CellDict()])",
    "nn.CellList([3])",
    "nn.SequentialCell(3)",
    "nn.SequentialCell({'a': D()})",
    "nn.SequentialCell(D(), 3)",
    "nn.CellList([D()])(Tensor([[1.]]))",
    "names(nn.CellList([D(), D()], auto_prefix=False))",
    "names(nn.CellDict({'a': D(), 'b': D()}))",
    "nn.CellDict({'a': D(), 'b': nn.ReLU()})",
    "nn.CellDict([('a', D()), ('b', nn.ReLU())])",
    "nn.CellDict({'a': D()})['a']",
    "nn.CellDict({'a': D()})['b']",
    "list(nn.CellDict({'a': D(), 'b': nn.ReLU()}))",
    "list(nn.CellDict({'a': D(), 'b': nn.ReLU()}).keys())",
    "list(nn.CellDict({'a': nn.ReLU()}).items())",
    "list(nn.CellDict({'a': nn.ReLU()}).values())",
    "'a' in nn.CellDict({'a': D()}), 'b' in nn.CellDict({'a': D()}), len(nn.CellDict({'a': D()}))",
    "nn.CellDict({'a': D()}).pop('a')",
    "nn.CellDict({'a': D()}).pop('b')",
    "after(nn.CellDict({'a': D()}), lambda d: d.clear())",
    "after(nn.CellDict({'a': D()}), lambda d: d.update({'c': nn.ReLU()}))",
    "names(after(nn.CellDict({'a': D()}), lambda d: d.update([('c', D())])))",
    "after(nn.CellDict({'a': D()}), lambda d: d.__delitem__('a'))",
    "nn.CellDict({'a.b': D()})",
    "nn.CellDict({'': D()})",
    "nn.CellDict({'construct': D()})",
    "nn.CellDict({3: D()})",
    "nn.CellDict({'a': 3})",
    "nn.CellDict({'a': None})",
    "nn.CellDict({'a': nn.CellList()})",
    "nn.CellDict(3)",
    "nn.CellDict([3])",
    "nn.CellDict([('a',)])",
    "nn.CellDict({'a': D()})(Tensor([[1.]]))",
]

STATE = [
    "list(Tree().state_dict())",
    "list(Net().state_dict(prefix='x.'))",
    "list(Buffered().state_dict())",
    "[n for n, _ in Buffered().named_buffers()]",
    "[b for b in Buffered().buffers()]",
    "Buffered().get_buffer('total')",
    "Buffered().get_buffer('fc.weight')",
    "Buffered()(Tensor([1., 1.]))",
    "after(Buffered(), lambda n: setattr(n, 'total', Tensor([7., 7.])))(Tensor([1., 1.]))",
    "setattr(Buffered(), 'total', 3)",
    "Buffered().register_buffer('fc', Tensor([1.]))",
    "Buffered().register_buffer('a.b', Tensor([1.]))",
    "Buffered().register_buffer('', Tensor([1.]))",
    "Buffered().register_buffer('q', 3)",
    "Buffered().register_buffer(3, Tensor([1.]))",
    "Buffered().load_state_dict(3)",
    "Buffered().load_state_dict({})",
    "Buffered().load_state_dict({'no': Tensor([1.])})",
    "after(Buffered(), lambda n: n.load_state_dict({'total': Tensor([8., 9.])}, False)).total",
    "Buffered().load_state_dict({'total': Tensor([8.])}, False)",
    "len(Buffered().load_state_dict(Buffered().state_dict()).missing_keys)",
    "Net().state_dict(destination=3)",
    "hooked(lambda n: n.register_forward_pre_hook(lambda c, a: (a[0] + 1,)))",
    "hooked(lambda n: n.register_forward_pre_hook(lambda c, a: a[0] + 1))",
    "hooked(lambda n: n.register_forward_pre_hook(lambda c, a: None))",
    "hooked(lambda n: n.register_forward_pre_hook(lambda c, a, k: (a, {'k': 3.0}), with_kwargs=True))",
    "hooked(lambda n: n.register_forward_pre_hook(lambda c, a, k: a, with_kwargs=True))",
    "hooked(lambda n: n.register_forward_hook(lambda c, a, o: o * 10 + a[0]))",
    "hooked(lambda n: n.register_forward_hook(lambda c, a, o: None))",
    "hooked(lambda n: n.register_forward_hook(lambda c, a, o: o * 2), "
    "lambda n: n.register_forward_hook(lambda c, a, o: o + 1))",
    "hooked(lambda n: n.register_forward_hook(lambda c, a, o: o * 2), "
    "lambda n: n.register_forward_hook(lambda c, a, o: o + 1, prepend=True))",
    "hooked(lambda n: n.register_forward_hook(lambda c, a, o: o * 2).remove())",
    "Plain().register_forward_hook(3)",
    "Plain().register_forward_pre_hook(3)",
]

PARAMETERS = [
    "P('w')",
    "P('w').name, P('w', requires_grad=False).requires_grad",
    "Parameter(Tensor([[1., 2.]]), name='m').shape",
    "Parameter(3, name='n')",
    "Parameter([1, 2], name='n').dtype",
    "Parameter(np.ones((2, 2), np.float16), name='n').dtype",
    "P(3)",
    "P('w', requires_grad=1)",
    "P('w').clone().name",
    "P('w').clone('zeros').asnumpy()",
    "P('w').clone(2.5).asnumpy()",
    "Parameter(P('w'), name='v').name",
    "P('w').set_data(Tensor([3.])).asnumpy()",
    "P('w').set_data(Tensor([3, 4])).asnumpy()",
    "P('w').set_data(Tensor([3.], ms.float16)).dtype",
    "P('w').init_data().asnumpy()",
    "P('w').value()",
    "P('w') + 1",
    "ParameterTuple((P('a'), P('b'))).clone('m')[1].name",
    "ParameterTuple((P('a'), P('a')))",
    "ParameterTuple((P('a'), 3))",
    "len(ParameterTuple((P('a'), P('b'))))",
    "after(P('w'), lambda p: setattr(p, 'name', 'v')).name",
    "setattr(P('w'), 'name', 3)",
    "setattr(P('w'), 'requires_grad', 3)",
    "P('w').layerwise_parallel",
]

_RANDOM = (
    "'normal'",
    "I.Normal(0.3, 1.0)",
    "'uniform'",
    "I.Uniform(0.5)",
    "I.TruncatedNormal()",
    "I.TruncatedNormal(2.0, 0.5, -1.0, 3.0)",
    "'xavier_uniform'",
    "I.XavierNormal(2)",
    "'he_uniform'",
    "I.HeUniform(0.3, 'FAN_OUT')",
    "I.HeNormal(mode='fan_out', nonlinearity='relu')",
    "I.HeUniform(nonlinearity='tanh')",
    "I.VarianceScaling()",
    "I.VarianceScaling(2.0, 'fan_avg', 'untruncated_normal')",
    "I.VarianceScaling(2.0, 'fan_out', 'uniform')",
    "I.Sparse(0.4)",
)

INITIALIZERS = [
    *(f"digest({init}, (3, 5))" for init in _RANDOM),
    "digest('normal', (7, 3, 2, 3))",
    "digest('he_uniform', (4, 3, 3, 3))",
    "digest('xavier_uniform', (4, 3, 3, 3))",
    "digest('normal', (5,))",
    "digest('uniform', (3,), ms.float16)",
    "digest('uniform', (40, 50))[-400:]",
    "digest('normal', (41, 51))[-400:]",
    "initial(I.Orthogonal(2.0), (3, 5))",
    "initial('orthogonal', (4, 2, 2))",
    "initial('identity', (2, 3))",
    "initial(I.Dirac(2), (4, 2, 3))",
    "initial('dirac', (2, 2, 3, 3))",
    "initial('zeros', (2, 3), ms.int32)",
    "initial('ones', [2, 3])",
    "initial(I.Constant(3), 2)",
    "initial(0.5, (2,))",
    "initial('One', (2,))",
    "initial('nope', (2,))",
    "initial([1], (2,))",
    "initial('ones', (2, 0))",
    "initial('ones', (-1,))",
    "initial('he_uniform', (3,))",
    "initial('xavier_uniform', (3,))",
    "initial('identity', (3,))",
    "initial('dirac', (3, 3))",
    "initial(I.Dirac(2), (3, 2, 3))",
    "initial('orthogonal', (3,))",
    "initial(I.Sparse(0.1), (3,))",
    "initial(I.HeUniform(nonlinearity='swish'), (3, 3))",
    "initial(I.HeUniform(mode='fan'), (3, 3))",
    "initial(I.Normal(-1.0), (3,))",
    "I.VarianceScaling(0)",
    "I.VarianceScaling(1.0, 'fan')",
    "I.VarianceScaling(1.0, 'fan_in', 'nope')",
    "I.initializer(Tensor([1., 2.]), (2,))",
    "I.initializer(Tensor([1., 2.]), (3,))",
    "after(ms.set_seed(3), lambda _: nn.Dense(3, 2))",
    "[ms.set_seed(3), nn.Dense(3, 2).weight.asnumpy().tobytes().hex()]",
    "[ms.set_seed(3), nn.Dense(3, 2).bias.asnumpy().tobytes().hex()]",
    "[ms.set_seed(3), np.random.rand(2).tolist(), ms.get_seed()]",
    "ms.set_seed(-1)",
    "ms.set_seed(1.0)",
]

_FLOATS = ("1.5", "-0.0", "np.nan", "np.inf", "-np.inf", "1e-30", "1e30", "0.1", "123456789.0")
_SHAPES = (
    "1",
    "7",
    "2, 3",
    "1, 1",
    "4, 0",
    "0",
    "2, 3, 4",
    "3, 1, 2, 2",
    "30",
    "6, 6",
    "7, 7",
    "3, 40",
    "40, 3",
    "2, 2, 9",
    "1, 7, 7, 1",
)
_LONG = ("1000", "1001", "8, 8, 8")
_WIDE = ("int64", "float32")
_DTYPES = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64")

PRINTING = [
    *(f"{f}(grid('{d}', {s}))" for f in ("repr", "str") for d in _DTYPES for s in _SHAPES),
    *(f"{f}(grid('{d}', {s}))" for f in ("repr", "str") for d in _WIDE for s in _LONG),
    *(f"{f}(array('float{b}', {v}))" for f in ("repr", "str") for b in (32, 64) for v in _FLOATS),
    *(f"{f}(Tensor({v}))" for f in ("repr", "str") for v in ("True", "-3", "2.5", "1/3", "1e-8")),
    *(f"{f}(Tensor({v}, ms.float16))" for f in ("repr", "str") for v in ("1/3", "65504.0")),
    *(f"{f}(Tensor({v}, ms.float64))" for f in ("repr", "str") for v in ("1/3", "1e300")),
    *(
        f"{f}(Tensor({v}, ms.float{b}))"
        for f in ("repr", "str")
        for b in (16, 32, 64)
        for v in ("3.0", "1234.5", "12345678.0", "1e16", "1e-4", "9e-5", "float('nan')", "-0.0")
    ),
    *(
        f"{f}(Tensor({v}, ms.bfloat16))"
        for f in ("repr", "str")
        for v in ("1.5", "1/3", "[1.5, 2.5]", "[[1/3, -7], [1e30, 0]]", "1e-9", "float('inf')")
    ),
    "repr(array('float32', 1.5, np.nan, np.inf, -np.inf, -0.0))",
    "str(array('float32', 1.5, np.nan, np.inf, -np.inf, -0.0))",
    "repr(array('int64', -1, 10, -1000000))",
    "repr(array('int8', -128, 127))",
    "str(array('int64', -1, 10, -1000000))",
    "repr(array('float32', 1e-40))",
    "str(array('float32', 1e-8, 1.0, 1e8))",
    "str(array('float32', 0.1, 0.25, 3.0))",
    "str(array('float64', 0.1, 1e-300))",
    "repr(array('float16', 0.1, 65504.0, 6e-8))",
    "'%s' % Tensor([1., 2.])",
    "'{}'.format(Tensor([1., 2.]))",
    "f'{Tensor([1., 2.])}'",
    "str([Tensor([1.])])",
    "str({'a': Tensor(2)})",
]

ALL = {
    "cells": CELLS,
    "containers": CONTAINERS,
    "state": STATE,
    "parameters": PARAMETERS,
    "initializers": INITIALIZERS,
    "printing": PRINTING,
}
