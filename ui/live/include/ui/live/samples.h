// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QStringList>

namespace tilescope::ui {

/// Where the samples are: beside the program as it is installed, or in the tree that it was built in.
QDir samplesFolder();
/// Paths of the files there that may be workloads, in the order of their names.
QStringList sampleFiles();

} // namespace tilescope::ui
