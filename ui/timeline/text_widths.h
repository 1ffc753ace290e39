// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QHash>
#include <QString>
#include <list>

namespace tilescope::ui {

/// How wide texts are, kept by font: names of slices are asked for anew in each frame, and to shape them
/// takes longer than all else that a frame does. For the thread that paints.
class TextWidths {
  public:
    static int of(const QFont& font, const QString& text);
    /// Whether it is no wider than `room`: most are so much wider that they need not be measured.
    static bool fits(const QFont& font, const QString& text, int room);

  private:
    struct OfFont {
        QFont font;
        QHash<QString, int> widths;
    };
    static std::list<OfFont>& all(); ///< the one that was asked last first
};

} // namespace tilescope::ui
