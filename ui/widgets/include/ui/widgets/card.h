// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>

class QLabel;
class QVBoxLayout;

namespace tilescope::ui {

class ThemedLabel;

/// A titled panel with rounded corners: what pages are made of.
class Card : public QFrame {
    Q_OBJECT
  public:
    explicit Card(const QString& title, QWidget* parent = nullptr);
    void setTitle(const QString& title); ///< "": it has none
    QVBoxLayout* body() const { return body_; }

  private:
    QVBoxLayout* body_;
    QLabel* title_;
};

/// A figure with its name above and a remark below; with a base, the change between them.
class FigureCard : public QFrame {
    Q_OBJECT
  public:
    explicit FigureCard(const QString& name, QWidget* parent = nullptr);
    void setName(const QString& name);
    QString name() const { return accessibleName(); }
    void setFigure(const QString& value, const QString& remark);
    QString value() const;
    /// Makes the whole card a link: a click, Enter or Space on it says `activated`. `tip`: where it leads;
    /// "": it is none.
    void setLink(const QString& tip);
    /// `better` decides the colour of the change: 1 good, -1 bad, 0 neither.
    void setChange(const QString& change, int better);

  Q_SIGNALS:
    void activated();

  protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    bool link_ = false;
    QLabel* name_;
    QLabel* chevron_;
    QLabel* value_;
    ThemedLabel* change_;
    QLabel* remark_;
};

} // namespace tilescope::ui
