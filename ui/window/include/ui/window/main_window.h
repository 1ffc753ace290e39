// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/view.h"
#include "ui/theme/theme.h"
#include "ui/window/all_views.h"
#include "ui/window/history.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonObject>
#include <QMainWindow>
#include <QPointer>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QMenu;
class QStackedWidget;
class QToolBar;
class QToolButton;

namespace tilescope::ui {

class AccuracyNote;
class Banner;
class BasisBox;
class ProgramBox;
class CommandPalette;
class DetailsDock;
class EdgeMover;
class DiskWatch;
class EditCommands;
class UndoList;
class FileSearch;
class FindingMarks;
class FileTabs;
class HelpWindow;
class KeyBindings;
class MessageLog;
class MissingPage;
class PassingMessage;
class Rail;
class ShowingSwitch;
class StartPage;
class StatusStrip;
class HandMatching;
struct Command;
struct Notice;
struct RunningJob;
struct SearchHit;

/// The window: a rail of views, the view in the middle, details of the selection at the side.
class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Shows a profile, which is opened meanwhile: fileOpened() or, with a banner that says why, fileFailed()
    /// follows. A folder is shown in Runs, a workload in the form for a run, a saved comparison as it was.
    void openFile(const QString& path);
    /// Compares with an open file (its index), or with none (-1).
    void setBase(int index);
    /// Opens files where they are not open, and compares the others with the first. The one in front stays so
    /// where it is one of the others.
    void compare(const QStringList& paths);
    /// What is compared and how, as a file that openFile() opens again. There must be a base.
    Result<void> saveComparison(const QString& path);
    /// What views show of two files, where there is a base.
    void setShowing(Showing showing);
    bool showView(const QString& id); ///< false: there is no such view
    QStringList viewIds() const;
    /// Queries that views still wait for, and what Runs still reads where it is shown.
    int pendingQueries() const;
    bool atRest() const; ///< there are none, and the view in front is about to ask none (View::atRest)
    QStringList openPaths() const; ///< in the order of the tabs
    /// Opens what was open when a window was closed last, unless the settings say otherwise.
    void reopenLastFiles();

  Q_SIGNALS:
    void fileOpened(const QString& path);
    void fileFailed(const tilescope::Error& error);

