// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace tilescope::ui {

/// What is remembered of how the window looks and writes figures. Each change holds at once.
class SettingsDialog : public QDialog {
    Q_OBJECT
  public:
    explicit SettingsDialog(QWidget* parent = nullptr);

  Q_SIGNALS:
    void unitsChanged();

  private:
    void show();
    void apply();
    void reset();
    QComboBox* theme_;
    QComboBox* colours_;
    QSpinBox* scale_;
    QComboBox* time_;
    QComboBox* bytes_;
    QCheckBox* reopen_;
};

} // namespace tilescope::ui
