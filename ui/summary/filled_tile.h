// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QRectF>
#include <QString>
#include <QWidget>
#include <vector>

namespace tilescope::ui {

/// What fills a tile as one bar, beside a line at the memory that it has.
class FilledTile : public QWidget {
    Q_OBJECT
  public:
    struct Part {
        QString name;
        std::int64_t bytes = 0;
        ThemeColor color = &Theme::muted;
    };
    explicit FilledTile(QWidget* parent = nullptr);
    void setParts(std::vector<Part> parts, std::int64_t limit);
    QString textAt(const QPoint& at) const; ///< of the part that is there; "": none is
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

  private:
    QRectF bar() const;
    std::int64_t all() const;
    std::vector<Part> parts_;
    std::int64_t limit_ = 0;
};

} // namespace tilescope::ui
