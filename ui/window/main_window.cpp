// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include "accuracy_note.h"
#include "banner.h"
#include "basis_box.h"
#include "details_dock.h"
#include "disk_watch.h"
#include "edge_mover.h"
#include "file_tabs.h"
#include "finding_marks.h"
#include "global_search.h"
#include "go_hints.h"
#include "hand_matching.h"
#include "job_list.h"
#include "key_bindings.h"
#include "keys_ahead.h"
#include "message_log.h"
#include "missing_page.h"
#include "passing_message.h"
#include "program_box.h"
#include "rail.h"
#include "showing_switch.h"
#include "sight_of_view.h"
#include "start_page.h"
#include "status_strip.h"
#include "ui/live/live_view.h"
#include "ui/live/run_form.h"
#include "ui/query/query_view.h"
#include "ui/runs/runs_view.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/window/all_views.h"
#include "undo_list.h"
#include "view_bar.h"
#include "view_state.h"

#include <QApplication>
#include <QComboBox>
#include <QDateTime>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QSettings>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>

namespace tilescope::ui {
namespace {

/// What takes the focus in a part of the window: its list or picture rather than a field or a
/// button; of tabs the one in front.
QWidget* firstOf(QWidget* part) {
    if (!part->isVisible())
        return nullptr;
    if (const auto* tabs = qobject_cast<QTabWidget*>(part); tabs != nullptr && tabs->count() > 0)
        if (QWidget* of_page = firstOf(tabs->currentWidget()))
            return of_page;
    if (part->focusProxy() != nullptr)
        return part->focusProxy();
    QWidget* other = nullptr;
    for (QWidget* widget : QList<QWidget*>{part} + part->findChildren<QWidget*>()) {
        if (!widget->isVisible() || !widget->isEnabled() || (widget->focusPolicy() & Qt::TabFocus) == 0 ||
            widget->focusProxy() != nullptr)
            continue;
        if (qobject_cast<QLineEdit*>(widget) == nullptr && qobject_cast<QAbstractButton*>(widget) == nullptr)
            return widget;
        other = other == nullptr ? widget : other;
    }
    return other;
}

/// What the splitters of a widget part, from left to right and from the top down; where it has none, itself.
QList<QWidget*> partsOf(QWidget* whole) {
    QList<QWidget*> parts;
    if (const auto* splitter = qobject_cast<QSplitter*>(whole)) {
        for (int i = 0; i < splitter->count(); ++i)
            parts += partsOf(splitter->widget(i));
        return parts;
    }
    QSplitter* last = nullptr;
    for (QSplitter* splitter : whole->findChildren<QSplitter*>()) {
        if (last != nullptr && last->isAncestorOf(splitter))
            continue; // a part of it has told of it
        last = splitter;
        parts += partsOf(splitter);
    }
    return parts.isEmpty() ? QList<QWidget*>{whole} : parts;
}

/// Pages of which those behind do not widen the window.
class Pages : public QStackedWidget {
  public:
    QSize minimumSizeHint() const override {
        return currentWidget() == nullptr ? QSize() : currentWidget()->minimumSizeHint();
    }
};

} // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent), undo_(std::make_unique<UndoList>(this)),
      by_hand_(std::make_unique<HandMatching>()), selection_(new SelectionModel(this)),
      places_(allViews(nullptr)), pages_(new Pages), stack_(new Pages), banner_(new Banner),
      messages_(new MessageLog(this)), passing_(new PassingMessage(this)), disk_(new DiskWatch(this)),
      edge_mover_(new EdgeMover(this)) {
    setAcceptDrops(true);
    setProperty(contrast_property, Theme::current().colours == ThemeColours::HighContrast);
    setWindowIcon(themeIcon(QStringLiteral("tilescope"), &Theme::accent));
    connect(banner_, &Banner::closed, this, [this] {
        if (current_ >= 0)
            shownFile().notice.reset();
    });
    connect(disk_, &DiskWatch::replaced, this, &MainWindow::takeReplaced);
    for (const ViewPlace& place : places_) {
        View* view = place.view;
        views_ << view;
        pages_->addWidget(view);
        view->setSelection(selection_);
        connect(view, &View::message, this, [this, view](const QString& text) { say(view->title(), text); });
        connect(view, &View::pointedAt, this, [this](const QString& what) { passing_->pointAt(what); });
        connect(view, &View::fileRequested, this, &MainWindow::openAnew);
        connect(view, &View::comparisonRequested, this, &MainWindow::compare);
        connect(view, &View::matchesRequested, this, &MainWindow::matchByHand);
        connect(view, &View::comparedFileWanted, this, &MainWindow::addCompared);
        connect(view, &View::viewRequested, this, &MainWindow::showView);
        connect(view, &View::orderRequested, this, [this](const QString& id, const QString& phase) {
            showView(id);
            currentView()->orderBy(phase);
        });
        connect(view, &View::runRequested, this, &MainWindow::setUpRun);
        connect(view, &View::runAgainRequested, this, &MainWindow::setUpRunAgain);
        connect(view, &View::made, this, [this, view](const auto& what, const auto& redo, const auto& undo) {
            undo_->add(what, whereMade(*view, redo), whereMade(*view, undo));
        });
        connect(view, &View::sqlRequested, this, &MainWindow::openSql);
        connect(view, &View::helpRequested, this, &MainWindow::showHelpPage);
        connect(view, &View::detailsChanged, this, [this, view](const QString& html) {
            details_of_[view] = html;
            if (view == currentView())
                updateDetails();
        });
    }
    makeStartPage();
    stack_->addWidget(pages_);
    makeMenus();
    makeToolBars();
    makeDetails();
    const auto keys = [this](int view) {
        return QKeySequence::listToString(keysOf(view), QKeySequence::NativeText);
    };
    rail_ = new Rail(places_, keys);
    connect(rail_, &Rail::chosen, this, [this](int view) { showView(places_[view].view->id()); });
    marks_ = new FindingMarks(this);
    connect(marks_, &FindingMarks::found, this, [this](const QMap<QString, int>& findings) {
        QMap<QString, QString> marks;
        for (const auto& [view, count] : findings.asKeyValueRange())
            marks[view] =
                count == 1 ? tr("1 finding: see Insights") : tr("%1 findings: see Insights").arg(count);
        rail_->setMarks(marks);
    });
    connect(selection_, &SelectionModel::changed, this, &MainWindow::visit);
    auto* middle = new QWidget;
    auto* layout = new QGridLayout(middle);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(rail_, 0, 0, 2, 1);
    layout->addWidget(banner_, 0, 1);
    layout->addWidget(stack_, 1, 1);
    layout->setRowStretch(1, 1);
    setCentralWidget(middle);
    makeStatusBar();
    new GoHints(places_, this);
    new KeysAhead(this);
    unstyled_.reset();
    resize(1280, 800);
    const QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    restoreState(settings.value(QStringLiteral("window/state")).toByteArray());
    for (View* view : views_) {
        const QJsonObject state = rememberedState(*view);
        view->restoreState(state);
        setArrangement(*view, state[QStringLiteral("arrangement")].toObject());
    }
    gatherKeys();
    saveFromElsewhere();
    enableCommands();
    if (!showView(settings.value(QStringLiteral("window/view")).toString()))
        showView(views_.front()->id());
    updateTitle();
}

void MainWindow::makeStartPage() {
    start_ = new StartPage;
    stack_->addWidget(start_);
    connect(start_, &StartPage::made, this,
            [this](const auto& what, const auto& redo, const auto& undo) { undo_->add(what, redo, undo); });
    connect(start_, &StartPage::openRequested, this, &MainWindow::openDialog);
    connect(start_, &StartPage::runRequested, this, [this](const QString& workload) { setUpRun(workload); });
    connect(start_, &StartPage::fileChosen, this, [this](const QString& path) { openFile(path); });
    connect(start_, &StartPage::comparisonChosen, this, [this](const QStringList& paths) {
        paths.size() > 1 ? compare(paths) : openFile(paths.front());
    });
    auto* leave = new QShortcut(Qt::Key_Escape, start_, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(leave, &QShortcut::activated, this, [this] {
        if (current_ >= 0)
            showView(currentView()->id());
    });
}

void MainWindow::openSql(const QString& sql) {
    showView(QStringLiteral("query"));
    findChild<QueryView*>()->run(sql);
}

/// In place of the views of a file that cannot be read.
void MainWindow::showMissing() {
    if (missing_ == nullptr) {
        missing_ = new MissingPage;
        stack_->addWidget(missing_);
        connect(missing_, &MissingPage::findRequested, this, &MainWindow::findMissing);
        connect(missing_, &MissingPage::retryRequested, this, [this] { openAnew(shownFile().path); });
        connect(missing_, &MissingPage::closeRequested, this, [this] { closeFile(current_); });
    }
    missing_->setReason(shownFile().reason);
    stack_->setCurrentWidget(missing_);
    rail_->setCurrent(-1);
    file_bar_->show();
    tools_->hide();
    updateDetails();
    updateTitle();
    missing_->setFocus(Qt::OtherFocusReason);
}

bool MainWindow::onStart() const {
    return stack_->currentWidget() == start_;
}

/// In place of the view in front; Escape is back at that, where a file is open.
void MainWindow::showStart() {
    start_->refresh();
    stack_->setCurrentWidget(start_);
    rail_->setCurrent(-1);
    file_bar_->setVisible(current_ >= 0);
    tools_->hide();
    updateDetails();
    updateTitle();
    start_->setFocus(Qt::OtherFocusReason);
}

/// The form for a run in Live, with changes as `--set` takes them; `workload`: "" for the one that is in it.
void MainWindow::setUpRun(const QString& workload, const QStringList& changes) {
    showView(QStringLiteral("live"));
    for (View* view : views_)
        if (auto* live = qobject_cast<LiveView*>(view)) {
            if (!live->showsForm())
                live->viewActions().front()->trigger();
            if (!workload.isEmpty())
                live->form().setRun(workload, changes);
            live->form().begin();
        }
}

MainWindow::~MainWindow() {
    for (View* view : views_) // before the files that they ask
        view->setSources({});
    basis_box_->setSources({});
    program_box_->setSource({});
    status_->setSource({});
    marks_->setSource({});
    accuracy_->setSource({});
    silenceParts(*this);
}

void MainWindow::makeToolBars() {
    setContextMenuPolicy(Qt::NoContextMenu); // bars and panel come and go with what is shown
    file_bar_ = addToolBar(tr("Files"));
    file_bar_->setObjectName(QStringLiteral("fileBar"));
    file_bar_->setMovable(false);
    tabs_ = new FileTabs;
    file_bar_->addWidget(tabs_);
    auto* more = new QToolButton;
    more->setDefaultAction(to_start_);
    more->setText(QStringLiteral("+"));
    more->setObjectName(QStringLiteral("moreFiles"));
    file_bar_->addWidget(more);
    makeFileList();
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    file_bar_->addWidget(space);
    against_ = new QWidget;
    auto* against = new QHBoxLayout(against_);
    against->setContentsMargins(0, 0, 0, 0);
    auto* label = new QLabel(tr("against"));
    label->setForegroundRole(QPalette::PlaceholderText);
    base_box_ = new QComboBox;
    base_box_->setObjectName(QStringLiteral("base"));
    base_box_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    base_box_->setToolTip(tr("The file to compare with"));
    base_box_->setAccessibleName(tr("The file to compare with"));
    showing_switch_ = new ShowingSwitch;
    connect(showing_switch_, &ShowingSwitch::chosen, this, &MainWindow::setShowing);
    against->addWidget(label);
    against->addWidget(base_box_);
    against->addWidget(showing_switch_);
    against_action_ = file_bar_->addWidget(against_);
    against_action_->setVisible(false); // until there is a base
    compare_button_ = new QToolButton;
    compare_button_->setObjectName(QStringLiteral("compareWith"));
    compare_button_->setDefaultAction(compare_with_);
    compare_action_ = file_bar_->addWidget(compare_button_);
    compare_action_->setVisible(false); // until there is a file
    auto* search = new QToolButton;
    search->setDefaultAction(search_);
    search->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    file_bar_->addWidget(search);
    addToolBarBreak();
    tools_ = addToolBar(tr("View bar"));
    tools_->setObjectName(QStringLiteral("tools"));
    tools_->setMovable(false);
    fitIcons();
    tools_->setToolButtonStyle(
        Qt::ToolButtonTextBesideIcon); // what has no room is in a menu, with words, too
    new RestOfBar(tools_);
    tools_->addActions({back_, forward_});
    for (QAction* arrow : {back_, forward_})
        qobject_cast<QToolButton*>(tools_->widgetForAction(arrow))
            ->setToolButtonStyle(Qt::ToolButtonIconOnly);
    view_title_ = new QLabel;
    view_title_->setObjectName(QStringLiteral("viewTitle"));
    QFont bold = view_title_->font();
    bold.setWeight(QFont::DemiBold);
    view_title_->setFont(bold);
    view_title_->setContentsMargins(6, 0, 14, 0);
    tools_->addWidget(view_title_);
    program_head_ = new QLabel;
    program_head_->setObjectName(QStringLiteral("programHead"));
    program_head_->setForegroundRole(QPalette::PlaceholderText);
    program_head_->setContentsMargins(0, 0, 14, 0);
    program_head_action_ = tools_->addWidget(program_head_);
    connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
        if (index >= 0 && index != current_)
            selectFile(index);
    });
    connect(tabs_, &QTabBar::tabBarClicked, this, [this](int index) {
        if (index >= 0 && index == current_ && onStart())
            showView(currentView()->id());
    });
    connect(tabs_, &FileTabs::ended, this, [this](const QString& path, bool badly, const QString& line) {
        tell(path, {badly ? Notice::Kind::Bad : Notice::Kind::Told, line, {}, {}});
    });
    connect(tabs_, &FileTabs::closeRequested, this, &MainWindow::closeFile);
    connect(tabs_, &FileTabs::closeOthersRequested, this, &MainWindow::closeOthers);
    connect(tabs_, &FileTabs::baseRequested, this, &MainWindow::setBase);
    connect(tabs_, &FileTabs::reloadRequested, this,
            [this](int index) { openAnew(files_[static_cast<std::size_t>(index)].path); });
    connect(base_box_, qOverload<int>(&QComboBox::activated), this,
            [this](int index) { setBase(index - 1); });
}

