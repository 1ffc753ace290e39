// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/liveness/liveness_view.h"

#include <QWidget>
#include <cstdint>

namespace tilescope::ui {

class DataTable;
class LifetimeDelegate;

/// What is held on an IPU also while no step needs it, and what the peak would be without.
class KeptPage : public QWidget {
    Q_OBJECT
  public:
    explicit KeptPage(QWidget* parent = nullptr);
    void setKept(const LivenessView::Read& read);
    void showLives(const LivenessCurve& curve); ///< over the steps that it has in view
    void select(std::int64_t variable);
    QString title() const; ///< "Kept too long: 41"

  Q_SIGNALS:
    void chosen(std::int64_t variable);
    void activated(std::int64_t variable); ///< Enter or a double click
    void sqlWanted(const QString& sql);

  private:
    QString sentence(const LivenessView::Read& read) const;

    std::size_t count_ = 0;
    bool known_ = false;
    std::int64_t peak_ = -1; ///< step
    DataTable* table_;
    LifetimeDelegate* lives_;
};

} // namespace tilescope::ui
