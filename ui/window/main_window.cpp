// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include "basis_box.h"
#include "command_palette.h"
#include "ui/theme/theme.h"
#include "ui/window/all_views.h"
#include "ui/window/help_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QButtonGroup>
#include <QClipboard>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTextBrowser>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

constexpr int most_digits = 9; ///< views with Ctrl+1 to Ctrl+9
constexpr int most_recent = 10;

QWidget* emptyPage(QObject* receiver, const std::function<void()>& open) {
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    auto* text = new QLabel(
        MainWindow::tr("<h2>Open a profile</h2>"
                       "<p>Drop a <b>.tilescope</b> file here, or make one:</p>"
                       "<p><code>tilescope profile samples/keras_mnist.json -o run.tilescope</code></p>"));
    text->setAlignment(Qt::AlignCenter);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* button = new QPushButton(MainWindow::tr("Open…"));
    button->setDefault(true);
    QObject::connect(button, &QPushButton::clicked, receiver, open);
    layout->addStretch();
    layout->addWidget(text);
    layout->addWidget(button, 0, Qt::AlignHCenter);
    layout->addStretch();
    return page;
}

QString nothing_selected() {
    return MainWindow::tr("<p style='color:gray'>Select something to see its details.</p>");
}

} // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent), selection_(new SelectionModel(this)), places_(allViews(nullptr)),
      pages_(new QStackedWidget), stack_(new QStackedWidget), banner_(new QLabel) {
    setAcceptDrops(true);
    setWindowIcon(themeIcon(QStringLiteral("tilescope"), &Theme::accent));
    banner_->setWordWrap(true);
    banner_->setMargin(10);
    banner_->setProperty("error", QStringLiteral("banner"));
    banner_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    banner_->hide();
    for (const ViewPlace& place : places_) {
        View* view = place.view;
        views_ << view;
        pages_->addWidget(view);
        view->setSelection(selection_);
        connect(view, &View::message, this,
                [this](const QString& text) { statusBar()->showMessage(text, 8000); });
        connect(view, &View::fileRequested, this, &MainWindow::openAnew);
        connect(view, &View::viewRequested, this, &MainWindow::showView);
        connect(view, &View::helpRequested, this, &MainWindow::showHelpPage);
        connect(view, &View::detailsChanged, this, [this, view](const QString& html) {
            details_of_[view] = html;
            if (view == currentView())
                updateDetails();
        });
    }
    stack_->addWidget(emptyPage(this, [this] { openDialog(); }));
    stack_->addWidget(pages_);
    makeMenus();
    makeToolBar();
    makeDetails();
    makeRail();
    auto* middle = new QWidget;
    auto* layout = new QVBoxLayout(middle);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(banner_);
    layout->addWidget(stack_);
    setCentralWidget(middle);
    statusBar()->setSizeGripEnabled(false);
    resize(1280, 800);
    const QSettings settings;
    restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    restoreState(settings.value(QStringLiteral("window/state")).toByteArray());
    for (View* view : views_)
        view->restoreState(
            QJsonDocument::fromJson(settings.value(QStringLiteral("views/") + view->id()).toByteArray())
                .object());
    if (!showView(settings.value(QStringLiteral("window/view")).toString()))
        showView(views_.front()->id());
    updateTitle();
}

MainWindow::~MainWindow() {
    for (View* view : views_) // before the files that they ask
        view->setSources({});
    basis_box_->setSource({});
}

QAction* MainWindow::addCommand(QMenu* menu, const QString& text, const QKeySequence& keys,
                                const QString& tip) {
    QAction* action = menu->addAction(text);
    action->setShortcut(keys);
    action->setToolTip(tip);
    action->setStatusTip(tip);
    addAction(action);
    commands_ << action;
    return action;
}

