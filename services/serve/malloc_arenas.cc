#include "services/serve/malloc_arenas.h"

#include <malloc.h>

namespace fluxnetes::services {

void CapArenas() {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 2);
#endif
}

}  // namespace fluxnetes::services
