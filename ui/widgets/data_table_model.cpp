// SPDX-License-Identifier: GPL-3.0-or-later
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
    return {formatCount(value), static_cast<double>(value), true, Cell::Unit::Count};
}
Cell amountCell(double value) {
    return {formatNumber(value), value, true, Cell::Unit::Count};
}
Cell bytesCell(double bytes) {
    return {formatBytes(bytes), bytes, true, Cell::Unit::Bytes};
}
Cell bytesCell(std::int64_t bytes) {
    return bytesCell(static_cast<double>(bytes));
}
Cell shareCell(const std::optional<double>& share) {
    return share ? Cell{formatPercent(*share), *share, true, Cell::Unit::Share} : absentCell();
}
Cell differenceCell(double by, const QString& amount) {
    return numberCell(formatDifference(by, amount), std::abs(by));
}
Cell bytesDifferenceCell(std::int64_t by) {
    return differenceCell(static_cast<double>(by), formatBytes(by));
}
Cell absentCell() {
    return numberCell(QStringLiteral("–"), std::numeric_limits<double>::lowest());
}
bool Cell::isAbsent() const {
    return numeric && number == std::numeric_limits<double>::lowest();
}

QString exactText(const Cell& cell) {
    if (!cell.numeric || cell.isAbsent())
        return cell.isAbsent() ? QString() : cell.text;
    constexpr double exact = 9e15; // whole numbers up to here are
    switch (cell.unit) {
    case Cell::Unit::Count:
    case Cell::Unit::Bytes:
        return cell.number == std::floor(cell.number) && std::abs(cell.number) < exact
                   ? QString::number(static_cast<qlonglong>(cell.number))
                   : QString::number(cell.number, 'g', QLocale::FloatingPointShortest);
    case Cell::Unit::Share:
        return QString::number(100 * cell.number, 'g', 12);
    case Cell::Unit::Other:
        break;
    }
    return cell.text;
}

DataTableModel::DataTableModel(std::vector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)), whole_(columns_.size(), 0),
      longest_(columns_.size()) {}

bool DataTableModel::setColumns(std::vector<Column> columns) {
    if (columns == columns_)
        return false;
    beginResetModel();
    rows_.clear();
    columns_ = std::move(columns);
    whole_.assign(columns_.size(), 0);
    longest_.assign(columns_.size(), QString());
    endResetModel();
    return true;
}

void DataTableModel::setRows(std::vector<TableRow> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    std::fill(whole_.begin(), whole_.end(), 0);
    std::fill(longest_.begin(), longest_.end(), QString());
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
    for (const TableRow& row : rows_)
        for (std::size_t c = 0; c < row.cells.size() && c < columns_.size(); ++c) {
            if (row.within < 0)
                whole_[c] += std::max(0.0, row.cells[c].number);
            if (widerText(row.cells[c].text, longest_[c]))
                longest_[c] = row.cells[c].text;
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

Cell::Unit DataTableModel::unitOf(int column) const {
    const auto c = static_cast<std::size_t>(column);
    std::optional<Cell::Unit> unit;
    for (const TableRow& row : rows_) {
        if (c >= row.cells.size() || row.cells[c].isAbsent())
            continue;
        if (row.cells[c].unit == Cell::Unit::Other || unit.value_or(row.cells[c].unit) != row.cells[c].unit)
            return Cell::Unit::Other;
        unit = row.cells[c].unit;
    }
    return unit.value_or(Cell::Unit::Other);
}

const QString& DataTableModel::longest(int column) const {
    return longest_.at(static_cast<std::size_t>(column));
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
        return cell.text;
    case Qt::ToolTipRole:
        return cell.unit == Cell::Unit::Bytes && cell.number >= smallest_rounded
                   ? DataTable::tr("%1, %2 bytes").arg(cell.text, formatCount(std::llround(cell.number)))
                   : cell.text;
    case SortRole:
        return cell.numeric ? QVariant(cell.number) : QVariant(cell.text);
    case Qt::TextAlignmentRole:
        return static_cast<int>((cell.numeric ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case ShareRole:
        return columns_[c].bar && cell.numeric && cell.number > 0
                   ? QVariant(cell.unit == Cell::Unit::Share ? std::min(1.0, cell.number)
                                                             : std::min(1.0, cell.number / whole_[c]))
                   : QVariant();
    case KeyRole:
        return QVariant::fromValue(static_cast<qlonglong>(row.key));
    case FoldRole:
        return !folds_ ? Flat : heads_[i] >= 0 ? Within : isUnfolded(index.row()) ? Unfolded : Folded;
    case HoldsRole:
        return holds(index.row());
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
