// SPDX-License-Identifier: GPL-3.0-or-later
#include "try_panel.h"

#include "analyse/changes_to_try.h"
#include "base/share.h"
#include "base/wait_text.h"
#include "ui/insights/insight_place.h"
#include "ui/session/format.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/data_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t columns_shown = 6;
constexpr int samples_column = 3; ///< and behind it what it is against now

} // namespace

TryPanel::TryPanel(QWidget* parent)
    : QWidget(parent), caption_(new QLabel), try_(new QPushButton(tr("Try them"))),
      copy_(new QPushButton(tr("Copy setting"))), run_(new QPushButton(tr("Run with this…"))),
      rows_(new DataTable({}, {{tr("Change"), false, true},
                               {tr("Verdict")},
                               {tr("Step")},
                               {tr("Samples/s")},
                               {tr("Against now")},
                               {tr("Fullest tile")}})) {
    rows_->setObjectName(QStringLiteral("changes"));
    rows_->hideHead();
    try_->setObjectName(QStringLiteral("tryChanges"));
    copy_->setObjectName(QStringLiteral("copySetting"));
    copy_->setToolTip(tr("Copy the change that is chosen as an option of the command line, --set"));
    run_->setObjectName(QStringLiteral("runWithChange"));
    run_->setToolTip(tr("Set up a run in Live with the change that is chosen"));
    caption_->setWordWrap(true);
    caption_->setForegroundRole(QPalette::PlaceholderText);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 14, 4);
    head->setSpacing(8);
    head->addWidget(caption_, 1);
    head->addWidget(try_);
    head->addWidget(copy_);
    head->addWidget(run_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(rows_, 1);
    connect(try_, &QPushButton::clicked, this, [this] { trying() ? stop() : tryAll(); });
    connect(run_, &QPushButton::clicked, this, [this] {
        if (const QStringList change = chosenChange(); !change.isEmpty())
            Q_EMIT runRequested(change);
    });
    connect(copy_, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(setOptions(chosenSettings())); });
    connect(rows_, &DataTable::keyChosen, this, &TryPanel::enableButtons);
    connect(&estimate_, &Estimate::progressed, this, &TryPanel::showRows);
    connect(&estimate_, &Estimate::finished, this, &TryPanel::ended);
}

void TryPanel::setChanges(const std::vector<std::string>& changes,
                          const std::vector<profile::RemedyRecord>& compiled, const analyse::Summary& now) {
    compiled_ = compiled;
    changes_ = changes;
    std::erase_if(changes_, [this](const std::string& change) {
        return std::any_of(compiled_.begin(), compiled_.end(),
                           [&](const auto& of) { return of.ipus == 0 && of.change == change; });
    });
    now_ = now;
    by_hand_ = now.run.cut == profile::ModelCut::ByHand;
    showRows();
}

void TryPanel::forget() {
    compiling_.clear();
    stop();
    tried_.clear();
    changes_.clear();
    compiled_.clear();
    showRows();
}

/// Which row is chosen; as many as there are: none is.
std::size_t TryPanel::chosenRow() const {
    const QVariant row = rows_->view()->currentIndex().siblingAtColumn(0).data(DataTableModel::KeyRole);
    const std::size_t all = compiled_.size() + changes_.size();
    return row.isValid() ? std::min(static_cast<std::size_t>(row.toLongLong()), all) : all;
}

QStringList TryPanel::chosenSettings() const {
    const std::size_t at = chosenRow();
    if (at < compiled_.size())
        return settingsOf(compiled_[at]);
    return at - compiled_.size() < changes_.size() ? QStringList{text(changes_[at - compiled_.size()])}
                                                   : QStringList();
}

QStringList TryPanel::chosenChange() const {
    const std::size_t at = chosenRow();
    if (at < compiled_.size())
        return compiled_[at].fits ? chosenSettings() : QStringList();
    if (at - compiled_.size() >= changes_.size())
        return {};
    const auto tried = tried_.find(changes_[at - compiled_.size()]);
    return tried != tried_.end() && tried->second.fits ? chosenSettings() : QStringList();
}

void TryPanel::enableButtons() {
    copy_->setEnabled(!chosenSettings().isEmpty());
    run_->setEnabled(!chosenChange().isEmpty());
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
    Q_EMIT this->tried();
}

TryPanel::Tried TryPanel::triedOf(const profile::RemedyRecord& remedy) {
    Tried tried;
    tried.bytes = remedy.max_tile_bytes;
    tried.fits = remedy.fits;
    if (remedy.step_us > 0)
        tried.step_us = remedy.step_us;
    tried.samples_per_s = analyse::samples_per_s(remedy.batch_size, tried.step_us);
    return tried;
}

QString TryPanel::proposal(const std::vector<std::string>& changes,
                           const std::vector<profile::RemedyRecord>& compiled,
                           const analyse::Summary& now) const {
    struct Known {
        QString change;
        Tried tried;
    };
    const bool by_hand = now.run.cut == profile::ModelCut::ByHand;
    std::vector<Known> known;
    known.reserve(compiled.size() + changes.size());
    for (const profile::RemedyRecord& of : compiled)
        known.push_back({text(analyse::remedy_text(of, by_hand)), triedOf(of)});
    for (const std::string& change : changes)
        if (const auto found = tried_.find(change); found != tried_.end())
            known.push_back({text(analyse::remedy_text({change}, by_hand)), found->second});
    if (known.empty())
        return changes.empty() ? QString() : tr("not compiled");
    const auto count = static_cast<std::int64_t>(known.size());
    std::erase_if(known, [](const Known& each) { return !each.tried.fits; });
    if (known.empty())
        return count == 1 ? tr("the one that was compiled does not fit")
                          : tr("none of the %1 that were compiled fits").arg(formatCount(count));
    // A step of another batch takes longer and does more.
    const auto& [change, best] =
        *std::max_element(known.begin(), known.end(), [](const Known& a, const Known& b) {
            return a.tried.samples_per_s.value_or(0) < b.tried.samples_per_s.value_or(0);
        });
    QStringList figures;
    if (best.step_us)
        figures << formatSeconds(*best.step_us * 1e-6);
    if (const auto share = share_of(best.bytes, now.target.bytes_per_tile))
        figures << tr("%1 of a tile").arg(formatPercent(*share));
    return tr("%1: %2").arg(change, (figures << tr("fits")).join(QStringLiteral(", ")));
}