/// What is found by name in the file that is shown, as one types.
void MainWindow::showSearch() {
    if (shownSource() == nullptr)
        return;
    const Selection before = selection_->current();
    OpenFile& file = files_[static_cast<std::size_t>(frontFile())];
    auto* search = new GlobalSearch(&searchOf(file), this);
    const auto in_front = [this, searched = std::weak_ptr(file.source)] { // else ids are of another
        return frontFile() >= 0 && !searched.expired() &&
               files_[static_cast<std::size_t>(frontFile())].source == searched.lock();
    };
    const auto show_for_now = [this, in_front](const Selection& selection) {
        if (!in_front())
            return;
        moving_ = true; // no place to which one comes back
        selection_->set(selection);
        moving_ = false;
    };
    connect(search, &GlobalSearch::previewed, this,
            [show_for_now, before](const SearchHit& hit) { show_for_now(hit.selected(before)); });
    connect(search, &QDialog::rejected, this, [show_for_now, before] { show_for_now(before); });
    connect(search, &GlobalSearch::chosen, this, [this, in_front](const SearchHit& hit, bool go) {
        if (in_front())
            showHit(hit, go);
    });
    search->move(mapToGlobal(QPoint((width() - search->width()) / 2, height() / 8)));
    search->QDialog::show();
}