void MainWindow::makeMenus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    connect(addCommand(file, tr("&Open…"), QKeySequence::Open, tr("Open a profile")), &QAction::triggered,
            this, &MainWindow::openDialog);
    recent_ = file->addMenu(tr("Open &recent"));
    updateRecent();
    connect(addCommand(file, tr("&Close file"), QKeySequence::Close, tr("Close the file that is shown")),
            &QAction::triggered, this, &MainWindow::closeCurrent);
    file->addSeparator();
    connect(addCommand(file, tr("Copy view as &picture"), QKeySequence(QStringLiteral("Ctrl+Shift+C")),
                       tr("Copy what is shown to the clipboard")),
            &QAction::triggered, this, &MainWindow::copyPicture);
    file->addSeparator();
    connect(addCommand(file, tr("&Quit"), QKeySequence::Quit, tr("Close the window")), &QAction::triggered,
            this, &QWidget::close);

    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < places_.size(); ++i) {
        const View* page = places_[i].view;
        QAction* action = addCommand(view, page->title(), {}, tr("Show %1").arg(page->title()));
        action->setShortcuts(keysOf(i));
        connect(action, &QAction::triggered, this, [this, page] { showView(page->id()); });
    }
    view->addSeparator();
    connect(addCommand(view, tr("Next basis"), Qt::Key_U,
                       tr("Figures per micro-batch, step, weight update or execution (U)")),
            &QAction::triggered, this, [this] { basis_box_->chooseNext(); });
    connect(addCommand(view, tr("Commands…"), QKeySequence(QStringLiteral("Ctrl+K")),
                       tr("Find any command by its name")),
            &QAction::triggered, this, &MainWindow::showPalette);
    addChoice(view->addMenu(tr("Theme")), QStringLiteral("window/theme"),
              {tr("Follow the desktop"), tr("Light"), tr("Dark")});
    addChoice(view->addMenu(tr("Colours of time")), QStringLiteral("window/colours"),
              {tr("Standard"), tr("For colour-blind readers")});
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    connect(addCommand(help, tr("&Help"), QKeySequence::HelpContents, tr("Read the documentation")),
            &QAction::triggered, this, &MainWindow::showHelp);
}

/// Ctrl and a digit for the first nine, G and its letter for every view.
QList<QKeySequence> MainWindow::keysOf(int view) const {
    QList<QKeySequence> keys;
    if (view < most_digits)
        keys << QKeySequence(QStringLiteral("Ctrl+%1").arg(view + 1));
    return keys << QKeySequence(QStringLiteral("G, %1").arg(places_[view].letter));
}

void MainWindow::makeToolBar() {
    tools_ = addToolBar(tr("Tools"));
    tools_->setObjectName(QStringLiteral("tools"));
    tools_->setMovable(false);
    file_box_ = new QComboBox;
    file_box_->setMinimumWidth(220);
    file_box_->setToolTip(tr("The file that is shown"));
    base_box_ = new QComboBox;
    base_box_->setMinimumWidth(180);
    base_box_->setToolTip(tr("The file to compare with"));
    tools_->addWidget(file_box_);
    auto* against = new QLabel(tr("  against  "));
    against->setForegroundRole(QPalette::PlaceholderText);
    tools_->addWidget(against);
    tools_->addWidget(base_box_);
    basis_box_ = new BasisBox(selection_);
    tools_->addSeparator();
    tools_->addWidget(basis_box_);
    tools_->addSeparator();
    connect(file_box_, qOverload<int>(&QComboBox::activated), this, &MainWindow::selectFile);
    connect(base_box_, qOverload<int>(&QComboBox::activated), this,
            [this](int index) { setBase(index - 1); });
}

void MainWindow::makeDetails() {
    details_dock_ = new QDockWidget(tr("Details"), this);
    details_dock_->setObjectName(QStringLiteral("details"));
    details_dock_->setFeatures(QDockWidget::DockWidgetMovable);
    details_ = new QTextBrowser;
    details_->setOpenLinks(false);
    details_->setMinimumWidth(200);
    details_->document()->setDocumentMargin(10);
    details_->setHtml(nothing_selected());
    details_dock_->setWidget(details_);
    addDockWidget(Qt::RightDockWidgetArea, details_dock_);
    resizeDocks({details_dock_}, {300}, Qt::Horizontal);
    details_wanted_ = addCommand(menuBar()->actions().at(1)->menu(), tr("Details panel"),
                                 QKeySequence(QStringLiteral("Ctrl+D")),
                                 tr("Show details of what is selected at the side"));
    details_wanted_->setCheckable(true);
    details_wanted_->setChecked(QSettings().value(QStringLiteral("window/details"), true).toBool());
    connect(details_wanted_, &QAction::toggled, this, [this](bool wanted) {
        QSettings().setValue(QStringLiteral("window/details"), wanted);
        updateDetails();
    });
}

