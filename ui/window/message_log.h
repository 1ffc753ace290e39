// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

namespace tilescope::ui {

class DataTable;

/// All that the window has said since it was opened, the newest first: notices above the view and lines of
/// the status bar, which pass.
class MessageLog : public QDialog {
    Q_OBJECT
  public:
    explicit MessageLog(QWidget* parent = nullptr);
    /// `of`: the file or the view that it is about. What is said again at once is counted.
    void add(const QString& of, const QString& text, bool bad = false);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void showAll();

    DataTable* table_;
    struct Said {
        QString time, of, text;
        bool bad = false;
        int times = 1;
    };
    QList<Said> said_;
};

} // namespace tilescope::ui