  protected:
    bool event(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void setVisible(bool visible) override; ///< no wider than it was made, for what it hides then
    void changeEvent(QEvent* event) override;

  private:
    struct OpenFile {
        QString path;
        std::shared_ptr<ProfileSource> source; ///< null: it could not be read when it was to be opened again
        QString reason;                        ///< why not
        History history;
        Place left;                         ///< where one was when another file was shown
        std::unique_ptr<FileSearch> search; ///< once it was asked for
        std::shared_ptr<Notice> notice;     ///< what has become of it; null: nothing
        bool opened = false;                ///< it could be read
        QHash<QString, QJsonArray> zooms;   ///< by view, until it has all that it shows: what was in sight
        QJsonObject pinned;                 ///< details
    };
    enum class Needs { Nothing, Tab, File };
    void makeMenus();
    void makeFileMenu(QMenu* menu);
    void makeEditMenu(QMenu* menu);
    void makeToolsMenu(QMenu* menu);
    void makeViewMenu(QMenu* menu);
    void makeGoMenu(QMenu* menu);
    void makeToolBars();
    void makeStatusBar();
    void makeStartPage();
    void showStart();
    bool onStart() const; ///< the start page is in front
    void setUpRun(const QString& workload, const QStringList& changes = {});
    void setUpRunAgain(const QStringList& changes); ///< of the file that is shown, but for them
    void makeDetails();
    void offerBases(); ///< in Compare
    void fitIcons();   ///< of the bars, to the size of text
    void widenDetails();
    void fitDetails(); ///< to the width of the window
    void openDialog();
    void openAnew(const QString& path);
    void compareAs(const QStringList& paths, const QString& saved_in, const QString& wanted_front);
    void openComparison(const QString& path); ///< a saved one
    void openFolder(const QString& path);     ///< all profiles below it
    void saveShownComparison();               ///< in its file, where it has one
    void saveComparisonAs();
    void reopenComparison();
    void openSql(const QString& sql);
    std::function<void()> takeBack(const QByteArray& name);
    std::function<void()> whereMade(const View& view, const std::function<void()>& done);
    bool comparesAsSaved() const;                          ///< what is compared is what comparison_file_ has
    bool mayForgetMatches();                               ///< asks, where a file has others
    void addCompared();                                    ///< asks which file
    void matchByHand(const analyse::HandMatches& by_hand); ///< of base and shown file
    QStringList comparedPaths() const;                     ///< the base first; empty: there is none
    void rememberCompared();
    void closeFile(int index); ///< by the user, who may take it back
    void takeOut(int index);   ///< of the tabs
    void closeOthers(int index);
    int indexOf(const QString& path) const; ///< of an open file; -1: it is not open
    int addFile(const QString& path, bool keep);
    void dropBad(const QString& path, const QString& before, const Error& error);
    void keepMissing(const QString& path, const Error& error);
    void letGo(int index);
    void findMissing();
    void showMissing();
    void tell(const QString& path, const Notice& notice); ///< of an open file
    void showNotice();
    void complain(const Error& error, int before = 0); ///< above the view; `before`: so many others
    void makeFileList();
    void takeReplaced(const QString& path, bool in_place);
    bool mayClose();                    ///< asks, where a run would end
    ProfileSource* shownSource() const; ///< null: no file is shown, or it cannot be read
    void selectFile(int index);
    void updateNames();
    void updateSources();
    Showing shown() const; ///< New, where there is no base
    void lookAtFirstIpu();
    int frontFile() const; ///< the one whose ids are selected: the base, where that is shown alone
    void enableCommands(); ///< those that need a file, where there is one
    OpenFile& shownFile(); ///< there must be one
    void goTo(const Place& place);
    void visit();
    void goInHistory(int step);
    void watchSight();
    void takeZoom();          ///< once the view in front has all that it shows
    void leaveFile();         ///< keeps how it is shown
    void keepSession() const; ///< in the settings: how each open file is shown
    void takeSession();       ///< of the files that are open
    QList<RunningJob> runningJobs();
    void showJobs();
    QList<QWidget*> parts() const;
    void focusNext(int step);
    void updateRecent();
    void updateTitle();
    void updateDetails(); ///< the panel shows those of the view in front, where it has any
    void showPalette();
    void showSearch();
    FileSearch& searchOf(OpenFile& file); ///< begins to read its names, where nobody has asked yet
    void showHit(const SearchHit& hit, bool go);
    void findPlaces(CommandPalette& palette, const QString& typed);
    void showSettings();
    static QJsonObject rememberedState(const View& view);
    static QJsonObject stateOf(const View& view); ///< to be remembered
    void gatherKeys();                            ///< of all commands, once they are there
    void saveFromElsewhere(); ///< the key with which a view saves what it shows, beside the view
    void showProgramHead();
    void toggleUnits();
    void writeAnew();
    void say(const QString& of, const QString& text);
    QList<Command> allCommands();
    void doInView(View& view, const QPointer<QWidget>& part, const QPointer<QAction>& action);
    void showHelp();
    void showHelpPage(const QString& page, const QString& heading); ///< "": the page that it is at
    void copyPicture();
    void addChoice(QMenu* menu, const QString& key, const QStringList& names);
    View* currentView() const;
    QList<QKeySequence> keysOf(int view) const;
    QAction* addCommand(QMenu* menu, const QString& text, const QKeySequence& keys, const QString& tip,
                        const std::function<void()>& done, Needs needs = Needs::Nothing);

    std::vector<OpenFile> files_;
    std::optional<StyleSheetPause> unstyled_{std::in_place}; ///< while the widgets are put together
    std::unique_ptr<UndoList> undo_;                         ///< what was made in the window and its views
    QStringList closed_;                                     ///< paths, the last one last
    int bad_ = 0;         ///< files that could not be opened, of those that were asked for at once
    bool moving_ = false; ///< a place is being restored
    std::optional<Sight> sight_wanted_; ///< of its view as one goes back to it, until it is there
    bool within_view_ = false;          ///< and one was in that view before
    int current_ = -1;
    int base_ = -1;
    QStringList compared_;    ///< paths, where more than two were to be compared; the base among them
    QString comparison_file_; ///< that these were saved in, or opened from; empty: none
    std::unique_ptr<HandMatching> by_hand_; ///< what was matched by hand
    Showing showing_ = Showing::Both;
    SelectionModel* selection_;
    QList<ViewPlace> places_; ///< of the rail
    QList<View*> views_;      ///< in the same order
    QHash<const View*, QString> details_of_;
    Rail* rail_ = nullptr;
    FindingMarks* marks_ = nullptr;
    FileTabs* tabs_ = nullptr;
    QLabel* view_title_ = nullptr;
    QAction* back_ = nullptr;
    QAction* forward_ = nullptr;
    QAction* to_start_ = nullptr;
    QAction* file_list_ = nullptr;
    QStackedWidget* pages_;
    QStackedWidget* stack_;
    StartPage* start_ = nullptr;
    DetailsDock* details_ = nullptr;
    AccuracyNote* accuracy_ = nullptr;  ///< below the details, and the tip of the view's title
    QAction* details_wanted_ = nullptr; ///< checked unless the user has closed the panel in this view
    QStringList without_details_;       ///< views in which that is so
    int details_letter_ = 0;            ///< the width of a letter, when the panel was last fitted to letters
    bool drawer_open_ = false;          ///< where the panel is a drawer
    EditCommands* edit_ = nullptr;
    QToolBar* file_bar_ = nullptr;
    QToolBar* tools_ = nullptr;
    QList<QAction*> shown_actions_;
    QWidget* against_ = nullptr;
    QAction* against_action_ = nullptr;
    QAction* compare_with_ = nullptr;
    QToolButton* compare_button_ = nullptr; ///< in the place of the two, where there is no base
    QAction* compare_action_ = nullptr;     ///< it in its bar
    QComboBox* base_box_ = nullptr;
    ShowingSwitch* showing_switch_ = nullptr;
    QAction* next_showing_ = nullptr;
    QAction* save_comparison_ = nullptr;
    QAction* save_comparison_as_ = nullptr;
    BasisBox* basis_box_ = nullptr;
    ProgramBox* program_box_ = nullptr;
    QLabel* program_head_ = nullptr;
    QAction* program_head_action_ = nullptr;
    StatusStrip* status_ = nullptr;
    QAction* search_ = nullptr;
    Banner* banner_;
    MessageLog* messages_;
    PassingMessage* passing_;
    MissingPage* missing_ = nullptr;
    DiskWatch* disk_;
    EdgeMover* edge_mover_;
    QMenu* recent_ = nullptr;
    QPointer<HelpWindow> help_;           ///< while it is open
    QHash<const View*, QAction*> saving_; ///< what saves a picture of each view, or what it has
    QAction* save_elsewhere_ = nullptr;   ///< the same of the view in front, where another part has the focus
    QList<QAction*> commands_;
    std::unique_ptr<KeyBindings> keys_;
    QList<QAction*> need_tab_;  ///< those that do nothing while no file is open
    QList<QAction*> need_file_; ///< those that do nothing unless that can be read
};

} // namespace tilescope::ui
