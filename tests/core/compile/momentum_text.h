// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope::compile {

/// A gradient, the variable that it trains and its momentum, of `elements`; `read` stands before the update.
inline std::string with_momentum(const std::string& elements, const std::string& read = {},
                                 const std::string& more = {}) {
    return R"(graph "g" {
  feed %x : float32 [)" +
           elements + R"(]
  variable %w : float32 [)" +
           elements + R"(] = 1.0
  variable %m : float32 [)" +
           elements + R"(] = 0 frozen
  %loss = reduce_sum(%x)
  %g = multiply(%x, %w) backward
)" + read +
           R"(  %w/new, %m/new = momentum_update(%w, %m, %g) {learning_rate: 0.1, momentum: 0.9} update
  next %w = %w/new
  next %m = %m/new
  fetch "loss" = %loss loss
)" + more + R"(  train %loss "sgd"
})";
}

} // namespace tilescope::compile
