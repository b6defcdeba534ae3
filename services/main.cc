#include "services/cli.h"

int main(int argc, char** argv) {
  return fluxnetes::services::RunCommandLine(argc, argv);
}
