// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "ui/memory/memory_view.h"
#include "ui/session/view.h"

class QLabel;
class QStackedWidget;

namespace tilescope::ui {

class DataTable;
class TileChart;

/// Two files side by side: headline figures, memory over tiles, layers, and the operations that only one has.
class CompareView : public View {
    Q_OBJECT
  public:
    explicit CompareView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("compare"); }
    QString title() const override { return tr("Compare"); }
    QString iconName() const override { return QStringLiteral("compare"); }
    void setSources(const Sources& sources) override;
    void setSelection(SelectionModel* selection) override { selection_ = selection; }

  private:
    void show(const analyse::Comparison& comparison);
    void showMemory();

    Sources sources_;
    SelectionModel* selection_ = nullptr;
    TileMemory now_, base_;
    QStackedWidget* stack_;
    QLabel* heading_;
    DataTable* headline_;
    DataTable* layers_;
    DataTable* operations_;
    TileChart* chart_;
};

} // namespace tilescope::ui
