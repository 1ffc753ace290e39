// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "virtual_table.h"

namespace tilescope::profile {

/// The function tile_regions(ipu, tile). No rows where the tile holds nothing, or where addresses or the
/// regions of its memory are not recorded.
class TileRegionRows : public RowsOf<TileRegionRow> {
  public:
    explicit TileRegionRows(std::vector<TileRegionRow> rows) : rows_(std::move(rows)) {}
    static Result<std::unique_ptr<Rows>> open(const Scan& scan);

  private:
    Result<const TileRegionRow*> next_row() override { return at_ < rows_.size() ? &rows_[at_++] : nullptr; }

    std::vector<TileRegionRow> rows_;
    std::size_t at_ = 0;
};

} // namespace tilescope::profile
