// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <QString>
#include <cstdint>
#include <vector>

class QComboBox;

namespace tilescope::ui {

std::vector<std::int64_t> idsOf(const std::vector<profile::IpuRecord>& ipus);
/// Fills a box with IPUs, after an entry for all of them where there are several; the data of each is its
/// number, of all analyse::every_ipu. A box that has them already stays as it is.
void offerIpus(QComboBox& box, const QString& all, const std::vector<std::int64_t>& ipus);
/// What is wrong with a number that was typed: "IPU 4: this run has IPUs 0 to 3"; "": it is one of them.
QString noSuchIpu(std::int64_t ipu, const std::vector<std::int64_t>& ipus);

} // namespace tilescope::ui
