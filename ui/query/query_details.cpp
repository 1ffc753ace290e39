// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "ui/query/query_view.h"
#include "ui/session/format.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/detail_table.h"

#include <QTabWidget>
#include <QTableView>
#include <vector>

/// What the panel at the side says: the row that was chosen, column by column, with whole values.
namespace tilescope::ui {
namespace {

struct Value {
    QString column, shown;
    bool number = false;
    std::int64_t id = -1; ///< of what the column names
};

/// Of what a number names the name, too. The first text that names something is a link to it.
Result<QString> detailsOf(const profile::Profile& file, const QString& title, const std::vector<Value>& row,
                          bool linked) {
    std::int64_t ipu = -1; // of a variable and a tile
    for (const Value& value : row)
        if (value.column == QLatin1String("ipu"))
            ipu = value.id;
    bool named_one = false;
    DetailTable table;
    for (const Value& value : row) {
        const auto subject = linked && value.number ? subjectOf(value.column.toStdString()) : std::nullopt;
        if (subject && value.id >= 0) {
            TRY(const auto name, nameOf(file, *subject, value.id));
            table.richRow(
                asHtml(value.column),
                subjectLink(*subject, value.id,
                            name.empty() ? value.shown : QueryView::tr("%1, %2").arg(value.shown, text(name)),
                            ipu));
            continue;
        }
        std::optional<NamedSubject> of;
        if (linked && !value.number && !named_one) {
            TRY(of, named(file, value.shown.toStdString()));
        }
        named_one = named_one || of.has_value();
        if (of)
            table.richRow(asHtml(value.column), subjectLink(of->what, of->id, value.shown, of->ipu));
        else
            table.row(asHtml(value.column), value.shown);
    }
    return table.html(title);
}

/// Of the row of that key, which the table may have sorted or filtered; empty: it is not there.
std::vector<Value> valuesOf(const DataTable& table, std::int64_t key) {
    const QAbstractItemModel& model = *table.view()->model();
    std::vector<Value> values;
    for (int row = 0; row < model.rowCount() && values.empty(); ++row) {
        if (model.index(row, 0).data(DataTableModel::KeyRole).toLongLong() != key)
            continue;
        for (int column = 0; column < model.columnCount(); ++column) {
            const QModelIndex cell = model.index(row, column);
            const QVariant number = cell.data(DataTableModel::SortRole);
            const bool is_number = number.typeId() == QMetaType::Double;
            values.push_back({model.headerData(column, Qt::Horizontal).toString(), cell.data().toString(),
                              is_number, is_number ? static_cast<std::int64_t>(number.toDouble()) : -1});
        }
    }
    return values;
}

} // namespace

QString QueryView::detailsHint() const {
    return tr("Ask something and choose a row of the answer: it is told here column by column, with whole "
              "values, and what its ids and names are of is a link.");
}

/// Of a row that the base alone has, what ids and names are of is not in the file that is shown: no links.
void QueryView::tellDetails() {
    if (!isVisible())
        return;
    const auto* table = qobject_cast<DataTable*>(tabs_->widget(0));
    const std::vector<Value> values = table == nullptr ? std::vector<Value>() : valuesOf(*table, row_);
    const QString topic = QStringLiteral("details of row");
    if (sources().current) // what was asked is of another row
        sources().current->cancel(this, topic);
    if (values.empty() || !sources().current)
        return Q_EMIT detailsChanged({});
    sources().current->ask<QString>(
        this, topic,
        [title = tr("Row %1").arg(formatCount(row_ + 1)), values, linked = row_ < std::ssize(shown_.rows)](
            const profile::Profile& file) { return detailsOf(file, title, values, linked); },
        [this](const Result<QString>& html) {
            if (html)
                Q_EMIT detailsChanged(*html);
        });
}

} // namespace tilescope::ui
