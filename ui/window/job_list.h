// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QList>
#include <QString>
#include <QStringList>
#include <functional>
#include <optional>

class QGridLayout;
class QTimer;

namespace tilescope::ui {

/// Something that goes on now.
struct RunningJob {
    QString what;                 ///< "Trace, totals"
    QString of;                   ///< the file
    QString state;                ///< "epoch 2 of 3", "waits"
    double seconds = -1;          ///< since it began; below 0: not known
    std::function<void()> cancel; ///< empty: it ends by itself
};

/// What goes on now, each with how far it is and a button that ends it. It is looked at a few times a second
/// while it is shown.
class JobList : public QFrame {
    Q_OBJECT
  public:
    JobList(std::function<QList<RunningJob>()> jobs, QWidget* parent);
    void popUp(); ///< at the lower right of the window

  private:
    void look();
    void place();

    std::function<QList<RunningJob>()> jobs_;
    QGridLayout* rows_;
    QTimer* timer_;
    std::optional<QStringList> shown_; ///< what the rows are of
};

} // namespace tilescope::ui
