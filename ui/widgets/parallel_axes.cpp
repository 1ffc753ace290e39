// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parallel_axes.h"

#include "ui/session/format.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/geometry.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_keys.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollArea>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr double far_apart = 50; ///< numbers that are more so stand by their logarithms
constexpr double line_reach = 6; ///< pixels from a line or an axis at which the pointer is on it
constexpr double drag_length = 4;
constexpr double dimmed = 0.12;
constexpr int least_letters = 14; ///< an axis is as wide as so many
constexpr int most_title_lines = 3;
constexpr int title_flags = Qt::AlignHCenter | Qt::AlignBottom | Qt::TextWordWrap;
constexpr std::size_t smooth_lines = 1500; ///< more take too long to smooth

QFont demiBold(QFont font) {
    font.setWeight(QFont::DemiBold);
    return font;
}

/// A title may break after the signs between the words of a key, too.
QString wrapped(QString title) {
    for (const QChar sign : {QLatin1Char('_'), QLatin1Char('.'), QLatin1Char('/')})
        title.replace(sign, QString(sign) + QChar(0x200B));
    return title;
}

QColor faded(QColor color, double alpha) {
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

} // namespace

ParallelAxes::ParallelAxes(const QString& name, QString item, QWidget* parent)
    : QWidget(parent), item_(std::move(item)) {
    makeChart(this, name, {0, 160}, [this](QChar separator) { return toText(separator); });
    tellKeys(this, name,
             {{tr("Left, Right"), tr("to the axis beside")},
              {tr("Up, Down"), tr("moves the range of the axis; with Shift its other end")},
              {tr("Del"), tr("takes the range of the axis away")},
              {tr("0"), tr("takes all ranges away")},
              {tr("Return"), tr("opens the chosen one")}});
}

void ParallelAxes::setNothing(const QString& text) {
    nothing_ = text;
    update();
}

/// Ranges stay with axes of the same title: more lines may have come.
void ParallelAxes::setLines(std::vector<ParallelAxis> axes, std::vector<ParallelLine> lines) {
    std::vector<std::optional<Range>> ranges(axes.size());
    for (std::size_t a = 0; a < axes.size(); ++a)
        for (std::size_t old = 0; old < axes_.size(); ++old)
            if (axes_[old].title == axes[a].title)
                ranges[a] = ranges_[old];
    axes_ = std::move(axes);
    lines_ = std::move(lines);
    ranges_ = std::move(ranges);
    hovered_ = nullptr;
    pressed_.reset();
    focused_ = std::min(focused_, axes_.empty() ? 0 : axes_.size() - 1);
    scales_.clear();
    for (std::size_t a = 0; a < axes_.size(); ++a)
        scales_.push_back(scaleOf(a));
    measure();
    lines_picture_ = {};
    setAccessibleDescription(tr("%1 over %2")
                                 .arg(formatCounted(lines_.size(), tr("line"), tr("lines")),
                                      formatCounted(axes_.size(), tr("axis"), tr("axes"))));
    update();
}

void ParallelAxes::setChosen(std::set<std::int64_t> keys) {
    chosen_ = std::move(keys);
    update();
}

QString ParallelAxes::toText(QChar separator) const {
    QStringList head{item_};
    for (const ParallelAxis& axis : axes_)
        head << axis.title;
    QString text = tableLine(head, separator);
    for (const ParallelLine& line : lines_) {
        QStringList cells{line.tip.section(QLatin1Char('\n'), 0, 0)};
        for (std::size_t a = 0; a < axes_.size(); ++a)
            cells << (!line.values[a]            ? QString()
                      : axes_[a].words.isEmpty() ? QString::number(*line.values[a])
                                                 : textOf(a, *line.values[a]));
        text += tableLine(cells, separator);
    }
    return text;
}

double ParallelAxes::Scale::share(double value) const {
    if (to <= from)
        return 0.5; // all are the same
    return logarithmic ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
}

ParallelAxes::Scale ParallelAxes::scaleOf(std::size_t axis) const {
    std::optional<Scale> scale;
    for (const ParallelLine& line : lines_)
        if (const auto value = line.values[axis]) {
            if (!scale)
                scale = Scale{*value, *value, false};
            scale->from = std::min(scale->from, *value);
            scale->to = std::max(scale->to, *value);
        }
    if (!scale)
        return {};
    scale->logarithmic =
        axes_[axis].words.isEmpty() && scale->from > 0 && scale->to / scale->from > far_apart;
    return *scale;
}

