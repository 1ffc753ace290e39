// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tilescope::bench {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::Matrix<float, 1, Eigen::Dynamic>;

/// The mean cross-entropy of logits [batch, classes], and its gradient.
inline float softmax_loss(const Matrix& logits, const std::vector<std::int32_t>& labels, Matrix& gradient) {
    const float share = 1.0F / static_cast<float>(logits.rows());
    float loss = 0;
    for (Eigen::Index i = 0; i < logits.rows(); ++i) {
        const float highest = logits.row(i).maxCoeff();
        gradient.row(i) = (logits.row(i).array() - highest).exp();
        const float sum = gradient.row(i).sum();
        const auto label = labels[static_cast<std::size_t>(i)];
        loss += std::log(sum) - (logits(i, label) - highest);
        gradient.row(i) *= share / sum;
        gradient(i, label) -= share;
    }
    return loss * share;
}

} // namespace tilescope::bench
