// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/trace/alignment.h"

#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QStringListModel;

namespace tilescope::ui {

/// Where one chooses how two runs are aligned, and reads how they are.
class AlignBar : public QWidget {
    Q_OBJECT
  public:
    explicit AlignBar(QWidget* parent = nullptr);
    /// Of the new run: its epochs, the steps of one, its operations.
    void setChoices(std::int64_t epochs, std::int64_t steps, const QStringList& operations);
    void setCurrent(const Alignment& alignment, std::int64_t shift, bool found, const QString& words);
    /// What is taken where an operation is to be aligned and none is named.
    void setSuggested(const QString& operation) { suggested_ = operation; }

  Q_SIGNALS:
    void chosen(const tilescope::ui::Alignment& alignment);

  private:
    void choose();
    Alignment alignment_;
    QString suggested_;
    QComboBox* on_;
    QLabel* epoch_label_;
    QSpinBox* epoch_;
    QLabel* step_label_;
    QSpinBox* step_;
    QLineEdit* operation_;
    QStringListModel* operations_;
    QDoubleSpinBox* offset_;
    QLabel* words_;
    std::int64_t epochs_ = 1;
};

} // namespace tilescope::ui