QString ParallelAxes::textOf(std::size_t axis, double value) const {
    const ParallelAxis& of = axes_[axis];
    if (of.words.isEmpty())
        return of.text ? of.text(value) : QString::number(value);
    const auto word = static_cast<qsizetype>(std::lround(value));
    return word >= 0 && word < of.words.size() ? of.words[word] : QString();
}

/// Titles wrap where their words end, which fit; what is around the chart scrolls where axes would be too
/// close.
void ParallelAxes::measure() {
    const QFontMetricsF bold(demiBold(font()));
    double least = least_letters * fontMetrics().averageCharWidth();
    static const QRegularExpression ends(QStringLiteral("[\\s\\x{200B}]"));
    for (const ParallelAxis& axis : axes_)
        for (const QString& word : wrapped(axis.title).split(ends))
            least = std::max(least, bold.horizontalAdvance(word) + 10);
    setMinimumWidth(static_cast<int>(static_cast<double>(axes_.size()) * least) + 20);
    title_lines_ = 1;
    for (const ParallelAxis& axis : axes_) {
        const QRectF room(0, 0, std::max(1.0, widthOfAxis()), 1000);
        const double high = bold.boundingRect(room, title_flags, wrapped(axis.title)).height();
        title_lines_ = std::max(title_lines_, static_cast<int>(std::lround(high / bold.lineSpacing())));
    }
    title_lines_ = std::min(title_lines_, most_title_lines);
}

double ParallelAxes::widthOfAxis() const {
    return plot().width() / static_cast<double>(std::max<std::size_t>(1, axes_.size())) - 8;
}

/// Between the titles, which stand above with what is most, and what is least.
QRectF ParallelAxes::plot() const {
    const int line = fontMetrics().height();
    return QRectF(rect()).adjusted(10, (title_lines_ + 1) * line + 12, -10, -line - 10);
}

double ParallelAxes::xOf(std::size_t axis) const {
    const QRectF area = plot();
    return area.left() + area.width() * (static_cast<double>(axis) + 0.5) / static_cast<double>(axes_.size());
}

double ParallelAxes::yOf(std::size_t axis, double value) const {
    const QRectF area = plot();
    return area.bottom() - scales_[axis].share(value) * area.height();
}

std::optional<std::size_t> ParallelAxes::axisAt(const QPointF& at) const {
    for (std::size_t a = 0; a < axes_.size(); ++a)
        if (std::abs(at.x() - xOf(a)) <= line_reach)
            return a;
    return {};
}

bool ParallelAxes::keeps(const ParallelLine& line) const {
    constexpr double rounding = 1e-9;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
        if (!ranges_[a])
            continue;
        if (!line.values[a])
            return false;
        const double share = scales_[a].share(*line.values[a]);
        if (share < ranges_[a]->first - rounding || share > ranges_[a]->second + rounding)
            return false;
    }
    return true;
}

bool ParallelAxes::narrowed() const {
    return std::any_of(ranges_.begin(), ranges_.end(), [](const auto& range) { return range.has_value(); });
}

std::set<std::int64_t> ParallelAxes::kept() const {
    std::set<std::int64_t> keys;
    for (const ParallelLine& line : lines_)
        if (keeps(line))
            keys.insert(line.key);
    return keys;
}

const ParallelLine* ParallelAxes::lineAt(const QPointF& at) const {
    const ParallelLine* found = nullptr;
    double nearest = line_reach;
    for (const ParallelLine& line : lines_)
        for (std::size_t a = 0; a < axes_.size(); ++a) {
            if (!line.values[a] || !keeps(line))
                continue;
            const QPointF here(xOf(a), yOf(a, *line.values[a]));
            const bool on = a + 1 < axes_.size() && line.values[a + 1].has_value();
            const QPointF there = on ? QPointF(xOf(a + 1), yOf(a + 1, *line.values[a + 1])) : here;
            if (const double off = distanceToLine(at, here, there); off < nearest) {
                nearest = off;
                found = &line;
            }
        }
    return found;
}

void ParallelAxes::paintLine(QPainter& painter, const ParallelLine& line) const {
    QPolygonF path;
    const auto draw = [&] {
        if (path.size() > 1)
            painter.drawPolyline(path);
        else if (path.size() == 1) // beside axes without a value
            painter.drawLine(path.front() - QPointF(4, 0), path.front() + QPointF(4, 0));
        path.clear();
    };
    for (std::size_t a = 0; a < axes_.size(); ++a)
        if (line.values[a])
            path << QPointF(xOf(a), yOf(a, *line.values[a]));
        else
            draw();
    draw();
}

