// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/timeline_lane.h"

#include <QTreeWidget>
#include <cstdint>
#include <optional>

namespace tilescope::ui {

/// IPUs with their lanes, host and links. An eye shows or hides (click, Space), a pin keeps an IPU at the top
/// (click, P); rows are dragged to other places among their like (Alt+Up, Alt+Down), + and - say how tall the
/// lanes of a row shall be.
class LaneTree : public QTreeWidget {
    Q_OBJECT
  public:
    explicit LaneTree(QWidget* parent = nullptr);

    enum Column { Name, Eye, Pin };
    enum class Sight { Shown, Hidden, Some }; ///< Some: on some of the IPUs
    /// What a row stands for: an IPU, a lane of it, or, where `ipu` is nullopt, that of all IPUs.
    struct Row {
        std::optional<std::int64_t> ipu;
        std::optional<LaneKind> kind;
        bool operator==(const Row&) const = default;
    };
    QTreeWidgetItem* add(QTreeWidgetItem* above, const Row& row, const QString& name, Sight sight);
    void setPinned(QTreeWidgetItem* item, bool pinned); ///< once, of a row that has been added
    static Row rowOf(const QTreeWidgetItem* item);
    QTreeWidgetItem* find(const Row& row) const;    ///< null: there is none
    QRect eyeOf(const QTreeWidgetItem* item) const; ///< in the viewport

  Q_SIGNALS:
    void eyeClicked(QTreeWidgetItem* item);
    void pinClicked(QTreeWidgetItem* item);
    /// `before` is null at the end of its like.
    void movedBefore(QTreeWidgetItem* item, QTreeWidgetItem* before);
    void heightWanted(QTreeWidgetItem* item, double factor);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    struct Drop {
        QTreeWidgetItem* before = nullptr; ///< null: at the end
        int y = 0;
    };
    static bool movable(const QTreeWidgetItem* item);
    QList<QTreeWidgetItem*> alike(const QTreeWidgetItem* item) const; ///< those that it is ordered among
    std::optional<Drop> dropAt(int y) const;

    QTreeWidgetItem* pressed_ = nullptr;
    QPoint pressed_at_;
    std::optional<Drop> drop_; ///< while a row is dragged
};

} // namespace tilescope::ui