FileSearch& MainWindow::searchOf(OpenFile& file) {
    if (!file.search)
        file.search = std::make_unique<FileSearch>(file.source->path());
    return *file.search;
}

/// `go`: in its view, too.
void MainWindow::showHit(const SearchHit& hit, bool go) {
    selection_->set(hit.selected(selection_->current()));
    if (go)
        showView(hit.view());
    visit(); // it may have been selected already, to look at it
}

void MainWindow::goTo(const Place& place) {
    if (base_ >= 0)
        setShowing(place.showing);
    selection_->set(place.selection);
    showView(place.view);
}

/// Where one is now is a place to which one can come back, once there is something to be seen.
void MainWindow::visit() {
    if (shownSource() != nullptr && shownFile().opened && !moving_)
        shownFile().history.visit({currentView()->id(), selection_->current(), shown()},
                                  QDateTime::currentMSecsSinceEpoch());
    back_->setEnabled(current_ >= 0 && shownFile().history.canGo(-1));
    forward_->setEnabled(current_ >= 0 && shownFile().history.canGo(1));
}

void MainWindow::goInHistory(int step) {
    if (current_ < 0 || !shownFile().history.canGo(step))
        return;
    watchSight();
    const Place place = shownFile().history.go(step, QDateTime::currentMSecsSinceEpoch());
    sight_wanted_ = shownFile().history.sight();
    within_view_ = place.view == currentView()->id();
    moving_ = true;
    goTo(place);
    moving_ = false;
    visit();
}

