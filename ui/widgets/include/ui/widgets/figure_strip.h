// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

namespace tilescope::ui {

/// Figures side by side: name, value and a remark each, with the change against a base. Where there is no
/// room they go on in the next line.
class FigureStrip : public QWidget {
    Q_OBJECT
  public:
    struct Figure {
        QString name;
        QString value;
        QString remark;
        QString change; ///< "+3.1 %"; empty: nothing to compare with
        int better = 0; ///< what the change is: 1 good, -1 bad, 0 neither
        QString tip;
    };
    explicit FigureStrip(QWidget* parent = nullptr);
    void setFigures(const std::vector<Figure>& figures);
    /// Name and value stand in one line, without the remark: where there is little height.
    void setBrief(bool brief);

  private:
    void fill();
    std::vector<Figure> figures_;
    bool brief_ = false;
};

} // namespace tilescope::ui
