// SPDX-License-Identifier: GPL-3.0-or-later
#include "eigen_softmax.h"
#include "kernels/kernel_table.h"
#include "training.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace tilescope::bench {
namespace {

using Index = Eigen::Index;
using Map = Eigen::Map<Matrix>;
using ConstMap = Eigen::Map<const Matrix>;

constexpr Index kernel = 3;

/// A convolution with ReLU, and perhaps pooling by 2; images stand one behind the other.
struct Stage {
    Index size, channels, filters, pad; ///< of the square input
    bool pooled;
    Index out = size - kernel + 1 + 2 * pad, patch = kernel * kernel * channels;
    Index side = pooled ? out / 2 : out, outputs = side * side * filters; ///< what the next layer sees
    Matrix weights;
    Row bias;
    std::vector<float> active, pool, active_gradient, input_gradient;

    void reserve(Index batch) {
        const auto floats = [&](Index n) { return std::vector<float>(static_cast<std::size_t>(batch * n)); };
        active = floats(out * out * filters);
        active_gradient = active;
        if (pooled)
            pool = floats(outputs);
        input_gradient = floats(size * size * channels);
    }
    const float* output(Index i) const { return (pooled ? pool : active).data() + i * outputs; }

    /// For each place of the output and row of the kernel what lies under it: columns [first, last) of the
    /// kernel are within the image, and the image's values for them start at `at`; `row` is where those of
    /// the whole row are in `columns`.
    template<class Visit>
    void each_row(Matrix& columns, const Visit& visit) const {
        for (Index y = 0; y < out; ++y)
            for (Index x = 0; x < out; ++x)
                for (Index k = 0; k < kernel; ++k) {
                    const Index top = y + k - pad;
                    const Index left = x - pad;
                    const bool inside = top >= 0 && top < size;
                    const Index first = std::max<Index>(0, -left);
                    const Index last = inside ? std::min(kernel, size - left) : first;
                    visit(columns.row(y * out + x).data() + k * kernel * channels, first, last,
                          (top * size + left + first) * channels);
                }
    }
    void patches(const float* image, Matrix& columns) const {
        each_row(columns, [&](float* row, Index first, Index last, Index at) {
            if (last - first < kernel)
                std::fill(row, row + kernel * channels, 0.0F);
            if (last > first)
                std::memcpy(row + first * channels, image + at,
                            static_cast<std::size_t>((last - first) * channels) * sizeof(float));
        });
    }
    void add_patches(Matrix& columns, float* image) const {
        std::fill(image, image + size * size * channels, 0.0F);
        each_row(columns, [&](const float* row, Index first, Index last, Index at) {
            const Index n = (last - first) * channels;
            if (n > 0)
                Eigen::Map<Row>(image + at, n) += Eigen::Map<const Row>(row + first * channels, n);
        });
    }

    void forward(Index i, const float* input, Matrix& columns) {
        patches(input, columns);
        Map y(active.data() + i * out * out * filters, out * out, filters);
        y.noalias() = columns.topRows(out * out) * weights;
        y.rowwise() += bias;
        y = y.cwiseMax(0.0F);
        if (!pooled)
            return;
        for (Index py = 0; py < side; ++py)
            for (Index px = 0; px < side; ++px) {
                const Index at = 2 * py * out + 2 * px;
                Eigen::Map<Row>(pool.data() + ((i * side + py) * side + px) * filters, filters) =
                    y.row(at).cwiseMax(y.row(at + 1)).cwiseMax(y.row(at + out).cwiseMax(y.row(at + out + 1)));
            }
    }

    /// The gradient of the convolution's own output, from that of the stage's.
    void unpool(Index i, const float* output_gradient, Map& dy) const {
        const ConstMap y(active.data() + i * out * out * filters, out * out, filters);
        if (!pooled) {
            dy = (y.array() > 0).select(ConstMap(output_gradient, out * out, filters), 0.0F);
            return;
        }
        dy.setZero();
        for (Index py = 0; py < side; ++py)
            for (Index px = 0; px < side; ++px) {
                const Index at = 2 * py * out + 2 * px;
                const float* d = output_gradient + (py * side + px) * filters;
                const float* highest = pool.data() + ((i * side + py) * side + px) * filters;
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
    }

    /// From the gradient of the stage's output: that of the weights and bias is added, that of the input made
    /// where it is wanted.
    void backward(Index i, const float* input, const float* output_gradient, bool wanted, Matrix& columns,
                  Matrix& weight_gradient, Row& bias_gradient) {
        Map dy(active_gradient.data() + i * out * out * filters, out * out, filters);
        unpool(i, output_gradient, dy);
        patches(input, columns);
        weight_gradient.noalias() += columns.topRows(out * out).transpose() * dy;
        bias_gradient += dy.colwise().sum();
        if (!wanted)
            return;
        columns.topRows(out * out).noalias() = dy * weights.transpose();
        add_patches(columns, input_gradient.data() + i * size * size * channels);
    }
};

/// What an optimiser keeps of one variable.
struct Slots {
    Eigen::ArrayXf mean, square;
};

class Convolutional : public Training {
  public:
    Convolutional(ConvolutionalSettings settings, const FirstValues& first, int threads)
        : settings_(std::move(settings)), threads_(threads) {
        Index size = 28;
        Index channels = 1;
        for (const auto& [filters, padded, pooled] : settings_.convolutions) {
            const std::string name = stages_.empty() ? "conv2d" : "conv2d_" + std::to_string(stages_.size());
            Stage& stage = stages_.emplace_back(Stage{size, channels, filters, padded ? 1 : 0, pooled});
            stage.weights = ConstMap(first.at(name + "/kernel").data(), stage.patch, stage.filters);
            stage.bias = Eigen::Map<const Row>(first.at(name + "/bias").data(), stage.filters);
            stage.reserve(settings_.batch);
            size = stage.side;
            channels = stage.filters;
        }
        const Index features = stages_.back().outputs;
        dense_ = ConstMap(first.at("dense/kernel").data(), features, 10);
        dense_bias_ = Eigen::Map<const Row>(first.at("dense/bias").data(), 10);
        kept_.resize(settings_.batch, features);
        kept_gradient_.resize(settings_.batch, features);
        logits_.resize(settings_.batch, 10);
        gradient_.resize(settings_.batch, 10);
        for (int t = 0; t < threads; ++t) {
            Part& part = parts_.emplace_back();
            for (const Stage& stage : stages_)
                part.push_back({Matrix(stage.out * stage.out, stage.patch),
                                Matrix(stage.patch, stage.filters), Row(stage.filters)});
        }
    }

