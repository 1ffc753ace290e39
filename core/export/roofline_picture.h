// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/roofline.h"
#include "export/page.h"

namespace tilescope::exports {

/// What each operation reaches beside what its IPU could, over FLOPs to the exchanged byte; both axes are
/// logarithmic. Operations that exchange nothing stand to the right of it. Without points there is no
/// picture.
PagePicture roofline_picture(const analyse::Roofline& roofline);

} // namespace tilescope::exports
