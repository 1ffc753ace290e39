// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/view.h"

#include "analyse/phases.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"

#include <QEvent>
#include <algorithm>
#include <utility>

namespace tilescope::ui {

void silenceParts(QWidget& whole) {
    for (QObject* part : whole.findChildren<QObject*>())
        part->blockSignals(true);
}

View::~View() {
    silenceParts(*this);
}

void View::setSources(const Sources& sources) {
    for (const auto& source : shownSources()) {
        source->disconnect(this);
        source->forget(this);
    }
    const bool another = sources.current != sources_.current;
    sources_ = sources;
    startOver(another);
    unread_ = sources_.current != nullptr;
    for (const auto& source : shownSources())
        if (sources_.current) {
            connect(source.get(), &ProfileSource::changed, this, &View::refreshWhenSeen,
                    Qt::UniqueConnection);
            connect(source.get(), &ProfileSource::idle, this, [this] { unread_ = unread_ && stale_; });
        }
    if (sources_.current)
        refreshWhenSeen();
}

bool View::firstReading() const {
    const auto sources = shownSources();
    return unread_ && std::any_of(sources.begin(), sources.end(),
                                  [this](const auto& source) { return source->waitsFor(*this); });
}

void View::refreshWhenSeen() {
    stale_ = !isVisible() && !followsUnseen();
    if (!stale_)
        refresh();
}

std::vector<std::shared_ptr<ProfileSource>> View::shownSources() const {
    std::vector<std::shared_ptr<ProfileSource>> all = sources_.compared;
    for (const auto& source : {sources_.current, sources_.base})
        if (source && std::find(all.begin(), all.end(), source) == all.end())
            all.push_back(source);
    return all;
}

bool View::event(QEvent* event) {
    const bool taken = QWidget::event(event);
    if (event->type() == QEvent::Show) {
        for (const auto& source : shownSources())
            source->putInFront(*this);
        if (stale_ && sources_.current)
            refreshWhenSeen();
        tellDetails();
    }
    return taken;
}

void View::goTo(const QString& id, const QString& link) {
    if (selection_ != nullptr)
        if (const auto next = followed(link, selection_->current()))
            selection_->set(*next);
    Q_EMIT viewRequested(id);
}

void View::writeAnew() {
    if (sources_.current) {
        basisChosen();
        refreshWhenSeen();
    }
    for (QWidget* part : findChildren<QWidget*>()) // what is painted
        part->update();
}

void View::setSelection(SelectionModel* selection) {
    if (selection_ != nullptr)
        selection_->disconnect(this);
    selection_ = selection;
    if (selection_ == nullptr)
        return;
    const auto take = [this](const Selection& now) {
        if (std::exchange(basis_, now.basis) != now.basis)
            basisChosen();
        if (std::exchange(device_program_, now.device_program) != now.device_program)
            programChosen();
        follow(now);
    };
    connect(selection_, &SelectionModel::changed, this, take);
    take(selection_->current());
}

void View::followNow() {
    if (selection_ != nullptr)
        follow(selection_->current());
}

void View::showPhase(const QString& phase) {
    const auto is = [&phase](analyse::TimeKind kind) { return phase == text(analyse::phase_of(kind).name); };
    if (is(analyse::TimeKind::Host) || is(analyse::TimeKind::Waiting))
        Q_EMIT viewRequested(QStringLiteral("trace"));
    else
        Q_EMIT orderRequested(QStringLiteral("operations"), phase);
}

std::optional<analyse::Basis> View::basis() const {
    return basis_;
}

} // namespace tilescope::ui
