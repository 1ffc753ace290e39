// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilescope::ui {

class DataTable;

/// Below the rows of a table stands the whole text that the row which is chosen, else the first, has in a
/// column: for sentences that are longer than the column is wide. It can be selected.
void showWholeText(DataTable& table, int column);

} // namespace tilescope::ui
