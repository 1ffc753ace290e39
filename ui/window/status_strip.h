// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/followed_source.h"
#include "ui/session/selection.h"

#include <QWidget>
#include <functional>
#include <memory>

class QHBoxLayout;
class QToolButton;

namespace tilescope::ui {

class ThemedLabel;

/// What the status bar says at all times: the file, what it ran on and how the run stands; a chip for each
/// part of the selection, which a click clears; whether time is cycles; how much goes on.
class StatusStrip : public QWidget {
    Q_OBJECT
  public:
    explicit StatusStrip(SelectionModel* selection, QWidget* parent = nullptr);
    void setSource(std::shared_ptr<ProfileSource> source); ///< null: no file is shown
    QWidget* fileLabel() const;                            ///< the file, to stand at the left
    void setJobs(int count);                               ///< how many things go on
    void showUnits();                                      ///< they have changed

  Q_SIGNALS:
    void unitsToggled(); ///< between time and cycles
    void jobsWanted();   ///< to see what goes on

  private:
    void askFile();
    void askSubject();
    void showChips();
    QToolButton* chip(const char* name, const QString& tip, std::function<void(Selection&)> clear);

    SelectionModel* selection_;
    FollowedSource source_{this};
    ThemedLabel* file_;
    QHBoxLayout* row_;
    QToolButton* subject_;
    QToolButton* ipu_;
    QToolButton* tiles_;
    QToolButton* range_;
    QToolButton* unit_;
    QToolButton* jobs_;
    Selection shown_; ///< of which the subject's name was asked
    double clock_hz_ = 0;
    bool several_ipus_ = false;
};

} // namespace tilescope::ui
