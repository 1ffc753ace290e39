// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace tilescope::ui {

/// A label whose rich text names colours by their role: "<span style='color:@muted'>" (Theme::filled). It
/// takes those of the new theme when that changes.
class ThemedLabel : public QLabel {
    Q_OBJECT
  public:
    explicit ThemedLabel(QWidget* parent = nullptr);
    explicit ThemedLabel(const QString& html);
    void setHtml(const QString& html);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QString html_;
};

} // namespace tilescope::ui
