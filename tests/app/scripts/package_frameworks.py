# SPDX-License-Identifier: GPL-3.0-or-later
"""The package with PyTorch and pandas, where they are: a module's loss against PyTorch's own, a table as a frame."""
import sys

import numpy as np

import tilescope

try:
    import pandas
    import torch
except ImportError as missing:
    print("SKIPPED", missing)
    sys.exit()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.dense = torch.nn.Conv2d(1, 4, 3, padding=1), torch.nn.Linear(4 * 4 * 4, 5)

    def forward(self, x):
        return self.dense(torch.nn.functional.max_pool2d(torch.relu(self.conv(x)), 2).flatten(1))


torch.manual_seed(1)
net, x, y = Net().eval(), torch.randn(12, 1, 8, 8), torch.arange(12) % 5
report = tilescope.profile(net, "torch.tilescope", inputs=x[:4], data=(x.numpy(), y.numpy()), workload={
    "compile": {"loss": "sparse_categorical_crossentropy", "from_logits": True,
                "optimizer": {"name": "sgd", "learning_rate": 0.0}}, "fit": {"batch_size": 4}})
print(report["run.workload"], abs(report["result.epochs.-1.loss"] - torch.nn.functional.cross_entropy(net(x), y).item()) < 1e-5)
frame, table = report.frame("operation_cost"), report.table("operation_cost")
print(isinstance(frame, pandas.DataFrame), list(frame.columns) == list(table),
      np.array_equal(frame["compute_cycles"].to_numpy(), table["compute_cycles"]))
