// SPDX-License-Identifier: GPL-3.0-or-later
#include "address_strip.h"

#include "ui/session/format.h"
#include "ui/theme/application_font.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_keys.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <iterator>
#include <set>

namespace tilescope::ui {
namespace {

constexpr double margin = 12;
constexpr double track_height = 44;
constexpr int most_rows = 32;
constexpr int frame_ms = 50;  ///< of playing: 20 steps a second
constexpr int flash_ms = 300; ///< for which what appears stands out

QString hex(std::int64_t address) {
    return QStringLiteral("0x%1").arg(address, 5, 16, QLatin1Char('0'));
}

QString life(const profile::VariableRecord& variable) {
    return variable.always_live ? AddressStrip::tr("always live")
                                : AddressStrip::tr("live in steps %1 to %2")
                                      .arg(formatCount(variable.live_from), formatCount(variable.live_to));
}

} // namespace

AddressStrip::AddressStrip(QWidget* parent) : QWidget(parent) {
    play_.setInterval(frame_ms);
    connect(&play_, &QTimer::timeout, this, [this] {
        const std::int64_t next = map_ ? map_->change_from(step_, 1) : step_;
        if (next == step_)
            return play_.stop();
        goTo(next);
    });
    flash_.setSingleShot(true);
    flash_.setInterval(flash_ms);
    connect(&flash_, &QTimer::timeout, this, [this] {
        appeared_.clear();
        update();
    });
    makeChart(this, tr("Addresses"), {0, 160}, [this](QChar separator) { return toText(separator); });
    tellKeys(
        this, tr("Addresses"),
        {{tr("Left, Right"),
          tr("to the step before or behind at which something changes; with Shift of another operation")},
         {tr("Home, End"), tr("to the first, to the last step")},
         {tr("P"), tr("to the step of the peak")},
         {tr("Up, Down"), tr("to the variable or the gap below or above; of a gap why it cannot be used")},
         {tr("Space"), tr("plays the steps, or stops")}});
}

void AddressStrip::setMap(Map map, const QString& why) {
    const bool same = map && map_ && map->ipu == map_->ipu && map->tile == map_->tile;
    map_ = map && !map->blocks.empty() ? std::move(map) : nullptr;
    why_ = why;
    play_.stop();
    setStep(map_ ? same ? step_ : map_->peak_step : 0);
}

void AddressStrip::setStep(std::int64_t step) {
    step_ = step;
    live_.clear();
    gaps_.clear();
    gap_.reset();
    appeared_.clear();
    if (map_) {
        live_ = map_->live_at(step_);
        gaps_ = map_->gaps_at(step_);
    }
    setAccessibleName(heading());
    setAccessibleDescription({});
    update();
}

void AddressStrip::goTo(std::int64_t step) {
    if (!map_ || map_->steps.empty())
        return;
    const std::set<std::size_t> before(live_.begin(), live_.end());
    setStep(std::clamp<std::int64_t>(step, 0, static_cast<std::int64_t>(map_->steps.size()) - 1));
    if (!motionReduced()) {
        std::copy_if(live_.begin(), live_.end(), std::back_inserter(appeared_),
                     [&](std::size_t block) { return !before.contains(block); });
        flash_.start();
    }
    Q_EMIT stepChosen(step_);
}

void AddressStrip::selectVariable(std::int64_t id) {
    if (id != variable_)
        gap_.reset();
    variable_ = id;
    update();
}

QString AddressStrip::heading() const {
    if (!map_)
        return why_;
    const auto at = static_cast<std::size_t>(step_);
    const QString name = at < map_->steps.size() ? text(map_->steps[at].name) : QString();
    return tr("Addresses of IPU %1 tile %2 at step %3 of %4 (%5): %6 in %7 variables, %8 in %9 gaps")
        .arg(map_->ipu)
        .arg(map_->tile)
        .arg(formatCount(step_), formatCount(static_cast<std::int64_t>(map_->steps.size())), name,
             formatBytes(map_->live_bytes(step_)), formatCount(static_cast<std::int64_t>(live_.size())),
             formatBytes(analyse::AddressMap::bytes_of(gaps_)),
             formatCount(static_cast<std::int64_t>(gaps_.size())));
}

AddressStrip::Rows AddressStrip::rows() const {
    constexpr double least = 9; // pixels of a row
    Rows rows;
    const int line = fontMetrics().height();
    const int left = fontMetrics().horizontalAdvance(QStringLiteral("888.8 KiB")) + 16;
    rows.area = QRectF(left, line + 8, width() - left - margin, height() - line - 24 - track_height - line);
    rows.count = std::clamp(static_cast<int>(rows.area.height() / least), 1, most_rows);
    const std::int64_t top = map_ ? std::max(map_->bytes_per_tile, map_->with_gaps) : 1;
    rows.bytes = std::max<std::int64_t>(1, (top + rows.count - 1) / rows.count);
    rows.height = rows.area.height() / rows.count;
    return rows;
}

QRectF AddressStrip::track() const {
    const Rows place = rows();
    return {place.area.left(), height() - track_height - fontMetrics().height() - 6.0, place.area.width(),
            track_height};
}

double AddressStrip::xOfStep(std::int64_t step) const {
    const auto count = std::max<double>(1, map_ ? static_cast<double>(map_->steps.size()) : 1);
    return track().left() + (static_cast<double>(step) + 0.5) / count * track().width();
}

std::int64_t AddressStrip::addressAt(const QPointF& at) const {
    const Rows place = rows();
    if (!map_ || !place.area.contains(at))
        return -1;
    const auto row = static_cast<std::int64_t>((at.y() - place.area.top()) / place.height);
    return row * place.bytes + static_cast<std::int64_t>((at.x() - place.area.left()) / place.area.width() *
                                                         static_cast<double>(place.bytes));
}

template<class Paint>
void AddressStrip::eachRow(const Rows& rows, std::int64_t begin, std::int64_t end, const Paint& paint) const {
    for (std::int64_t row = begin / rows.bytes; row * rows.bytes < end && row < rows.count; ++row) {
        const std::int64_t from = std::max(begin, row * rows.bytes) - row * rows.bytes;
        const std::int64_t to = std::min(end, (row + 1) * rows.bytes) - row * rows.bytes;
        const double scale = rows.area.width() / static_cast<double>(rows.bytes);
        paint(QRectF(rows.area.left() + static_cast<double>(from) * scale,
                     rows.area.top() + static_cast<double>(row) * rows.height,
                     std::max(0.5, static_cast<double>(to - from) * scale), rows.height - 2));
    }
}

void AddressStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.setFont(font());
    painter.setPen(theme.muted);
    if (!map_) {
        painter.drawText(rect().adjusted(20, 0, -20, 0), Qt::AlignCenter | Qt::TextWordWrap, why_);
        return;
    }
    const int room = width() - static_cast<int>(2 * margin);
    painter.drawText(QRectF(margin, 4, room, fontMetrics().height()), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(heading(), Qt::ElideMiddle, room));
    paintRows(painter, theme);
    paintTrack(painter, theme);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void AddressStrip::paintRows(QPainter& painter, const Theme& theme) const {
    const Rows place = rows();
    const auto fill = [&](std::int64_t begin, std::int64_t end, const QBrush& brush) {
        eachRow(place, begin, end, [&](const QRectF& at) { painter.fillRect(at, brush); });
    };
    const std::int64_t region = map_->interleaved_from.value_or(map_->bytes_per_tile);
    fill(0, region, theme.raised);
    fill(region, map_->bytes_per_tile, ChartStyle::mixed(theme.raised, theme.accent, 0.10));
    fill(map_->bytes_per_tile, place.bytes * place.count,
         map_->with_gaps > map_->bytes_per_tile ? ChartStyle::mixed(theme.raised, theme.bad, 0.25)
                                                : theme.window);
    for (const auto& gap : gaps_)
        fill(gap.begin, gap.end, QBrush(theme.muted, Qt::DiagCrossPattern));
    for (const std::size_t i : live_) {
        const auto& block = map_->blocks[i];
        const QColor color = ThemeColor::category(block.variable.category).in(theme);
        eachRow(place, block.begin, block.end, [&](const QRectF& at) {
            painter.fillRect(at, color);
            if (!block.variable.always_live) // as in every view
                painter.fillRect(at, QBrush(theme.panel, Qt::BDiagPattern));
            painter.fillRect(QRectF(at.left(), at.top(), at.width() > 3 ? 1 : 0, at.height()), theme.panel);
        });
    }
    for (const std::size_t i : appeared_)
        fill(map_->blocks[i].begin, map_->blocks[i].end, theme.accent);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 2));
    for (const std::size_t i : live_)
        if (map_->blocks[i].variable.id == variable_)
            eachRow(place, map_->blocks[i].begin, map_->blocks[i].end,
                    [&](const QRectF& at) { painter.drawRect(at.adjusted(-1, -1, 1, 1)); });
    if (gap_)
        eachRow(place, gaps_[*gap_].begin, gaps_[*gap_].end,
                [&](const QRectF& at) { painter.drawRect(at.adjusted(-1, -1, 1, 1)); });
    painter.setPen(theme.muted);
    const int every = std::max(1, static_cast<int>(fontMetrics().height() / place.height + 0.999));
    for (int row = 0; row < place.count; row += every)
        painter.drawText(QRectF(0, place.area.top() + row * place.height - 3, place.area.left() - 8,
                                fontMetrics().height()),
                         Qt::AlignRight | Qt::AlignVCenter, formatBytes(row * place.bytes));
}

