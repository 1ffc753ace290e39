// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pipeline/pipeline_data.h"

#include <QWidget>
#include <vector>

class QGridLayout;
class QLabel;

namespace tilescope::ui {

class ShareBar;
class ThemedLabel;

/// In place of the stages where there is no pipeline: what each IPU does in a step, one row for those that do
/// the same.
class PhaseRows : public QWidget {
    Q_OBJECT
  public:
    explicit PhaseRows(QWidget* parent = nullptr);
    void setData(const PipelineData& data);
    ThemedLabel* heading() { return heading_; }

  private:
    struct Row {
        QLabel* ipus;
        ShareBar* bar;
        QLabel* time;
    };
    void setRow(Row& row, const PipelineData::IpuPhases& phases, double clock_hz);
    ThemedLabel* heading_;
    QWidget* rows_;
    QGridLayout* grid_;
    std::vector<Row> shown_; ///< from the first on; they stay when other figures come
};

} // namespace tilescope::ui
