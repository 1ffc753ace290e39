// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/phase_legend.h"

#include "ui/widgets/timeline_style.h"

#include <QPainter>
#include <utility>

namespace tilescope::ui {

PhaseLegend::PhaseLegend(QWidget* parent) : QWidget(parent) {}

QSize PhaseLegend::sizeHint() const {
    return {fontMetrics().horizontalAdvance(tr("compute exchange inter-IPU sync host")) +
                fontMetrics().height() * 8,
            fontMetrics().height() + 4};
}

void PhaseLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const TimelineStyle style(this);
    int x = 0;
    const int box = fontMetrics().height() * 5 / 8;
    for (const auto& [name, colour] :
         {std::pair{tr("compute"), style.compute}, std::pair{tr("exchange"), style.exchange},
          std::pair{tr("inter-IPU"), style.inter_ipu}, std::pair{tr("sync"), style.sync},
          std::pair{tr("host"), style.host}}) {
        painter.fillRect(x, (height() - box) / 2, box, box, colour);
        painter.setPen(style.muted);
        painter.drawText(QRect(x + box + 5, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += box + 5 + fontMetrics().horizontalAdvance(name) + fontMetrics().height();
    }
}

} // namespace tilescope::ui
