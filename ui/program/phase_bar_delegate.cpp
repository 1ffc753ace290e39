// SPDX-License-Identifier: GPL-3.0-or-later
#include "phase_bar_delegate.h"

#include "ui/program/program_model.h"
#include "ui/theme/chart_style.h"

#include <QPainter>
#include <QPainterPath>

namespace tilescope::ui {

void PhaseBarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const ChartStyle style(option.widget);
    const auto cycles = index.data(ProgramModel::PhasesRole).value<profile::PhaseCycles>();
    const double share = index.data(ProgramModel::ShareRole).toDouble();
    const int figure = option.fontMetrics.horizontalAdvance(QStringLiteral("100.0 % ")) + 12;
    QRectF bar(option.rect.adjusted(8, 0, -figure, 0));
    const double height = option.fontMetrics.height() * 0.55;
    bar = QRectF(bar.left(), bar.center().y() - height / 2, bar.width(), height);
    if (bar.width() <= 4 || cycles.total() == 0)
        return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    QPainterPath clip;
    clip.addRoundedRect(bar, 2.5, 2.5);
    painter->setClipPath(clip, Qt::IntersectClip);
    painter->fillRect(bar, Theme::of(option.widget).grid);
    const double whole = share > 0 ? std::max(2.0, bar.width() * share) : 0; // what is not nothing is seen
    double x = bar.left();
    for (const auto& [value, color] :
         {std::pair{cycles.compute, style.compute}, std::pair{cycles.exchange, style.exchange},
          std::pair{cycles.inter_ipu, style.inter_ipu}, std::pair{cycles.sync, style.sync},
          std::pair{cycles.host, style.host}}) {
        const double width = whole * static_cast<double>(value) / static_cast<double>(cycles.total());
        painter->fillRect(QRectF(x, bar.top(), width, bar.height()), color);
        x += width;
    }
    painter->restore();
}

} // namespace tilescope::ui
