"""Data sets: sources, operations on them, and iterators."""

import mindspore.dataset as ds
import numpy as np


class Source:
    def __init__(self):
        self.a = np.arange(10, dtype=np.float32)

    def __getitem__(self, i):
        return self.a[i], np.array([i, i * i], np.int32)

    def __len__(self):
        return 10


def generate():
    for i in range(5):
        yield (np.array(i, np.int64),)


def show(data, n=4):
    rows = [
        [np.asarray(v).tolist() for v in row]
        for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]
    print(data.get_dataset_size(), data.get_col_names(), rows[:n], len(rows))


show(ds.GeneratorDataset(Source(), ["x", "y"], shuffle=False))
show(ds.GeneratorDataset(generate, ["n"]).batch(2))


def base():
    return ds.GeneratorDataset(Source(), ["x", "y"], shuffle=False)


show(base().batch(4))
show(base().batch(4, drop_remainder=True).repeat(2))
show(base().map(lambda x: x * 2, input_columns=["x"]))
show(
    base().map(operations=[lambda y: (y[0], y[1])], input_columns=["y"], output_columns=["p", "q"])
)
show(base().map(lambda x, y: (x + y[0],), input_columns=["x", "y"], output_columns=["s"]))
show(base().filter(lambda x: x % 2 == 0, input_columns=["x"]))
show(base().skip(3).take(2))
show(base().rename(["x"], ["z"]).project(["z"]))
show(ds.zip((base().project("x"), ds.GeneratorDataset(generate, ["n"]))))
show(base().take(2).concat(ds.GeneratorDataset(Source(), ["x", "y"], shuffle=False).skip(9)))
show(ds.NumpySlicesDataset([[1, 2], [3, 4], [5, 6]], ["v"], shuffle=False))
show(ds.NumpySlicesDataset({"a": [1, 2], "b": [[3], [4]]}, shuffle=False))
show(
    base().batch(
        3, per_batch_map=lambda x, y, info: ([v * 10 for v in x], y), input_columns=["x", "y"]
    )
)
train, test = base().split([0.7, 0.3], randomize=False)
show(train)
show(test)
for row in base().take(2).create_dict_iterator(num_epochs=1, output_numpy=True):
    print(sorted(row), row["x"], row["y"])
for row in base().take(1):
    print(type(row).__name__, [type(v).__name__ for v in row])
print(
    base().output_shapes(),
    [str(t) for t in base().output_types()],
    base().get_batch_size(),
    base().get_repeat_count(),
)
sharded = ds.GeneratorDataset(Source(), ["x", "y"], shuffle=False, num_shards=2, shard_id=1)
print(sharded.get_dataset_size())
for wrong in (
    lambda: base().batch(0),
    lambda: base().repeat(0),
    lambda: base().take(-2),
    lambda: base().skip(-1),
    lambda: base().shuffle(0),
    lambda: ds.GeneratorDataset(Source(), 3),
    lambda: base().batch("a"),
):
    try:
        wrong()
        print("fine")
    except Exception as e:
        print(type(e).__name__)
