// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::analyse {

using MetricValues =
    std::vector<std::pair<std::string, double>>; ///< with the names that frameworks give them

/// The loss of the model, or of one of its outputs; others are metrics.
bool is_loss(const std::string& name);
/// How many of all were right: an accuracy of any kind ("accuracy", "class_binary_accuracy", "acc"), a
/// precision, a recall; also with the number that tells it from another ("recall_1").
bool is_share(const std::string& name);
/// The first that is no loss, or "".
std::string first_metric(const std::vector<std::string>& names);
std::string first_metric(const MetricValues& values);
/// That of a name; nullopt: there is none.
std::optional<double> metric_value(const MetricValues& all, const std::string& name);
/// Of a loss or a metric: "97.5 %" of a share, "0.0312" of others.
std::string metric_text(const std::string& name, double value);
/// As a title: "Binary accuracy" of "binary_accuracy".
std::string metric_title(const std::string& name);

} // namespace tilescope::analyse