void MainWindow::updateDetails() {
    const QString html = details_of_.value(currentView());
    details_->setHtml(html.isEmpty() ? nothing_selected() : html);
    details_dock_->setVisible(details_wanted_->isChecked() && currentView()->offersDetails() &&
                              current_ >= 0);
}

void MainWindow::makeRail() {
    auto* rail = new QToolBar(tr("Views"));
    rail->setObjectName(QStringLiteral("rail"));
    rail->setMovable(false);
    rail->setIconSize({22, 22});
    rail_ = new QButtonGroup(this);
    for (int i = 0; i < views_.size(); ++i) {
        auto* button = new QToolButton;
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIcon(themeIcon(views_[i]->iconName(), &Theme::muted, &Theme::accent));
        button->setText(views_[i]->title());
        button->setToolTip(QStringLiteral("%1 (%2)").arg(
            views_[i]->title(), QKeySequence::listToString(keysOf(i), QKeySequence::NativeText)));
        button->setCheckable(true);
        rail_->addButton(button, i);
        rail->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this, view = views_[i]] { showView(view->id()); });
    }
    addToolBar(Qt::LeftToolBarArea, rail);
}

Result<void> MainWindow::openFile(const QString& path) {
    for (std::size_t i = 0; i < files_.size(); ++i)
        if (files_[i]->path() == QFileInfo(path).absoluteFilePath()) {
            selectFile(static_cast<int>(i));
            return {};
        }
    auto source = ProfileSource::open(path);
    if (!source) {
        banner_->setText(QString::fromStdString(source.error().line()));
        banner_->show();
        return Failure(source.error());
    }
    banner_->hide();
    files_.push_back(std::move(*source));
    QSettings settings;
    QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
    recent.removeAll(files_.back()->path());
    recent.prepend(files_.back()->path());
    settings.setValue(QStringLiteral("recent"), recent.mid(0, most_recent));
    updateRecent();
    selectFile(static_cast<int>(files_.size()) - 1);
    return {};
}

void MainWindow::openAnew(const QString& path) {
    for (std::size_t i = 0; i < files_.size(); ++i)
        if (files_[i]->path() == QFileInfo(path).absoluteFilePath()) {
            current_ = static_cast<int>(i);
            closeCurrent();
            break;
        }
    (void)openFile(path);
}

void MainWindow::openDialog() {
    for (const QString& path : QFileDialog::getOpenFileNames(this, tr("Open profiles"), {},
                                                             tr("Profiles (*.tilescope);;All files (*)")))
        (void)openFile(path);
}

void MainWindow::closeCurrent() {
    if (current_ < 0)
        return;
    const auto closing = files_[static_cast<std::size_t>(current_)];
    for (View* view : views_)
        view->setSources({});
    basis_box_->setSource({});
    files_.erase(files_.begin() + current_);
    base_ = -1;
    current_ = files_.empty() ? -1 : 0;
    updateSources();
}

void MainWindow::selectFile(int index) {
    current_ = index;
    if (base_ == current_)
        base_ = -1;
    Selection fresh;
    fresh.basis = selection_->current().basis;
    selection_->set(fresh);
    updateSources();
}

void MainWindow::setBase(int index) {
    base_ = index >= 0 && index < static_cast<int>(files_.size()) && index != current_ ? index : -1;
    updateSources();
}

