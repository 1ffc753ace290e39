// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/sharding/system_map.h"
#include "ui/tiles/bytes_matrix.h"

#include <memory>
#include <set>

namespace tilescope::ui {

/// What each IPU sends to each other over links, copies and collectives together. A click or the keys choose
/// what goes between the two IPUs of a cell, Enter leads on to it.
class LinkMatrix : public BytesMatrix {
    Q_OBJECT
  public:
    using Map = std::shared_ptr<const SystemMap>;
    explicit LinkMatrix(QWidget* parent = nullptr);
    /// `hidden`: kinds that are left out, as linkLegendKind() names them. `difference`: what is more or less
    /// than in the base of the map.
    void setMap(Map map, const QStringList& hidden, bool difference);
    void setLink(std::int64_t link); ///< index in the map; the cursor is at its cell; -1: it stays
    QString toText(QChar separator) const override; ///< of both kinds, whatever is hidden

  Q_SIGNALS:
    void linkChosen(qint64 link); ///< index in the map; -1: nothing goes there
    void linkActivated();         ///< the one that was chosen last

  protected:
    QString nameOf(Range range) const override;
    QString cellText(std::int64_t block) const override;
    QStringList ends() const override;
    QString moreOf(Range from, Range to) const override;
    void cellChosen(Range from, Range to, bool other) override;
    void cellReached(Range from, Range to) override { cellChosen(from, to, false); }
    void cellActivated() override { Q_EMIT linkActivated(); }
    void allChosen() override { Q_EMIT linkChosen(-1); }

  private:
    std::int64_t ipus() const; ///< numbers of IPUs are below it

    Map map_;
    std::set<profile::LinkKind> kinds_;
};

} // namespace tilescope::ui
