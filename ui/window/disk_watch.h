// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QTimer>
#include <cstdint>
#include <utility>

namespace tilescope::ui {

/// Notices when another file takes the name of one that is open. A run that takes its name when it is
/// complete is no other file. The disk is asked on another thread.
class DiskWatch : public QObject {
    Q_OBJECT
  public:
    explicit DiskWatch(QObject* parent = nullptr);
    void add(const QString& path); ///< of a file that has just been opened
    void remove(const QString& path);
    void look(); ///< soon, once for many calls

  Q_SIGNALS:
    void replaced(const QString& path); ///< told once

  private:
    using Identity = std::pair<std::uint64_t, std::uint64_t>; ///< device and number; 0, 0: there is none
    static Identity identityOf(const QString& path);
    static Identity openedBy(const QString& path);
    void lookNow();
    QHash<QString, Identity> opened_; ///< by path
    QFileSystemWatcher watcher_;
    QTimer soon_;
};

} // namespace tilescope::ui
