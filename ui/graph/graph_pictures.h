// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/graph_coloring.h"
#include "ui/theme/theme.h"

#include <QFont>
#include <QImage>

namespace tilescope::ui {

/// The whole drawing at twice its size, or as large as a picture may be.
QImage graphImage(const OperationGraph& graph, const GraphScene& scene, const Theme& theme, const QFont& font,
                  const GraphScale& shades);
/// Writes it as SVG or PNG, by the ending of `path`. Errors: System where it cannot be written.
Result<void> writePicture(const OperationGraph& graph, const GraphScene& scene, const Theme& theme,
                          const QFont& font, const GraphScale& shades, const QString& path);
/// A line for each operation that is drawn or folded, cells parted by the separator, with a header. Cycles
/// are per what the boxes have them per (shownBasis).
QString operationsText(const OperationGraph& graph, const GraphBaseline* base, QChar separator);
/// The same as CSV. Errors: System where it cannot be written.
Result<void> writeOperations(const OperationGraph& graph, const GraphBaseline* base, const QString& path);
/// Writes all operations in Graphviz's language.
Result<void> writeDot(const profile::Profile& file, const QString& path);

} // namespace tilescope::ui
