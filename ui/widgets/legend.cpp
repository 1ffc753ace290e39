// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/legend.h"

#include "ui/widgets/told_keys.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int gap = 5; // between a box and its name

} // namespace

Legend::Legend(Entries entries, QWidget* parent) : QWidget(parent), entries_(std::move(entries)) {
    QSizePolicy policy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    tellKeys(this, tr("Legends"),
             {{tr("Left, Right"), tr("to the entry beside")},
              {tr("Space"), tr("hides the entry, or shows it")},
              {tr("Return"), tr("shows it alone, or all again")}});
}

int Legend::swatchWidth(const Entry& entry) const {
    if (!entry.draw && entry.brush.style() == Qt::NoBrush)
        return 0;
    const int box = fontMetrics().height() * 5 / 8;
    return entry.draw ? 2 * box : box;
}

/// Where each entry stands, its name included.
std::vector<QRect> Legend::places(const std::vector<Entry>& entries, int width) const {
    const int line = fontMetrics().height() + 4;
    std::vector<QRect> found;
    int x = 0;
    int y = 0;
    for (const Entry& entry : entries) {
        const int box = swatchWidth(entry);
        const int needed = box + (box > 0 ? gap : 0) + fontMetrics().horizontalAdvance(entry.name);
        if (x > 0 && x + needed > width) {
            x = 0;
            y += line;
        }
        found.emplace_back(x, y, needed, line);
        x += needed + fontMetrics().height();
    }
    return found;
}

std::vector<Legend::Entry> Legend::entries() const {
    return entries_(ChartStyle(this));
}

std::vector<QRect> Legend::shownPlaces() const {
    std::vector<QRect> all = places(entries(), width());
    const int top = all.empty() ? 0 : std::max(0, (height() - all.back().bottom() - 1) / 2);
    for (QRect& place : all)
        place.translate(0, top);
    return all;
}

QSize Legend::sizeHint() const {
    constexpr int unlimited = 1 << 20;
    const auto all = places(entries(), unlimited);
    return all.empty() ? QSize() : QSize(all.back().right() + 1, all.back().bottom() + 1);
}

QSize Legend::minimumSizeHint() const {
    int widest = 0;
    for (const QRect& place : places(entries(), 0))
        widest = std::max(widest, place.width());
    return {widest, fontMetrics().height() + 4};
}

int Legend::heightForWidth(int width) const {
    const auto all = places(entries(), width);
    return all.empty() ? 0 : all.back().bottom() + 1;
}

/// Of what is hidden the outline is left.
void Legend::paintBox(QPainter& painter, const Entry& entry, const QRect& box, bool gone) const {
    if (!gone && entry.draw)
        return entry.draw(painter, box);
    if (!gone)
        painter.fillRect(box, entry.brush);
    if (gone || entry.brush.style() != Qt::SolidPattern) {
        painter.setPen(ChartStyle(this).line);
        painter.drawRect(box.adjusted(0, 0, -1, -1));
    }
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ChartStyle style(this);
    const auto all = entries();
    const auto where = shownPlaces();
    const int box = fontMetrics().height() * 5 / 8;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRect& place = where[i];
        const bool gone = !all[i].kind.isEmpty() && hidden_.contains(all[i].kind);
        const int wide = swatchWidth(all[i]);
        const QRect swatch(place.left(), place.center().y() - box / 2, wide, box);
        if (wide > 0)
            paintBox(painter, all[i], swatch, gone);
        QFont words = font();
        words.setStrikeOut(gone);
        painter.setFont(words);
        painter.setPen(style.muted);
        painter.drawText(place.adjusted(wide > 0 ? wide + gap : 0, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         all[i].name);
        if (hasFocus() && static_cast<int>(i) == focused_) {
            painter.setPen(QPen(style.accent, 2));
            painter.drawRoundedRect(QRectF(place).adjusted(-2, 1, 2, -1), 3, 3);
        }
    }
}

void Legend::setControlling() {
    controls_ = true;
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Legend"));
}

void Legend::controls(QWidget* chart) {
    setControlling();
    connect(this, &Legend::hiddenChanged, chart,
            [chart](const QStringList& kinds) { hideKinds(chart, kinds); });
    hideKinds(chart, hidden_);
}

void Legend::setHidden(const QStringList& kinds) {
    if (kinds == hidden_)
        return;
    hidden_ = kinds;
    update();
    Q_EMIT hiddenChanged(hidden_);
}

