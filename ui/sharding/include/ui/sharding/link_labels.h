// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/sharding/system_layout.h"

#include <QFont>
#include <QString>
#include <cstddef>
#include <set>
#include <vector>

namespace tilescope::ui {

/// The figures that stand beside an arrow.
struct LinkLabel {
    std::size_t arrow = 0; ///< index in SystemLayout::arrows
    QString bytes;
    QString time;       ///< or cycles, as is wanted; "" between small boxes, but of `always`
    QRectF bytes_place; ///< in which the text is centred
    QRectF time_place;
    bool on_paper = false; ///< has no place beside its arrow: what lies below it shows through a little
};

/// Places for the labels of these arrows, clear of all boxes, arrows, names of replicas (`taken`) and of each
/// other: between two boxes at both sides of the arrow, else close to it somewhere along its way, else, where
/// boxes are small, on the arrow itself and no other. Those of most bytes have the first choice. An arrow
/// that has no place is left out, unless it is one of `always`. `font`: of the labels.
std::vector<LinkLabel> linkLabels(const SystemMap& map, const SystemLayout& layout, const QFont& font,
                                  std::vector<QRectF> taken, const std::set<std::size_t>& arrows,
                                  const std::set<std::size_t>& always);

} // namespace tilescope::ui
