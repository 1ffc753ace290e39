# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.applications: the numbers of parameters and the shapes that Keras' documentation gives, a model made on one of them, and
what they do to images, by hand."""
import numpy as np
from tensorflow import keras
from tensorflow.keras.applications.mobilenet_v2 import MobileNetV2, preprocess_input

apps = keras.applications
PUBLISHED = {"MobileNet": (4253864, 1024), "MobileNetV2": (3538984, 1280), "ResNet50": (25636712, 2048), "ResNet50V2": (25613800, 2048),
             "DenseNet121": (8062504, 1024)}
for name, (parameters, channels) in PUBLISHED.items():
    make = getattr(apps, name)
    features = make(weights=None, include_top=False, input_shape=(224, 224, 3))
    print(name, make(weights=None).count_params() == parameters, tuple(features.output.shape) == (None, 7, 7, channels))
for make, parameters, ends in ((apps.Xception, 22910480, 10), (apps.InceptionV3, 23851784, 8)):
    net = make(weights=None)
    print(make.__name__, net.count_params() == parameters, net.input.shape, net.layers[-3].output.shape == (None, ends, ends, 2048))
vgg = apps.VGG16(weights=None, include_top=False, input_shape=(64, 64, 3), pooling="avg")
print("VGG16", vgg.count_params() == 14714688, vgg.output.shape, [layer.name for layer in vgg.layers][:3])
print("alpha", MobileNetV2((96, 96, 3), 0.35, False, None).count_params() == 410208)

base = MobileNetV2(input_shape=(32, 32, 3), include_top=False, weights=None)
base.trainable = False
model = keras.Sequential([base, keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(2)])
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
frozen = [w.copy() for w in base.get_weights()]
x = preprocess_input(np.arange(8 * 32 * 32 * 3, dtype=np.float32).reshape(8, 32, 32, 3) % 256)
model.fit(x, np.zeros(8), batch_size=8, verbose=0)
# Features of an untrained net with these statistics are next to 0: the bias moves by 0.01 (label - 1 / 2).
print("frozen", len(model.trainable_variables), all(map(np.array_equal, frozen, base.get_weights())), model.get_weights()[-1])
base.save_weights("base.h5")
again = MobileNetV2(input_shape=(32, 32, 3), include_top=False, weights="base.h5")
print("loaded", all(map(np.array_equal, again.get_weights(), base.get_weights())), np.array_equal(again.predict(x), base.predict(x)))

image = np.array([[[0, 127.5, 255]]], np.float32)
print(preprocess_input(image).ravel(), np.round(apps.resnet50.preprocess_input(image).ravel(), 3),
      np.round(apps.densenet.preprocess_input(image).ravel(), 3))
