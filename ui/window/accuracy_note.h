// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/accuracy.h"
#include "ui/session/followed_source.h"

#include <QLabel>
#include <memory>

namespace tilescope::ui {

/// How far predicted figures of the view in front were from published ones, in a line: "predicted; typical
/// error ×1.1", whose tip says of which. It is hidden where the file or the view has nothing predicted.
class AccuracyNote : public QLabel {
    Q_OBJECT
  public:
    AccuracyNote();
    void setSource(std::shared_ptr<ProfileSource> source); ///< null: none
    void setKinds(const analyse::FigureKinds& kinds);      ///< those that the view shows

  Q_SIGNALS:
    /// Of each kind what the tip says, and as it is read out; "": nothing is predicted.
    void told(const QString& tip, const QString& plain);

  private:
    void ask();
    void write();

    FollowedSource source_{this};
    analyse::ErrorBands bands_;
    analyse::FigureKinds kinds_;
};

} // namespace tilescope::ui
