#include "matcher/inside/structure_text.h"

#include <gtest/gtest.h>

#include <string>

#include "matcher/inside/node_structure.h"
#include "matcher/readers/jgf.h"

namespace fluxnetes::matcher {
namespace {

std::string PathsIn(const std::string& text) {
  const ResourceGraph graph = ReadStructure(text);
  const NodeStructure structure(graph, graph.root());
  std::string paths;
  for (VertexIndex v = 1; v < structure.size(); ++v) {
    paths += (paths.empty() ? "" : " ") + structure.Path(v);
  }
  return paths;
}

std::string RefusalOfText(const std::string& text) {
  try {
    ReadStructure(text);
  } catch (const StructureError& error) {
    return error.what();
  }
  return "";
}

std::string Object(const std::string& type, const std::string& inner = "",
                   const std::string& more = "") {
  return "<object type=\"" + type + "\" " + more + ">" + inner + "</object>";
}
std::string Machine(const std::string& inner) {
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
         "<!-- <graphml> -->\n<topology>" +
         Object("Machine", "<info name=\"HostName\" value=\"n7\"/>" + inner) +
         "</topology>\n";
}

TEST(StructureText, TellsTheShortFormByItsFirstCharacters) {
  const std::string text = "sockets: 2, cores: 4";
  EXPECT_EQ(PathsIn("\n " + text + "\n"),
            "socket0 socket0/core0 socket0/core1 socket1 socket1/core2 "
            "socket1/core3");
}

TEST(StructureText, TellsJgfByItsFirstCharacters) {
  const std::string text =
      WriteJgf(ReadStructure("sockets: 1, numa: 2, gpus: 2"));
  EXPECT_EQ(PathsIn("\n" + text),
            "socket0 socket0/numa0 socket0/numa0/gpu0 socket0/numa1 "
            "socket0/numa1/gpu1");
}

TEST(StructureText, TellsARecipeByItsFirstElement) {
  const std::string recipe = R"(<?xml version="1.0"?>
<graphml>
<key id="root" for="node" attr.name="root" attr.type="int"/>
<key id="type" for="node" attr.name="type" attr.type="string"/>
<key id="basename" for="node" attr.name="basename" attr.type="string"/>
<key id="unit" for="node" attr.name="unit" attr.type="string"/>
<key id="size" for="node" attr.name="size" attr.type="int"/>
<key id="subsystem" for="node" attr.name="subsystem" attr.type="string"/>
<key id="e_subsystem" for="edge" attr.name="e_subsystem" attr.type="string"/>
<key id="relation" for="edge" attr.name="relation" attr.type="string"/>
<key id="rrelation" for="edge" attr.name="rrelation" attr.type="string"/>
<key id="id_scope" for="edge" attr.name="id_scope" attr.type="int"/>
<key id="id_start" for="edge" attr.name="id_start" attr.type="int"/>
<key id="id_stride" for="edge" attr.name="id_stride" attr.type="int"/>
<key id="gen_method" for="edge" attr.name="gen_method" attr.type="string"/>
<key id="multi_scale" for="edge" attr.name="multi_scale" attr.type="int"/>
<graph id="one" edgedefault="directed">
<node id="node">
<data key="root">1</data><data key="type">node</data>
<data key="basename">node</data><data key="size">1</data>
<data key="subsystem">containment</data>
</node>
<node id="core">
<data key="type">core</data><data key="basename">core</data>
<data key="size">1</data><data key="subsystem">containment</data>
</node>
<edge id="node2core" source="node" target="core">
<data key="e_subsystem">containment</data><data key="relation">contains</data>
<data key="rrelation">in</data><data key="id_scope">0</data>
<data key="id_start">0</data><data key="id_stride">1</data>
<data key="gen_method">MULTIPLY</data><data key="multi_scale">3</data>
</edge>
</graph>
</graphml>
)";
  EXPECT_EQ(PathsIn(recipe), "core0 core1 core2");
}

TEST(StructureText, HwlocsCachesGroupsAndThreadsOfSingleCoresAreLeftOut) {
  const std::string core = Object("Core", Object("PU"));
  const std::string numa = Object("NUMANode");
  const std::string half = Object(
      "Group",
      numa + Object("L3Cache", core + core, "cache_size=\"1024\" depth=\"3\""));
  EXPECT_EQ(PathsIn(Machine(Object("Package", half + half))),
            "socket0 socket0/numa0 socket0/numa0/core0 socket0/numa0/core1 "
            "socket0/numa1 socket0/numa1/core2 socket0/numa1/core3");
}

TEST(StructureText, EachHardwareThreadIsACpuOfKubernetes) {
  const std::string twin = Object("Core", Object("PU") + Object("PU"));
  const std::string single = Object("Core", Object("PU"));
  EXPECT_EQ(PathsIn(Machine(Object("Package", twin + single))),
            "socket0 socket0/core0 socket0/core1 socket0/core2");
}

TEST(StructureText, ADeviceThatTwoLibrariesKnowIsOneDevice) {
  const auto device = [](const std::string& name) {
    return Object("OSDev", "", "osdev_type=\"5\" name=\"" + name + "\"");
  };
  const std::string slot =
      Object("PCIDev", device("cuda0") + device("opencl0d0"));
  EXPECT_EQ(PathsIn(Machine(Object("Package", Object("Core") + slot))),
            "socket0 socket0/core0 socket0/gpu0");
}

TEST(StructureText, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(RefusalOfText(" \n"), "the text is empty");
  EXPECT_EQ(RefusalOfText("cores: none"),
            "cores: \"none\" is not a number from 1 to 10000");
  EXPECT_EQ(RefusalOfText("<svg/>"),
            "the first element is <svg>; <topology> (hwloc) or <graphml> (a "
            "recipe) is needed");
  EXPECT_EQ(RefusalOfText("<topology>\n<object>"),
            "line 2: Start-end tags mismatch");
  EXPECT_EQ(RefusalOfText("{\"graph\": {\"nodes\": [3]}}").substr(0, 15),
            "graph.nodes[0]:");
  EXPECT_NE(RefusalOfText("{\"graph\": {\n").find("line 2"), std::string::npos);
  EXPECT_EQ(RefusalOfText(std::string(kMaxStructureBytes + 1, ' ')),
            "the text has 8388609 bytes; at most 8388608 do");
}

TEST(StructureText, RefusesSeveralNodes) {
  ResourceGraph graph;
  Vertex vertex;
  vertex.type = vertex.basename = vertex.name = "cluster";
  const VertexIndex top = graph.AddVertex(vertex);
  graph.SetRoot(top);
  for (const char* const name : {"n1", "n2"}) {
    vertex.type = "node";
    vertex.name = name;
    vertex.uniq_id = graph.size();
    graph.AddEdge(top, graph.AddVertex(vertex));
  }
  EXPECT_EQ(RefusalOfText(WriteJgf(graph)),
            "the graph has several nodes, such as n1 and n2; the inside of one "
            "node is needed");
}

}  // namespace
}  // namespace fluxnetes::matcher
