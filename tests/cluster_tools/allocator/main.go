// Allocator asks the allocator of structured parameters that kube-scheduler uses
// what it would give to claims. Each line of the input is a case, in JSON, and
// each line of the output the same case with the answer to it:
//
//	"answer":{"found":true,"results":[[{"request":"r","driver":"d","pool":"p",
//	"device":"x"}]],"selectors":[{...}]}
//
// A case has a node, classes, slices and claims as Kubernetes has them, and what
// is allocated already. The features are those of Kubernetes 1.36 but for lists
// as attributes.
//
//	./random_cases 1000 7 | go run . > cases.jsonl
//	FLUXNETES_ALLOCATOR_CASES=$PWD/cases.jsonl hack/test 'AllocatorCases.*'
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// allocated is a device that a claim has; a share of it, if share is set.
type allocated struct {
	Driver   string                       `json:"driver"`
	Pool     string                       `json:"pool"`
	Device   string                       `json:"device"`
	Share    string                       `json:"share"`
	Capacity map[string]resource.Quantity `json:"capacity"`
}

type named[Spec any] struct {
	Name string `json:"name"`
	Spec Spec   `json:"spec"`
}

type testCase struct {
	Node struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"node"`
	Classes   []named[resourceapi.DeviceClassSpec]   `json:"classes"`
	Slices    []named[resourceapi.ResourceSliceSpec] `json:"slices"`
	Claims    []named[resourceapi.ResourceClaimSpec] `json:"claims"`
	Allocated []allocated                            `json:"allocated"`
}

type result struct {
	Request  string                       `json:"request"`
	Driver   string                       `json:"driver"`
	Pool     string                       `json:"pool"`
	Device   string                       `json:"device"`
	Admin    bool                         `json:"admin,omitempty"`
	Consumed map[string]resource.Quantity `json:"consumed,omitempty"`
}

type answer struct {
	Found     bool               `json:"found"`
	Error     string             `json:"error,omitempty"`
	Results   [][]result         `json:"results,omitempty"`
	Selectors []*v1.NodeSelector `json:"selectors,omitempty"`
}

type classes []*resourceapi.DeviceClass

func (all classes) List() ([]*resourceapi.DeviceClass, error) { return all, nil }

func (all classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range all {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("class %q not found", name)
}

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

func stateOf(devices []allocated) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, each := range devices {
		id := structured.MakeDeviceID(each.Driver, each.Pool, each.Device)
		if each.Share == "" {
			state.AllocatedDevices.Insert(id)
			continue
		}
		share := types.UID(each.Share)
		state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, &share))
		amounts := map[resourceapi.QualifiedName]resource.Quantity{}
		for name, amount := range each.Capacity {
			amounts[resourceapi.QualifiedName(name)] = amount
		}
		state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, amounts))
	}
	return state
}

func ask(test testCase, cache *cel.Cache) answer {
	features := structured.Features{
		AdminAccess:            true,
		ConsumableCapacity:     true,
		DeviceBindingAndStatus: true,
		DeviceTaints:           true,
		PartitionableDevices:   true,
		PrioritizedList:        true,
	}
	var known classes
	for _, each := range test.Classes {
		known = append(known, &resourceapi.DeviceClass{ObjectMeta: meta(each.Name), Spec: each.Spec})
	}
	var slices []*resourceapi.ResourceSlice
	for _, each := range test.Slices {
		slices = append(slices, &resourceapi.ResourceSlice{ObjectMeta: meta(each.Name), Spec: each.Spec})
	}
	var claims []*resourceapi.ResourceClaim
	for _, each := range test.Claims {
		claims = append(claims, &resourceapi.ResourceClaim{ObjectMeta: meta(each.Name), Spec: each.Spec})
	}
	ctx := context.Background()
	allocator, err := structured.NewAllocator(ctx, features, stateOf(test.Allocated), known, slices, cache)
	if err != nil {
		return answer{Error: err.Error()}
	}
	node := &v1.Node{ObjectMeta: meta(test.Node.Name)}
	node.Labels = test.Node.Labels
	got, err := allocator.Allocate(ctx, node, claims)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if got == nil {
		return answer{}
	}
	given := answer{Found: true}
	for _, each := range got {
		devices := []result{}
		for _, device := range each.Devices.Results {
			one := result{
				Request: device.Request, Driver: device.Driver, Pool: device.Pool, Device: device.Device,
				Admin: device.AdminAccess != nil && *device.AdminAccess,
			}
			if len(device.ConsumedCapacity) > 0 {
				one.Consumed = map[string]resource.Quantity{}
			}
			for name, amount := range device.ConsumedCapacity {
				one.Consumed[string(name)] = amount
			}
			devices = append(devices, one)
		}
		given.Results = append(given.Results, devices)
		given.Selectors = append(given.Selectors, each.NodeSelector)
	}
	return given
}

func main() {
	cache := cel.NewCache(100, cel.Features{EnableConsumableCapacity: true})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var test testCase
		line := map[string]any{}
		if err := json.Unmarshal(lines.Bytes(), &test); err != nil {
			panic(err)
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			panic(err)
		}
		line["answer"] = ask(test, cache)
		if err := out.Encode(line); err != nil {
			panic(err)
		}
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
