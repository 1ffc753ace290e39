// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/basis.h"
#include "base/share.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/table_text.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr double smallest_rounded = 1024; ///< bytes: fewer are shown exactly

constexpr QChar course_mark(u';'); ///< between its numbers, as copies have them

QVariantList numbersOf(const Cell& course) {
    QVariantList numbers;
    for (const QString& number : course.exact.split(course_mark))
        numbers << (number.isEmpty() ? QVariant() : QVariant(number.toDouble()));
    return numbers;
}

QColor markTint() {
    QColor tint = Theme::current().accent;
    constexpr float soft = 0.09F;
    tint.setAlphaF(soft);
    return tint;
}

} // namespace

Cell textCell(const QString& text) {
    return {text};
}
Cell numberCell(const QString& text, double number) {
    return {text, number, true};
}
Cell countCell(std::int64_t value) {
    return amountCell(static_cast<double>(value));
}
Cell amountCell(double value) {
    return {{}, value, true, Cell::Unit::Count};
}
Cell samplesCell(double per_second) {
    return {formatAmount(per_second), per_second, true, Cell::Unit::Count};
}
Cell bytesCell(double bytes) {
    return {{}, bytes, true, Cell::Unit::Bytes};
}
Cell bytesCell(std::int64_t bytes) {
    return bytesCell(static_cast<double>(bytes));
}
Cell secondsCell(double seconds) {
    return {{}, seconds, true, Cell::Unit::Seconds};
}
Cell shareCell(const std::optional<double>& share) {
    return share ? Cell{{}, *share, true, Cell::Unit::Share} : absentCell();
}
Cell cyclesCell(double cycles, double clock_hz) {
    return {{}, cycles, true, Cell::Unit::Cycles, clock_hz};
}
Cell courseCell(const std::vector<std::optional<double>>& values, const QString& told) {
    QStringList numbers;
    for (const auto& value : values)
        numbers << (value ? QString::number(*value, 'g', QLocale::FloatingPointShortest) : QString());
    return {told, 0, false, Cell::Unit::Course, 0, numbers.join(course_mark)};
}
Cell writtenCell(const QString& text, Cell amount) {
    amount.text = text;
    return amount;
}
Cell runsCell(std::int64_t runs, std::int64_t count) {
    return writtenCell(text(analyse::runs_text(runs, count)),
                       amountCell(static_cast<double>(runs) / static_cast<double>(count)));
}
Cell differenceCell(Cell by) {
    by.text = formatDifference(by.number, by.shown());
    by.by_size = true;
    return by;
}
Cell bytesDifferenceCell(std::int64_t by) {
    return differenceCell(bytesCell(by));
}
Cell changeCell(double base, double now) {
    const auto change = base == now ? std::optional(0.0) : relative_change(base, now);
    if (!change)
        return absentCell();
    Cell cell = writtenCell(formatChange(base, now), shareCell(change));
    cell.by_size = true;
    return cell;
}
Cell absentCell() {
    return numberCell(QStringLiteral("–"), std::numeric_limits<double>::lowest());
}
double Cell::rank() const {
    return by_size && !isAbsent() ? std::abs(number) : number;
}
QString Cell::shown() const {
    if (!text.isEmpty())
        return text;
    switch (unit) {
    case Unit::Count:
        return formatNumber(number);
    case Unit::Bytes:
        return formatBytes(number);
    case Unit::Seconds:
        return formatSeconds(number);
    case Unit::Share:
        return formatPercent(number);
    case Unit::Cycles:
        return formatTime(number, clock_hz);
    case Unit::Course:
    case Unit::Other:
        break;
    }
    return {};
}
bool Cell::isAbsent() const {
    return numeric && number == std::numeric_limits<double>::lowest();
}

QString exactText(const Cell& cell) {
    if (cell.isAbsent())
        return {};
    if (!cell.exact.isEmpty())
        return cell.exact;
    if (!cell.numeric)
        return cell.shown();
    constexpr double exact = 9e15; // whole numbers up to here are
    constexpr int digits = 12;     // none of them of the rounding of doubles
    switch (cell.unit) {
    case Cell::Unit::Count:
    case Cell::Unit::Bytes:
        return cell.number == std::floor(cell.number) && std::abs(cell.number) < exact
                   ? QString::number(static_cast<qlonglong>(cell.number))
                   : QString::number(cell.number, 'g', QLocale::FloatingPointShortest);
    case Cell::Unit::Seconds:
        return QString::number(cell.number, 'g', digits);
    case Cell::Unit::Share:
        return QString::number(100 * cell.number, 'g', digits);
    case Cell::Unit::Cycles:
        if (units().cycles)
            return exactText(amountCell(cell.number));
        if (cell.clock_hz > 0)
            return exactText(secondsCell(cell.number / cell.clock_hz));
        break;
    case Cell::Unit::Course:
    case Cell::Unit::Other:
        break;
    }
    return cell.shown();
}

