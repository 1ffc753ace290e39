// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/bytes_matrix.h"

#include "ui/session/format.h"
#include "ui/tiles/shade.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr double least_cell = 2;

} // namespace

BytesMatrix::BytesMatrix(const QString& name, const QString& of_keys, const QList<ToldKeys>& choosing,
                         QWidget* parent)
    : QWidget(parent) {
    makeChart(this, name, {240, 220}, [this](QChar separator) { return toText(separator); });
    tellKeys(this, of_keys,
             QList<ToldKeys>{{tr("Arrows"), tr("to the cell beside, above or below")},
                             {tr("W, S, +, -"), tr("nearer, farther")},
                             {tr("F, 0"), tr("the whole matrix")}} +
                 choosing);
}

void BytesMatrix::setTitle(const QString& title) {
    title_ = title;
    tellAccessible();
    update();
}

void BytesMatrix::setBytes(Bytes bytes, std::int64_t count, const QString& note) {
    take(std::move(bytes), nullptr, count, note);
}

void BytesMatrix::setDifference(Bytes difference, Bytes now, std::int64_t count, const QString& note) {
    facts_.clear();
    take(std::move(difference), std::move(now), count, note);
}

void BytesMatrix::take(Bytes bytes, Bytes now, std::int64_t count, const QString& note) {
    const bool others = count != count_;
    bytes_ = std::move(bytes);
    now_ = std::move(now);
    count_ = count;
    note_ = note;
    sums_ = known() ? analyse::tile_sums(*bytes_, count_) : analyse::TileSums();
    selected_.resize(static_cast<std::size_t>(count_), false);
    if (others || rows_.count == 0)
        rows_ = columns_ = {0, count_};
    cursor_ = {};
    fold();
}

void BytesMatrix::setFacts(Facts facts) {
    facts_ = std::move(facts);
    update();
}

void BytesMatrix::setSelected(const std::vector<std::int64_t>& numbers) {
    selected_.assign(static_cast<std::size_t>(count_), false);
    for (const std::int64_t number : numbers)
        if (number >= 0 && number < count_)
            selected_[static_cast<std::size_t>(number)] = true;
    update();
}

void BytesMatrix::setCurrent(std::int64_t from, std::int64_t to) {
    const auto cellAt = [this](Range range, std::int64_t number) {
        const bool within = number >= range.first && number < range.first + range.count;
        return within ? static_cast<int>((number - range.first) / block_) : -1;
    };
    cursor_ = known() ? Place{cellAt(rows_, from), cellAt(columns_, to)} : Place();
    tellAccessible();
    update();
}

QRectF BytesMatrix::cellOf(std::int64_t from, std::int64_t to) const {
    return cell(
        {static_cast<int>((from - rows_.first) / block_), static_cast<int>((to - columns_.first) / block_)});
}

/// Without what the scale takes: it stands at the right, where the cells leave it room there, else below.
QRectF BytesMatrix::room() const {
    const double line = fontMetrics().height();
    const double left = border + fontMetrics().horizontalAdvance(formatCount(count_)) + 6 + sums_side;
    const double top = 2 * line + 6 + sums_side;
    const double wide = std::max(8.0, width() - left - border);
    const double high = std::max(8.0, height() - top - border);
    return scaleBeside() ? QRectF(left, top, wide - scaleWidth(), high)
                         : QRectF(left, top, wide, std::max(8.0, high - 2 * line));
}

double BytesMatrix::scaleWidth() const {
    return 24.0 * fontMetrics().averageCharWidth();
}

bool BytesMatrix::scaleBeside() const {
    return width() - height() > scaleWidth() + 2 * border;
}

QRectF BytesMatrix::plot() const {
    const QRectF all = room();
    const int cells = std::max({1, down_, across_});
    const double side = std::floor(std::max(1.0, std::min(all.width(), all.height()) / cells));
    return {all.left(), all.top(), side * std::max(1, across_), side * std::max(1, down_)};
}

