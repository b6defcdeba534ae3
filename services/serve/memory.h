// How the process keeps its memory.
#pragma once

namespace fluxnetes::services {

// Caps glibc's arenas at two. Each loop has a thread of its own, and by default
// each thread an arena, which holds on to what a burst of pods has freed; two
// were a third smaller with 100,000 pending pods and no slower (hack/benchmark
// pipeline). Called before the first thread starts.
void CapArenas();

}  // namespace fluxnetes::services
