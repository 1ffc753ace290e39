// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilescope::compile {

/// A hash of the sources that the engine was built of: two builds that may compile a graph differently differ
/// in it.
const char* build_id();

} // namespace tilescope::compile