QString unitHead(Cell::Unit unit) {
    return unit == Cell::Unit::Bytes     ? QStringLiteral(" (bytes)")
           : unit == Cell::Unit::Seconds ? QStringLiteral(" (s)")
           : unit == Cell::Unit::Cycles
               ? (units().cycles ? QStringLiteral(" (cycles)") : QStringLiteral(" (s)"))
           : unit == Cell::Unit::Share ? QStringLiteral(" (%)")
                                       : QString();
}

DataTableModel::DataTableModel(std::vector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)), whole_(columns_.size(), 0),
      units_(columns_.size(), Cell::Unit::Other), longest_(columns_.size()) {}

bool DataTableModel::setColumns(std::vector<Column> columns) {
    if (columns == columns_)
        return false;
    beginResetModel();
    rows_.clear();
    columns_ = std::move(columns);
    whole_.assign(columns_.size(), 0);
    units_.assign(columns_.size(), Cell::Unit::Other);
    longest_.assign(columns_.size(), std::nullopt);
    endResetModel();
    return true;
}

void DataTableModel::setRows(std::vector<TableRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    std::fill(whole_.begin(), whole_.end(), 0);
    longest_.assign(columns_.size(), std::nullopt);
    heads_.assign(rows_.size(), -1);
    holds_.assign(rows_.size(), false);
    folds_ = false;
    for (std::size_t i = 0, head = 0; i < rows_.size(); ++i) {
        if (rows_[i].within < 0) {
            head = i;
        } else if (rows_[head].key == rows_[i].within) {
            heads_[i] = static_cast<int>(head);
            holds_[head] = folds_ = true;
        }
    }
    units_.assign(columns_.size(), Cell::Unit::Other);
    std::vector<bool> several(columns_.size()); // units
    for (const TableRow& row : rows_)
        for (std::size_t c = 0; c < row.cells.size() && c < columns_.size(); ++c) {
            const Cell& cell = row.cells[c];
            if (row.within < 0)
                whole_[c] += std::max(0.0, cell.rank());
            if (cell.unit == Cell::Unit::Other || cell.isAbsent()) // "never" among steps
                continue;
            several[c] = several[c] || (units_[c] != Cell::Unit::Other && units_[c] != cell.unit);
            units_[c] = several[c] ? Cell::Unit::Other : cell.unit;
        }
    endResetModel();
}

int DataTableModel::wideColumn() const {
    const auto wide = std::find_if(columns_.begin(), columns_.end(), [](const Column& c) { return c.wide; });
    if (wide != columns_.end())
        return static_cast<int>(wide - columns_.begin());
    const auto of_number = [](const TableRow& row) { return !row.cells.empty() && row.cells[0].numeric; };
    return !rows_.empty() && std::all_of(rows_.begin(), rows_.end(), of_number) ? -1 : 0;
}

/// To write every figure of many rows takes long. Figures are about as long as others of their size: of those
/// between a power of two and the next only the largest is written, and one without zeros at its end.
QString DataTableModel::longest(int column) const {
    const auto c = static_cast<std::size_t>(column);
    if (longest_.at(c))
        return *longest_[c];
    QString longest;
    const auto take = [&longest](const QString& text) {
        if (widerText(text, longest))
            longest = text;
    };
    constexpr int sizes = 2200; // of a double, from the least to the largest
    std::vector<const Cell*> largest(std::size_t{2} * sizes);
    for (const TableRow& row : rows_) {
        if (c >= row.cells.size())
            continue;
        const Cell& cell = row.cells[c];
        if (cell.unit == Cell::Unit::Course)
            continue;
        if (!cell.text.isEmpty() || cell.unit == Cell::Unit::Other) {
            take(cell.text);
        } else if (!std::isfinite(cell.number) ||
                   (cell.unit == Cell::Unit::Count && cell.number != std::floor(cell.number))) {
            take(cell.shown());
        } else {
            const auto size =
                static_cast<std::size_t>(cell.number == 0 ? 0 : std::ilogb(cell.number) + sizes / 2);
            const Cell*& known = largest[2 * size + (cell.number < 0 ? 1 : 0)];
            if (known == nullptr || std::abs(cell.number) > std::abs(known->number))
                known = &cell;
        }
    }
    for (const Cell* cell : largest) {
        if (cell == nullptr)
            continue;
        take(cell->shown());
        if (cell->unit == Cell::Unit::Count || cell->number == 0)
            continue;
        constexpr double no_zeros = 10.0 / 9; // 1.11…
        Cell other = *cell;
        other.number = std::copysign(std::ldexp(no_zeros, std::ilogb(cell->number)), cell->number);
        take(other.shown());
    }
    longest_[c] = longest;
    return longest;
}

