// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "running_runs.h"

#include <QTimer>
#include <QWidget>
#include <functional>

class QLabel;
class QLineEdit;
class QTreeWidget;

namespace tilescope::ui {

class Card;
class RecentList;
class SampleList;

/// What is shown while no file is open: what was open before, what was compared, what runs now, workloads to
/// try, and how to begin anew. It opens no file to draw itself but those that are being written.
class StartPage : public QWidget {
    Q_OBJECT
  public:
    explicit StartPage(QWidget* parent = nullptr);
    void refresh(); ///< reads what is remembered

  Q_SIGNALS:
    void openRequested();
    void runRequested(const QString& workload); ///< "": one that is still to be chosen
    void fileChosen(const QString& path);
    /// As View::made.
    void made(const QString& what, const std::function<void()>& redo, const std::function<void()>& undo);
    void comparisonChosen(const QStringList& paths); ///< the base first, or the one that it is saved in

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    QWidget* makeHead();
    void openTyped(const QString& path);
    Card* makeFiles();
    Card* makeComparisons();
    Card* makeRunning();
    Card* makeSamples();
    void showComparisons();
    void lookForRuns();
    void showRuns(const QList<RunningRun>& runs);

    QLabel* nothing_there_; ///< of the path that was typed
    RecentList* files_;
    QLineEdit* filter_;
    QLabel* note_;
    QTreeWidget* comparisons_;
    QLabel* no_comparisons_;
    QTreeWidget* running_;
    SampleList* samples_;
    Card* running_card_;
    QList<RunningRun> runs_;
    QTimer look_;
    bool looking_ = false; ///< on another thread
};

} // namespace tilescope::ui
