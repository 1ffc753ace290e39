// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QTimer>
#include <cstdint>
#include <utility>

namespace tilescope::ui {

/// Notices when another file takes the name of one that is open, or is written into it. A run that grows, or
/// takes its name when it is complete, is no other file. The disk is asked on another thread.
class DiskWatch : public QObject {
    Q_OBJECT
  public:
    explicit DiskWatch(QObject* parent = nullptr);
    void add(const QString& path); ///< of a file that has just been opened
    void remove(const QString& path);
    void look(); ///< soon, once for many calls

  Q_SIGNALS:
    /// Told once. `in_place`: the file that is open is the one that was written anew.
    void replaced(const QString& path, bool in_place);

  private:
    struct Seen {
        std::pair<std::uint64_t, std::uint64_t> file;  ///< device and number; 0, 0: there is none
        std::pair<std::int64_t, std::int64_t> written; ///< bytes, and when it was changed last
        bool growing = false;                          ///< a run writes it, or has left what is not in it yet
        bool there() const { return file.second != 0; }
    };
    static Seen seenAt(const QString& path);
    static Seen openedBy(const QString& path);
    void lookNow();
    QHash<QString, Seen> opened_; ///< by path
    QFileSystemWatcher watcher_;
    QTimer soon_;
};

} // namespace tilescope::ui
