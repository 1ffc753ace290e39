// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "ui/query/query_view.h"
#include "ui/session/format.h"

#include <QTreeWidget>
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// How many rows each table and view has, beside its name. They are counted in the background, and a question
/// of the user comes before those that are left.
namespace tilescope::ui {
namespace {

const QString counts_topic = QStringLiteral("rows of tables");

constexpr long long most_rows = 1'000'000; ///< that are counted

/// That which is counted first is the last. The time line, whose rows are worked out one by one, has more
/// than all others, and comes behind them. Of a run that goes on there would be more rows by the time that
/// they are read: none.
Result<std::vector<std::string>> namesToCount(const profile::Profile& file) {
    TRY(const auto run, file.run());
    if (run.status == profile::RunStatus::Running)
        return std::vector<std::string>();
    TRY(auto names, file.table_names());
    const auto late = [](const std::string& name) { return std::pair(name == "trace", name); };
    std::ranges::sort(names, std::greater<>(), late);
    return names;
}

} // namespace

void QueryView::askCounts() {
    uncounted_.reset();
    countNext();
}

/// One after the other, so that a large one holds up no question for longer than itself.
void QueryView::countNext() {
    if (running_ || !sources().current || tables_->topLevelItemCount() == 0)
        return;
    if (!uncounted_)
        return sources().current->ask<std::vector<std::string>>(
            this, counts_topic, &namesToCount, [this](Result<std::vector<std::string>> names) {
                uncounted_.emplace();
                if (names)
                    uncounted_ = std::move(*names);
                countNext();
            });
    if (uncounted_->empty())
        return;
    sources().current->ask<profile::QueryResult>(
        this, counts_topic,
        [name = uncounted_->back()](const profile::Profile& file) {
            return file.query("SELECT count(*) FROM (SELECT 1 FROM \"" + name + "\" LIMIT " +
                              std::to_string(most_rows + 1) + ')');
        },
        [this, name = uncounted_->back()](const Result<profile::QueryResult>& count) {
            if (!count) // it was stopped: those that are left stay without
                return uncounted_->clear();
            const long long rows = std::stoll(*count->rows.front().front().text);
            for (QTreeWidgetItem* table : tables_->findItems(text(name), Qt::MatchExactly)) {
                table->setText(1, rows > most_rows ? tr("over %1").arg(formatCount(most_rows))
                                                   : formatCount(rows));
                table->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
                table->setForeground(1, tables_->palette().placeholderText());
            }
            uncounted_->pop_back();
            countNext();
        });
}

/// Until the question that is asked now is answered.
void QueryView::stopCounting() {
    sources().current->cancel(this, counts_topic);
}

void QueryView::forgetCounts() {
    uncounted_.reset();
    for (int row = 0; row < tables_->topLevelItemCount(); ++row)
        tables_->topLevelItem(row)->setText(1, {});
}

} // namespace tilescope::ui
