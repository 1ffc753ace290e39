// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "ui/memory/memory_view.h"
#include "ui/session/view.h"

#include <map>
#include <string>
#include <utility>

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
    void setSelection(SelectionModel* selection) override;

  private:
    /// A comparison, and the ids of the new file behind its names.
    struct Named {
        analyse::Comparison comparison;
        std::map<std::string, std::int64_t> layers;
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> operations; ///< operation and its layer
    };
    static Result<Named> read(const profile::Profile& now, const std::string& base_path);
    void showComparison(const Named& named);
    void follow(const Selection& selection);
    void choose(std::int64_t operation, std::int64_t layer);
    void showMemory();

    Sources sources_;
    SelectionModel* selection_ = nullptr;
    TileMemory now_, base_;
    std::map<std::int64_t, std::int64_t> layer_of_operation_;
    QStackedWidget* stack_;
    QLabel* heading_;
    QLabel* differences_;
    DataTable* headline_;
    DataTable* layers_;
    DataTable* operations_;
    TileChart* chart_;
};

} // namespace tilescope::ui
