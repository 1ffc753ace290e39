// SPDX-License-Identifier: GPL-3.0-or-later
// Where the figures of the summary lead.
#include "diagnosis_panel.h"
#include "ui/insights/insight_place.h"
#include "ui/session/subject_link.h"
#include "ui/session/subject_menu.h"
#include "ui/summary/summary_view.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/share_bar.h"

#include <QApplication>

namespace tilescope::ui {

/// Each figure leads to where it shows.
void SummaryView::makeLinks() {
    const auto link = [this](FigureCard* card, const QString& tip, const char* view) {
        card->setObjectName(QStringLiteral("card ") + QLatin1String(view));
        card->setLink(tip);
        leads_[card] = tip;
        connect(card, &FigureCard::activated, this,
                [this, view] { Q_EMIT viewRequested(QLatin1String(view)); });
    };
    step_->setObjectName(QStringLiteral("card trace"));
    leads_[step_] = tr("Show a step in Trace");
    step_->setLink(leads_[step_]);
    connect(step_, &FigureCard::activated, this, &SummaryView::showStepInTrace);
    result_->setObjectName(QStringLiteral("card result"));
    connect(result_, &FigureCard::activated, this,
            [this] { Q_EMIT runAgainRequested({QStringLiteral("estimate=false")}); });
    link(throughput_, tr("Show the run over its time in Live"), "live");
    link(rate_, tr("Show what the operations compute"), "operations");
    phases_->setObjectName(QStringLiteral("summaryPhases"));
    phases_->setChoosing(tr("Show what takes it"));
    connect(phases_, &ShareBar::partChosen, this, &SummaryView::showPhase);
    memory_->setObjectName(QStringLiteral("card memory"));
    leads_[memory_] = tr("Show the fullest tile in Memory");
    memory_->setLink(leads_[memory_]);
    connect(memory_, &FigureCard::activated, this, [this] { showTile(QStringLiteral("memory")); });
    const QString in_time = QStringLiteral("trace"), operations = QStringLiteral("operations"),
                  program = QStringLiteral("program"), live = QStringLiteral("live");
    offerCard(step_, {in_time, program, operations, QStringLiteral("pipeline"), live});
    offerCard(throughput_, {live, in_time, QStringLiteral("runs")});
    offerCard(memory_, {QStringLiteral("memory"), QStringLiteral("liveness"), QStringLiteral("exchange")});
    offerCard(rate_, {operations, program, in_time});
    offerCard(result_, {live});
    connect(qApp, &QApplication::focusChanged, &whole_, [this](QWidget*, QWidget* now) { noteFocus(now); });
    connect(diagnosis_, &DiagnosisPanel::tileRequested, this, [this] { showTile(QStringLiteral("memory")); });
    connect(diagnosis_, &DiagnosisPanel::timeRequested, this,
            [this] { showTile(QStringLiteral("liveness")); });
    connect(diagnosis_, &DiagnosisPanel::runRequested, this, &SummaryView::runAgainRequested);
}

/// The menu of a card: where else its figure shows, and the figure itself.
void SummaryView::offerCard(FigureCard* card, const QStringList& views) {
    addPictureActions(card, card->accessibleName());
    offerMenu(
        card, [](const QPoint&) {}, [card] { return card->rect().center(); },
        [this, card, views](const QPoint& global) {
            SubjectMenu menu(*this);
            const bool of_tile = card == memory_ && fullest_;
            menu.goTo(views, of_tile ? linkTo(Subject::Tile, fullest_->tile, fullest_->ipu) : QString());
            menu.copy(tr("Copy name"), card->accessibleName());
            menu.copy(tr("Copy value"), card->value());
            menu.save(*card);
            menu.popup(global);
        });
}

/// The first weight update, or step, of the run, as the range whose totals Trace tells.
void SummaryView::showStepInTrace() {
    if (first_update_ && selection() != nullptr) {
        Selection s = selection()->current();
        s.range = first_update_;
        selection()->set(s);
    }
    Q_EMIT viewRequested(QStringLiteral("trace"));
}

/// The fullest tile, in Memory or as it fills.
void SummaryView::showTile(const QString& view) {
    if (fullest_ && selection() != nullptr) {
        Selection s = selection()->current();
        s.operation = s.layer = s.program = s.variable = -1;
        s.lookAt(fullest_->ipu, {fullest_->tile});
        selection()->set(s);
    }
    Q_EMIT viewRequested(view);
}

void SummaryView::showPlace(const analyse::Insight& insight) {
    if (selection() == nullptr)
        return;
    const auto place = placeOf(insight, ipus_, selection()->current());
    if (!place)
        return Q_EMIT helpRequested(QStringLiteral("workloads"), settingHeading(insight.subject.name));
    selection()->set(place->selection);
    place->order.isEmpty() ? Q_EMIT viewRequested(place->view)
                           : Q_EMIT orderRequested(place->view, place->order);
}

} // namespace tilescope::ui