/// Thousands of lines are painted once.
const QPixmap& ParallelAxes::background() {
    const double ratio = devicePixelRatioF();
    const QSize size = (QSizeF(this->size()) * ratio).toSize();
    if (lines_picture_.size() == size)
        return lines_picture_;
    const Theme& theme = Theme::of(this);
    lines_picture_ = QPixmap(size);
    lines_picture_.setDevicePixelRatio(ratio);
    lines_picture_.fill(theme.panel);
    QPainter painter(&lines_picture_);
    painter.setRenderHint(QPainter::Antialiasing, lines_.size() <= smooth_lines);
    for (const bool front : {false, true})
        for (const ParallelLine& line : lines_)
            if (keeps(line) == front) {
                painter.setPen(QPen(faded(line.color.in(theme), front ? 0.75 : dimmed), 1.2));
                paintLine(painter, line);
            }
    return lines_picture_;
}

void ParallelAxes::hideEvent(QHideEvent* event) {
    lines_picture_ = {}; // as large as the widget, and painted again when it is shown
    QWidget::hideEvent(event);
}

void ParallelAxes::paintAxes(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    const int line = fontMetrics().height();
    const double wide = widthOfAxis();
    const QFont bold = demiBold(font());
    for (std::size_t a = 0; a < axes_.size(); ++a) {
        const double x = xOf(a);
        painter.setPen(QPen(theme.muted, 1));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        if (ranges_[a]) {
            const double top = area.bottom() - ranges_[a]->second * area.height();
            const double bottom = area.bottom() - ranges_[a]->first * area.height();
            painter.setPen(QPen(theme.accent, 1.5));
            painter.setBrush(faded(theme.accent, 0.25));
            painter.drawRect(QRectF(x - 5, top, 10, std::max(2.0, bottom - top)));
        }
        painter.setFont(bold);
        painter.setPen(theme.text);
        painter.drawText(QRectF(x - wide / 2, 2, wide, title_lines_ * QFontMetricsF(bold).lineSpacing()),
                         title_flags, wrapped(axes_[a].title));
        painter.setFont(font());
        painter.setPen(theme.muted);
        const auto write = [&](double y, const QString& name, Qt::Alignment along) {
            const auto elided = [&](double room) {
                return fontMetrics().elidedText(name, Qt::ElideMiddle, static_cast<int>(room));
            };
            if (along == Qt::AlignHCenter)
                return painter.drawText(QRectF(x - wide / 2, y, wide, line), along, elided(wide));
            // Beside the last axis is half as much room, and at its left those of the one before it may be.
            constexpr double beside = 6, margins = 6, apart = 8;
            const bool last = a + 1 == axes_.size();
            const double next = last ? width() : xOf(a + 1);
            const double at_right_room = next - x - beside - margins - (last ? 2 : apart);
            const bool at_right = !last || axes_.size() == 1 || !axes_[a - 1].words.isEmpty() ||
                                  fontMetrics().horizontalAdvance(name) <= at_right_room;
            const QString text = elided(at_right ? at_right_room : wide - beside - margins);
            const double room = fontMetrics().horizontalAdvance(text) + margins;
            const QRectF plate(at_right ? x + beside : x - beside - room, y, room, line);
            painter.fillRect(plate, faded(theme.panel, 0.8)); // over the lines
            painter.drawText(plate, Qt::AlignCenter, text);
        };
        const Scale& scale = scales_[a];
        if (axes_[a].words.isEmpty()) {
            if (scale.to > scale.from)
                write(area.top() - line - 2, textOf(a, scale.to), Qt::AlignHCenter);
            write(area.bottom() + 3, textOf(a, scale.from), Qt::AlignHCenter);
        } else {
            double above = area.bottom() + line; // words that would lie upon another are in tips alone
            for (qsizetype word = 0; word < axes_[a].words.size(); ++word) {
                // Above and below the axes stand the ends of those beside.
                const double y = std::clamp(yOf(a, static_cast<double>(word)) - line / 2.0, area.top(),
                                            area.bottom() - line);
                if (y > above - line)
                    continue;
                write(y, axes_[a].words[word], Qt::AlignLeft);
                above = y;
            }
        }
        if (hasFocus() && a == focused_) {
            painter.setPen(QPen(theme.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(x - 8, area.top() - 3, 16, area.height() + 6), 4, 4);
        }
    }
}

void ParallelAxes::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    if (lines_.empty() || axes_.empty()) {
        painter.fillRect(rect(), theme.panel);
        painter.setPen(theme.muted);
        return painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, nothing_);
    }
    painter.drawPixmap(0, 0, background());
    painter.setRenderHint(QPainter::Antialiasing);
    for (const ParallelLine& line : lines_) {
        const bool chosen = chosen_.contains(line.key) && keeps(line);
        if (!chosen && &line != hovered_)
            continue;
        painter.setPen(QPen(theme.panel, 5));
        paintLine(painter, line);
        painter.setPen(QPen(chosen ? theme.text : line.color.in(theme), 2.5));
        paintLine(painter, line);
    }
    paintAxes(painter);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
}

