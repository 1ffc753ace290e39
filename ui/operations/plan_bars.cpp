// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_bars.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QPainter>
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tilescope::ui {
namespace {

using analyse::TimeKind;

constexpr int margin = 12;
constexpr std::size_t most_bars = 8; ///< of plans; the table has all

} // namespace

PlanBars::PlanBars(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("planBars"));
    setAccessibleName(tr("Plans, item by item"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    addChartActions(this, tr("Plans"), [this](QChar separator) { return toText(separator); });
}

void PlanBars::setPlans(const std::vector<analyse::PlanChoice>& plans,
                        const std::optional<profile::PhaseCycles>& emitted, double clock_hz) {
    clock_hz_ = clock_hz;
    bars_.clear();
    most_ = 0;
    const bool several = !plans.empty() && plans.front().product != plans.back().product;
    for (const analyse::PlanChoice& plan : plans) {
        if (bars_.size() == most_bars)
            break;
        const QString name =
            several ? QStringLiteral("%1: %2").arg(text(plan.product).section(u'/', -1), text(plan.summary))
                    : text(plan.summary);
        addBar(name, plan.rank == 0, plan.items, plan.cycles);
        if (!plan.placed.empty())
            addBar(tr("with its operands where they lie"), true, plan.placed, plan.placed_cycles());
    }
    if (emitted && !bars_.empty()) {
        Bar bar{tr("what was made of it"), false, {}, emitted->total()};
        for (const auto& [name, cycles, kind] :
             {std::tuple(tr("exchange"), emitted->exchanged(), TimeKind::Exchange),
              std::tuple(tr("compute"), emitted->compute, TimeKind::Compute),
              std::tuple(tr("sync"), emitted->sync, TimeKind::Sync)})
            if (cycles > 0)
                bar.pieces.push_back({name, cycles, kind, 0});
        most_ = std::max(most_, bar.cycles);
        bars_.push_back(std::move(bar));
    }
    QStringList told;
    for (const Bar& bar : bars_)
        told << tr("%1: %2").arg(bar.name, formatTime(bar.cycles, clock_hz_));
    setAccessibleDescription(told.join(QStringLiteral("; ")));
    setVisible(!bars_.empty());
    updateGeometry();
    update();
}

void PlanBars::addBar(const QString& name, bool chosen, const std::vector<analyse::PlanChoice::Item>& items,
                      std::int64_t cycles) {
    Bar bar{name, chosen, {}, cycles};
    std::map<TimeKind, int> of_kind; // the same shade of an item in all plans
    for (const analyse::PlanChoice::Item& item : items) {
        const int shade = of_kind[item.kind]++;
        if (item.cycles > 0)
            bar.pieces.push_back({text(item.name), item.cycles, item.kind, shade});
    }
    most_ = std::max(most_, bar.cycles);
    bars_.push_back(std::move(bar));
}

QString PlanBars::toText(QChar separator) const {
    QString all = tableLine({tr("plan"), tr("item"), tr("cycles")}, separator);
    for (const Bar& bar : bars_)
        for (const Piece& piece : bar.pieces)
            all += tableLine({bar.name, piece.name, QString::number(piece.cycles)}, separator);
    return all;
}

int PlanBars::rowHeight() const {
    return fontMetrics().height() + 8;
}

QSize PlanBars::sizeHint() const {
    return {480, static_cast<int>(bars_.size()) * rowHeight() + 8};
}

QRectF PlanBars::barRect(std::size_t row) const {
    int names = 0, figures = 0;
    for (const Bar& bar : bars_) {
        names = std::max(names, fontMetrics().horizontalAdvance(bar.name));
        figures = std::max(figures, fontMetrics().horizontalAdvance(formatTime(bar.cycles, clock_hz_)));
    }
    const double left = margin + std::min(names + fontMetrics().averageCharWidth() * 2, width() / 3) + 8;
    return {left, 4.0 + static_cast<double>(row) * rowHeight() + 3, width() - left - figures - margin - 8,
            rowHeight() - 6.0};
}

QRectF PlanBars::pieceRect(std::size_t row, std::size_t piece) const {
    const QRectF whole = barRect(row);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < piece; ++i)
        before += bars_[row].pieces[i].cycles;
    const double scale = whole.width() / static_cast<double>(std::max<std::int64_t>(1, most_));
    return {whole.left() + static_cast<double>(before) * scale, whole.top(),
            static_cast<double>(bars_[row].pieces[piece].cycles) * scale, whole.height()};
}

QColor PlanBars::colorOf(const Piece& piece, const Theme& theme) {
    constexpr double paler = 0.24; // each further one of a kind
    const QColor full = piece.kind == TimeKind::Sync       ? theme.sync
                        : piece.kind == TimeKind::Exchange ? theme.exchange
                                                           : theme.compute;
    return ChartStyle::mixed(full, theme.panel, std::min(0.72, paler * piece.shade));
}

QString PlanBars::textAt(const QPoint& at) const {
    for (std::size_t row = 0; row < bars_.size(); ++row)
        for (std::size_t i = 0; i < bars_[row].pieces.size(); ++i)
            if (pieceRect(row, i).contains(at)) {
                const Piece& piece = bars_[row].pieces[i];
                return tr("%1\n%2: %3 of %4")
                    .arg(bars_[row].name, piece.name, formatTime(piece.cycles, clock_hz_),
                         formatTime(bars_[row].cycles, clock_hz_));
            }
    return {};
}

void PlanBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.fillRect(rect(), theme.panel);
    for (std::size_t row = 0; row < bars_.size(); ++row) {
        const Bar& bar = bars_[row];
        const QRectF whole = barRect(row);
        QFont font = painter.font();
        font.setWeight(bar.chosen ? QFont::DemiBold : QFont::Normal);
        painter.setFont(font);
        painter.setPen(bar.chosen ? theme.text : theme.muted);
        const double room = whole.left() - margin - 8;
        painter.drawText(QRectF(margin, whole.top(), room, whole.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(font).elidedText(bar.name, Qt::ElideMiddle, room));
        for (std::size_t i = 0; i < bar.pieces.size(); ++i) {
            const QRectF piece = pieceRect(row, i);
            const QColor fill = colorOf(bar.pieces[i], theme);
            painter.fillRect(piece.adjusted(0, 0, piece.width() > 3 ? -1 : 0, 0), fill);
            const QString both =
                QStringLiteral("%1 %2").arg(bar.pieces[i].name, formatTime(bar.pieces[i].cycles, clock_hz_));
            for (const QString& name : {both, bar.pieces[i].name})
                if (QFontMetricsF(font).horizontalAdvance(name) + 8 <= piece.width()) {
                    painter.setPen(ChartStyle::textOn(fill));
                    painter.drawText(piece, Qt::AlignCenter, name);
                    break;
                }
        }
        painter.setPen(bar.chosen ? theme.text : theme.muted);
        const QRectF end = bar.pieces.empty() ? QRectF(whole.topLeft(), QSizeF(0, whole.height()))
                                              : pieceRect(row, bar.pieces.size() - 1);
        painter.drawText(QRectF(end.right() + 6, whole.top(), width() - end.right() - 6, whole.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, formatTime(bar.cycles, clock_hz_));
        font.setWeight(QFont::Normal);
        painter.setFont(font);
    }
}

bool PlanBars::event(QEvent* event) {
    return showTip(event, this, [this](const QPoint& point) { return textAt(point); }) ||
           QWidget::event(event);
}

} // namespace tilescope::ui
