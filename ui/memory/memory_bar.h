// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/floor_plan.h"
#include "analyse/memory_parts.h"

#include <QWidget>

class QCheckBox;
class QComboBox;

namespace tilescope::ui {

class TileField;

/// What is shown of tile memory: of which IPUs and tiles, parted by what, live when.
class MemoryBar : public QWidget {
    Q_OBJECT
  public:
    explicit MemoryBar(QWidget* parent = nullptr);
    void setIpus(const std::vector<std::int64_t>& ipus, std::int64_t shown); ///< shown -1: all
    void setTiles(const QString& text);                                      ///< unless one is typing
    void setWrong(const QString& text); ///< what is wrong with the tiles that were typed
    void setStep(std::int64_t step);    ///< that is selected; -1: none is
    void choose(analyse::PartsBy by);
    void choose(analyse::LiveWhen when);
    void setOrder(analyse::TileOrder order);

    analyse::PartsBy by() const;
    analyse::LiveWhen when() const;
    QString whenText() const; ///< "each tile at its own peak"
    bool gaps() const;
    void setGaps(bool drawn);
    bool limit() const;
    analyse::TileOrder order() const;

  Q_SIGNALS:
    void ipuChosen(std::int64_t ipu);
    void tilesTyped(const QString& text);
    void tilesLeft();   ///< the field of the tiles, by Escape
    void askedAnew();   ///< other parts, or live at another time
    void orderChosen(); ///< of all floor plans
    void drawnAnew();   ///< the same in another way

  private:
    QComboBox* combo(const QString& name, const QString& label, const QString& tip);
    QComboBox* ipus_;
    TileField* tiles_;
    QComboBox* by_;
    QComboBox* when_;
    QCheckBox* gaps_;
    QCheckBox* limit_;
    QComboBox* order_;
};

} // namespace tilescope::ui