void ParallelAxes::choose(std::set<std::int64_t> keys) {
    setChosen(std::move(keys));
    Q_EMIT chosen(chosen_);
}

void ParallelAxes::narrow(std::size_t axis, std::optional<Range> range) {
    ranges_[axis] = range;
    lines_picture_ = {};
    choose(narrowed() ? kept() : std::set<std::int64_t>{});
}

PaintedParts::Part ParallelAxes::part(int index) const {
    const auto at = static_cast<std::size_t>(index);
    const QRectF area = plot();
    if (at < axes_.size()) {
        const auto value = [&](double share) {
            const Scale& of = scales_[at];
            return textOf(at, of.logarithmic ? of.from * std::pow(of.to / of.from, share)
                                             : of.from + share * (of.to - of.from));
        };
        const Range range = ranges_[at].value_or(Range(0, 1));
        return {axes_[at].title, tr("%1 to %2").arg(value(range.first), value(range.second)),
                QRectF(xOf(at) - line_reach, area.top(), 2 * line_reach, area.height()).toAlignedRect(),
                QAccessible::List, ranges_[at].has_value()};
    }
    const ParallelLine& line = lines_[at - axes_.size()];
    QRectF crosses; // where it is the axis that the keys are at
    if (const auto& value = line.values[focused_])
        crosses = QRectF(xOf(focused_) - line_reach, yOf(focused_, *value) - line_reach, 2 * line_reach,
                         2 * line_reach);
    return {line.tip.section(QLatin1Char('\n'), 0, 0),
            line.tip.section(QLatin1Char('\n'), 1).replace(QLatin1Char('\n'), QLatin1String("; ")),
            crosses.toAlignedRect(), QAccessible::ListItem, chosen_.contains(line.key)};
}

int ParallelAxes::partAt(const QPoint& at) const {
    if (const auto axis = axisAt(at))
        return static_cast<int>(*axis);
    const ParallelLine* line = lineAt(at);
    return line == nullptr ? -1 : static_cast<int>(axes_.size()) + static_cast<int>(line - lines_.data());
}

int ParallelAxes::focusedPart() const {
    for (std::size_t i = 0; at_line_ && i < lines_.size(); ++i)
        if (chosen_.size() == 1 && chosen_.contains(lines_[i].key))
            return static_cast<int>(axes_.size() + i);
    return axes_.empty() ? -1 : static_cast<int>(focused_);
}

void ParallelAxes::chooseFor(const QPoint& menu) {
    if (const ParallelLine* line = lineAt(menu); line != nullptr && !chosen_.contains(line->key))
        choose({line->key});
}

QPoint ParallelAxes::cursorPlace() const {
    for (const ParallelLine& line : lines_)
        if (chosen_.contains(line.key) && focused_ < axes_.size() && line.values[focused_])
            return QPointF(xOf(focused_), yOf(focused_, *line.values[focused_])).toPoint();
    return rect().center();
}

void ParallelAxes::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || axes_.empty())
        return;
    pressed_at_ = event->position();
    pressed_.reset();
    if (const auto axis = axisAt(event->position())) {
        focused_ = *axis;
        const QRectF area = plot();
        pressed_ =
            std::pair(*axis, std::clamp((area.bottom() - event->position().y()) / area.height(), 0.0, 1.0));
    }
    update();
}

