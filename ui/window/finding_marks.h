// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/followed_source.h"

#include <QMap>
#include <QWidget>

namespace tilescope::ui {

/// In which views the findings of a file are that call for something: warnings and errors. It is a widget
/// that is never shown, so that its question waits until what is seen has its answers.
class FindingMarks : public QWidget {
    Q_OBJECT
  public:
    explicit FindingMarks(QWidget* parent);
    void setSource(const std::shared_ptr<ProfileSource>& source);

  Q_SIGNALS:
    void found(const QMap<QString, int>& findings); ///< how many, by View::id()

  private:
    void ask();
    FollowedSource source_{this};
};

} // namespace tilescope::ui
