// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>

namespace tilescope::ui {

/// The workloads that come with the program, each with what its file says of it.
class SampleList : public QListWidget {
    Q_OBJECT
  public:
    explicit SampleList(const QStringList& samples, QWidget* parent = nullptr);

  Q_SIGNALS:
    void sampleChosen(const QString& path);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override; ///< says where they are looked for, if there are none
};

} // namespace tilescope::ui
