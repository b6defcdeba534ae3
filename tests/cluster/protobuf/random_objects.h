// Objects with any of the fields that the decoders read, as the API server
// would write them in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <random>

#include "cluster/protobuf/message_fields.h"

namespace fluxnetes::cluster {

nlohmann::json RandomPodJson(std::minstd_rand& random);
nlohmann::json RandomNodeJson(std::minstd_rand& random);
// Of a kind that makes pods.
nlohmann::json RandomControllerJson(std::minstd_rand& random);
// Of any kind: some of the fields that are read of it, with words that decoders
// know and others.
nlohmann::json RandomObjectJson(const MessageFields& fields,
                                std::minstd_rand& random);

}  // namespace fluxnetes::cluster
