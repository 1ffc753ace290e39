// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QTableWidget>

namespace tilescope::ui {

/// Settings that a run takes other than its workload has them, a row each and one for the next. Keys are
/// completed; what a setting is, and is otherwise, stands in its tip and, in grey, in an empty value.
class OverrideTable : public QTableWidget {
    Q_OBJECT
  public:
    explicit OverrideTable(QWidget* parent = nullptr);
    /// "fit.batch_size=8", in order; rows without a key are left out.
    QStringList overrides() const;
    void setOverrides(const QStringList& overrides);
    /// In place of another value of the same setting.
    void setOverride(const QString& one);
    QString problem() const; ///< of the first row that has one, or ""
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  Q_SIGNALS:
    void edited();

  protected:
    void keyPressEvent(QKeyEvent* event) override; ///< Delete takes a row away

  private:
    void tidy(); ///< one empty row at the end, tips, colours
    bool tidying_ = false;
};

} // namespace tilescope::ui
