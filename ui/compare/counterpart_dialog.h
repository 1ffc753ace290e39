// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>

class QLineEdit;
class QListWidget;

namespace tilescope::ui {

/// Asks for one of many names, of which those are listed that have what is typed.
class CounterpartDialog : public QDialog {
    Q_OBJECT
  public:
    struct Candidate {
        QString name;
        QString remark; ///< "is conv2d_1 now"; "": nothing
    };
    CounterpartDialog(const QString& question, QList<Candidate> candidates, QWidget* parent);

  Q_SIGNALS:
    void nameChosen(const QString& name);

  protected:
    bool eventFilter(QObject* of, QEvent* event) override;

  private:
    void list(const QString& typed);

    QList<Candidate> candidates_;
    QLineEdit* typed_;
    QListWidget* names_;
};

} // namespace tilescope::ui