    float step(const Batch& batch) override {
        images_ = batch.samples.data();
        each_part([&](Part& part, Index begin, Index end) {
            for (Index i = begin; i < end; ++i)
                for (std::size_t s = 0; s < stages_.size(); ++s)
                    stages_[s].forward(i, input(s, i), part[s].columns);
        });
        const auto features = drop_out();
        logits_.noalias() = features * dense_;
        logits_.rowwise() += dense_bias_;
        const float loss = softmax_loss(logits_, batch.labels, gradient_);
        kept_gradient_.noalias() = gradient_ * dense_.transpose();
        if (settings_.dropout.rate > 0)
            kernels::best_kernels().dropout(mask(), kept_gradient_.data(), kept_gradient_.data(), 0,
                                            kept_gradient_.size());
        each_part([&](Part& part, Index begin, Index end) {
            for (PerStage& of : part) {
                of.weights.setZero();
                of.bias.setZero();
            }
            for (Index i = begin; i < end; ++i) {
                const float* gradient = kept_gradient_.row(i).data();
                for (std::size_t s = stages_.size(); s-- > 0;) {
                    Stage& stage = stages_[s];
                    stage.backward(i, input(s, i), gradient, s > 0, part[s].columns, part[s].weights,
                                   part[s].bias);
                    gradient = stage.input_gradient.data() + i * stage.size * stage.size * stage.channels;
                }
            }
        });
        ++step_;
        update(features);
        return loss;
    }

  private:
    struct PerStage {
        Matrix columns, weights;
        Row bias;
    };
    using Part = std::vector<PerStage>; ///< of one thread

    const float* input(std::size_t stage, Index i) const {
        return stage == 0 ? images_ + i * stages_[0].size * stages_[0].size : stages_[stage - 1].output(i);
    }
    kernels::DropoutMask mask() const {
        const DropoutSettings& dropout = settings_.dropout;
        return {dropout.seed, (dropout.salt << 40) ^ step_,
                static_cast<std::uint32_t>(dropout.rate * 4294967296.0),
                static_cast<float>(1.0 / (1.0 - dropout.rate))};
    }
    ConstMap drop_out() {
        const float* from = stages_.back().output(0);
        if (settings_.dropout.rate > 0)
            kernels::best_kernels().dropout(mask(), from, kept_.data(), 0, kept_.size());
        return {settings_.dropout.rate > 0 ? kept_.data() : from, kept_.rows(), kept_.cols()};
    }

    void update(const ConstMap& features) {
        next_slots_ = 0;
        if (settings_.adam) {
            dense_gradient_.noalias() = features.transpose() * gradient_;
            change(dense_, dense_gradient_);
        } else { // the product goes straight into the weights
            dense_.noalias() -= settings_.rate * (features.transpose() * gradient_);
        }
        change(dense_bias_, Row(gradient_.colwise().sum()));
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            PerStage& sum = parts_[0][s];
            for (std::size_t t = 1; t < parts_.size(); ++t) {
                sum.weights += parts_[t][s].weights;
                sum.bias += parts_[t][s].bias;
            }
            change(stages_[s].weights, sum.weights);
            change(stages_[s].bias, sum.bias);
        }
    }
    /// One variable by its gradient; always in the same order.
    template<class Values>
    void change(Values& values, const Values& gradient) {
        if (!settings_.adam) {
            values -= settings_.rate * gradient;
            return;
        }
        if (next_slots_ == slots_.size())
            slots_.push_back({Eigen::ArrayXf::Zero(values.size()), Eigen::ArrayXf::Zero(values.size())});
        Slots& slots = slots_[next_slots_++];
        const auto [beta_1, beta_2, epsilon] = *settings_.adam;
        const auto t = static_cast<float>(step_);
        const float rate = settings_.rate * std::sqrt(1 - std::pow(beta_2, t)) / (1 - std::pow(beta_1, t));
        const Eigen::Map<const Eigen::ArrayXf> g(gradient.data(), gradient.size());
        Eigen::Map<Eigen::ArrayXf> w(values.data(), values.size());
        slots.mean += (g - slots.mean) * (1 - beta_1);
        slots.square += (g.square() - slots.square) * (1 - beta_2);
        w -= rate * slots.mean / (slots.square.sqrt() + epsilon);
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
    std::vector<Stage> stages_;
    Matrix dense_, dense_gradient_, kept_, kept_gradient_, logits_, gradient_;
    Row dense_bias_;
    std::vector<Part> parts_;
    std::vector<Slots> slots_;
    std::size_t next_slots_ = 0;
    const float* images_ = nullptr; ///< of the step
    std::uint64_t step_ = 0;
};

} // namespace

std::unique_ptr<Training> eigen_convolutional(const ConvolutionalSettings& settings, const FirstValues& first,
                                              int threads) {
    return std::make_unique<Convolutional>(settings, first, threads);
}

} // namespace tilescope::bench
