"""Model with callbacks and metrics of all kinds."""

import os

import mindspore as ms
import numpy as np
from mindspore import dataset as ds
from mindspore import nn, train
from mindspore.train import Callback, Model

ms.set_seed(2)
rng = np.random.RandomState(4)
inputs = rng.randn(48, 5).astype(np.float32)
labels = (inputs @ rng.randn(5, 3)).argmax(1).astype(np.int32)


def data(n=12):
    return ds.NumpySlicesDataset({"x": inputs, "y": labels}, shuffle=False).batch(n)


def make(rate=0.1, metrics=None, **options):
    net = nn.SequentialCell(nn.Dense(5, 8), nn.ReLU(), nn.Dense(8, 3))
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.9)
    return net, Model(net, nn.CrossEntropyLoss(), optimizer, metrics=metrics, **options)


class Report(Callback):
    def begin(self, run_context):
        args = run_context.original_args()
        print("begin", args.epoch_num, args.batch_num, args.mode, type(args.network).__name__)

    def epoch_end(self, run_context):
        args = run_context.original_args()
        loss = args.net_outputs
        print(
            "epoch",
            args.cur_epoch_num,
            "step",
            args.cur_step_num,
            "loss",
            float(loss.asnumpy()).__round__(4),
        )
        if args.cur_epoch_num == 3:
            run_context.request_stop()

    def end(self, run_context):
        print("end", run_context.get_stop_requested())


net, model = make()
model.train(5, data(), callbacks=[Report()], dataset_sink_mode=False)

net, model = make(metrics={"acc", "loss", "top_1_accuracy", "recall", "precision", "F1"})
history = train.History()
model.fit(
    4, data(), data(), callbacks=[history], valid_dataset_sink_mode=False, dataset_sink_mode=False
)
print([round(float(v), 4) for v in history.history["acc"]])
out = model.eval(data(), dataset_sink_mode=False)
for name in sorted(out):
    print(name, np.round(out[name], 4))
print(model.predict(ms.Tensor(inputs[:2])).asnumpy().round(4))

net, model = make(metrics={"acc"})
stop = train.EarlyStopping("acc", patience=1, mode="max", verbose=True)
model.fit(
    20, data(), data(), callbacks=[stop], dataset_sink_mode=False, valid_dataset_sink_mode=False
)
net, model = make(metrics={"loss": train.Loss()})
plateau = train.ReduceLROnPlateau("eval_loss", factor=0.5, patience=1, min_delta=0.2, verbose=True)
model.fit(
    6, data(), data(), callbacks=[plateau], dataset_sink_mode=False, valid_dataset_sink_mode=False
)
print(model._optimizer.learning_rate.asnumpy())

net, model = make()
config = train.CheckpointConfig(
    save_checkpoint_steps=4, keep_checkpoint_max=2, append_info=["epoch_num"]
)
model.train(3, data(), train.ModelCheckpoint("net", "ckpt", config), dataset_sink_mode=False)
print(sorted(f for f in os.listdir("ckpt") if f.endswith(".ckpt")))
state = ms.load_checkpoint("ckpt/net-3_4.ckpt")
print(sorted(state), state["epoch_num"])
fresh, _ = make()
print(ms.load_param_into_net(fresh, state)[0])
print(np.abs(fresh[0].weight.asnumpy() - net[0].weight.asnumpy()).max())
model.train(
    1,
    data(24),
    [
        train.LambdaCallback(
            on_train_epoch_end=lambda c: print("lambda", c.original_args().cur_epoch_num)
        )
    ],
    dataset_sink_mode=False,
)
rates = []


def half(rate, step):
    rates.append((round(rate, 5), step))
    return rate * 0.5


net, model = make(0.4)
model.train(1, data(), [train.LearningRateScheduler(half)], dataset_sink_mode=False)
print(rates, model._optimizer.learning_rate.asnumpy())


class Count(train.Metric):
    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self.seen = 0

    def update(self, *inputs):
        self.seen += inputs[0].shape[0]

    def eval(self):
        return self.seen


net, model = make(metrics={"count": Count(), "acc": train.Accuracy()})
print(model.eval(data(20), dataset_sink_mode=False)["count"])
