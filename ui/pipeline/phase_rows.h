// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QGridLayout;

namespace tilescope::ui {

struct PipelineData;
class ThemedLabel;

/// In place of the stages where there is no pipeline: what each IPU does in a step, one row for those that do
/// the same.
class PhaseRows : public QWidget {
    Q_OBJECT
  public:
    explicit PhaseRows(QWidget* parent = nullptr);
    void setData(const PipelineData& data);

  private:
    ThemedLabel* heading_;
    QWidget* rows_;
    QGridLayout* grid_;
};

} // namespace tilescope::ui
