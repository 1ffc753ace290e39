// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/tiles/bytes_matrix.h"

namespace tilescope::ui {

/// What each tile sends to each other. A click or Enter chooses the receiving tiles of a cell, with Ctrl the
/// sending ones.
class TileMatrix : public BytesMatrix {
    Q_OBJECT
  public:
    explicit TileMatrix(QWidget* parent = nullptr);

  Q_SIGNALS:
    void tilesSelected(const std::vector<std::int64_t>& tiles);

  protected:
    QString nameOf(Range range) const override;
    QString cellText(std::int64_t block) const override;
    QStringList ends() const override;
    void cellChosen(Range from, Range to, bool other) override;
    void allChosen() override { Q_EMIT tilesSelected({}); }
};

} // namespace tilescope::ui
