// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/query/answer_bars.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollArea>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr int margin = 12;
constexpr int gap = 8;

} // namespace

AnswerBars::AnswerBars(QWidget* parent) : QWidget(parent) {
    makeChart(this, tr("Answer as bars"), AnswerBars::sizeHint(),
              [this](QChar separator) { return toText(separator); });
}

void AnswerBars::setBars(const QString& of, std::vector<Bar> bars, bool with_base) {
    of_ = of;
    bars_ = std::move(bars);
    with_base_ = with_base;
    current_ = -1;
    least_ = most_ = 0;
    for (const Bar& bar : bars_)
        for (const auto& value : {bar.value, bar.base}) {
            least_ = std::min(least_, value.value_or(0));
            most_ = std::max(most_, value.value_or(0));
        }
    if (least_ == most_)
        most_ = 1;
    measure();
    update();
}

/// Names have as much room as they need, up to two fifths of it.
void AnswerBars::measure() {
    names_ = numbers_ = 0;
    for (const Bar& bar : bars_) {
        names_ = std::max(names_, fontMetrics().horizontalAdvance(bar.name));
        for (const auto& value : {bar.value, bar.base})
            if (value)
                numbers_ = std::max(numbers_, fontMetrics().horizontalAdvance(formatNumber(*value)));
    }
    setMinimumHeight(sizeHint().height()); // what is around it scrolls
}

int AnswerBars::rowHeight() const {
    return fontMetrics().height() * (with_base_ ? 5 : 3) / 2;
}

QSize AnswerBars::sizeHint() const {
    return {240, static_cast<int>(bars_.size()) * rowHeight() + 2 * gap};
}

double AnswerBars::place(double value) const {
    const int left = margin + std::min(names_, width() * 2 / 5) + gap;
    const int right = width() - margin - numbers_ - gap;
    return left + (value - least_) / (most_ - least_) * std::max(1, right - left);
}

QRect AnswerBars::lineOf(double from, double to, int row, bool base) const {
    const int line = (rowHeight() - gap) / (with_base_ ? 2 : 1);
    const int top = gap + row * rowHeight() + gap / 2 + (base ? line : 0);
    const double left = std::min(place(from), place(to));
    const double right = std::max(place(from), place(to));
    return {static_cast<int>(std::floor(left)), top,
            std::max(from == to ? 0 : 2, static_cast<int>(std::lround(right - left))), line - 1};
}

QRect AnswerBars::barOf(std::size_t bar) const {
    return lineOf(0, bars_[bar].value.value_or(0), static_cast<int>(bar), false);
}

QString AnswerBars::toText(QChar separator) const {
    QStringList heads{tr("name"), of_};
    if (with_base_)
        heads << tr("%1, base").arg(of_);
    QString lines = tableLine(heads, separator);
    const auto exact = [](const std::optional<double>& value) {
        return value ? QString::number(*value, 'g', 15) : QString();
    };
    for (const Bar& bar : bars_) {
        QStringList cells{bar.name, exact(bar.value)};
        if (with_base_)
            cells << exact(bar.base);
        lines += tableLine(cells, separator);
    }
    return lines;
}

void AnswerBars::paintEvent(QPaintEvent* event) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    const int height = rowHeight();
    const int first = std::max(0, (event->rect().top() - gap) / height);
    const int last = std::min(static_cast<int>(bars_.size()) - 1, (event->rect().bottom() - gap) / height);
    const int room = std::min(names_, width() * 2 / 5);
    const int zero = static_cast<int>(std::lround(place(0)));
    painter.setPen(theme.grid);
    painter.drawLine(zero, event->rect().top(), zero, event->rect().bottom());
    for (int i = first; i <= last; ++i) {
        const Bar& bar = bars_[static_cast<std::size_t>(i)];
        const QRect row(0, gap + i * height, width(), height);
        if (i == current_)
            painter.fillRect(row, theme.accent_soft);
        painter.setPen(theme.text);
        painter.drawText(QRect(margin, row.top(), room, height), Qt::AlignVCenter | Qt::AlignRight,
                         fontMetrics().elidedText(bar.name, Qt::ElideMiddle, room));
        const auto draw = [&](const std::optional<double>& value, bool base) {
            const QRect line = lineOf(0, value.value_or(0), i, base);
            const QColor full = theme.seriesColor(0);
            if (value)
                painter.fillRect(line, base ? ChartStyle::mixed(theme.panel, full, 0.5) : full);
            painter.setPen(base ? theme.muted : theme.text);
            painter.drawText(QRect(width() - margin - numbers_, line.top(), numbers_, line.height() + 1),
                             Qt::AlignVCenter | Qt::AlignRight,
                             value ? formatNumber(*value) : QStringLiteral("–"));
        };
        draw(bar.value, false);
        if (with_base_)
            draw(bar.base, true);
        if (i == current_ && hasFocus()) {
            painter.setPen(QPen(theme.accent, 2));
            painter.drawRect(row.adjusted(1, 1, -2, -2));
        }
    }
}

void AnswerBars::choose(std::ptrdiff_t bar) {
    if (bar < 0 || bar >= std::ssize(bars_))
        return;
    current_ = bar;
    for (QWidget* above = parentWidget(); above != nullptr; above = above->parentWidget())
        if (auto* scrolls = qobject_cast<QScrollArea*>(above))
            scrolls->ensureVisible(0, gap + static_cast<int>(bar) * rowHeight() + rowHeight() / 2, 0,
                                   rowHeight());
    update();
    Q_EMIT chosen(bars_[static_cast<std::size_t>(bar)].row);
}

void AnswerBars::chooseFor(const QPoint& menu) {
    if (menu.y() >= gap)
        choose((menu.y() - gap) / rowHeight());
}

QPoint AnswerBars::cursorPlace() const {
    return current_ < 0
               ? visibleRegion().boundingRect().center()
               : QPoint(width() / 2, gap + static_cast<int>(current_) * rowHeight() + rowHeight() / 2);
}

void AnswerBars::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        chooseFor(event->position().toPoint());
}

void AnswerBars::mouseDoubleClickEvent(QMouseEvent* event) {
    mousePressEvent(event);
    if (current_ >= 0)
        Q_EMIT activated(bars_[static_cast<std::size_t>(current_)].row);
}

void AnswerBars::keyPressEvent(QKeyEvent* event) {
    const std::ptrdiff_t last = std::ssize(bars_) - 1;
    switch (event->key()) {
    case Qt::Key_Down:
        return choose(std::min(last, current_ + 1));
    case Qt::Key_Up:
        return choose(std::max<std::ptrdiff_t>(0, current_ - 1));
    case Qt::Key_Home:
        return choose(0);
    case Qt::Key_End:
        return choose(last);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current_ >= 0)
            Q_EMIT activated(bars_[static_cast<std::size_t>(current_)].row);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void AnswerBars::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        measure();
}

bool AnswerBars::event(QEvent* event) {
    const bool tip = showTip(event, this, [this](const QPoint& at) {
        const auto bar = static_cast<std::size_t>(std::max(0, at.y() - gap) / rowHeight());
        if (bar >= bars_.size())
            return QString();
        const Bar& told = bars_[bar];
        QString text = inHtml(QStringLiteral("<b>%1</b><br>%2: %3"),
                              {told.name, of_, told.value ? formatNumber(*told.value) : QStringLiteral("–")});
        if (with_base_)
            text += inHtml(tr("<br>base: %1"), {told.base ? formatNumber(*told.base) : QStringLiteral("–")});
        return text;
    });
    return tip || QWidget::event(event);
}

} // namespace tilescope::ui
