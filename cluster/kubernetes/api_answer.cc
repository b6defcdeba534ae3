#include "cluster/kubernetes/api_answer.h"

#include <nlohmann/json.hpp>

#include "cluster/cluster.h"
#include "cluster/json/objects.h"
#include "cluster/json/watch_line.h"
#include "cluster/protobuf/envelope.h"
#include "cluster/protobuf/wire_reader.h"

namespace fluxnetes::cluster {
namespace {

constexpr int kInvalid = 422;

}  // namespace

bool IsAway(const HttpResponse& response) {
  return response.status == 0 || response.status == 401 ||
         response.status == 429 || response.status >= 500;
}

bool IsOfAnother(const HttpResponse& response) {
  return response.status == kInvalid &&
         ReadStatusMessage(response.body).find("metadata.uid") !=
             std::string::npos;
}

bool IsRefused(const HttpResponse& response) {
  return response.status >= 400 && response.status != 404 &&
         response.status != 409 && !IsAway(response) && !IsOfAnother(response);
}

void ThrowUnreachable(const std::string& what, const HttpResponse& response) {
  if (response.status == 0) throw Unreachable(what + ": " + response.error);
  const std::string why = what + ": " + std::to_string(response.status) + " " +
                          ReadStatusMessage(response.body);
  if (IsRefused(response)) throw Refused(why);
  throw Unreachable(why);
}

nlohmann::json ParseObject(const HttpResponse& response) {
  return nlohmann::json::parse(response.body, nullptr,
                               /*allow_exceptions=*/false);
}

std::string ApiEncoding::Object() const {
  const std::string json = "application/json";
  return protobuf_ ? std::string(kProtobufType) + ", " + json : json;
}

std::string ApiEncoding::Metadata() const {
  const std::string part = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1, ";
  const std::string json = "application/json";
  const std::string protobuf = protobuf_ ? kProtobufType + part : "";
  return protobuf + json + part + json;
}

void ApiEncoding::Read(const HttpResponse& answer,
                       const std::function<void(const EncodedValue&)>& read) {
  if (!cluster::IsProtobuf(answer.body)) {
    const nlohmann::json json = ParseObject(answer);
    return read(json);
  }
  try {
    read(OpenEnvelope(answer.body).value);
  } catch (const WireError& error) {
    GiveUpProtobuf();
    throw Unreachable(std::string("an answer in Protobuf: ") + error.what());
  }
}

Pod ApiEncoding::ReadPod(const HttpResponse& answer) {
  Pod pod;
  Read(answer, [&pod](const EncodedValue& object) { pod = DecodePod(object); });
  return pod;
}

}  // namespace fluxnetes::cluster