void Legend::toggle(int entry) {
    const QString kind = entries()[static_cast<std::size_t>(entry)].kind;
    QStringList kinds = hidden_;
    if (!kind.isEmpty() && !kinds.removeOne(kind))
        kinds << kind;
    setHidden(kinds);
}

void Legend::isolate(int entry) {
    const auto all = entries();
    const QString kind = all[static_cast<std::size_t>(entry)].kind;
    if (kind.isEmpty())
        return;
    QStringList others;
    for (const Entry& each : all)
        if (!each.kind.isEmpty() && each.kind != kind)
            others << each.kind;
    setHidden(hidden_ == others ? QStringList() : others);
}

int Legend::partCount() const {
    return static_cast<int>(entries().size());
}

PaintedParts::Part Legend::part(int index) const {
    const Entry entry = entries()[static_cast<std::size_t>(index)];
    const bool gone = hidden_.contains(entry.kind);
    return {entry.name, gone ? tr("hidden") : entry.tip, shownPlaces()[static_cast<std::size_t>(index)],
            entry.kind.isEmpty() || !controls_ ? QAccessible::ListItem : QAccessible::CheckBox, !gone};
}

QString Legend::tipOf(int index) const {
    if (index < 0)
        return {};
    const Entry entry = entries()[static_cast<std::size_t>(index)];
    QStringList lines;
    if (!entry.tip.isEmpty())
        lines << entry.tip;
    if (!entry.kind.isEmpty())
        lines << tr("Click: hide or show; Shift and click, or double click: this one alone");
    return lines.join(QLatin1Char('\n'));
}

bool Legend::event(QEvent* event) {
    if (controls_ && event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tipOf(partAt(help->pos())), this);
        return true;
    }
    if (controls_ && event->type() == QEvent::ShortcutOverride) { // its keys are not those of the view here
        const auto* key = static_cast<QKeyEvent*>(event);
        constexpr std::array own{Qt::Key_Left, Qt::Key_Right, Qt::Key_Space, Qt::Key_Return, Qt::Key_Enter};
        if (std::find(own.begin(), own.end(), key->key()) != own.end() &&
            (key->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier)
            event->accept();
    }
    return QWidget::event(event);
}

void Legend::mousePressEvent(QMouseEvent* event) {
    const int entry = controls_ ? partAt(event->pos()) : -1;
    if (entry < 0 || event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    before_ = hidden_;
    focused_ = entry;
    (event->modifiers() & Qt::ShiftModifier) != 0 ? isolate(entry) : toggle(entry);
}

/// Its first press has hidden or shown the entry.
void Legend::mouseDoubleClickEvent(QMouseEvent* event) {
    const int entry = controls_ ? partAt(event->pos()) : -1;
    if (entry < 0 || event->button() != Qt::LeftButton)
        return QWidget::mouseDoubleClickEvent(event);
    hidden_ = before_;
    isolate(entry);
}

void Legend::keyPressEvent(QKeyEvent* event) {
    const int count = partCount();
    if (!controls_ || count == 0)
        return QWidget::keyPressEvent(event);
    focused_ = std::clamp(focused_, 0, count - 1);
    const int key = event->key();
    if (key == Qt::Key_Left || key == Qt::Key_Right) {
        focused_ = std::clamp(focused_ + (key == Qt::Key_Left ? -1 : 1), 0, count - 1);
        tellFocusedPart(*this);
        update();
    } else if (key == Qt::Key_Space)
        toggle(focused_);
    else if (key == Qt::Key_Return || key == Qt::Key_Enter)
        isolate(focused_);
    else
        QWidget::keyPressEvent(event);
}

void Legend::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    tellFocusedPart(*this);
    update();
}

std::vector<Legend::Entry> phaseEntries(const ChartStyle& style) {
    return {{Legend::tr("compute"), style.compute, {}, QStringLiteral("compute")},
            {Legend::tr("exchange"), style.exchange, {}, QStringLiteral("exchange")},
            {Legend::tr("inter-IPU"), style.inter_ipu, {}, QStringLiteral("inter-IPU")},
            {Legend::tr("sync"), style.sync, {}, QStringLiteral("sync")},
            {Legend::tr("host"), style.host, {}, QStringLiteral("host")}};
}

} // namespace tilescope::ui
