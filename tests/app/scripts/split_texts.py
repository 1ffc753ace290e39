# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of texts that are split, and the IPUs of each device of several."""
import tensorflow as tf
from tensorflow.python import ipu

words = tf.strings.split(["one two  three", "", "four"])
print(words.to_list(), tf.strings.split("a-b", "-").numpy().tolist(), tf.strings.unicode_split(["ab", "c"]).to_list(), words.row_lengths().numpy().tolist())
config = ipu.config.IPUConfig()
config.auto_select_ipus = [1, 4]
config.configure_ipu_system()
print([ipu.utils.get_num_of_ipus_in_device(f"/device:IPU:{number}") for number in range(2)])
try:
    ipu.utils.get_num_of_ipus_in_device("/device:IPU:2")
except ValueError as error:
    print(error)
