// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/tile_contents.h"

#include <QTreeWidget>
#include <vector>

namespace tilescope::ui {

/// The bytes of tiles as a tree: with gaps, what is live, by region and by category; one column for each tile
/// where they are few, with their difference where they are two.
class CategoryTree : public QTreeWidget {
    Q_OBJECT
  public:
    explicit CategoryTree(QWidget* parent = nullptr);
    /// `columns`: the tiles; none: one sum over `tiles` tiles.
    void show(const std::vector<analyse::MemoryNode>& nodes, const std::vector<std::int64_t>& columns,
              std::int64_t tiles);

  private:
    QString toText(QChar separator) const;
};

} // namespace tilescope::ui
