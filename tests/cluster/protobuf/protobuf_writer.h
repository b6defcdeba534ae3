// Writes objects as an API server sends them in Protobuf, from their JSON, with
// the fields of message_fields.h. Like Kubernetes' own encoder it writes texts
// that are not set as empty ones. Between the fields it writes others, which a
// reader passes over, unless the message is read whole.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "cluster/protobuf/message_fields.h"
#include "cluster/protobuf/wire_writer.h"

namespace fluxnetes::cluster {

std::string WriteMessage(const MessageFields& fields,
                         const nlohmann::json& object);
// An object of this kind, with its envelope.
std::string WriteEnveloped(const std::string& kind,
                           const nlohmann::json& object);
// A frame of a watch, without its length.
std::string WriteFrame(const std::string& type, std::string_view enveloped);

}  // namespace fluxnetes::cluster