/// The round number of them with which cells of whole pixels fill `side` best, and of those alike the
/// largest: not much more than there must be.
std::int64_t BytesMatrix::blockFor(std::int64_t count, double side) {
    const double least = static_cast<double>(count) * least_cell / side;
    if (least <= 1)
        return 1;
    constexpr double not_much = 2.5;
    std::int64_t best = count;
    double filled = 0;
    for (std::int64_t doubled = 1; static_cast<double>(doubled) <= not_much * least; doubled *= 2)
        for (const std::int64_t block : {doubled, 3 * doubled, 5 * doubled}) {
            const std::int64_t rows = (count + block - 1) / block;
            const auto blocks = static_cast<double>(rows);
            const double cell = std::floor(side / blocks);
            const double fills = cell * blocks;
            if (cell < least_cell || static_cast<double>(block) > not_much * least || fills < filled ||
                (fills == filled && block < best))
                continue;
            filled = fills;
            best = block;
        }
    return best;
}

/// Adds up the cells that are shown.
void BytesMatrix::fold() {
    const QRectF all = room();
    const double side = std::min(all.width(), all.height());
    const std::int64_t longest = std::max<std::int64_t>(1, std::max(rows_.count, columns_.count));
    block_ = blockFor(longest, side);
    down_ = static_cast<int>((rows_.count + block_ - 1) / block_);
    across_ = static_cast<int>((columns_.count + block_ - 1) / block_);
    cells_ = known() ? analyse::bytes_of_blocks(*bytes_, count_, rows_, columns_, block_)
                     : std::vector<std::int64_t>();
    sent_.assign(known() ? static_cast<std::size_t>(down_) : 0, 0);
    received_.assign(known() ? static_cast<std::size_t>(across_) : 0, 0);
    for (int r = 0; r < static_cast<int>(sent_.size()); ++r)
        sent_[static_cast<std::size_t>(r)] = analyse::sum_over(sums_.sent, partOf(rows_, r));
    for (int c = 0; c < static_cast<int>(received_.size()); ++c)
        received_[static_cast<std::size_t>(c)] = analyse::sum_over(sums_.received, partOf(columns_, c));
    least_ = most_ = 0;
    for (const std::int64_t value : cells_) {
        most_ = std::max(most_, value);
        if (value > 0)
            least_ = least_ == 0 ? value : std::min(least_, value);
    }
    end_ = ofTwo() ? endOfDifferences(cells_) : 1;
    image_ = {};
    if (cursor_.row >= down_ || cursor_.column >= across_)
        cursor_ = {};
    tellAccessible();
    update();
}

void BytesMatrix::show(Range rows, Range columns) {
    const auto within = [this](Range range) {
        range.count = std::clamp<std::int64_t>(range.count, std::min<std::int64_t>(4, count_), count_);
        range.first = std::clamp<std::int64_t>(range.first, 0, count_ - range.count);
        return range;
    };
    rows_ = within(rows);
    columns_ = within(columns);
    cursor_ = {};
    fold();
}

QVariantList BytesMatrix::zoom() const {
    const Range all{0, count_};
    if (rows_ == all && columns_ == all)
        return {};
    QVariantList shown;
    for (const std::int64_t number : {rows_.first, rows_.count, columns_.first, columns_.count})
        shown << static_cast<qint64>(number);
    return shown;
}

void BytesMatrix::setZoom(const QVariantList& zoom) {
    if (zoom.size() != 4)
        return showAll();
    const auto number = [&](int i) -> std::int64_t { return zoom[i].toLongLong(); };
    show({number(0), number(1)}, {number(2), number(3)});
}

void BytesMatrix::zoom(double factor, QPointF at) {
    if (!known())
        return;
    const QRectF area = plot();
    const auto zoomed = [factor](Range range, double where) {
        const auto count = static_cast<std::int64_t>(std::lround(static_cast<double>(range.count) * factor));
        const double fixed = static_cast<double>(range.first) + where * static_cast<double>(range.count);
        return Range{static_cast<std::int64_t>(std::lround(fixed - where * static_cast<double>(count))),
                     count};
    };
    show(zoomed(rows_, std::clamp((at.y() - area.top()) / area.height(), 0.0, 1.0)),
         zoomed(columns_, std::clamp((at.x() - area.left()) / area.width(), 0.0, 1.0)));
}

