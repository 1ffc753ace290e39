// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/liveness/kept_page.h"

#include "live_step.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/lifetime_delegate.h"

#include <QTableView>
#include <QVBoxLayout>
#include <utility>
#include <vector>

namespace tilescope::ui {
namespace {

constexpr int kept_life_column = 2;

/// Steps that need it from or until; "never" where none does.
Cell neededCell(const std::optional<std::pair<std::int64_t, std::int64_t>>& needed, bool until) {
    if (!needed)
        return numberCell(KeptPage::tr("never"), -1);
    return countCell(until ? needed->second : needed->first);
}

} // namespace

KeptPage::KeptPage(QWidget* parent) : QWidget(parent) {
    table_ = new DataTable({}, {{tr("Variable")},
                                {tr("Bytes"), true},
                                {tr("Needed over the steps in view")},
                                {tr("At the peak")},
                                {tr("Needed from")},
                                {tr("Needed until")},
                                {tr("Category")},
                                {tr("Layer")}});
    table_->setObjectName(QStringLiteral("keptVariables"));
    table_->view()->setTextElideMode(Qt::ElideMiddle);
    lives_ = new LifetimeDelegate(table_);
    table_->view()->setItemDelegateForColumn(kept_life_column, lives_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins({});
    column->addWidget(table_);
    connect(table_, &DataTable::keyChosen, this, &KeptPage::chosen);
    table_->setSubjects([](std::int64_t variable) { return linkTo(Subject::Variable, variable); });
    connect(table_, &DataTable::keyActivated, this, &KeptPage::activated);
    connect(table_, &DataTable::sqlWanted, this, &KeptPage::sqlWanted);
    setFocusProxy(table_->view());
}

void KeptPage::setKept(const LivenessView::Read& read) {
    const analyse::Liveness& live = *read.live;
    known_ = read.kept.has_value();
    count_ = known_ ? read.kept->variables.size() : 0;
    peak_ = live.points[static_cast<std::size_t>(live.peak())].step;
    table_->setCaption(sentence(read));
    table_->view()->setVisible(count_ > 0);
    table_->setSql(
        sqlOfVariables(live, QStringLiteral("always_live AND tensor_id >= 0 AND stash_depth = 0 AND "
                                            "category IN ('Variables', 'Constants')")));
    std::vector<TableRow> rows;
    LifetimeDelegate::Lives lives;
    const LifetimeDelegate::Steps all(live.points.front().step, live.points.back().step);
    if (known_)
        for (const analyse::KeptVariables::Each& each : read.kept->variables) {
            const profile::VariableRecord& v = live.variables[each.index];
            const auto layer = read.layers.find(v.layer_id);
            lives[v.id] = {{all, each.needed}};
            rows.push_back({v.id,
                            {textCell(text(v.name)), bytesCell(v.bytes), textCell(QString()),
                             each.saved > 0 ? bytesDifferenceCell(-each.saved)
                                            : writtenCell(QStringLiteral("0"), bytesCell(std::int64_t{0})),
                             neededCell(each.needed, false), neededCell(each.needed, true),
                             textCell(text(to_string(v.category))),
                             textCell(layer == read.layers.end() ? QString() : layer->second)}});
        }
    lives_->setLives(std::move(lives));
    table_->setRows(std::move(rows));
}

QString KeptPage::sentence(const LivenessView::Read& read) const {
    if (!read.kept)
        return tr("Not recorded by the version that made this file; profile it again.");
    const analyse::KeptVariables& kept = *read.kept;
    if (kept.variables.empty())
        return tr("Nothing is kept longer than a step needs it.");
    const analyse::Liveness& live = *read.live;
    const std::int64_t by = live.points[static_cast<std::size_t>(live.peak())].total() - kept.peak_bytes;
    const QString then = formatCount(live.points[static_cast<std::size_t>(kept.peak)].step);
    if (kept.saved == 0)
        return tr("Freeing them at their last use does not lower the peak: step %1 needs them all")
            .arg(formatCount(peak_));
    if (by == 0)
        return tr("Freeing them at their last use does not lower the peak: step %1 holds as much").arg(then);
    return tr("Freeing all at their last use lowers the peak by %1 to %2, then step %3 is the peak")
        .arg(formatBytes(by), formatBytes(kept.peak_bytes), then);
}

void KeptPage::showLives(const LivenessCurve& curve) {
    curve.showLives(*lives_, peak_);
    table_->view()->viewport()->update();
}

void KeptPage::select(std::int64_t variable) {
    table_->selectKey(variable);
}

QString KeptPage::title() const {
    return known_ ? tr("Kept too long: %1").arg(formatCount(static_cast<std::int64_t>(count_)))
                  : tr("Kept too long");
}

} // namespace tilescope::ui
