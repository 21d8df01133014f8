// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/recurrent/gate_function.h"

// The gates of recurrent layers by vector instructions, n elements of each.
namespace belay::backend::cpu {

// x[i] = f(x[i]); false when there is no vector form of it, and nothing is done.
bool apply_vectors(const GateFunction& f, float* x, int64_t n);

bool is_usual_lstm(std::span<const GateFunction> functions);  // sigmoid, tanh, tanh
bool is_usual_gru(std::span<const GateFunction> functions);   // sigmoid, tanh

// Units whose gates lie together: a block of so many floats for each gate.
constexpr int64_t units_of_panel = 16;

// The states h and c of n units of a panel after a step, with the usual activations. The gates i, o, f, c before their
// activations are x + r.
void advance_lstm(const float* x, const float* r, const float* c_before, float* h, float* c, int64_t n);
// The state h of a GRU where the product comes before the reset: the gates z and r are x + r, and the candidate has x's
// and the state's parts. `bias` is added to the state's part, null: none.
void advance_gru_reset_last(const float* x, const float* r, const float* bias, const float* before, float* h,
                            int64_t n);

// The state h after a step. The gates are z and r after their activation and x's part of the candidate; `recurrent` is
// the state's part of it.
void advance_gru(const float* gates, const float* recurrent, float* h, int64_t n);

}  // namespace belay::backend::cpu
