// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/kinds.h"

#include <QHash>
#include <QTabBar>
#include <memory>

namespace tilescope::profile {
class Profile;
}

namespace tilescope::ui {

class ProfileSource;

/// The open files. A dot says how the run stands, the tip where the file lies; the context menu has what can
/// be done with it.
class FileTabs : public QTabBar {
    Q_OBJECT
  public:
    explicit FileTabs(QWidget* parent = nullptr);
    /// One short tab is narrower than the buttons that would scroll it, which it does not need.
    QSize minimumSizeHint() const override { return QTabBar::minimumSizeHint().boundedTo(sizeHint()); }
    /// Adds a tab that follows how the run of `source` stands; null: the file cannot be read now.
    void addFile(const QString& path, const std::shared_ptr<ProfileSource>& source);
    void setFile(int index, const std::shared_ptr<ProfileSource>& source); ///< of the tab's path
    void removeFile(int index);
    void setName(int index, const QString& name);

  Q_SIGNALS:
    /// The run has ended, or had not ended well when its file was opened: one line of it.
    void ended(const QString& path, bool badly, const QString& line);
    void closeRequested(int index);
    void closeOthersRequested(int index);
    void baseRequested(int index);
    void reloadRequested(int index);

  protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void ask(const ProfileSource* source);
    void askFigures(int index);
    struct Head;
    static Result<Head> headOf(const profile::Profile& file);
    void showState(const QString& path, const Head& head);
    void fitCrosses();
    void nameForReaders(int index);
    QStringList paths_;
    QList<std::shared_ptr<ProfileSource>> files_;
    QHash<QString, int> figures_of_; ///< by path: status of the run when the start page's were asked for
};

} // namespace tilescope::ui
