// Annotations for clang's thread-safety analysis (clang's documentation,
// "Thread Safety Analysis"): they state which mutex guards a member, and which
// mutex a function needs, so that a forgotten lock fails the build. g++ does
// not know them and sees nothing.
//
//   GUARDED_BY(mutex_)   this member may be used only while mutex_ is held
//   REQUIRES(mutex_)     the caller of this function holds mutex_
//   EXCLUDES(mutex_)     the caller does not: the function locks it, or waits
//                        for a thread that does
//   ACQUIRE, RELEASE     this function locks, or unlocks
//
// The analysis looks at one function at a time. The body of a lambda is a
// function too, which holds nothing unless it has REQUIRES(mutex_) after its
// parameters; so a wait is a loop, not a call with a predicate. Constructors
// and destructors are not analysed, as no other thread has the object then.
//
// The names are the usual ones, and other libraries may have defined them.
// Tests: tests/scripts/thread_annotations_test.
#pragma once

#ifdef __clang__
#define FLUXNETES_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define FLUXNETES_THREAD_ANNOTATION(x)
#endif

// Of classes: a mutex, and an object that holds one as long as it lives.
#ifndef CAPABILITY
#define CAPABILITY(name) FLUXNETES_THREAD_ANNOTATION(capability(name))
#endif
#ifndef SCOPED_CAPABILITY
#define SCOPED_CAPABILITY FLUXNETES_THREAD_ANNOTATION(scoped_lockable)
#endif

#ifndef GUARDED_BY
#define GUARDED_BY(mutex) FLUXNETES_THREAD_ANNOTATION(guarded_by(mutex))
#endif

#ifndef REQUIRES
#define REQUIRES(...) \
  FLUXNETES_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#endif
#ifndef EXCLUDES
#define EXCLUDES(...) FLUXNETES_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#endif
#ifndef ACQUIRE
#define ACQUIRE(...) \
  FLUXNETES_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#endif
#ifndef RELEASE
#define RELEASE(...) \
  FLUXNETES_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#endif

// A function that the analysis cannot follow; each use says why.
#ifndef NO_THREAD_SAFETY_ANALYSIS
#define NO_THREAD_SAFETY_ANALYSIS \
  FLUXNETES_THREAD_ANNOTATION(no_thread_safety_analysis)
#endif
