// Selectors says what Kubernetes makes of selectors of devices: it evaluates them
// as kube-scheduler does, by k8s.io/dynamic-resource-allocation/cel.
//
//	selectors < cases > results
//
// Each line is a case in JSON, and each line of the results is what came of it:
//
//	{"expression": "...", "driver": "...", "shared": true,
//	 "attributes": {"domain/name": {"int": 3}}, "capacity": {"domain/name": "8Gi"}}
//	{"refused": "..."}             it cannot be compiled
//	{"error": "...", "cost": 3}    it cannot be evaluated
//	{"matches": true, "cost": 3}
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"
)

type attribute struct {
	Int     *int64  `json:"int"`
	Bool    *bool   `json:"bool"`
	String  *string `json:"string"`
	Version *string `json:"version"`
}

type selectorCase struct {
	Expression string               `json:"expression"`
	Driver     string               `json:"driver"`
	Shared     bool                 `json:"shared"`
	Attributes map[string]attribute `json:"attributes"`
	Capacity   map[string]string    `json:"capacity"`
}

type result struct {
	Refused string  `json:"refused,omitempty"`
	Error   string  `json:"error,omitempty"`
	Matches bool    `json:"matches"`
	Cost    *uint64 `json:"cost,omitempty"`
}

func deviceOf(given selectorCase) (cel.Device, error) {
	device := cel.Device{
		Driver:                   given.Driver,
		AllowMultipleAllocations: &given.Shared,
		Attributes:               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{},
		Capacity:                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{},
	}
	for name, value := range given.Attributes {
		device.Attributes[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{
			IntValue: value.Int, BoolValue: value.Bool,
			StringValue: value.String, VersionValue: value.Version,
		}
	}
	for name, text := range given.Capacity {
		amount, err := resource.ParseQuantity(text)
		if err != nil {
			return device, err
		}
		device.Capacity[resourceapi.QualifiedName(name)] = resourceapi.DeviceCapacity{Value: amount}
	}
	return device, nil
}

func evaluate(given selectorCase) (result, error) {
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true})
	compiled := compiler.CompileCELExpression(given.Expression, cel.Options{DisableCostEstimation: true})
	if compiled.Error != nil {
		return result{Refused: compiled.Error.Error()}, nil
	}
	device, err := deviceOf(given)
	if err != nil {
		return result{}, err
	}
	matches, details, err := compiled.DeviceMatches(context.Background(), device)
	if err != nil {
		return result{Error: err.Error(), Cost: details.ActualCost()}, nil
	}
	return result{Matches: matches, Cost: details.ActualCost()}, nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	results := json.NewEncoder(out)
	results.SetEscapeHTML(false)
	for lines.Scan() {
		var given selectorCase
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			log.Fatal(err)
		}
		found, err := evaluate(given)
		if err != nil {
			log.Fatal(err)
		}
		if err := results.Encode(found); err != nil {
			log.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}
