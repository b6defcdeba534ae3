#include "matcher/readers/jgf_document.h"

#include <optional>

namespace fluxnetes::matcher {
namespace {

constexpr JsonPath kDocument("document");
constexpr JsonPath kGraph("graph");

class Walk {
 public:
  Walk(const TextSource& source, const JgfVisitor& visitor)
      : source_(source), visitor_(visitor) {}

  void Run();

 private:
  struct Place {
    std::size_t offset = 0;
    int depth = 0;
  };

  void WalkGraph(JsonStream& in);
  void WalkNodes(JsonStream& in);
  void WalkEdges(JsonStream& in);

  const TextSource& source_;
  const JgfVisitor& visitor_;
  bool nodes_ = false;  // were walked
  bool edges_ = false;  // were walked, or were skipped and lie at:
  std::optional<Place> postponed_;
};

void Walk::WalkNodes(JsonStream& in) {
  if (nodes_) kGraph.Fail("nodes", "is there twice");
  nodes_ = true;
  const JsonPath list("nodes", kGraph);
  EnterList(in, kGraph, "nodes");
  for (std::size_t i = 0; in.NextElement(); ++i) {
    visitor_.node(in, JsonPath(i, list));
  }
}

void Walk::WalkEdges(JsonStream& in) {
  const JsonPath list("edges", kGraph);
  EnterList(in, kGraph, "edges");
  for (std::size_t i = 0; in.NextElement(); ++i) {
    visitor_.edge(in, JsonPath(i, list));
  }
}

void Walk::WalkGraph(JsonStream& in) {
  EnterObject(in, kDocument, "graph");
  while (const auto key = in.NextKey()) {
    if (*key == "nodes") {
      WalkNodes(in);
    } else if (*key != "edges") {
      in.Skip();
    } else if (edges_) {
      kGraph.Fail("edges", "is there twice");
    } else if (edges_ = true; nodes_) {
      WalkEdges(in);
    } else {
      in.Peek();
      postponed_ = Place{in.Offset(), in.depth()};
      in.Skip();
    }
  }
  if (!nodes_) kGraph.Fail("has no \"nodes\", which is required");
  if (!edges_) kGraph.Fail("has no \"edges\", which is required");
}

void Walk::Run() {
  JsonStream in(source_);
  if (in.Peek() != JsonStream::Kind::kObject) {
    in.Skip();
    kDocument.Fail("is not an object");
  }
  in.EnterObject();
  bool graph = false;
  while (const auto key = in.NextKey()) {
    if (*key == "graph") {
      if (graph) kDocument.Fail("graph", "is there twice");
      graph = true;
      WalkGraph(in);
    } else if (visitor_.other) {
      visitor_.other(in, kDocument, *key);
    } else {
      in.Skip();
    }
  }
  in.End();
  if (!graph) kDocument.Fail("has no \"graph\", which is required");
  if (!postponed_) return;
  JsonStream edges(source_, postponed_->offset, postponed_->depth);
  WalkEdges(edges);
}

}  // namespace

void WalkJgf(const TextSource& source, const JgfVisitor& visitor) {
  Walk(source, visitor).Run();
}

}  // namespace fluxnetes::matcher
