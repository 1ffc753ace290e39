// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace tilescope::ui {

/// A field in which tiles are typed (parseTiles), with what is wrong of them beside it.
class TileField : public QWidget {
    Q_OBJECT
  public:
    /// `name`: of the field in it.
    explicit TileField(const QString& name, QWidget* parent = nullptr);
    ~TileField() override;
    TileField(const TileField&) = delete;
    TileField& operator=(const TileField&) = delete;
    void setText(const QString& text);  ///< and nothing is wrong; "", unless one is typing: all tiles
    void setWrong(const QString& text); ///< "": nothing is

  Q_SIGNALS:
    void typed(const QString& text);
    void left(); ///< by Escape: what was typed is gone

  private:
    QString chosen_;
    QLineEdit* field_;
    QLabel* wrong_;
};

} // namespace tilescope::ui
