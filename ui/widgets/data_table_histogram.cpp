// SPDX-License-Identifier: GPL-3.0-or-later
// How the amounts of a column of a table are spread.
#include "column_histogram.h"
#include "folding_proxy.h"
#include "ui/session/format.h"
#include "ui/widgets/data_table.h"

#include <QLineEdit>
#include <algorithm>

namespace tilescope::ui {

/// What a number is of only a unit tells: others are what rows are sorted by. Amounts of several units are
/// not compared.
std::map<int, QString> DataTable::amountColumns() const {
    std::map<int, QString> columns;
    for (int c = 0; c < model_->columnCount(); ++c) {
        if (view_->isColumnHidden(c) || nameOf(c).isEmpty())
            continue;
        const Cell::Unit unit = model_->unitOf(c);
        if (unit != Cell::Unit::Other && unit != Cell::Unit::Course)
            columns[c] = nameOf(c);
    }
    return columns;
}

/// Rows that are folded into another are counted with that.
ColumnAmounts DataTable::amountsOf(int column) const {
    ColumnAmounts result;
    const auto at = static_cast<std::size_t>(column);
    QStringList heads;
    for (int c = 0; c < model_->columnCount(); ++c)
        heads << nameOf(c);
    const QString named =
        column < heads.size() ? QString(heads[column]).remove(QLatin1Char(' ')).toLower() : QString();
    const bool told_apart =
        !named.isEmpty() && RowFilter::columnOf(named, heads) == column && named.front().isLetterOrNumber() &&
        std::none_of(named.begin(), named.end(), [](QChar c) { return QStringLiteral(":<>=").contains(c); });
    if (told_apart && head_->isVisibleTo(this))
        result.named = named;
    std::int64_t count = 0;
    for (int row = 0; row < proxy_->rowCount(); ++row) {
        const int of = proxy_->mapToSource(proxy_->index(row, 0)).row();
        if (model_->headOf(of) >= 0)
            continue;
        ++count;
        const auto& cells = model_->rows()[static_cast<std::size_t>(of)].cells;
        if (at >= cells.size() || cells[at].isAbsent() || cells[at].unit == Cell::Unit::Other) {
            ++result.absent;
            continue;
        }
        if (result.amounts.empty())
            result.kind = {{}, 0, true, cells[at].unit, cells[at].clock_hz};
        result.amounts.push_back(cells[at].number);
    }
    result.rows = formatCounted(count, tr("row"), tr("rows"));
    return result;
}

void DataTable::showHistogram(int column) {
    const std::map<int, QString> columns = amountColumns();
    if (columns.empty())
        return;
    const auto keys = sortKeys();
    if (column < 0 && !keys.empty())
        column = keys.front().column;
    if (!columns.contains(column))
        column = columns.begin()->first;
    auto* histogram = new ColumnHistogram(
        view_->accessibleName(), columns, column, [this](int c) { return amountsOf(c); }, this);
    connect(histogram, &ColumnHistogram::filterWanted, this, &DataTable::filterFurther);
    histogram->show();
}

/// By these words, too.
void DataTable::filterFurther(const QString& words) {
    filter_->setText((filter_->text() + QLatin1Char(' ') + words).trimmed());
    filterNow();
    view_->setFocus(Qt::OtherFocusReason);
}

} // namespace tilescope::ui
