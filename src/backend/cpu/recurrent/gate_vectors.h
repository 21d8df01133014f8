// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/recurrent/gate_function.h"

// The gates of recurrent layers by vector instructions, n elements of each.
namespace belay::backend::cpu {

// x[i] = f(x[i]); false when there is no vector form of it, and nothing is done.
bool apply_vectors(const GateFunction& f, float* x, int64_t n);

bool is_usual_lstm(std::span<const GateFunction> functions);  // sigmoid, tanh, tanh
bool is_usual_gru(std::span<const GateFunction> functions);   // sigmoid, tanh

// The states h and c after a step, with the usual activations. The gates are i, o, f, c, before their activations.
void advance_lstm(const float* gates, float* h, float* c, int64_t n);

// The state h after a step. The gates are z and r after their activation and x's part of the candidate; `recurrent` is
// the state's part of it.
void advance_gru(const float* gates, const float* recurrent, float* h, int64_t n);
// The same where the product comes before the reset; `bias` is added to the state's part, null: none.
void advance_gru_reset_last(const float* gates, const float* recurrent, const float* bias, float* h, int64_t n);

}  // namespace belay::backend::cpu