BytesMatrix::Range BytesMatrix::partOf(Range range, int block) const {
    return analyse::block_of(range, block_, block);
}

BytesMatrix::Place BytesMatrix::placeAt(const QPointF& at) const {
    const QRectF area = plot();
    if (!known() || at.x() < area.left() || at.y() < area.top() || at.x() >= area.right() ||
        at.y() >= area.bottom())
        return {};
    return {std::min(down_ - 1, static_cast<int>((at.y() - area.top()) / area.height() * down_)),
            std::min(across_ - 1, static_cast<int>((at.x() - area.left()) / area.width() * across_))};
}

QRectF BytesMatrix::cell(Place place) const {
    const QRectF area = plot();
    const double side = area.width() / across_;
    return {area.left() + place.column * side, area.top() + place.row * side, side, side};
}

std::int64_t BytesMatrix::at(Place place) const {
    return cells_[static_cast<std::size_t>(place.row) * static_cast<std::size_t>(across_) +
                  static_cast<std::size_t>(place.column)];
}

std::int64_t BytesMatrix::nowAt(Place place) const {
    return analyse::bytes_between(*now_, count_, partOf(rows_, place.row), partOf(columns_, place.column));
}

QString BytesMatrix::textOf(Place place) const {
    const std::int64_t bytes = at(place);
    const Range sends = partOf(rows_, place.row), receives = partOf(columns_, place.column);
    const QString from = nameOf(sends), to = nameOf(receives);
    if (ofTwo()) {
        const std::int64_t now = nowAt(place);
        return bytes == 0 ? tr("%1 → %2: the same, %3").arg(from, to, formatBytes(now))
                          : tr("%1 → %2: %3; %4 instead of %5")
                                .arg(from, to, formatSignedBytes(static_cast<double>(bytes)),
                                     formatBytes(now), formatBytes(now - bytes));
    }
    return bytes == 0 ? tr("%1 → %2: nothing").arg(from, to)
                      : tr("%1 → %2: %3").arg(from, to, formatBytes(bytes)) + moreOf(sends, receives);
}

QString BytesMatrix::sumText(const QPointF& at) const {
    const QRectF area = plot();
    const auto told = [this](const std::vector<std::int64_t>& sums, Range range, double share,
                             const QString& words) {
        const int block = std::clamp(static_cast<int>(share * static_cast<double>(sums.size())), 0,
                                     static_cast<int>(sums.size()) - 1);
        const std::int64_t sum = sums[static_cast<std::size_t>(block)];
        return words.arg(nameOf(partOf(range, block)),
                         ofTwo() ? formatSignedBytes(static_cast<double>(sum)) : formatBytes(sum));
    };
    const QRectF left(area.left() - sums_side, area.top(), sums_side, area.height());
    const QRectF above(area.left(), area.top() - sums_side, area.width(), sums_side);
    if (known() && left.contains(at))
        return told(sent_, rows_, (at.y() - area.top()) / area.height(), tr("%1 → all: %2"));
    if (known() && above.contains(at))
        return told(received_, columns_, (at.x() - area.left()) / area.width(), tr("all → %1: %2"));
    return {};
}

void BytesMatrix::choose(Place place, bool other) {
    cursor_ = place;
    tellAccessible();
    update();
    cellChosen(partOf(rows_, place.row), partOf(columns_, place.column), other);
}

void BytesMatrix::chooseFor(const QPoint& menu) {
    if (const Place place = placeAt(menu); place.any())
        choose(place, false);
}

QPoint BytesMatrix::cursorPlace() const {
    return (cursor_.any() ? cell(cursor_) : plot()).center().toPoint();
}

void BytesMatrix::walk(int rows, int columns) {
    cursor_ = cursor_.any() ? Place{std::clamp(cursor_.row + rows, 0, down_ - 1),
                                    std::clamp(cursor_.column + columns, 0, across_ - 1)}
                            : Place{0, 0};
    tellAccessible();
    update();
    cellReached(partOf(rows_, cursor_.row), partOf(columns_, cursor_.column));
}

void BytesMatrix::tellAccessible() {
    setAccessibleName(title_);
    setAccessibleDescription(!known() ? note_ : cursor_.any() ? textOf(cursor_) : QString());
}

