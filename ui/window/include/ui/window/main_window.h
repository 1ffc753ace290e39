// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/view.h"
#include "ui/window/all_views.h"

#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <memory>
#include <vector>

class QButtonGroup;
class QComboBox;
class QDockWidget;
class QLabel;
class QMenu;
class QStackedWidget;
class QTextBrowser;

namespace tilescope::ui {

class BasisBox;
class HelpWindow;

/// The window: a rail of views, the view in the middle, details of the selection at the side.
class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a profile and shows it. On failure a banner says why; the error is returned as well.
    Result<void> openFile(const QString& path);
    /// Compares with an open file (its index), or with none (-1).
    void setBase(int index);
    bool showView(const QString& id); ///< false: there is no such view
    QStringList viewIds() const;
    /// Queries that views still wait for.
    int pendingQueries() const;
    const std::vector<std::shared_ptr<ProfileSource>>& files() const { return files_; }

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void makeRail();
    void makeMenus();
    void makeToolBar();
    void makeDetails();
    void openDialog();
    void openAnew(const QString& path);
    void closeCurrent();
    void selectFile(int index);
    void updateSources();
    void updateRecent();
    void updateTitle();
    void updateDetails(); ///< the panel shows those of the view in front, where it has any
    void showPalette();
    void showHelp();
    void showHelpPage(const QString& page, const QString& heading); ///< "": the page that it is at
    void copyPicture();
    void addChoice(QMenu* menu, const QString& key, const QStringList& names);
    View* currentView() const;
    QList<QKeySequence> keysOf(int view) const;
    QAction* addCommand(QMenu* menu, const QString& text, const QKeySequence& keys, const QString& tip);

    std::vector<std::shared_ptr<ProfileSource>> files_;
    int current_ = -1;
    int base_ = -1;
    SelectionModel* selection_;
    QList<ViewPlace> places_; ///< of the rail
    QList<View*> views_;      ///< in the same order
    QHash<const View*, QString> details_of_;
    QButtonGroup* rail_ = nullptr;
    QStackedWidget* pages_;
    QStackedWidget* stack_;
    QTextBrowser* details_ = nullptr;
    QDockWidget* details_dock_ = nullptr;
    QAction* details_wanted_ = nullptr; ///< checked unless the user has closed the panel
    QToolBar* tools_ = nullptr;
    QList<QAction*> shown_actions_;
    QComboBox* file_box_ = nullptr;
    QComboBox* base_box_ = nullptr;
    BasisBox* basis_box_ = nullptr;
    QLabel* banner_;
    QMenu* recent_ = nullptr;
    QPointer<HelpWindow> help_; ///< while it is open
    QList<QAction*> commands_;
};

} // namespace tilescope::ui