void ParallelAxes::mouseMoveEvent(QMouseEvent* event) {
    if (pressed_ && (event->buttons() & Qt::LeftButton) != 0) {
        if (std::abs(event->position().y() - pressed_at_.y()) < drag_length)
            return;
        const QRectF area = plot();
        const double share = std::clamp((area.bottom() - event->position().y()) / area.height(), 0.0, 1.0);
        return narrow(pressed_->first, Range(std::minmax(pressed_->second, share)));
    }
    const ParallelLine* line = lineAt(event->position());
    setCursor(axisAt(event->position()) ? Qt::SizeVerCursor : Qt::ArrowCursor);
    if (line == hovered_)
        return;
    hovered_ = line;
    QToolTip::showText(event->globalPosition().toPoint(), line == nullptr ? QString() : line->tip, this);
    update();
}

void ParallelAxes::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || axes_.empty())
        return;
    const bool moved = (event->position() - pressed_at_).manhattanLength() >= drag_length;
    if (const auto pressed = std::exchange(pressed_, {})) {
        if (!moved && ranges_[pressed->first])
            return narrow(pressed->first, {});
        if (moved)
            return;
    }
    const ParallelLine* line = lineAt(event->position());
    std::set<std::int64_t> keys;
    if (event->modifiers().testFlag(Qt::ControlModifier))
        keys = chosen_;
    if (line != nullptr && !keys.insert(line->key).second)
        keys.erase(line->key);
    choose(std::move(keys));
}

void ParallelAxes::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const ParallelLine* line = lineAt(event->position()))
        Q_EMIT activated(line->key);
}

void ParallelAxes::leaveEvent(QEvent*) {
    hovered_ = nullptr;
    update();
}

/// To the next line along the axis, or the lower (by > 0) or upper end of its range to the next value.
void ParallelAxes::step(int by, bool ranges) {
    std::vector<const ParallelLine*> order;
    for (const ParallelLine& line : lines_)
        if (line.values[focused_] && keeps(line))
            order.push_back(&line);
    std::stable_sort(order.begin(), order.end(), [this](const ParallelLine* a, const ParallelLine* b) {
        return *a->values[focused_] < *b->values[focused_];
    });
    if (order.empty())
        return;
    const auto share = [this](const ParallelLine* line) {
        return scales_[focused_].share(*line->values[focused_]);
    };
    if (ranges) {
        Range range = ranges_[focused_].value_or(Range(0, 1));
        if (by > 0) {
            const double lowest = share(order.front());
            for (const ParallelLine* line : order)
                if (share(line) > lowest) {
                    range.first = share(line);
                    break;
                }
        } else {
            const double highest = share(order.back());
            for (auto line = order.rbegin(); line != order.rend(); ++line)
                if (share(*line) < highest) {
                    range.second = share(*line);
                    break;
                }
        }
        return narrow(focused_, range);
    }
    const auto now = std::find_if(order.begin(), order.end(), [this](const ParallelLine* line) {
        return chosen_.size() == 1 && chosen_.contains(line->key);
    });
    const auto last = std::ssize(order) - 1;
    const std::ptrdiff_t to = now == order.end()
                                  ? (by > 0 ? 0 : last)
                                  : std::clamp<std::ptrdiff_t>(now - order.begin() + by, 0, last);
    choose({order[static_cast<std::size_t>(to)]->key});
}

void ParallelAxes::keyPressEvent(QKeyEvent* event) {
    if (axes_.empty())
        return QWidget::keyPressEvent(event);
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        focused_ = event->key() == Qt::Key_Right ? std::min(focused_ + 1, axes_.size() - 1)
                                                 : focused_ - (focused_ > 0 ? 1 : 0);
        for (QWidget* above = parentWidget(); above != nullptr; above = above->parentWidget())
            if (auto* scrolls = qobject_cast<QScrollArea*>(above))
                scrolls->ensureVisible(static_cast<int>(xOf(focused_)), 0, static_cast<int>(widthOfAxis()),
                                       0);
        at_line_ = false;
        tellFocusedPart(*this);
        return update();
    case Qt::Key_Up:
    case Qt::Key_Down:
        at_line_ = !shift;
        step(event->key() == Qt::Key_Up ? 1 : -1, shift);
        return tellFocusedPart(*this);
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
        return narrow(focused_, {});
    case Qt::Key_0:
        ranges_.assign(axes_.size(), std::nullopt);
        return narrow(focused_, {});
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (chosen_.size() == 1)
            Q_EMIT activated(*chosen_.begin());
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void ParallelAxes::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    tellFocusedPart(*this);
    update();
}

void ParallelAxes::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

/// Themes and fonts.
void ParallelAxes::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    measure();
    lines_picture_ = {};
}

void ParallelAxes::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    measure();
}

} // namespace tilescope::ui
