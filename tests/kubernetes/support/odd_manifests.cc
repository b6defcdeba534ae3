#include "tests/kubernetes/support/odd_manifests.h"

#include <array>
#include <span>
#include <vector>

namespace fluxnetes::testing {

namespace {

struct OddField {
  const char* name;
  std::vector<const char*> values;  // in YAML
};

constexpr const char* kTerm =
    "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "{nodeSelectorTerms: [";

std::string Long(std::size_t length) { return std::string(length, 'a'); }

const std::vector<OddField> kMetadataFields = {
    {"labels",
     {"{app: demo}", "{app: '1'}", "{app: 1}", "{app: on}", "{on: 'x'}",
      "{010: a}", "{y: 'n'}", "{app: 'a b'}", "{app: ''}", "{}", "~",
      "{a/b/c: d}", "{UP.x/a: b}", "{x.y/A_b: c}", "{app: 2026-01-31}",
      "{app: 12:30}", "{app: a, app: b}"}},
    {"annotations",
     {"{note: 'any text: here'}", "{note: 1}", "{UP.x/a: b}", "{'a b': c}",
      "{note: yes}", "{a: ~}"}}};

const std::vector<OddField> kContainerFields = {
    {"command",
     {"[sleep, '10']", "[sleep, 10]", "[yes]", "sleep", "[]", "[sleep, 1:30]",
      "[echo, ~]", "[echo, 2026-01-31]"}},
    {"env",
     {"[{name: A, value: '1'}]", "[{name: A, value: 1}]",
      "[{name: A, value: on}]", "[{value: a}]"}},
    {"imagePullPolicy", {"Always", "Never", "never"}},
    {"ports",
     {"[{containerPort: 80}]", "[{containerPort: 0o17}]",
      "[{containerPort: 0}]", "[{containerPort: 65536}]",
      "[{containerPort: 80, hostPort: 0x1F90}]",
      "[{containerPort: 80, hostPort: 70000}]",
      "[{containerPort: 80, protocol: UDP}]",
      "[{containerPort: 80, protocol: udp}]",
      "[{containerPort: 1, hostPort: 9}, {containerPort: 2, hostPort: 9}]",
      "[{hostPort: 80}]", "[{containerPort: '80'}]"}},
    {"resources",
     {"{requests: {cpu: 1}}",
      "{requests: {cpu: 1_000m}}",
      "{requests: {cpu: 0x10}}",
      "{requests: {cpu: 1e-1}}",
      "{requests: {cpu: '0400'}}",
      "{requests: {cpu: 0400}}",
      "{requests: {cpu: -1}}",
      "{requests: {cpu: yes}}",
      "{requests: {cpu: 2}, limits: {cpu: 1}}",
      "{requests: {cpu: 1}, limits: {cpu: 1_0}}",
      "{limits: {nvidia.com/gpu: 1}}",
      "{limits: {nvidia.com/gpu: 0.5}}",
      "{limits: {nvidia.com/gpu: 500m}}",
      "{limits: {nvidia.com/gpu: 1e1}}",
      "{requests: {nvidia.com/gpu: 1}}",
      "{requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}",
      "{requests: {nvidia.com/gpu: 2}, limits: {nvidia.com/gpu: 2}}",
      "{limits: {hugepages-2Mi: 4Mi}}",
      "{limits: {cpu: 1, hugepages-2Mi: 4Mi}}",
      "{limits: {cpu: 1, hugepages-2Mi: 3Mi}}",
      "{limits: {cpu: 1, hugepages-2Mi: 4194304}}",
      "{limits: {cpu: 1, hugepages-x: 1}}",
      "{limits: {pods: 1}}",
      "{limits: {gpu: 1}}",
      "{limits: {requests.a.b/c: 1}}",
      "{limits: {a.kubernetes.io/c: 0.5}}",
      "{limits: {memory: 1e9}}",
      "{limits: {memory: 128974848000m}}",
      "{limits: {memory: 1.5Gi}}",
      "{limits: &r {cpu: 1}, requests: *r}",
      "{limits: {<<: {cpu: 1}, memory: 1Gi}}",
      "{limits: ~}",
      "[]",
      "{request: {cpu: 1}}",
      "{limits: {memory: 1GB}}"}}};

const std::vector<std::string> kAffinities = {
    std::string(kTerm) + "]}}}",
    std::string(kTerm) +
        "{matchExpressions: [{key: a, operator: In, values: [b]}]}]}}}",
    std::string(kTerm) +
        "{matchExpressions: [{key: a, operator: In, values: [1]}]}]}}}",
    std::string(kTerm) +
        "{matchExpressions: [{key: a, operator: In, values: []}]}]}}}",
    std::string(kTerm) +
        "{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]}}}",
    std::string(kTerm) +
        "{matchExpressions: [{key: a, operator: Gt, values: ['3']}]}]}}}",
    std::string(kTerm) +
        "{matchExpressions: [{key: a, operator: Gt, "
        "values: ['3', '4']}]}]}}}",
    std::string(kTerm) +
        "{matchExpressions: [{key: 'a b', operator: Exists}]}]}}}",
    std::string(kTerm) +
        "{matchFields: [{key: metadata.name, operator: In, "
        "values: [n]}]}]}}}",
    std::string(kTerm) +
        "{matchFields: [{key: metadata.name, operator: In, "
        "values: [a, b]}]}]}}}",
    "{podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: zone, labelSelector: {matchLabels: {a: b}}}]}}",
    "{podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{labelSelector: {}}]}}",
    "{podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 0144, podAffinityTerm: {topologyKey: zone}}]}}",
    "{podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 0145, podAffinityTerm: {topologyKey: zone}}]}}",
    "{nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 1, preference: {matchExpressions: [{key: a, operator: "
    "DoesNotExist}]}}]}}"};

const std::vector<OddField> kPodFields = {
    {"activeDeadlineSeconds",
     {"0o17", "1_000", "0b11", "60", "0", "1.0", "1e3", "-1", "'60'", "12:30",
      "2147483647", "2147483648", "1.5", "yes", "~", "010", "08"}},
    {"terminationGracePeriodSeconds", {"030", "0", "0x1F", "~", "1_0", "3.0"}},
    {"hostNetwork", {"yes", "no", "on", "'off'", "y", "'true'", "True", "1"}},
    {"nodeSelector",
     {"{disk: ssd}", "{disk: 1}", "{on: 'x'}", "{zone: 'a b'}", "{}",
      "{010: a}", "{a: yes}"}},
    {"nodeName", {"node-1", "Node", "n", "'010'", "a.b"}},
    {"schedulingGates",
     {"[{name: a}]", "[{name: a}, {name: a}]", "[{name: 'a b'}]", "[]",
      "[{name: x.y/z}]", "[{}]", "[{name: on}]"}},
    {"tolerations",
     {"[{operator: Exists}]", "[{key: a}]", "[{value: b}]",
      "[{key: a, operator: Exists, value: b}]", "[{key: 'a b'}]",
      "[{key: a, value: 'b c'}]", "[{key: a, value: 1}]",
      "[{key: a, effect: NoExecute, tolerationSeconds: 0x10}]",
      "[{key: a, tolerationSeconds: 5}]", "[{key: a, effect: Never}]",
      "[{key: a, operator: Maybe}]"}},
    {"topologySpreadConstraints",
     {"[{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]",
      "[{topologyKey: zone, maxSkew: 0, whenUnsatisfiable: DoNotSchedule}]",
      "[{topologyKey: zone, maxSkew: 0b1, whenUnsatisfiable: "
      "ScheduleAnyway}]",
      "[{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, "
      "minDomains: 2}]",
      "[{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, "
      "minDomains: 2}]",
      "[{topologyKey: z, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}, "
      "{topologyKey: z, maxSkew: 2, whenUnsatisfiable: DoNotSchedule}]",
      "[{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]",
      "[{topologyKey: zone, maxSkew: 1}]"}},
    {"volumes",
     {"[{name: v, secret: {secretName: s, defaultMode: 0400}}]",
      "[{name: v, configMap: {name: c, defaultMode: 0o644}}]",
      "[{name: v, secret: {secretName: s, defaultMode: 0600, optional: no}}]",
      "[{name: v, secret: {secretName: s, items: [{key: k, path: p, mode: "
      "0b100}]}}]",
      "[{name: v, emptyDir: {}}, {name: v, emptyDir: {}}]", "[{name: v}]",
      "[{name: v, emptyDir: {}, hostPath: {path: /x}}]",
      "[{name: V, emptyDir: {}}]",
      "[{name: v, persistentVolumeClaim: {claimName: c, readOnly: on}}]",
      "[{name: v, persistentVolumeClaim: {}}]"}},
    {"resources",
     {"{limits: {cpu: 20}}", "{limits: {ephemeral-storage: 1Gi}}",
      "{requests: {cpu: 0b11}, limits: {cpu: 1}}"}},
    {"hostname", {"host", "Host", "a.b", "010"}},
    {"schedulerName", {"fluxnetes", "other"}},
    {"tolerance", {"[]"}}};

const std::vector<OddField> kJobFields = {
    {"parallelism", {"1", "0b10", "010", "0", "-1", "1.0", "yes", "'2'"}},
    {"completions", {"1", "4", "0o4", "0", "-1", "1e1", "~"}},
    {"backoffLimit", {"0", "1_0", "-1", "~", "0x7FFFFFFF", "0x80000000"}},
    {"backoffLimitPerIndex", {"0", "2", "-1"}},
    {"maxFailedIndexes", {"0", "1", "99"}},
    {"activeDeadlineSeconds", {"0", "0100", "-1", "1.5"}},
    {"ttlSecondsAfterFinished", {"0", "1_00", "-1", "60"}},
    {"suspend", {"yes", "no", "on", "OFF", "'yes'", "y", "0"}},
    {"podReplacementPolicy", {"Failed", "TerminatingOrFailed", "Never"}},
    {"successPolicy",
     {"{rules: [{succeededIndexes: '0-1'}]}",
      "{rules: [{succeededIndexes: 0-1}]}", "{rules: [{succeededIndexes: 0}]}",
      "{rules: [{succeededCount: 1}]}", "{rules: [{succeededCount: 99}]}",
      "{rules: []}", "{rules: [{}]}", "{rules: [{succeededIndexes: '1,0'}]}"}},
    {"podFailurePolicy",
     {"{rules: [{action: FailJob, onExitCodes: {operator: In, values: "
      "[052]}}]}",
      "{rules: [{action: FailJob, onExitCodes: {operator: In, values: "
      "[0]}}]}",
      "{rules: [{action: Ignore, onPodConditions: [{type: "
      "DisruptionTarget}]}]}",
      "{rules: [{action: FailIndex, onExitCodes: {operator: NotIn, values: "
      "[1, 2]}}]}",
      "{rules: [{action: Count, onExitCodes: {operator: In, values: [2, "
      "1]}}]}",
      "{rules: [{action: Stop, onExitCodes: {operator: In, values: [1]}}]}",
      "{rules: [{action: Count}]}", "{rules: []}",
      "{rules: [{action: Count, onExitCodes: {operator: In, values: [1], "
      "containerName: main}}]}",
      "{rules: [{action: Count, onExitCodes: {operator: In, values: [1], "
      "containerName: other}}]}"}},
    {"parallel", {"3"}}};

}  // namespace

template <typename Fields>
std::string OddManifests::Some(const Fields& fields, int percent,
                               const char* indent) {
  std::string lines;
  for (const OddField& field : fields) {
    if (!Happens(percent)) continue;
    const auto& values = field.values;
    lines += std::string(indent) + field.name + ": " +
             values[random_() % values.size()] + "\n";
  }
  return lines;
}

std::string OddManifests::Metadata(bool job) {
  static const std::array<std::string, 16> kNames = {
      "",        "",        "",    Long(63),  Long(64), Long(62),
      Long(253), Long(254), "a.b", "Upper",   "'010'",  "0b11",
      "a_b",     "-a",      "yes", "generate"};
  std::string name = kNames[random_() % kNames.size()];
  const std::string own = "odd-" + std::to_string(++count_);
  if (name.empty() || Happens(80)) name = own;
  std::string lines = "metadata:\n";
  if (name == "generate") {
    static const std::array<std::string, 5> kPrefixes = {"run-", "Run-", "-",
                                                         Long(80), "a.b-"};
    lines +=
        "  generateName: " + kPrefixes[random_() % kPrefixes.size()] + "\n";
  } else {
    lines += "  name: " + name + "\n";
  }
  return lines + Some(kMetadataFields, job ? 5 : 10, "  ");
}

std::string OddManifests::PodSpec(bool job, const std::string& indent) {
  const std::string deep = indent + "    ";
  std::string lines;
  static const std::array<const char*, 5> kRestart = {"Never", "OnFailure",
                                                      "Always", "never", "no"};
  if (job || Happens(50)) {
    const std::size_t choice =
        Happens(90) ? random_() % (job ? 2 : 3) : random_() % kRestart.size();
    lines += indent + "restartPolicy: " + kRestart[choice] + "\n";
  }
  if (!job && Happens(5)) {
    static const std::array<const char*, 3> kClasses = {"system-node-critical",
                                                        "missing", "Bad_Name"};
    lines += indent + "priorityClassName: " + kClasses[random_() % 3] + "\n";
  }
  lines += Some(kPodFields, 4, indent.c_str());
  if (Happens(7)) {
    lines += indent +
             "affinity: " + kAffinities[random_() % kAffinities.size()] + "\n";
  }
  static const std::array<const char*, 5> kContainerNames = {
      "main", "main", "a_b", "Main", "y"};
  lines += indent + "containers:\n" + indent + "  - name: " +
           (Happens(90) ? "main" : kContainerNames[random_() % 5]) + "\n";
  if (!Happens(3)) lines += deep + "image: busybox\n";
  lines += Some(kContainerFields, 10, deep.c_str());
  if (Happens(5)) {
    lines += indent +
             "initContainers: [{name: " + (Happens(50) ? "main" : "first") +
             ", image: x}]\n";
  }
  return lines;
}

std::string OddManifests::Next() {
  if (Happens(50)) {
    return "apiVersion: v1\nkind: Pod\n" + Metadata(false) + "spec:\n" +
           PodSpec(false, "  ");
  }
  std::string lines = "apiVersion: batch/v1\nkind: Job\n" + Metadata(true) +
                      "spec:\n" + Some(kJobFields, 7, "  ");
  if (Happens(50)) {
    lines += "  completionMode: Indexed\n";
    if (lines.find("completions:") == std::string::npos && !Happens(10)) {
      lines += "  completions: 3\n";
    }
  }
  return lines + "  template:\n    spec:\n" + PodSpec(true, "      ");
}

}  // namespace fluxnetes::testing