QString TryPanel::verdict(const Tried& tried) const {
    if (tried.fits)
        return tr("fits");
    const auto room = now_.target.bytes_per_tile;
    if (tried.bytes > room && room > 0)
        return tr("does not fit: %1 of a tile").arg(formatPercent(share_of(tried.bytes, room).value_or(0)));
    return tried.bytes > 0 && tried.error.isEmpty() ? tr("does not fit") : tr("not possible");
}

/// Why what was tried cannot be compiled at all.
QString TryPanel::reasons() const {
    QString all;
    for (const std::string& change : changes_) {
        const auto found = tried_.find(change);
        if (found == tried_.end() || found->second.fits || found->second.bytes > now_.target.bytes_per_tile ||
            found->second.error.isEmpty())
            continue;
        all += tr(" %1: %2.").arg(text(change), found->second.error);
    }
    return all;
}

QString TryPanel::nameOf(const profile::RemedyRecord& change) const {
    return text(analyse::remedy_text(change, by_hand_));
}

/// Whether any that is listed does not keep the stages that the run has.
bool TryPanel::cutsAnew() const {
    const auto cuts = [this](const profile::RemedyRecord& change) {
        return analyse::cuts_anew(change, by_hand_);
    };
    return std::any_of(compiled_.begin(), compiled_.end(), cuts) ||
           std::any_of(changes_.begin(), changes_.end(),
                       [&](const std::string& change) { return cuts({change}); });
}

std::vector<Cell> TryPanel::cellsOf(const QString& change, const Tried& tried) const {
    const auto share = share_of(tried.bytes, now_.target.bytes_per_tile);
    return {textCell(change),
            textCell(verdict(tried)),
            tried.step_us ? secondsCell(*tried.step_us * 1e-6) : absentCell(),
            tried.samples_per_s ? samplesCell(*tried.samples_per_s) : absentCell(),
            tried.samples_per_s && now_.samples_per_s ? changeCell(*now_.samples_per_s, *tried.samples_per_s)
                                                      : absentCell(),
            tried.bytes > 0 ? shareCell(share) : absentCell()};
}

std::vector<Cell> TryPanel::cellsOf(const std::string& untried) const {
    std::vector<Cell> cells{
        textCell(nameOf({untried})),
        textCell(untried == compiling_
                     ? tr("compiling, %1").arg(text(wait_text(std::floor(estimate_.seconds()))))
                     : tr("not tried"))};
    cells.resize(columns_shown, absentCell());
    return cells;
}

/// `known`: something was tried here.
QString TryPanel::captionText(bool known) const {
    QStringList sentences;
    if (!compiled_.empty())
        sentences
            << (changes_.empty()
                    ? tr("The run did not fit, so these were compiled when it was recorded. The figures are "
                         "those of its file.")
                : compiled_.size() == 1
                    ? tr("The run did not fit, so the first was compiled when it was recorded.")
                    : tr("The run did not fit, so the first %1 were compiled when it was recorded.")
                          .arg(compiled_.size()));
    if (!changes_.empty())
        sentences << (known ? tr("Compiled as estimates, one change each; samples per second against those "
                                 "of this run.") +
                                  reasons()
                            : tr("Settings that may help. What they give is known when they are "
                                 "compiled; none is advice before."));
    if (cutsAnew())
        sentences << tr("“Cut anew”: of a number of stages or shards the layers are cut automatically; with "
                        "which of them they begin in the workload is not kept.");
    return sentences.join(u' ');
}

void TryPanel::showRows() {
    std::vector<TableRow> rows;
    const auto key = [&] { return static_cast<std::int64_t>(rows.size()); };
    for (const profile::RemedyRecord& of : compiled_) {
        rows.push_back({key(), cellsOf(nameOf(of), triedOf(of))});
    }
    std::size_t known = 0;
    for (const std::string& change : changes_) {
        const auto found = tried_.find(change);
        known += found == tried_.end() ? 0 : 1;
        rows.push_back(
            {key(), found == tried_.end() ? cellsOf(change) : cellsOf(nameOf({change}), found->second)});
    }
    setVisible(!rows.empty());
    const bool rates = std::any_of(compiled_.begin(), compiled_.end(), [](const profile::RemedyRecord& of) {
        return triedOf(of).samples_per_s.has_value();
    });
    rows_->showColumn(samples_column, rates || !changes_.empty());
    rows_->showColumn(samples_column + 1, !changes_.empty()); // a run that does not fit has no rate
    rows_->setRows(std::move(rows));
    try_->setVisible(!changes_.empty());
    try_->setText(trying() ? tr("Stop trying") : tr("Try them"));
    try_->setEnabled(trying() || known < changes_.size());
    enableButtons();
    caption_->setText(keepFiguresWhole(captionText(known > 0)));
}

} // namespace tilescope::ui
