#include "tests/services/support/grpc_client.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

grpc::ChannelArguments OwnConnection() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return arguments;
}

}  // namespace

TestCertificates::TestCertificates(const std::string& folder)
    : folder_(folder + "/") {
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
}

void TestCertificates::Run(const std::string& command) {
  testing::Process openssl({"/bin/sh", "-ec", "cd " + folder_ + "\n" + command},
                           {}, folder_ + "openssl.log");
  ASSERT_EQ(openssl.WaitForEnd(std::chrono::minutes(1)), 0)
      << Read("openssl.log");
}

void TestCertificates::AddAuthority(const std::string& name) {
  Run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
      "-days 2 -subj /CN=" +
      name + " -keyout " + name + ".key -out " + name + ".crt");
}

void TestCertificates::Add(const std::string& name,
                           const std::string& authority,
                           const std::string& names, int days) {
  Run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
      "-subj /CN=" +
      name + " -keyout " + name + ".key -out " + name +
      ".csr\n"
      "printf 'subjectAltName=" +
      names + "\\n' >" + name +
      ".ext\n"
      "openssl x509 -req -in " +
      name + ".csr -CA " + authority + ".crt -CAkey " + authority +
      ".key -CAcreateserial -extfile " + name + ".ext -days " +
      std::to_string(days) + " -out " + name + ".crt");
}

std::string TestCertificates::Read(const std::string& file) const {
  std::ifstream in(Path(file), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::shared_ptr<grpc::Channel> PlainChannel(const std::string& address) {
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(),
                                   OwnConnection());
}

std::shared_ptr<grpc::Channel> TlsChannel(const std::string& address,
                                          const TestCertificates& certificates,
                                          const std::string& authority,
                                          const std::string& name) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = certificates.Read(authority + ".crt");
  if (!name.empty()) {
    options.pem_cert_chain = certificates.Read(name + ".crt");
    options.pem_private_key = certificates.Read(name + ".key");
  }
  grpc::ChannelArguments arguments = OwnConnection();
  arguments.SetSslTargetNameOverride("localhost");
  return grpc::CreateCustomChannel(address, grpc::SslCredentials(options),
                                   arguments);
}

void SetPatience(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(60));
}

}  // namespace fluxnetes::services
