// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <hdf5.h>

namespace tilescope::formats {

/// Whether every text and every data set of an HDF5 file can be read. `open` opens it and is called in a
/// process of its own: on files with damaged metadata the library itself may crash, and then only that
/// process ends; nor may it take for ever: it has a few seconds and one for every 32 MiB of the file. The
/// file must not be used where this is false.
bool reads_to_the_end(const std::function<hid_t()>& open);

} // namespace tilescope::formats