/// What is in sight of the view belongs to the place where one is: it is kept for the way back. After that,
/// it is gone to once the view has all that it shows.
void MainWindow::watchSight() {
    if (shownSource() == nullptr || stack_->currentWidget() != pages_)
        return sight_wanted_.reset();
    if (!sight_wanted_)
        return shownFile().history.keepSight(sightOf(*currentView()));
    if (pendingQueries() > 0)
        return;
    setSight(*currentView(), *sight_wanted_);
    if (within_view_) // that one had moved away from it was to choose what came next
        currentView()->revealChosen();
    sight_wanted_.reset();
}

void MainWindow::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::BackButton || event->button() == Qt::ForwardButton)
        return goInHistory(event->button() == Qt::BackButton ? -1 : 1);
    QMainWindow::mousePressEvent(event);
}

/// What F6 goes through: rail, files, view bar, the parts of the view, details, status bar.
QList<QWidget*> MainWindow::parts() const {
    return QList<QWidget*>{rail_, tabs_, tools_} + partsOf(currentView()) << details_ << statusBar();
}

void MainWindow::focusNext(int step) {
    const QList<QWidget*> all = parts();
    const QWidget* now = QApplication::focusWidget();
    qsizetype at = step > 0 ? -1 : all.size();
    for (qsizetype i = 0; i < all.size(); ++i)
        if (now != nullptr && (all[i] == now || all[i]->isAncestorOf(now)))
            at = i;
    for (qsizetype tried = 0; tried < all.size(); ++tried) {
        at = (at + step + all.size()) % all.size();
        if (QWidget* target = firstOf(all[at])) {
            target->setFocus(Qt::TabFocusReason);
            return;
        }
    }
}

