// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "recent_files.h"

#include <QHash>
#include <QTreeWidget>
#include <functional>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// The recent files by day, with the figures that were kept of them. Enter opens one, Space marks: two that
/// are marked are compared. Delete takes one out, Ctrl+Z brings it back. Whether they are still there is
/// looked up on another thread.
class RecentList : public QTreeWidget {
    Q_OBJECT
  public:
    explicit RecentList(QWidget* parent = nullptr);
    void refresh(); ///< reads what is remembered
    void setFilter(const QString& text);
    bool isEmpty() const { return files_.isEmpty(); }

  Q_SIGNALS:
    void fileChosen(const QString& path);
    void comparisonChosen(const QString& base, const QString& now);
    void changed(const QString& note); ///< what can be done next
    /// As View::made.
    void made(const QString& what, const std::function<void()>& redo, const std::function<void()>& undo);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    /// What another thread has found out of a file.
    struct OnDisk {
        bool there = true;
        bool running = false;
        QDateTime modified;
    };
    struct TakenOut {
        qsizetype place = 0;
        RecentFile file;
    };
    void fill();
    void addFile(const RecentFile& file);
    void fitColumns();
    void lookUp();
    void choose();
    void mark(const QTreeWidgetItem* item);
    void takeOut(const QString& path);
    void putBack(const QString& path);
    QString note() const;
    static QString pathOf(const QTreeWidgetItem* item);

    QList<RecentFile> files_;
    QHash<QString, OnDisk> on_disk_; ///< by path, once it is known
    QStringList marked_;             ///< paths, at most two
    std::vector<TakenOut> taken_out_;
    QString filter_;
};

} // namespace tilescope::ui
