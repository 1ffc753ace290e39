// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/followed_source.h"
#include "ui/session/selection.h"
#include "ui/session/view.h"

#include <QComboBox>
#include <memory>

namespace tilescope::ui {

/// What figures of time are per, of what the shown file, and the one that it is compared with, have; all
/// views follow, and it is remembered.
class BasisBox : public QComboBox {
    Q_OBJECT
  public:
    /// Takes what was chosen last time.
    explicit BasisBox(SelectionModel* selection, QWidget* parent = nullptr);
    void setSources(const Sources& sources); ///< of the view in front
    void takeRemembered();                   ///< the settings have another one now
    void chooseNext();

  private:
    /// One of the files.
    struct File {
        explicit File(QObject* owner) : source(owner) {}
        FollowedSource source;
        std::optional<analyse::Loops> loops; ///< nullopt: there is no such file, or its program is not known
    };
    void set(File& file, const std::shared_ptr<ProfileSource>& source);
    void ask(File& file);
    void choose(int index);
    void show();

    SelectionModel* selection_;
    File now_{this};
    File base_{this};
};

} // namespace tilescope::ui
