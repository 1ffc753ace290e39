// SPDX-License-Identifier: GPL-3.0-or-later
#include "eigen_softmax.h"
#include "kernels/kernel_table.h"
#include "training.h"

#include <cstring>

namespace tilescope::bench {
namespace {

using Index = Eigen::Index;
using Map = Eigen::Map<Matrix>;
using ConstMap = Eigen::Map<const Matrix>;

constexpr Index kernel = 3;

/// A convolution without padding, ReLU, and pooling by 2; images stand one behind the other.
struct Stage {
    Index size, channels, filters; ///< of the square input
    Index out = size - kernel + 1, pooled = out / 2, patch = kernel * kernel * channels;
    Matrix weights;
    Row bias;
    std::vector<float> active, pool, active_gradient, input_gradient;

    void reserve(Index batch) {
        const auto floats = [&](Index n) { return std::vector<float>(static_cast<std::size_t>(batch * n)); };
        active = floats(out * out * filters);
        active_gradient = active;
        pool = floats(pooled * pooled * filters);
        input_gradient = floats(size * size * channels);
    }
    void patches(const float* image, Matrix& columns) const {
        for (Index y = 0; y < out; ++y)
            for (Index x = 0; x < out; ++x)
                for (Index k = 0; k < kernel; ++k)
                    std::memcpy(columns.row(y * out + x).data() + k * kernel * channels,
                                image + ((y + k) * size + x) * channels,
                                static_cast<std::size_t>(kernel * channels) * sizeof(float));
    }
    void add_patches(const Matrix& columns, float* image) const {
        std::fill(image, image + size * size * channels, 0.0F);
        for (Index y = 0; y < out; ++y)
            for (Index x = 0; x < out; ++x)
                for (Index k = 0; k < kernel; ++k)
                    Eigen::Map<Row>(image + ((y + k) * size + x) * channels, kernel * channels) +=
                        Eigen::Map<const Row>(columns.row(y * out + x).data() + k * kernel * channels,
                                              kernel * channels);
    }

    void forward(Index i, const float* input, Matrix& columns) {
        patches(input, columns);
        Map y(active.data() + i * out * out * filters, out * out, filters);
        y.noalias() = columns.topRows(out * out) * weights;
        y.rowwise() += bias;
        y = y.cwiseMax(0.0F);
        for (Index py = 0; py < pooled; ++py)
            for (Index px = 0; px < pooled; ++px) {
                const Index at = 2 * py * out + 2 * px;
                Eigen::Map<Row>(pool.data() + ((i * pooled + py) * pooled + px) * filters, filters) =
                    y.row(at).cwiseMax(y.row(at + 1)).cwiseMax(y.row(at + out).cwiseMax(y.row(at + out + 1)));
            }
    }

    /// From the gradient of the pooled values: that of the weights and bias is added, that of the input made
    /// where it is wanted.
    void backward(Index i, const float* input, const float* pool_gradient, bool wanted, Matrix& columns,
                  Matrix& weight_gradient, Row& bias_gradient) {
        const ConstMap y(active.data() + i * out * out * filters, out * out, filters);
        Map dy(active_gradient.data() + i * out * out * filters, out * out, filters);
        dy.setZero();
        for (Index py = 0; py < pooled; ++py)
            for (Index px = 0; px < pooled; ++px) {
                const Index at = 2 * py * out + 2 * px;
                const float* d = pool_gradient + (py * pooled + px) * filters;
                const float* highest = pool.data() + ((i * pooled + py) * pooled + px) * filters;
                const Index places[] = {at, at + 1, at + out, at + out + 1};
                for (Index c = 0; c < filters; ++c) {
                    float rest = highest[c] > 0 ? d[c] : 0.0F; // to the first that is highest
                    for (const Index place : places) {
                        const bool hit = y(place, c) == highest[c];
                        dy(place, c) = hit ? rest : 0.0F;
                        rest = hit ? 0.0F : rest;
                    }
                }
            }
        patches(input, columns);
        weight_gradient.noalias() += columns.topRows(out * out).transpose() * dy;
        bias_gradient += dy.colwise().sum();
        if (!wanted)
            return;
        columns.topRows(out * out).noalias() = dy * weights.transpose();
        add_patches(columns, input_gradient.data() + i * size * size * channels);
    }
};

class Convolutional : public Training {
  public:
    Convolutional(const ConvolutionalSettings& settings, const FirstValues& first, int threads)
        : settings_(settings), threads_(threads) {
        for (Stage* stage : {&one_, &two_}) {
            const std::string name = stage == &one_ ? "conv2d" : "conv2d_1";
            stage->weights = ConstMap(first.at(name + "/kernel").data(), stage->patch, stage->filters);
            stage->bias = Eigen::Map<const Row>(first.at(name + "/bias").data(), stage->filters);
            stage->reserve(settings_.batch);
        }
        dense_ = ConstMap(first.at("dense/kernel").data(), features_, 10);
        dense_bias_ = Eigen::Map<const Row>(first.at("dense/bias").data(), 10);
        kept_.resize(settings_.batch, features_);
        kept_gradient_.resize(settings_.batch, features_);
        logits_.resize(settings_.batch, 10);
        gradient_.resize(settings_.batch, 10);
        for (int t = 0; t < threads; ++t) {
            parts_.push_back({Matrix(one_.out * one_.out, one_.patch),
                              Matrix(two_.out * two_.out, two_.patch), Matrix(one_.patch, one_.filters),
                              Matrix(two_.patch, two_.filters), Row(one_.filters), Row(two_.filters)});
        }
    }

