// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSplitter>

namespace tilescope::ui {

/// A splitter that arranges its parts otherwise where there is too little room for them: what is remembered
/// is what they have where there is enough.
class RoomySplit : public QSplitter {
    Q_OBJECT
  public:
    using QSplitter::QSplitter;
    /// What the parts have where there is room, to come back to it; empty: there never was.
    virtual QList<int> roomySizes() const = 0;
    virtual void setRoomySizes(const QList<int>& sizes) = 0;
};

} // namespace tilescope::ui