/// What is live over the steps, the peak never lost, and where one is.
void AddressStrip::paintTrack(QPainter& painter, const Theme& theme) const {
    const QRectF area = track();
    painter.fillRect(area, theme.raised);
    std::int64_t most = map_->bytes_per_tile;
    for (const auto& level : map_->levels)
        most = std::max(most, level.bytes);
    const auto y = [&](std::int64_t bytes) {
        return area.bottom() - static_cast<double>(bytes) / static_cast<double>(most) * area.height();
    };
    const auto columns = static_cast<int>(area.width());
    std::vector<std::int64_t> highest(static_cast<std::size_t>(std::max(1, columns)), 0);
    const auto column = [&](std::int64_t step) {
        return std::clamp(static_cast<int>(xOfStep(step) - area.left()), 0, std::max(0, columns - 1));
    };
    for (std::size_t i = 0; i < map_->levels.size(); ++i) {
        const auto& level = map_->levels[i];
        const std::int64_t until = i + 1 < map_->levels.size()
                                       ? map_->levels[i + 1].step - 1
                                       : static_cast<std::int64_t>(map_->steps.size()) - 1;
        for (int c = column(level.step); c <= column(std::max(until, level.step)); ++c)
            highest[static_cast<std::size_t>(c)] =
                std::max(highest[static_cast<std::size_t>(c)], level.bytes);
    }
    const QColor color = ThemeColor::category(MemoryCategory::Variables).in(theme);
    for (int c = 0; c < columns; ++c)
        painter.fillRect(QRectF(area.left() + c, y(highest[static_cast<std::size_t>(c)]), 1,
                                area.bottom() - y(highest[static_cast<std::size_t>(c)])),
                         color);
    painter.setPen(QPen(theme.bad, 1.5));
    painter.drawLine(QPointF(area.left(), y(map_->bytes_per_tile)),
                     QPointF(area.right(), y(map_->bytes_per_tile)));
    painter.setPen(QPen(theme.accent, 2));
    painter.drawLine(QPointF(xOfStep(step_), area.top() - 2), QPointF(xOfStep(step_), area.bottom() + 2));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, area.top(), area.left() - 8, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("live"));
    painter.drawText(QRectF(area.left(), area.bottom() + 1, area.width(), fontMetrics().height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     tr("step; peak %1 at step %2")
                         .arg(formatBytes(map_->live_bytes(map_->peak_step)), formatCount(map_->peak_step)));
}

