// An evaluator that remembers what another one computed.
#pragma once

#include <cstddef>
#include <memory>

#include "models/evaluation_cache.h"
#include "models/evaluator.h"

namespace qirkat {

// Each evaluator made gets a cache of its own, `bytes` in all, allocated once: nothing is shared by
// threads. (Half of them where `inner` is asynchronous, of which a worker takes two.) The results
// are the bits that `inner` gives; of equal rows in one batch it computes one. Evaluators that a
// cache must not or need not answer for (Evaluator::cacheable) come as they are, all of them where
// `bytes` are too few for one entry; 0 bytes: `inner` itself.
std::shared_ptr<const EvaluatorFactory> MakeCachedEvaluator(
    std::shared_ptr<const EvaluatorFactory> inner, std::size_t bytes,
    ObservationHash hash = HashObservation);

}  // namespace qirkat