void DataTableModel::setMarked(std::set<std::int64_t> keys) {
    marked_ = std::move(keys);
    if (!rows_.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::BackgroundRole});
}

int DataTableModel::headOf(std::int64_t key) const {
    if (!folds_)
        return -1;
    const auto found =
        std::find_if(rows_.begin(), rows_.end(), [&](const TableRow& row) { return row.key == key; });
    return found == rows_.end() ? -1 : heads_[static_cast<std::size_t>(found - rows_.begin())];
}

bool DataTableModel::isUnfolded(int row) const {
    return unfolded_.contains(rows_[static_cast<std::size_t>(row)].key);
}

void DataTableModel::setUnfolded(int row, bool unfolded) {
    const std::int64_t key = rows_[static_cast<std::size_t>(row)].key;
    unfolded ? static_cast<void>(unfolded_.insert(key)) : static_cast<void>(unfolded_.erase(key));
    Q_EMIT dataChanged(index(row, 0), index(row, 0), {FoldRole});
}

int DataTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int DataTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant DataTableModel::data(const QModelIndex& index, int role) const {
    const auto i = static_cast<std::size_t>(index.row());
    const TableRow& row = rows_[i];
    const auto c = static_cast<std::size_t>(index.column());
    if (c >= row.cells.size())
        return {};
    const Cell& cell = row.cells[c];
    switch (role) {
    case Qt::DisplayRole:
        return cell.shown();
    case Qt::ToolTipRole:
        return cell.unit == Cell::Unit::Course          ? cell.text
               : !cell.numeric && !cell.exact.isEmpty() ? cell.exact
               : cell.unit == Cell::Unit::Bytes && !cell.isAbsent() &&
                       std::abs(cell.number) >= smallest_rounded
                   ? DataTable::tr("%1, %2 bytes").arg(cell.shown(), formatCount(std::llround(cell.number)))
                   : cell.shown();
    case SortRole:
        return cell.numeric ? QVariant(cell.rank()) : QVariant(cell.shown());
    case Qt::TextAlignmentRole:
        return static_cast<int>((cell.numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case ShareRole:
        return columns_[c].bar && cell.numeric && cell.rank() > 0
                   ? QVariant(cell.unit == Cell::Unit::Share ? std::min(1.0, cell.rank())
                                                             : std::min(1.0, cell.rank() / whole_[c]))
                   : QVariant();
    case CourseRole:
        return cell.unit == Cell::Unit::Course ? QVariant(numbersOf(cell)) : QVariant();
    case KeyRole:
        return QVariant::fromValue(static_cast<qlonglong>(row.key));
    case FoldRole:
        return !folds_ ? Flat : heads_[i] >= 0 ? Within : isUnfolded(index.row()) ? Unfolded : Folded;
    case HoldsRole:
        return holds(index.row());
    case Qt::ForegroundRole:
        return cell.judged == 0  ? QVariant()
               : cell.judged > 0 ? QVariant(Theme::current().less())
                                 : QVariant(Theme::current().more());
    case Qt::BackgroundRole:
        return marked_.contains(row.key) ? QVariant(markTint()) : QVariant();
    default:
        return {};
    }
}

QVariant DataTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    const auto c = static_cast<std::size_t>(section);
    if (role == Qt::DisplayRole)
        return columns_[c].title;
    const bool numeric = !rows_.empty() && c < rows_.front().cells.size() && rows_.front().cells[c].numeric;
    if (role == Qt::InitialSortOrderRole) // a click shows what is most, or the names from A on
        return static_cast<int>(numeric ? Qt::DescendingOrder : Qt::AscendingOrder);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

} // namespace tilescope::ui