QString AddressStrip::reason(const analyse::AddressMap::Gap& gap) const {
    using Why = analyse::AddressMap::Gap::Why;
    const auto& above = map_->blocks[gap.above].variable;
    switch (gap.why) {
    case Why::OtherTime: {
        const auto& other = map_->blocks[gap.other].variable;
        return tr("could not be used: %1 lies there (%2), while %3 above lives (%4)")
            .arg(text(other.name), life(other), text(above.name), life(above));
    }
    case Why::Region:
        return tr("could not be used: %1 must lie in interleaved memory, which begins above")
            .arg(text(above.name));
    case Why::Alignment:
        return tr("could not be used: allocations begin at multiples of 8 bytes");
    case Why::FromTop:
        return tr("is not needed: %1 above lies against the top of interleaved memory").arg(text(above.name));
    case Why::Unknown:
        break;
    }
    return tr("why it is not used is not recorded");
}

QString AddressStrip::tipAt(std::int64_t address) const {
    for (const std::size_t i : live_) {
        const auto& [variable, begin, end] = map_->blocks[i];
        if (address >= begin && address < end)
            return inHtml(tr("<b>%1</b><br>%2 to %3, %4<br>%5, %6"),
                          {variable.name, hex(begin), hex(end), formatBytes(end - begin),
                           text(to_string(variable.category)), life(variable)});
    }
    for (const auto& gap : gaps_)
        if (address >= gap.begin && address < gap.end)
            return inHtml(tr("<b>Gap</b> %1 to %2, %3<br>%4"),
                          {hex(gap.begin), hex(gap.end), formatBytes(gap.end - gap.begin), reason(gap)});
    return address < map_->bytes_per_tile ? tr("free above all that is live, from %1").arg(hex(address))
                                          : tr("beyond the memory of the tile");
}

void AddressStrip::mousePressEvent(QMouseEvent* event) {
    if (!map_ || event->button() != Qt::LeftButton)
        return;
    if (track().adjusted(0, -6, 0, 6).contains(event->position()))
        return mouseMoveEvent(event);
    const std::int64_t address = addressAt(event->position());
    for (const std::size_t i : live_)
        if (address >= map_->blocks[i].begin && address < map_->blocks[i].end)
            return chooseLive(map_->blocks[i].variable.id);
    for (std::size_t g = 0; g < gaps_.size(); ++g)
        if (address >= gaps_[g].begin && address < gaps_[g].end)
            return chooseGap(g);
}

