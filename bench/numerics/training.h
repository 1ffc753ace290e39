// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// One training, as each of those that are compared has it.
namespace tilescope::bench {

/// Samples [batch, features] in [0, 1] and their classes.
struct Batch {
    std::vector<float> samples;
    std::vector<std::int32_t> labels;
};

/// First values of the variables, by name ("dense/kernel").
using FirstValues = std::map<std::string, std::vector<float>>;

/// What was trained in a while, and what it took.
struct Round {
    double samples = 0, processor_s = 0, wall_s = 0;
};
inline constexpr double round_s = 0.2; ///< of processor time

class Training {
  public:
    virtual ~Training() = default;
    /// One step: forward, backward and update. The mean loss of the batch.
    virtual float step(const Batch& batch) = 0;
    /// A step with each of the batches, from the first values on.
    virtual std::vector<float> losses(const std::vector<Batch>& batches);
    /// Steps with the batches, over and over, for at least `round_s`.
    virtual Round round(const std::vector<Batch>& batches);
};

/// A step's masks, so that all who are compared leave out the same elements.
struct DropoutSettings {
    double rate = 0;
    std::uint64_t seed = 0, salt = 0;
};

/// A dense network with ReLU between its layers, by hand with Eigen.
struct DenseSettings {
    std::int64_t batch = 0;
    std::vector<std::int64_t> widths; ///< of the input and of each layer
    bool rmsprop = false;             ///< or SGD
    float rate = 0, rho = 0, epsilon = 0;
};
std::unique_ptr<Training> eigen_dense(const DenseSettings& settings, const FirstValues& first, int threads);

/// Adam as tf.keras and TF1 have it (operators/updates.cpp).
struct AdamSettings {
    float beta_1 = 0, beta_2 = 0, epsilon = 0;
};

/// Convolutions of 3 x 3 as products of patches, each with ReLU and perhaps pooling of 2 x 2, then dropout
/// and a dense layer of 10, on images of 28 x 28; by hand with Eigen.
struct ConvolutionalSettings {
    struct Convolution {
        std::int64_t filters;
        bool padded; ///< the output is as large as the input
        bool pooled;
    };
    std::int64_t batch = 0;
    std::vector<Convolution> convolutions;
    DropoutSettings dropout;
    float rate = 0;
    std::optional<AdamSettings> adam; ///< or SGD
};
std::unique_ptr<Training> eigen_convolutional(const ConvolutionalSettings& settings, const FirstValues& first,
                                              int threads);

} // namespace tilescope::bench
