// SPDX-License-Identifier: GPL-3.0-or-later
#include "try_panel.h"

#include "base/share.h"
#include "ui/session/format.h"
#include "ui/widgets/data_table.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {

TryPanel::TryPanel(QWidget* parent)
    : QWidget(parent), caption_(new QLabel), try_(new QPushButton(tr("Try them"))),
      run_(new QPushButton(tr("Run with this…"))), rows_(new DataTable({}, {{tr("Change"), false, true},
                                                                            {tr("Verdict")},
                                                                            {tr("Step")},
                                                                            {tr("Samples/s")},
                                                                            {tr("Against now")},
                                                                            {tr("Fullest tile")}})) {
    rows_->setObjectName(QStringLiteral("changes"));
    rows_->hideHead();
    try_->setObjectName(QStringLiteral("tryChanges"));
    run_->setObjectName(QStringLiteral("runWithChange"));
    run_->setToolTip(tr("Set up a run in Live with the change that is chosen"));
    caption_->setWordWrap(true);
    caption_->setForegroundRole(QPalette::PlaceholderText);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 14, 4);
    head->setSpacing(8);
    head->addWidget(caption_, 1);
    head->addWidget(try_);
    head->addWidget(run_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(rows_, 1);
    connect(try_, &QPushButton::clicked, this, [this] { trying() ? stop() : tryAll(); });
    connect(run_, &QPushButton::clicked, this, [this] {
        if (const QString change = chosenChange(); !change.isEmpty())
            Q_EMIT runRequested({change});
    });
    connect(rows_, &DataTable::keyChosen, this, [this] { run_->setEnabled(!chosenChange().isEmpty()); });
    connect(&estimate_, &Estimate::progressed, this, &TryPanel::showRows);
    connect(&estimate_, &Estimate::finished, this, &TryPanel::ended);
}

void TryPanel::setChanges(const std::vector<std::string>& changes, const analyse::Summary& now) {
    changes_ = changes;
    now_ = now;
    showRows();
}

void TryPanel::forget() {
    compiling_.clear();
    stop();
    tried_.clear();
    changes_.clear();
    showRows();
}

/// The one whose row is chosen, once it is known to fit.
QString TryPanel::chosenChange() const {
    const QVariant row = rows_->view()->currentIndex().siblingAtColumn(0).data(DataTableModel::KeyRole);
    const auto at = static_cast<std::size_t>(row.isValid() ? row.toLongLong() : -1);
    if (at >= changes_.size())
        return {};
    const auto tried = tried_.find(changes_[at]);
    return tried != tried_.end() && tried->second.fits ? text(changes_[at]) : QString();
}

void TryPanel::tryAll() {
    wanted_ = changes_;
    tryNext();
}

/// As the run was asked for, with every default, and one change.
void TryPanel::tryNext() {
    const auto next = std::find_if(wanted_.begin(), wanted_.end(),
                                   [this](const std::string& change) { return !tried_.contains(change); });
    if (next == wanted_.end() || trying())
        return showRows();
    compiling_ = *next;
    estimate_.start(now_.run.workload, {text(compiling_)});
    showRows();
}

void TryPanel::stop() {
    wanted_.clear();
    estimate_.cancel();
}

/// What does not fit has a profile, too, and says by how much.
void TryPanel::ended(const Estimated& result, bool cancelled) {
    if (cancelled || compiling_.empty()) {
        compiling_.clear();
        return tryNext(); // where others are wanted meanwhile
    }
    Tried tried;
    if (result.summary && result.summary->memory) {
        tried.bytes = result.summary->memory->fullest_with_gaps.bytes;
        tried.fits = result.complete();
        tried.step_us = result.summary->step_us;
        tried.samples_per_s = result.summary->samples_per_s;
    }
    if (!tried.fits)
        tried.error = result.error;
    tried_[std::exchange(compiling_, std::string())] = std::move(tried);
    tryNext();
}

QString TryPanel::verdict(const Tried& tried) const {
    if (tried.fits)
        return tr("fits");
    const auto room = now_.target.bytes_per_tile;
    return tried.bytes > room && room > 0
               ? tr("does not fit: %1 of a tile").arg(formatPercent(share_of(tried.bytes, room).value_or(0)))
               : tr("not possible");
}

/// Why what was tried cannot be compiled at all.
QString TryPanel::reasons() const {
    QString all;
    for (const std::string& change : changes_) {
        const auto found = tried_.find(change);
        if (found == tried_.end() || found->second.fits || found->second.bytes > now_.target.bytes_per_tile ||
            found->second.error.isEmpty())
            continue;
        const QString& error = found->second.error;
        const QString file = QStringLiteral("/workload.json: "); // a copy that nobody knows
        const qsizetype at = error.indexOf(file);
        all += tr(" %1: %2.").arg(text(change), at < 0 ? error : error.mid(at + file.size()));
    }
    return all;
}

void TryPanel::showRows() {
    std::vector<TableRow> rows;
    std::size_t known = 0;
    for (const std::string& change : changes_) {
        TableRow row{static_cast<std::int64_t>(rows.size()), {textCell(text(change))}};
        const auto found = tried_.find(change);
        if (found == tried_.end()) {
            row.cells.push_back(textCell(
                change == compiling_ ? tr("compiling, %1").arg(formatSeconds(std::floor(estimate_.seconds())))
                                     : tr("not tried")));
            row.cells.resize(6, absentCell());
        } else {
            const Tried& tried = found->second;
            ++known;
            row.cells.push_back(textCell(verdict(tried)));
            row.cells.push_back(tried.step_us
                                    ? numberCell(formatSeconds(*tried.step_us * 1e-6), *tried.step_us)
                                    : absentCell());
            row.cells.push_back(tried.samples_per_s ? countCell(std::llround(*tried.samples_per_s))
                                                    : absentCell());
            row.cells.push_back(tried.samples_per_s && now_.samples_per_s
                                    ? numberCell(formatChange(*now_.samples_per_s, *tried.samples_per_s),
                                                 *tried.samples_per_s - *now_.samples_per_s)
                                    : absentCell());
            const auto share = share_of(tried.bytes, now_.target.bytes_per_tile);
            row.cells.push_back(tried.bytes > 0 && share
                                    ? numberCell(formatPercent(*share), static_cast<double>(tried.bytes))
                                    : absentCell());
        }
        rows.push_back(std::move(row));
    }
    setVisible(!rows.empty());
    rows_->setRows(std::move(rows));
    try_->setText(trying() ? tr("Stop trying") : tr("Try them"));
    try_->setEnabled(trying() || known < changes_.size());
    run_->setEnabled(!chosenChange().isEmpty());
    caption_->setText(known == 0
                          ? tr("Settings that may help. What they give is known when they are "
                               "compiled; none is advice before.")
                          : tr("Compiled as estimates, one change each; samples per second against those "
                               "of this run.") +
                                reasons());
}

} // namespace tilescope::ui
