// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QTreeWidget;

namespace tilescope::ui {

/// What is shown while no file is open: what was open before, what was compared, workloads to try, and how to
/// begin anew. It opens no file to draw itself.
class StartPage : public QWidget {
    Q_OBJECT
  public:
    explicit StartPage(QWidget* parent = nullptr);
    void refresh(); ///< reads what is remembered

    /// Remembers what is said of a file in the list, and that two were compared.
    static void rememberFile(const QString& path, const QString& remark);
    static void rememberComparison(const QString& base, const QString& now);

  Q_SIGNALS:
    void openRequested();
    void runRequested(const QString& workload); ///< "": one that is still to be chosen
    void fileChosen(const QString& path);
    void comparisonChosen(const QString& base, const QString& now);

  protected:
    bool eventFilter(QObject* object, QEvent* event) override;

  private:
    void addFiles();
    void addComparisons();
    void addSamples();
    QTreeWidget* files_;
    QTreeWidget* comparisons_;
    QTreeWidget* samples_;
};

} // namespace tilescope::ui
