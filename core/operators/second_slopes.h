// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/builder.h"

/// How gradients of functions of one number are differentiated again: f''(x) dy ddx, where NAME_gradient is
/// f'(x) dy, and a loss has the gradient ddx by that. `both`: dy ddx; `at`: the input of the function, of
/// sigmoid and tanh the output. no_value where f is made of straight lines.
namespace tilescope::operators::second_slopes {

using Made = Result<graph::ValueId>;

Made straight(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);
Made sigmoid(graph::Builder& build, graph::ValueId y, graph::ValueId both, const graph::Attributes&);
Made tanh(graph::Builder& build, graph::ValueId y, graph::ValueId both, const graph::Attributes&);
Made softplus(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);
Made log_sigmoid(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);
Made swish(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);
Made softsign(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);
Made elu(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes& attributes);
Made selu(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);
Made gelu(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);
Made gelu_tanh(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);
Made mish(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);
Made squareplus(graph::Builder& build, graph::ValueId x, graph::ValueId both, const graph::Attributes&);

} // namespace tilescope::operators::second_slopes