void AddressStrip::mouseMoveEvent(QMouseEvent* event) {
    if (!map_)
        return;
    const QRectF area = track();
    if ((event->buttons() & Qt::LeftButton) != 0 && event->position().y() > area.top() - 8)
        return goTo(static_cast<std::int64_t>((event->position().x() - area.left()) / area.width() *
                                              static_cast<double>(map_->steps.size())));
    if (const std::int64_t address = addressAt(event->position()); address >= 0)
        QToolTip::showText(event->globalPosition().toPoint(), tipAt(address), this);
}

std::ptrdiff_t AddressStrip::gapBelow(std::size_t live) const {
    for (std::size_t g = 0; g < gaps_.size(); ++g)
        if (gaps_[g].above == live_[live])
            return static_cast<std::ptrdiff_t>(g);
    return -1;
}

void AddressStrip::chooseLive(std::int64_t variable) {
    gap_.reset();
    setAccessibleDescription({});
    update();
    Q_EMIT variableChosen(variable);
}

void AddressStrip::chooseGap(std::size_t gap) {
    gap_ = gap;
    const auto& [begin, end] = std::pair(gaps_[gap].begin, gaps_[gap].end);
    setAccessibleDescription(
        tr("Gap %1 to %2, %3: %4").arg(hex(begin), hex(end), formatBytes(end - begin), reason(gaps_[gap])));
    update();
    QRectF all;
    eachRow(rows(), begin, end, [&](const QRectF& at) { all = all.isNull() ? at : all; });
    tellAtKeys(*this, all.toRect(), tipAt(begin));
}

/// What is above or below what is chosen: a live variable, or the gap between two.
void AddressStrip::chooseBlock(int direction) {
    if (live_.empty())
        return;
    const auto choose = [this](std::size_t at) { chooseLive(map_->blocks[live_[at]].variable.id); };
    const auto now = std::find_if(live_.begin(), live_.end(), [this](std::size_t i) {
        return gap_ ? i == gaps_[*gap_].above : map_->blocks[i].variable.id == variable_;
    });
    if (now == live_.end())
        return choose(0);
    const auto at = static_cast<std::size_t>(now - live_.begin()); // of a gap, what is above it
    if (gap_)
        return direction > 0 ? choose(at) : at > 0 ? choose(at - 1) : void();
    const std::size_t above = direction > 0 ? at + 1 : at; // that the gap would lie below
    if (above < live_.size())
        if (const std::ptrdiff_t gap = gapBelow(above); gap >= 0)
            return chooseGap(static_cast<std::size_t>(gap));
    if (direction > 0 ? at + 1 < live_.size() : at > 0)
        choose(direction > 0 ? at + 1 : at - 1);
}

void AddressStrip::keyPressEvent(QKeyEvent* event) {
    if (!map_)
        return QWidget::keyPressEvent(event);
    const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right: {
        const int way = event->key() == Qt::Key_Left ? -1 : 1;
        return goTo(shift ? map_->operation_from(step_, way) : map_->change_from(step_, way));
    }
    case Qt::Key_Home:
        return goTo(0);
    case Qt::Key_End:
        return goTo(static_cast<std::int64_t>(map_->steps.size()) - 1);
    case Qt::Key_P:
        return goTo(map_->peak_step);
    case Qt::Key_Up:
    case Qt::Key_Down:
        return chooseBlock(event->key() == Qt::Key_Up ? -1 : 1);
    case Qt::Key_Space:
        return play_.isActive() ? play_.stop() : play_.start();
    default:
        return QWidget::keyPressEvent(event);
    }
}

QString AddressStrip::toText(QChar separator) const {
    QString result = tableLine(
        {tr("address"), tr("bytes"), tr("what"), tr("category"), tr("from step"), tr("to step")}, separator);
    if (!map_)
        return result;
    auto gap = gaps_.begin();
    for (const std::size_t i : live_) {
        const auto& [variable, begin, end] = map_->blocks[i];
        if (gap != gaps_.end() && gap->above == i) {
            result += tableLine({QString::number(gap->begin),
                                 QString::number(gap->end - gap->begin),
                                 tr("gap: %1").arg(reason(*gap)),
                                 {},
                                 {},
                                 {}},
                                separator);
            ++gap;
        }
        result += tableLine({QString::number(begin), QString::number(end - begin), text(variable.name),
                             text(to_string(variable.category)), QString::number(variable.live_from),
                             QString::number(variable.live_to)},
                            separator);
    }
    return result;
}

void AddressStrip::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void AddressStrip::focusOutEvent(QFocusEvent* event) {
    play_.stop();
    QWidget::focusOutEvent(event);
    update();
}

} // namespace tilescope::ui