void MainWindow::updateSources() {
    file_box_->clear();
    base_box_->clear();
    base_box_->addItem(tr("no base"));
    for (const auto& file : files_) {
        file_box_->addItem(file->name());
        base_box_->addItem(file->name());
    }
    file_box_->setCurrentIndex(current_);
    base_box_->setCurrentIndex(base_ + 1);
    base_box_->setEnabled(files_.size() > 1);
    details_of_.clear();
    const auto at = [this](int i) { return i < 0 ? nullptr : files_[static_cast<std::size_t>(i)]; };
    for (View* view : views_)
        view->setSources({at(current_), at(base_)});
    basis_box_->setSource(at(current_));
    showView(currentView()->id());
    updateTitle();
}

View* MainWindow::currentView() const {
    return views_[pages_->currentIndex()];
}

bool MainWindow::showView(const QString& id) {
    for (int i = 0; i < views_.size(); ++i) {
        if (views_[i]->id() != id)
            continue;
        pages_->setCurrentIndex(i);
        // Live can start a run, so it is of use with no file open.
        stack_->setCurrentIndex(current_ >= 0 || id == QLatin1String("live") ? 1 : 0);
        rail_->button(i)->setChecked(true);
        for (QAction* action : shown_actions_)
            tools_->removeAction(action);
        shown_actions_ = views_[i]->viewActions();
        tools_->addActions(shown_actions_);
        updateDetails();
        updateTitle();
        views_[i]->setFocus(Qt::OtherFocusReason); // its keys work at once
        return true;
    }
    return false;
}

QStringList MainWindow::viewIds() const {
    QStringList ids;
    for (const View* view : views_)
        ids << view->id();
    return ids;
}

int MainWindow::pendingQueries() const {
    int pending = 0;
    for (const auto& file : files_)
        pending += file->pending();
    return pending;
}

void MainWindow::updateRecent() {
    recent_->clear();
    for (const QString& path : QSettings().value(QStringLiteral("recent")).toStringList())
        connect(recent_->addAction(path), &QAction::triggered, this, [this, path] { (void)openFile(path); });
    recent_->setEnabled(!recent_->isEmpty());
}

void MainWindow::updateTitle() {
    QString title = QStringLiteral("Tilescope");
    if (current_ >= 0)
        title = QStringLiteral("%1 – %2 – Tilescope")
                    .arg(files_[static_cast<std::size_t>(current_)]->name(), currentView()->title());
    setWindowTitle(title);
}

void MainWindow::showPalette() {
    CommandPalette palette(commands_ + shown_actions_, this);
    palette.move(mapToGlobal(QPoint((width() - palette.width()) / 2, height() / 6)));
    palette.exec();
}

void MainWindow::showHelp() {
    if (current_ >= 0)
        showHelpPage(QStringLiteral("views"), currentView()->title());
    else
        showHelpPage({}, {});
}

void MainWindow::showHelpPage(const QString& page, const QString& heading) {
    if (help_ == nullptr) {
        help_ = new HelpWindow(this);
        help_->setAttribute(Qt::WA_DeleteOnClose);
    }
    help_->show();
    if (!page.isEmpty())
        help_->showPage(page, heading);
    help_->raise();
    help_->activateWindow();
}

void MainWindow::copyPicture() {
    QApplication::clipboard()->setPixmap(pages_->currentWidget()->grab());
}

/// A menu of alternatives, of which the settings remember one under `key`.
void MainWindow::addChoice(QMenu* menu, const QString& key, const QStringList& names) {
    auto* group = new QActionGroup(menu);
    for (int choice = 0; choice < names.size(); ++choice) {
        QAction* action = addCommand(menu, names[choice], {}, tr("Change the colours"));
        action->setCheckable(true);
        action->setChecked(choice == QSettings().value(key, 0).toInt());
        group->addAction(action);
        connect(action, &QAction::triggered, this, [key, choice] {
            QSettings().setValue(key, choice);
            applyTheme(*qApp, rememberedTheme(), rememberedColours());
        });
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/state"), saveState());
    settings.setValue(QStringLiteral("window/view"), currentView()->id());
    for (const View* view : views_)
        settings.setValue(QStringLiteral("views/") + view->id(), QJsonDocument(view->saveState()).toJson());
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            (void)openFile(url.toLocalFile());
    event->acceptProposedAction();
}

} // namespace tilescope::ui