    float step(const Batch& batch) override {
        const Index image = one_.size * one_.size;
        each_part([&](Part& part, Index begin, Index end) {
            for (Index i = begin; i < end; ++i) {
                one_.forward(i, batch.samples.data() + i * image, part.columns_one);
                two_.forward(i, pooled(one_, i), part.columns_two);
            }
        });
        const auto mask = settings_.dropout.rate;
        const kernels::DropoutMask dropout{settings_.dropout.seed, (settings_.dropout.salt << 40) ^ step_++,
                                           static_cast<std::uint32_t>(mask * 4294967296.0),
                                           static_cast<float>(1.0 / (1.0 - mask))};
        kernels::best_kernels().dropout(dropout, two_.pool.data(), kept_.data(), 0, kept_.size());
        logits_.noalias() = kept_ * dense_;
        logits_.rowwise() += dense_bias_;
        const float loss = softmax_loss(logits_, batch.labels, gradient_);
        kept_gradient_.noalias() = gradient_ * dense_.transpose();
        kernels::best_kernels().dropout(dropout, kept_gradient_.data(), kept_gradient_.data(), 0,
                                        kept_gradient_.size());
        each_part([&](Part& part, Index begin, Index end) {
            part.one.setZero();
            part.two.setZero();
            part.bias_one.setZero();
            part.bias_two.setZero();
            for (Index i = begin; i < end; ++i) {
                two_.backward(i, pooled(one_, i), kept_gradient_.row(i).data(), true, part.columns_two,
                              part.two, part.bias_two);
                one_.backward(i, batch.samples.data() + i * image,
                              two_.input_gradient.data() + i * two_.size * two_.size * two_.channels, false,
                              part.columns_one, part.one, part.bias_one);
            }
        });
        const float rate = settings_.rate;
        dense_.noalias() -= rate * (kept_.transpose() * gradient_);
        dense_bias_ -= rate * gradient_.colwise().sum();
        for (const Part& part : parts_) {
            one_.weights -= rate * part.one;
            one_.bias -= rate * part.bias_one;
            two_.weights -= rate * part.two;
            two_.bias -= rate * part.bias_two;
        }
        return loss;
    }

  private:
    struct Part {
        Matrix columns_one, columns_two, one, two;
        Row bias_one, bias_two;
    };

    const float* pooled(const Stage& stage, Index i) const {
        return stage.pool.data() + i * stage.pooled * stage.pooled * stage.filters;
    }

    /// Images are dealt to the threads; products within stay on their thread.
    template<class Work>
    void each_part(const Work& work) {
        Eigen::setNbThreads(1);
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
        for (int t = 0; t < threads_; ++t)
            work(parts_[static_cast<std::size_t>(t)], settings_.batch * t / threads_,
                 settings_.batch * (t + 1) / threads_);
        Eigen::setNbThreads(threads_);
    }

    ConvolutionalSettings settings_;
    int threads_;
    Stage one_{28, 1, 32};
    Stage two_{13, 32, 64};
    Index features_ = two_.pooled * two_.pooled * two_.filters;
    Matrix dense_, kept_, kept_gradient_, logits_, gradient_;
    Row dense_bias_;
    std::vector<Part> parts_;
    std::uint64_t step_ = 0;
};

} // namespace

std::unique_ptr<Training> eigen_convolutional(const ConvolutionalSettings& settings, const FirstValues& first,
                                              int threads) {
    return std::make_unique<Convolutional>(settings, first, threads);
}

} // namespace tilescope::bench
