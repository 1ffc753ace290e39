// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lane_tree.h"
#include "ui/trace/lane_choice.h"

#include <QWidget>
#include <utility>
#include <vector>

class QLineEdit;
class QMenu;

namespace tilescope::ui {

/// Which lanes a trace shows, beside it: a tree of all there are, a field that filters, and sets of lanes.
class LanePanel : public QWidget {
    Q_OBJECT
  public:
    /// `sets` is the menu that offers sets of lanes.
    LanePanel(QMenu* sets, QWidget* parent);

    struct Shown {
        LaneChoice lanes;
        std::vector<std::pair<profile::IpuRecord, QString>> ipus; ///< all, with their names
        std::vector<LaneKind> kinds; ///< that there is anything for, of IPUs, host and links
        bool updates = false;        ///< a step is a weight update
        bool operator==(const Shown& other) const;
    };
    void show(Shown shown);
    LaneTree& tree() { return *tree_; }

  Q_SIGNALS:
    /// `what`: what was done, as the undoing of it is named.
    void chosen(const tilescope::ui::LaneChoice& lanes, const QString& what);
    void filtered(const QString& text);
    void heightWanted(const std::vector<tilescope::ui::LaneKind>& kinds, double factor);
    void closed();

  private:
    void fill();
    void fillKinds(QTreeWidgetItem* above, std::optional<std::int64_t> ipu);
    LaneTree::Sight sight(LaneKind kind, std::optional<std::int64_t> ipu) const;
    std::vector<profile::IpuRecord> ipus() const;
    void toggle(const LaneTree::Row& row);
    void move(const LaneTree::Row& row, const std::optional<LaneTree::Row>& before);
    QString nameOf(const LaneTree::Row& row) const;

    Shown shown_;
    QLineEdit* filter_ = nullptr;
    LaneTree* tree_ = nullptr;
};

} // namespace tilescope::ui
