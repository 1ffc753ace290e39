// SPDX-License-Identifier: GPL-3.0-or-later
// What the window can be told to do: menus and their keys, the palette of them all, settings, help.
#include "basis_box.h"
#include "command_palette.h"
#include "details_dock.h"
#include "edge_mover.h"
#include "edit_commands.h"
#include "file_tabs.h"
#include "global_search.h"
#include "held_tip.h"
#include "key_bindings.h"
#include "keys_overview.h"
#include "message_log.h"
#include "program_box.h"
#include "rail.h"
#include "recent_files.h"
#include "settings_dialog.h"
#include "ui/live/live_view.h"
#include "ui/session/format.h"
#include "ui/session/subject_menu.h"
#include "ui/summary/summary_view.h"
#include "ui/theme/theme.h"
#include "ui/timeline/typed_time.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/chart_actions.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"
#include "undo_list.h"
#include "view_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QJsonDocument>
#include <QKeyEvent>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>

namespace tilescope::ui {
namespace {

constexpr int most_digits = 9; ///< views with Ctrl+1 to Ctrl+9

/// What a command is called where its menu is not seen: "Theme: Dark".
QString nameOf(const QAction& action) {
    const QString name = action.text().remove(QLatin1Char('&'));
    const QString of = action.property("of").toString();
    return of.isEmpty() ? name : QStringLiteral("%1: %2").arg(of, name);
}

} // namespace

QAction* MainWindow::addCommand(QMenu* menu, const QString& text, const QKeySequence& keys,
                                const QString& tip, const std::function<void()>& done, Needs needs) {
    QAction* action = menu->addAction(text);
    action->setShortcut(keys);
    action->setToolTip(tip);
    action->setStatusTip(tip);
    addAction(action);
    commands_ << action;
    if (needs != Needs::Nothing)
        (needs == Needs::Tab ? need_tab_ : need_file_) << action;
    if (done)
        connect(action, &QAction::triggered, this, done);
    return action;
}

void MainWindow::makeMenus() {
    edit_ = new EditCommands(this);
    makeFileMenu(menuBar()->addMenu(tr("&File")));
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    makeViewMenu(menuBar()->addMenu(tr("&View")));
    makeGoMenu(menuBar()->addMenu(tr("&Go")));
    makeEditMenu(edit);
    makeToolsMenu(menuBar()->addMenu(tr("&Tools")));
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    addCommand(help, tr("&Help"), QKeySequence::HelpContents, tr("Read the documentation"),
               [this] { showHelp(); });
    addCommand(help, tr("&Keys of this view"), Qt::Key_Question, tr("All keys that work now (?)"),
               [this] { KeysOverview(onStart() ? nullptr : currentView(), commands_, this).exec(); });
    addCommand(help, tr("Hold the &tip"), QKeySequence(QStringLiteral("Ctrl+I")),
               tr("Keep the tip that is shown, to read and copy it (Ctrl+I)"), [this] {
                   if (!HeldTip::hold(this))
                       say(tr("Help"), tr("No tip is shown: point at what has one first."));
               });
    addCommand(help, tr("&Messages"), {}, tr("All that the window has said in this session"), [this] {
        messages_->show();
        messages_->raise();
    });
}

void MainWindow::makeFileMenu(QMenu* menu) {
    addCommand(menu, tr("&Open…"), QKeySequence::Open, tr("Open a profile, or a saved comparison"),
               [this] { openDialog(); });
    recent_ = menu->addMenu(tr("Open &recent"));
    updateRecent();
    addCommand(menu, tr("&Start a run…"), QKeySequence(QStringLiteral("Ctrl+R")),
               tr("Set up a run of a workload (Ctrl+R)"), [this] { setUpRun({}); });
    addCommand(
        menu, tr("&Reload file"), QKeySequence::Refresh, tr("Read the file that is shown anew (F5)"),
        [this] { openAnew(shownFile().path); }, Needs::Tab);
    addCommand(
        menu, tr("&Close file"), QKeySequence(QStringLiteral("Ctrl+W")), tr("Close the file that is shown"),
        [this] { closeFile(current_); }, Needs::Tab);
    addCommand(menu, tr("Reopen closed file"), QKeySequence(QStringLiteral("Ctrl+Shift+T")),
               tr("Open the file that was closed last"), [this] {
                   if (!closed_.isEmpty())
                       openFile(closed_.takeLast());
               });
    menu->addSeparator();
    save_comparison_ =
        addCommand(menu, tr("Save c&omparison"), QKeySequence::Save,
                   tr("Save which files are compared, with which base, what of them was matched by hand, "
                      "and how they are aligned (Ctrl+S)"),
                   [this] { saveShownComparison(); });
    save_comparison_as_ =
        addCommand(menu, tr("Save comparison &as…"), {}, tr("Save what is compared in another file"),
                   [this] { saveComparisonAs(); });
    addCommand(
        menu, tr("Save view as picture…"), QKeySequence(QStringLiteral("Ctrl+Alt+S")),
        tr("Save what is shown as PNG or SVG"),
        [this] { savePictureAs(*pages_->currentWidget(), currentView()->title()); }, Needs::File);
    menu->addSeparator();
    menu->setToolTipsVisible(true); // they say why a run cannot be run again
    for (View* view : views_)
        if (const auto* summary = qobject_cast<const SummaryView*>(view))
            menu->addActions(summary->runActions());
    menu->addSeparator();
    addCommand(menu, tr("&Quit"), QKeySequence::Quit, tr("Close the window"), [this] { close(); });
}

void MainWindow::makeViewMenu(QMenu* menu) {
    addCommand(
        menu, tr("Next basis"), Qt::Key_U,
        tr("Figures per micro-batch, step, weight update or execution (U)"),
        [this] { basis_box_->chooseNext(); }, Needs::File);
    addCommand(
        menu, tr("Next program"), QKeySequence(QStringLiteral("Shift+U")),
        tr("The next device program of the run, in views that have several (Shift+U)"),
        [this] { program_box_->chooseNext(); }, Needs::File);
    addCommand(menu, tr("Time or cycles"), Qt::Key_T, tr("Figures of time in seconds or in cycles (T)"),
               [this] { toggleUnits(); });
    next_showing_ =
        addCommand(menu, tr("New, base, both or difference"), Qt::Key_B,
                   tr("What views show of two files: the new one, the base, both, the difference (B)"),
                   [this] { setShowing(static_cast<Showing>((static_cast<int>(shown()) + 1) % 4)); });
    details_wanted_ = addCommand(menu, tr("Details panel"), QKeySequence(QStringLiteral("Ctrl+D")),
                                 tr("Show details of what is selected at the side, in this view (Ctrl+D)"),
                                 {}, Needs::File);
    addCommand(
        menu, tr("Pin details"), QKeySequence(QStringLiteral("Ctrl+Shift+D")),
        tr("Keep the details that are shown while others come below them, or let go of them (Ctrl+Shift+D)"),
        [this] {
            details_->pinned() ? details_->unpin() : details_->pin();
            updateDetails();
        },
        Needs::File);
    addCommand(
        menu, tr("Copy details"), {},
        tr("Copy what the panel of details says: of each row its name and its value"),
        [this] {
            if (!details_->copy())
                say(tr("Details"), tr("There are no details of what is selected."));
        },
        Needs::File);
    addCommand(
        menu, tr("Float details"), {}, tr("Take the details out of the window, or back into it"),
        [this] { details_->setFloating(!details_->isFloating()); }, Needs::File);
    addChoice(menu->addMenu(tr("Theme")), QStringLiteral("window/theme"),
              {tr("Follow the desktop"), tr("Light"), tr("Dark")});
    addChoice(menu->addMenu(tr("Colours")), QStringLiteral("window/colours"),
              {tr("Standard"), tr("For colour-blind readers"), tr("High contrast")});
}

void MainWindow::makeGoMenu(QMenu* menu) {
    back_ = addCommand(menu, tr("Back"), QKeySequence::Back, tr("To where one was before (Alt+Left)"),
                       [this] { goInHistory(-1); });
    back_->setObjectName(QStringLiteral("back"));
    back_->setIcon(themeIcon(QStringLiteral("back")));
    forward_ = addCommand(menu, tr("Forward"), QKeySequence::Forward, tr("On again (Alt+Right)"),
                          [this] { goInHistory(1); });
    forward_->setIcon(themeIcon(QStringLiteral("forward")));
    to_start_ = addCommand(menu, tr("Start page"), QKeySequence(QStringLiteral("Alt+Home")),
                           tr("Recent files, samples, what runs now (Alt+Home)"), [this] { showStart(); });
    search_ = addCommand(
        menu, tr("Search…"), QKeySequence::Find,
        tr("Operations, layers, variables, steps, tiles, IPUs, stages, passes, findings and lines of the "
           "log by name (Ctrl+F)"),
        [this] { showSearch(); }, Needs::File);
    search_->setIcon(themeIcon(QStringLiteral("search")));
    addCommand(
        menu, tr("Next file"), QKeySequence::NextChild, tr("Show the next open file"),
        [this] { selectFile((current_ + 1) % static_cast<int>(files_.size())); }, Needs::Tab);
    addCommand(menu, tr("Next part of the window"), Qt::Key_F6,
               tr("Rail, files, view bar, the parts of the view, details, status bar (F6)"),
               [this] { focusNext(1); });
    addCommand(menu, tr("Previous part of the window"), QKeySequence(QStringLiteral("Shift+F6")),
               tr("The same the other way round (Shift+F6)"), [this] { focusNext(-1); });
    addCommand(menu, tr("Move the edges between parts"), Qt::Key_F8,
               tr("Arrows move the edge that is marked, F8 goes to the next one, Esc leaves (F8)"), [this] {
                   if (!edge_mover_->next())
                       say(tr("Window"), tr("No edge between parts can be moved here."));
               });
    menu->addSeparator();
    for (int i = 0; i < places_.size(); ++i) {
        QAction* go = addCommand(
            menu, places_[i].view->title(), {}, tr("Show %1").arg(places_[i].view->title()),
            [this, i] { showView(places_[i].view->id()); },
            views_[i]->needsFile() ? Needs::File : Needs::Nothing);
        go->setShortcuts(keysOf(i));
        go->setObjectName(goActionOf(views_[i]->id()));
    }
}

/// Taking it back, or making it again, is seen: in its view, of its file where that is open still.
std::function<void()> MainWindow::whereMade(const View& view, const std::function<void()>& done) {
    const QString path = view.makesForFile() && current_ >= 0 ? shownFile().path : QString();
    return [this, id = view.id(), path, done] {
        if (const int file = path.isEmpty() ? -1 : indexOf(path); file >= 0 && file != current_)
            selectFile(file);
        if (current_ >= 0)
            showView(id);
        done();
    };
}

/// Of what was made in the window; empty: there is nothing, or `name` is another command.
EditCommands::Done MainWindow::takeBack(const QByteArray& name) {
    const bool again = name == "redo";
    if (again ? !undo_->canRedo() : name != "undo" || !undo_->canUndo())
        return {};
    return [this, again] {
        const QString what = again ? undo_->redo() : undo_->undo();
        say(tr("Window"), (again ? tr("Done again: %1.") : tr("Undone: %1.")).arg(what));
    };
}

/// Keys that no part with the focus has taken.
void MainWindow::keyPressEvent(QKeyEvent* event) {
    const QKeySequence keys(event->keyCombination());
    const auto has = [&](const char* name) {
        return findChild<QAction*>(QStringLiteral("edit.") + QLatin1String(name))->shortcuts().contains(keys);
    };
    const bool again = has("redo");
    const bool back = has("undo");
    if (has("search") && !onStart()) {
        if (const auto done = EditCommands::within(currentView(), "search"))
            return done();
    } else if (again || back) {
        if (const auto done = takeBack(again ? "redo" : "undo"))
            return done();
        return say(tr("Window"), again ? tr("Nothing is left to do again.") : tr("Nothing is left to undo."));
    }
    QMainWindow::keyPressEvent(event);
}

void MainWindow::makeEditMenu(QMenu* menu) {
    const auto add = [&](const QString& text, const char* name, const QKeySequence& keys, const QString& tip,
                         bool in_view) {
        const auto find = [this, name, in_view] {
            auto done = edit_->atFocus(name);
            if (!done && in_view && !onStart())
                done = EditCommands::within(currentView(), name);
            return done ? done : takeBack(name);
        };
        QAction* action = addCommand(menu, text, keys, tip, [find] {
            if (const auto done = find())
                done();
        });
        action->setObjectName(QStringLiteral("edit.") + QLatin1String(name));
        action->setShortcutContext(Qt::WidgetShortcut); // the keys are those of the parts that have them
        connect(menu, &QMenu::aboutToShow, action, [action, find] { action->setEnabled(find() != nullptr); });
        connect(menu, &QMenu::aboutToHide, action, [action] { action->setEnabled(true); });
    };
    add(tr("&Undo"), "undo", QKeySequence::Undo, tr("Take back what was done last: where the focus is"),
        true);
    add(tr("&Redo"), "redo", QKeySequence(QStringLiteral("Ctrl+Shift+Z")),
        tr("Do again what was taken back last"), true);
    menu->addSeparator();
    add(tr("&Copy"), "copy", QKeySequence::Copy,
        tr("Copy the text, or the rows of the table, that has the focus"), false);
    addCommand(
        menu, tr("Copy view as &picture"), QKeySequence(QStringLiteral("Ctrl+Shift+C")),
        tr("Copy what is shown to the clipboard"), [this] { copyPicture(); }, Needs::File);
    add(tr("Select &all"), "selectAll", QKeySequence::SelectAll,
        tr("All of the text or table that has the focus"), false);
    menu->addSeparator();
    menu->addAction(search_);
    add(tr("&Filter this view"), "search", QKeySequence(Qt::Key_Slash),
        tr("To the filter or search of the view in front"), true);
    menu->addSeparator();
    addCommand(menu, tr("&Settings…"), QKeySequence(QStringLiteral("Ctrl+,")),
               tr("Theme, colours, text, motion, units, what is opened at the start"),
               [this] { showSettings(); });
}

void MainWindow::makeToolsMenu(QMenu* menu) {
    addCommand(menu, tr("&Commands…"), {}, tr("Find any command by its name (Ctrl+Shift+P)"), [this] {
        showPalette();
    })->setShortcuts({QKeySequence(QStringLiteral("Ctrl+Shift+P")), QKeySequence(QStringLiteral("Ctrl+K"))});
    addCommand(menu, tr("What goes on &now…"), QKeySequence(QStringLiteral("Ctrl+J")),
               tr("Queries, files that are opened, runs: how far they are, and an end to them (Ctrl+J)"),
               [this] { showJobs(); });
    for (const View* view : views_)
        if (const auto* live = qobject_cast<const LiveView*>(view))
            menu->addAction(live->stopAction()); // its key works in every view
    compare_with_ = addCommand(
        menu, tr("Compare &with…"), {},
        tr("Choose a base for the file that is shown, or another file beside it"), [this] { addCompared(); },
        Needs::File);
}

/// Ctrl and a digit for the first nine, G and its letter for every view.
QList<QKeySequence> MainWindow::keysOf(int view) const {
    QList<QKeySequence> keys;
    if (view < most_digits)
        keys << QKeySequence(QStringLiteral("Ctrl+%1").arg(view + 1));
    return keys << QKeySequence(QStringLiteral("G, %1").arg(places_[view].letter));
}

void MainWindow::showSettings() {
    SettingsDialog dialog(*keys_, this);
    connect(&dialog, &SettingsDialog::unitsChanged, this, &MainWindow::writeAnew);
    connect(&dialog, &SettingsDialog::basisChanged, basis_box_, &BasisBox::takeFirst);
    connect(&dialog, &SettingsDialog::memoryChanged, this, [this] {
        for (View* view : views_)
            if (view->id() == QLatin1String("memory"))
                view->restoreState(rememberedState(*view));
    });
    dialog.exec();
}

QJsonObject MainWindow::rememberedState(const View& view) {
    return QJsonDocument::fromJson(QSettings().value(QStringLiteral("views/") + view.id()).toByteArray())
        .object();
}

void MainWindow::gatherKeys() {
    keys_ = std::make_unique<KeyBindings>();
    for (QAction* action : commands_)
        if (action->shortcutContext() != Qt::WidgetShortcut) // those are of the parts that have the focus
            keys_->add(nameOf(*action), {}, action);
    for (View* view : views_) {
        saving_[view] = addPictureKey(*view);
        for (const ViewAction& each : actionsOf(*view))
            keys_->add(QStringLiteral("%1: %2").arg(view->title(), each.name), view->id(), each.action,
                       each.part == view ? nullptr : each.part);
    }
}

/// The bar of the view has its actions already.
void MainWindow::saveFromElsewhere() {
    save_elsewhere_ = new QAction(tr("Save picture…"), this);
    save_elsewhere_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(save_elsewhere_, &QAction::triggered, this, [this] {
        if (QAction* save = saving_.value(currentView()))
            save->trigger();
    });
    for (QWidget* part : std::initializer_list<QWidget*>{rail_, tabs_, details_, statusBar()})
        part->addAction(save_elsewhere_);
    for (const QAction* save : std::as_const(saving_)) // which may have another key one day
        connect(save, &QAction::changed, this, [this, save] {
            if (save == saving_.value(currentView()))
                save_elsewhere_->setShortcuts(save->shortcuts());
        });
}

/// Every action of the window, of the views and of their parts: what is not of the view in front goes there
/// first.
QList<Command> MainWindow::allCommands() {
    QList<Command> all;
    const QString no_file = shownSource() == nullptr ? tr("Open a profile first") : QString();
    for (QAction* action : commands_)
        all << Command{nameOf(*action), action->shortcut(), action->toolTip(),
                       action->isEnabled() ? QString()
                       : no_file.isEmpty() ? tr("nothing to go to")
                                           : no_file,
                       [action] { action->trigger(); }};
    for (View* view : views_)
        for (const ViewAction& each : actionsOf(*view)) {
            const bool possible =
                each.action->isEnabled() && (!view->isVisible() || canBeUsed(*view, *each.part));
            if (each.action->isVisible())
                all << Command{QStringLiteral("%1: %2").arg(view->title(), each.name),
                               each.action->shortcut(), each.action->toolTip(),
                               view->needsFile() && !no_file.isEmpty() ? no_file
                               : possible                              ? QString()
                                          : tr("%1 has nothing for it now").arg(view->title()),
                               [this, view, part = QPointer(each.part), action = QPointer(each.action)] {
                                   doInView(*view, part, action);
                               }};
        }
    for (const RecentFile& file : recentFiles())
        all << Command{tr("Open %1").arg(QFileInfo(file.path).completeBaseName()),
                       {},
                       file.path,
                       {},
                       [this, path = file.path] { openFile(path); }};
    return all;
}

/// A part may have gone while the view was read, or have nothing to show of the file.
void MainWindow::doInView(View& view, const QPointer<QWidget>& part, const QPointer<QAction>& action) {
    showView(view.id());
    whenRead(view, [this, &view, part, action] {
        if (part != nullptr && !canBeUsed(view, *part))
            return say(view.title(), tr("%1 has nothing for it now").arg(view.title()));
        if (part != nullptr && part != &view)
            bringToFront(view, *part);
        if (action != nullptr)
            action->trigger();
    });
}

void MainWindow::showPalette() {
    CommandPalette* shown = nullptr;
    CommandPalette palette(
        allCommands(), [&shown, this](const QString& typed) { findPlaces(*shown, typed); }, this);
    shown = &palette;
    palette.move(mapToGlobal(QPoint((width() - palette.width()) / 2, height() / 6)));
    palette.exec();
}

/// Tiles, steps and whatever else has a number or a name.
void MainWindow::findPlaces(CommandPalette& palette, const QString& typed) {
    constexpr std::size_t most_of_each = 12;
    if (shownSource() == nullptr)
        return palette.showPlaces(typed, {}, tr("Open a profile first"));
    if (typed.isEmpty())
        return palette.showPlaces(typed, {},
                                  tr("“tile 45”, “IPU 3 tile 45”, “step 7614”, “277 ms”, or a name"));
    searchOf(files_[static_cast<std::size_t>(frontFile())])
        .find(typed, {}, most_of_each,
              [this, typed, shown = QPointer(&palette)](const Result<SearchAnswer>& answer) {
                  if (shown == nullptr)
                      return;
                  QList<Command> places;
                  if (looksLikeTime(typed))
                      places << Command{
                          tr("%1 in Trace").arg(typed), {}, tr("Show this time"), {}, [this, typed] {
                              showView(QStringLiteral("trace"));
                              findChild<TraceView*>()->goToTime(typed);
                          }};
                  if (answer)
                      for (const SearchHit& hit : answer->hits)
                          places << Command{hit.remark.isEmpty()
                                                ? hit.name
                                                : QStringLiteral("%1, %2").arg(hit.name, hit.remark),
                                            {},
                                            tr("Show this %1").arg(hitKindName(hit.kind)),
                                            {},
                                            [this, hit] { showHit(hit, true); }};
                  shown->showPlaces(typed, places,
                                    answer ? tr("Nothing matches “%1”.").arg(typed)
                                           : text(answer.error().line()));
              });
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
        QAction* action = addCommand(menu, names[choice], {}, tr("Change the colours"), {});
        action->setProperty("of", menu->title());
        action->setCheckable(true);
        const auto check = [action, key, choice] {
            action->setChecked(choice == QSettings().value(key, 0).toInt());
        };
        check();
        connect(menu, &QMenu::aboutToShow, action, check); // the settings may have another by now
        group->addAction(action);
        connect(action, &QAction::triggered, this, [key, choice] {
            QSettings().setValue(key, choice);
            applyTheme(*qApp, rememberedTheme(), rememberedColours());
        });
    }
} // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the menu owns the group

} // namespace tilescope::ui
