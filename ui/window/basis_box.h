// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/followed_source.h"
#include "ui/session/selection.h"

#include <QComboBox>
#include <memory>

namespace tilescope::ui {

/// What figures of time are per, of what the shown file has; all views follow, and it is remembered.
class BasisBox : public QComboBox {
    Q_OBJECT
  public:
    /// Takes what was chosen last time.
    explicit BasisBox(SelectionModel* selection, QWidget* parent = nullptr);
    void setSource(std::shared_ptr<ProfileSource> source); ///< null: none
    void takeRemembered();                                 ///< the settings have another one now
    void chooseNext();

  private:
    void ask();
    void choose(int index);
    void show();

    SelectionModel* selection_;
    FollowedSource source_{this};
    std::optional<analyse::Loops> loops_; ///< nullopt: the program is not known
};

} // namespace tilescope::ui