QString BytesMatrix::toText(QChar separator) const {
    QStringList head = ends();
    head << (ofTwo() ? QStringList{tr("more bytes"), tr("bytes"), tr("bytes of the base")}
                     : QStringList{tr("bytes")});
    QString text = tableLine(head, separator);
    const auto write = [](Range range, QStringList& cells) {
        cells << QString::number(range.first) << QString::number(range.first + range.count - 1);
    };
    for (int r = 0; known() && r < down_; ++r)
        for (int c = 0; c < across_; ++c)
            if (const std::int64_t bytes = at({r, c}); bytes != 0) {
                QStringList line;
                write(partOf(rows_, r), line);
                write(partOf(columns_, c), line);
                line << QString::number(bytes);
                if (ofTwo()) {
                    const std::int64_t now = nowAt({r, c});
                    line << QString::number(now) << QString::number(now - bytes);
                }
                text += tableLine(line, separator);
            }
    return text;
}

bool BytesMatrix::event(QEvent* event) {
    return showTip(event, this,
                   [this](const QPoint& point) {
                       const Place place = placeAt(point);
                       return place.any() ? textOf(place) : sumText(point);
                   }) ||
           QWidget::event(event);
}

void BytesMatrix::resizeEvent(QResizeEvent*) {
    fold();
}

void BytesMatrix::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        image_ = {};
    if (event->type() == QEvent::FontChange)
        fold();
    QWidget::changeEvent(event);
}

void BytesMatrix::wheelEvent(QWheelEvent* event) {
    zoom(std::pow(0.8, event->angleDelta().y() / 120.0), event->position());
    event->accept();
}

void BytesMatrix::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton)
        return;
    pressed_ = placeAt(event->position()).any();
    drag_begin_ = drag_end_ = event->position();
}

void BytesMatrix::mouseMoveEvent(QMouseEvent* event) {
    if (pressed_) {
        drag_end_ = event->position();
        update();
    }
}

void BytesMatrix::mouseReleaseEvent(QMouseEvent* event) {
    if (!std::exchange(pressed_, false))
        return;
    const QRectF area = plot();
    const QRectF dragged = QRectF(drag_begin_, event->position()).normalized() & area.adjusted(0, 0, -1, -1);
    if ((event->position() - drag_begin_).manhattanLength() <= drag_from)
        return choose(placeAt(drag_begin_), (event->modifiers() & Qt::ControlModifier) != 0);
    const Place first = placeAt(dragged.topLeft());
    const Place last = placeAt(dragged.bottomRight());
    if (!first.any() || !last.any())
        return;
    const auto range = [this](Range all, int from, int to) {
        const Range end = partOf(all, to);
        const std::int64_t begin = partOf(all, from).first;
        return Range{begin, end.first + end.count - begin};
    };
    show(range(rows_, first.row, last.row), range(columns_, first.column, last.column));
}

void BytesMatrix::mouseDoubleClickEvent(QMouseEvent*) {
    showAll();
}

void BytesMatrix::keyPressEvent(QKeyEvent* event) {
    if (!known())
        return QWidget::keyPressEvent(event);
    const QPointF centre = cursor_.any() ? cell(cursor_).center() : plot().center();
    switch (event->key()) {
    case Qt::Key_Left:
        return walk(0, -1);
    case Qt::Key_Right:
        return walk(0, 1);
    case Qt::Key_Up:
        return walk(-1, 0);
    case Qt::Key_Down:
        return walk(1, 0);
    case Qt::Key_W:
    case Qt::Key_Plus:
        return zoom(0.5, centre);
    case Qt::Key_S:
    case Qt::Key_Minus:
        return zoom(2, centre);
    case Qt::Key_F:
    case Qt::Key_0:
        return showAll();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!cursor_.any())
            return;
        choose(cursor_, (event->modifiers() & Qt::ControlModifier) != 0);
        return cellActivated();
    case Qt::Key_Escape:
        return allChosen();
    default:
        return QWidget::keyPressEvent(event);
    }
}

void BytesMatrix::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void BytesMatrix::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

} // namespace tilescope::ui
