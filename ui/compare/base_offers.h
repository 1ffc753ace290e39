// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QTreeWidget>

namespace tilescope::ui {

/// What the one file that is shown may be compared with: the others that are open and, looked for in the
/// background, what it was compared with before and the newest runs of its workload in its folder.
class BaseOffers : public QTreeWidget {
    Q_OBJECT
  public:
    explicit BaseOffers(QWidget* parent = nullptr);
    /// `file`: that is shown; `comparisons`: the base first, or the one file that it was saved in.
    void offer(const QString& file, const QStringList& open, const QList<QStringList>& comparisons);
    void look(); ///< for those on the disk, unless that was done for the file

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint() / 3; }

  Q_SIGNALS:
    void chosen(const QStringList& paths); ///< the base first
    void changed();

  private:
    void add(const QString& name, const QString& remark, const QStringList& paths);

    QString file_, looked_for_;
    QList<QStringList> before_; ///< comparisons of which it was a part, the base first
    QStringList offered_;       ///< files that have a row of their own
};

} // namespace tilescope::ui
