// SPDX-License-Identifier: GPL-3.0-or-later
#include "eigen_softmax.h"
#include "training.h"

namespace tilescope::bench {
namespace {

class Dense : public Training {
  public:
    Dense(DenseSettings settings, const FirstValues& first, int threads)
        : settings_(std::move(settings)), threads_(threads) {
        for (std::size_t l = 0; l + 1 < settings_.widths.size(); ++l) {
            const std::string name = l == 0 ? "dense" : "dense_" + std::to_string(l);
            const Eigen::Index in = settings_.widths[l];
            const Eigen::Index out = settings_.widths[l + 1];
            Layer layer;
            layer.kernel = Eigen::Map<const Matrix>(first.at(name + "/kernel").data(), in, out);
            layer.bias = Eigen::Map<const Row>(first.at(name + "/bias").data(), out);
            layer.kernel_square = Matrix::Zero(in, out);
            layer.bias_square = Row::Zero(out);
            layer.kernel_gradient.resize(in, out);
            layer.output.resize(settings_.batch, out);
            layer.gradient.resize(settings_.batch, out);
            layers_.push_back(std::move(layer));
        }
    }

    float step(const Batch& batch) override {
        Eigen::setNbThreads(threads_);
        const Eigen::Map<const Matrix> x(batch.samples.data(), settings_.batch, settings_.widths[0]);
        for (std::size_t l = 0; l < layers_.size(); ++l) {
            Layer& layer = layers_[l];
            if (l == 0)
                layer.output.noalias() = x * layer.kernel;
            else
                layer.output.noalias() = layers_[l - 1].output * layer.kernel;
            layer.output.rowwise() += layer.bias;
            if (l + 1 < layers_.size())
                layer.output = layer.output.cwiseMax(0.0F);
        }
        const float loss = softmax_loss(layers_.back().output, batch.labels, layers_.back().gradient);
        for (std::size_t l = layers_.size(); l-- > 0;) {
            Layer& layer = layers_[l];
            if (l > 0) {
                Layer& before = layers_[l - 1];
                before.gradient.noalias() = layer.gradient * layer.kernel.transpose();
                before.gradient = (before.output.array() > 0).select(before.gradient, 0.0F);
                update(layer, before.output);
            } else {
                update(layer, x);
            }
        }
        return loss;
    }

  private:
    struct Layer {
        Matrix kernel, kernel_square, kernel_gradient;
        Row bias, bias_square;
        Matrix output, gradient;
    };

    template<class Input>
    void update(Layer& layer, const Input& input) {
        const Row bias_gradient = layer.gradient.colwise().sum();
        if (!settings_.rmsprop) { // the product goes straight into the weights
            layer.kernel.noalias() -= settings_.rate * (input.transpose() * layer.gradient);
            layer.bias -= settings_.rate * bias_gradient;
            return;
        }
        layer.kernel_gradient.noalias() = input.transpose() * layer.gradient;
        rmsprop(layer.kernel.array(), layer.kernel_square.array(), layer.kernel_gradient.array());
        rmsprop(layer.bias.array(), layer.bias_square.array(), bias_gradient.array());
    }

    template<class Values, class Gradient>
    void rmsprop(Values&& w, Values&& s, const Gradient& g) {
        s = settings_.rho * s + (1 - settings_.rho) * g.square();
        w -= settings_.rate * g / (s.sqrt() + settings_.epsilon);
    }

    DenseSettings settings_;
    int threads_;
    std::vector<Layer> layers_;
};

} // namespace

std::unique_ptr<Training> eigen_dense(const DenseSettings& settings, const FirstValues& first, int threads) {
    return std::make_unique<Dense>(settings, first, threads);
}

} // namespace tilescope::bench
