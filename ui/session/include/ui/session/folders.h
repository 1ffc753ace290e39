// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tilescope::ui {

/// Folders of the settings, which hold for what is started or written from then on. "": none was chosen.
QString dataFolder();       ///< of data sets, for runs whose form names none
QString executableFolder(); ///< that runs keep their executables in, to use them again
void setDataFolder(const QString& folder);
void setExecutableFolder(const QString& folder);

/// Marks and notes of a profile lie beside it where that can be written; else, or where this is not so, in
/// the reader's own folder.
bool notesBeside();
void setNotesBeside(bool beside);
QString ownNotesFolder();

} // namespace tilescope::ui
