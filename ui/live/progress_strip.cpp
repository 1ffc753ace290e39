// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress_strip.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"

#include <QPainter>
#include <QPainterPath>

namespace tilescope::ui {
namespace {
constexpr double bar_height = 10;
constexpr double widest_gap = 4;
} // namespace

ProgressStrip::ProgressStrip(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Progress of the run"));
}

void ProgressStrip::setStages(std::vector<Stage> stages, profile::RunStatus status) {
    stages_ = std::move(stages);
    status_ = status;
    QStringList told;
    for (const Stage& stage : stages_)
        told << textOf(stage);
    setAccessibleDescription(told.join(QStringLiteral("; ")));
    update();
}

QString ProgressStrip::textOf(const Stage& stage) {
    return QStringLiteral("%1: %2").arg(stage.name, formatPercent(stage.done));
}

QSize ProgressStrip::sizeHint() const {
    return {400, static_cast<int>(bar_height) + 8 + fontMetrics().height()};
}

QRectF ProgressStrip::partOf(std::size_t stage) const {
    const auto count = static_cast<double>(stages_.size());
    const double gap = std::min(widest_gap, width() / count / 4);
    const double part = (width() + gap) / count;
    return {static_cast<double>(stage) * part, 0, part - gap, bar_height};
}

void ProgressStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = Theme::of(this);
    const QColor stopped = status_ == profile::RunStatus::Cancelled ? theme.warning : theme.bad;
    double free_from = 0; // labels that do not fit beside the one before are left out
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        const Stage& stage = stages_[i];
        const QRectF part = partOf(i);
        QPainterPath shape;
        const double radius = std::min(bar_height, part.width()) / 2;
        shape.addRoundedRect(part, radius, radius);
        painter.fillPath(shape, theme.waiting);
        QRectF full = part;
        full.setWidth(part.width() * stage.done);
        painter.save();
        painter.setClipPath(shape);
        painter.fillRect(full, stage.state == Stage::State::Stopped      ? stopped
                               : status_ == profile::RunStatus::Complete ? theme.good
                                                                         : theme.accent);
        painter.restore();
        if (stage.state == Stage::State::Stopped && stage.done == 0)
            painter.strokePath(shape, QPen(stopped, 1));
        const bool here = stage.state == Stage::State::Current || stage.state == Stage::State::Stopped;
        QFont label = font();
        label.setPointSizeF(font().pointSizeF() - 1);
        label.setWeight(here ? QFont::DemiBold : QFont::Normal);
        painter.setFont(label);
        const double wide = painter.fontMetrics().horizontalAdvance(stage.name);
        double x = part.center().x() - wide / 2;
        if (wide > part.width())
            x = std::clamp(x, 0.0, std::max(width() - wide, 0.0));
        if (x < free_from)
            continue;
        painter.setPen(stage.state == Stage::State::Stopped ? stopped : here ? theme.text : theme.muted);
        painter.drawText(QPointF(x, bar_height + 6 + painter.fontMetrics().ascent()), stage.name);
        free_from = x + wide + 8;
    }
}

bool ProgressStrip::event(QEvent* event) {
    const auto text = [this](const QPoint& point) {
        for (std::size_t i = 0; i < stages_.size(); ++i)
            if (const QRectF part = partOf(i); point.x() >= part.left() && point.x() <= part.right())
                return textOf(stages_[i]);
        return QString();
    };
    return showTip(event, this, text) || QWidget::event(event);
}

} // namespace tilescope::ui
