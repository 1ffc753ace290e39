// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope::keras {

/// A class' name in lower case by Keras' rule (keras/src/utils/naming.py, to_snake_case): "MaxPooling2D" is
/// "max_pooling2d", "GlorotUniform" is "glorot_uniform". Names already in that form stay.
std::string snake_case(const std::string& name);

} // namespace tilescope::keras
