// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/followed_source.h"
#include "ui/session/selection.h"
#include "ui/session/view.h"

#include <QComboBox>
#include <memory>

namespace tilescope::ui {

/// What figures of time are per, of what the shown file, and the one that it is compared with, have. All
/// views follow; each file keeps its own.
class BasisBox : public QComboBox {
    Q_OBJECT
  public:
    explicit BasisBox(SelectionModel* selection, QWidget* parent = nullptr);
    void setSources(const Sources& sources); ///< of the view in front
    void takeFirst();                        ///< that of the settings
    void chooseNext();
    /// What a file that was never shown begins with, by the settings; nullopt: the usual one of each.
    static std::optional<analyse::Basis> first();

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
