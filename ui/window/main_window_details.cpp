// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of details: beside the view or, where the window is narrow, a drawer over it.
#include "accuracy_note.h"
#include "details_dock.h"
#include "ui/session/subject_link.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QEvent>
#include <QLabel>
#include <QSettings>
#include <QStackedWidget>
#include <QToolBar>
#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tilescope::ui {
namespace {

/// Of text, below which the panel leaves a view too little.
constexpr int letters_for_both = 150;
/// From these on it can have more than it usually has.
constexpr int letters_of_plenty = 240;
constexpr int usual_letters = 42, more_letters = 54;

} // namespace

void MainWindow::makeDetails() {
    details_ = new DetailsDock(this);
    accuracy_ = new AccuracyNote;
    details_->setNote(accuracy_);
    connect(accuracy_, &AccuracyNote::told, view_title_, [this](const QString& tip, const QString& plain) {
        view_title_->setToolTip(tip);
        view_title_->setAccessibleDescription(plain);
    });
    addDockWidget(Qt::RightDockWidgetArea, details_);
    without_details_ = QSettings().value(QStringLiteral("window/withoutDetails")).toStringList();
    details_wanted_->setCheckable(true);
    connect(details_wanted_, &QAction::triggered, this, [this](bool wanted) {
        if (details_->isDrawer())
            drawer_open_ = wanted;
        else {
            without_details_.removeAll(currentView()->id());
            if (!wanted)
                without_details_ << currentView()->id();
            QSettings().setValue(QStringLiteral("window/withoutDetails"), without_details_);
        }
        updateDetails();
        if (details_->isDrawer())
            drawer_open_ ? details_->setFocus() : currentView()->setFocus();
    });
    connect(details_, &DetailsDock::linkChosen, this, [this](const QString& link) {
        if (const auto next = followed(link, selection_->current())) {
            selection_->set(*next);
            showView(placeOfLink(link, currentView()->id()));
        }
    });
    connect(details_, &DetailsDock::closed, details_wanted_, &QAction::trigger);
    connect(details_, &DetailsDock::copied, this,
            [this] { say(tr("Details"), tr("The details are copied.")); });
}

void MainWindow::updateDetails() {
    const View& view = *currentView();
    const bool wanted = details_->isDrawer() ? drawer_open_ : !without_details_.contains(view.id());
    details_wanted_->setChecked(wanted);
    const QString told = details_of_.value(&view), hint = view.detailsHint();
    details_->setDetails(told, hint.isEmpty() ? tr("Choose something here to read its details.") : hint,
                         view.title(), view.offersDetails());
    const bool of_files = shownSource() != nullptr || (!view.needsFile() && !(told + hint).isEmpty());
    details_->setVisible(wanted && (view.offersDetails() || details_->pinned()) && of_files && !onStart());
    accuracy_->setKinds(view.predicts());
    details_->fitDrawer();
    widenDetails();
}

/// Where the window is wide, and with larger text, unless it was dragged to a width of its own.
void MainWindow::widenDetails() {
    if (details_->isDrawer() || details_->isFloating() || !details_->isVisible())
        return;
    constexpr int frame = 12; // pixels, and what a width in letters is rounded by
    const int letter = fontMetrics().averageCharWidth();
    const int former = std::exchange(details_letter_, letter);
    const int wanted = (width() < letters_of_plenty * letter ? usual_letters : more_letters) * letter;
    const auto has = [this](int width) { return std::abs(details_->width() - width) <= frame; };
    const auto hasLetters = [&](int wide) { return has(usual_letters * wide) || has(more_letters * wide); };
    if (!has(wanted) && (hasLetters(letter) || hasLetters(former)))
        resizeDocks({details_}, {wanted}, Qt::Horizontal);
}

void MainWindow::fitDetails() {
    const bool narrow = width() < letters_for_both * fontMetrics().averageCharWidth();
    if (narrow == details_->isDrawer() || details_->isFloating()) {
        details_->fitDrawer();
        return widenDetails();
    }
    drawer_open_ = false;
    if (narrow) {
        removeDockWidget(details_);
        details_->setDrawer(stack_);
    } else {
        details_->setDrawer(nullptr);
        addDockWidget(Qt::RightDockWidgetArea, details_);
    }
    updateDetails();
}

/// Those of the bars are as high as a line of text, whatever its size.
void MainWindow::fitIcons() {
    constexpr int least = 18;
    const int side = std::max(least, fontMetrics().height());
    for (QToolBar* bar : {file_bar_, tools_})
        if (bar != nullptr)
            bar->setIconSize({side, side});
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() != QEvent::FontChange)
        return;
    fitIcons();
    if (details_ != nullptr)
        fitDetails();
}

void MainWindow::setVisible(bool visible) {
    if (visible && !isVisible())
        fitDetails(); // before Qt makes room for what it shows
    QMainWindow::setVisible(visible);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (details_ != nullptr)
        fitDetails();
}

} // namespace tilescope::ui
