# SPDX-License-Identifier: GPL-3.0-or-later
"""Data of one's own in Python: tables between commas, texts as numbers, windows of series; and training on them."""
import os

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

with open("plain.csv", "w") as file:
    file.write("width,name,class\n1.5,\"a, \"\"b\"\"\",0\n,c,1\n-2e1,d,1\n3,\"two\nlines\",0\n")

# Columns by the types of their defaults; empty fields have the default, or are refused.
record = tf.io.decode_csv(["1,2.5,x", ",,y"], [7, 0.5, tf.constant([], tf.string)])
print([each.numpy().tolist() for each in record], [each.dtype.name for each in record])
print([each.numpy().tolist() for each in tf.io.decode_csv("5;?;x", [0, 9], ";", na_value="?", select_cols=[0, 1])])
print([each.numpy() for each in tf.io.decode_csv(",", [[3], ["none"]])])
for line, defaults in (("1,", [0, tf.float32]), ("1,b", [0, 0.0]), ("1", [0, 0]), ('"a', [""])):
    try:
        tf.io.decode_csv(line, defaults)
    except ValueError as error:
        print(error)
rows = tf.data.experimental.CsvDataset("plain.csv", [tf.constant(0.25), tf.string, tf.int32], header=True)
print([(float(a), b.numpy(), int(c)) for a, b, c in rows], rows.element_spec)
print([int(each[0]) for each in tf.data.experimental.CsvDataset("plain.csv", [tf.int32], header=True, exclude_cols=[0, 1])])
batches = tf.data.experimental.make_csv_dataset("pl*.csv", 2, label_name="class", num_epochs=1, shuffle=False, column_defaults=[0.25, "", 0])
for columns, classes in batches:
    print({name: column.numpy().tolist() for name, column in columns.items()}, classes.numpy().tolist())
endless = tf.data.experimental.make_csv_dataset("plain.csv", 3, select_columns=["class", "width"])
print({name: (spec.shape.as_list(), spec.dtype.name) for name, spec in endless.element_spec.items()})

# Words in the order of their counts.
texts = ["The cat sat, the cat ran!", "A dog: the dog sat."]
words = keras.preprocessing.text.Tokenizer(num_words=5, oov_token="?")
words.fit_on_texts(texts)
print(words.word_index, words.texts_to_sequences(texts + ["a bird"]), words.sequences_to_texts([[3, 2, 99]]))
same = keras.preprocessing.text.tokenizer_from_json(words.to_json())
print(same.texts_to_sequences(texts) == words.texts_to_sequences(texts), words.texts_to_matrix(["the the cat"], "count").tolist())
print(keras.preprocessing.text.text_to_word_sequence("Hello, World"), keras.preprocessing.text.hashing_trick("a b a", 9, "md5"))
numbers = keras.layers.TextVectorization(max_tokens=6, output_sequence_length=4)
numbers.adapt(tf.data.Dataset.from_tensor_slices(texts).batch(1))
print(numbers.get_vocabulary(), numbers(["the bird sat", "dog dog dog dog dog"]).numpy().tolist())
print(keras.layers.TextVectorization(output_mode="multi_hot", vocabulary=["cat", "dog"])([["a dog"], ["cat"]]).numpy().tolist())
print(tf.strings.lower("AbC").numpy(), tf.strings.regex_replace(["a-b"], "-", "+").numpy(), tf.strings.split("a b").numpy().tolist(),
      tf.strings.to_number("2.5").numpy(), tf.strings.length(["ab", "c"]).numpy(), tf.strings.join(["a", ["b", "c"]], "/").numpy())

print(tf.strings.as_string([1.5, 2]).numpy(), tf.strings.as_string([[True], [False]]).numpy().tolist(), tf.strings.as_string(7).numpy())
print(tf.is_tensor(tf.constant(1)), tf.is_tensor(tf.Variable(1.0)), tf.is_tensor(np.ones(1)), keras.initializers.get("zeros").get_config(),
      keras.layers.MaxPool3D is keras.layers.MaxPooling3D, keras.layers.Convolution2DTranspose is keras.layers.Conv2DTranspose)
tf.io.gfile.mkdir("made")
tf.io.gfile.rmtree("made")
print(tf.io.gfile.exists("made"))

# Folders of texts, windows of series.
for kind in ("bad", "good"):
    os.makedirs("reviews/" + kind)
    for i in range(8):
        with open(f"reviews/{kind}/{i}.txt", "w") as file:
            file.write(f"it is {kind} {kind} {i}")
reviews = keras.preprocessing.text_dataset_from_directory("reviews", batch_size=4, shuffle=False)
print(reviews.class_names, [(each.numpy()[0], int(label[0])) for each, label in reviews][::2])
windows = keras.preprocessing.timeseries_dataset_from_array(np.arange(9.0), np.arange(9.0) * 10, 3, sampling_rate=2, batch_size=2)
print([(x.numpy().tolist(), y.numpy().tolist()) for x, y in windows])

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
numbers = keras.layers.TextVectorization(output_sequence_length=6)
numbers.adapt(reviews.map(lambda text, label: text))
fed = reviews.unbatch().map(lambda text, label: (numbers(text), label)).repeat().batch(8, drop_remainder=True)
with ipu.ipu_strategy.IPUStrategy().scope():
    model = keras.Sequential([keras.layers.Embedding(numbers.vocabulary_size(), 4, input_length=6), keras.layers.Flatten(),
                              keras.layers.Dense(2, activation="softmax")])
    model.compile(keras.optimizers.Adam(0.05), "sparse_categorical_crossentropy", metrics=["accuracy"], steps_per_execution=2)
    print(model.fit(fed, epochs=10, steps_per_epoch=4, verbose=0).history["accuracy"][-1])
    try:
        keras.Sequential([keras.Input((), dtype="string"), numbers])
    except AttributeError as error:
        print(error)
tf.strings.to_hash_bucket(["a"], 3)