View* MainWindow::currentView() const {
    return views_[pages_->currentIndex()];
}

bool MainWindow::showView(const QString& id) {
    const int i = static_cast<int>(viewIds().indexOf(id));
    if (i < 0)
        return false;
    pages_->setCurrentIndex(i);
    basis_box_->setSources(views_[i]->sources());
    if (shownSource() == nullptr && views_[i]->needsFile()) {
        current_ < 0 ? showStart() : showMissing();
        return true;
    }
    stack_->setCurrentWidget(pages_);
    passing_->pointAt({}); // it was in the view before
    rail_->setCurrent(i);
    view_title_->setText(views_[i]->title());
    showProgramHead();
    for (QAction* action : shown_actions_)
        tools_->removeAction(action);
    shown_actions_ = views_[i]->viewActions();
    tools_->addActions(shown_actions_);
    if (const QAction* save = saving_.value(views_[i]))
        save_elsewhere_->setShortcuts(save->shortcuts());
    file_bar_->show();
    tools_->show();
    updateDetails();
    updateTitle();
    views_[i]->setFocus(Qt::OtherFocusReason); // its keys work at once
    visit();
    return true;
}

QStringList MainWindow::viewIds() const {
    QStringList ids;
    for (const View* view : views_)
        ids << view->id();
    return ids;
}

QStringList MainWindow::openPaths() const {
    QStringList paths;
    for (const OpenFile& file : files_)
        paths << file.path;
    return paths;
}

int MainWindow::pendingQueries() const {
    int pending = 0;
    for (const OpenFile& file : files_)
        pending += file.source ? file.source->pending() : 0;
    const auto* runs = qobject_cast<const RunsView*>(currentView());
    return pending + (runs == nullptr ? 0 : runs->pending());
}

bool MainWindow::atRest() const {
    const View* view = currentView();
    return pendingQueries() == 0 && (view == nullptr || view->atRest());
}

void MainWindow::updateTitle() {
    QString title = QStringLiteral("Tilescope");
    if (const ProfileSource* source = shownSource(); source != nullptr && !onStart())
        title = QStringLiteral("%1 – %2 – Tilescope").arg(source->name(), currentView()->title());
    const bool saved = comparesAsSaved();
    if (saved) // with the mark of what has changed since
        title = QStringLiteral("%1[*] – %2").arg(QFileInfo(comparison_file_).completeBaseName(), title);
    setWindowTitle(title);
    setWindowModified(saved && by_hand_->changed(comparison_file_));
}

} // namespace tilescope::ui
