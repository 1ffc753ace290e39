// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/device_program.h"
#include "ui/session/followed_source.h"
#include "ui/session/selection.h"
#include "ui/session/view.h"

#include <QComboBox>
#include <memory>
#include <vector>

namespace tilescope::ui {

/// Which device program of the shown file is looked at, where it has several: for all views that have more
/// than the first one. It is remembered.
class ProgramBox : public QComboBox {
    Q_OBJECT
  public:
    /// Takes what was chosen last time.
    explicit ProgramBox(SelectionModel* selection, QWidget* parent = nullptr);
    void setSource(std::shared_ptr<ProfileSource> source); ///< null: none
    void chooseNext();
    /// What the head of a view says of the program that it shows, in short and in whole; "" where there is
    /// nothing to tell apart.
    std::pair<QString, QString> head(View::Programs shows) const;

  Q_SIGNALS:
    void headsChanged();

  private:
    void ask();
    void choose(int index);
    void follow(const Selection& now);
    void show();

    SelectionModel* selection_;
    FollowedSource source_{this};
    std::vector<analyse::DeviceProgram> programs_;
    std::int64_t step_ = -1; ///< that is selected
};

} // namespace tilescope::ui
