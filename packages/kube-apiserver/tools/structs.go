//go:build ignore

// Prints, as JSON, the shape of the Go structs behind the kinds that the embedded API server serves: for each struct,
// by the name of its OpenAPI model, its fields with their JSON name, type, rules of omission and protobuf number.
// Run in a module that requires k8s.io/kubernetes: see data.ts beside this file.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	events "k8s.io/api/events/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type field struct {
	// Name in JSON; empty for a struct whose fields stand among those of its parent.
	Name string `json:"n"`
	// string, bool, int32, int64, float64, bytes, time, micro, quantity, intstr, raw, fields, json, bool-or-schema,
	// schema-or-list, schema-or-strings, strings (a named list of strings), or the name of a struct; before it `*` for
	// a pointer, `[]` for a list, `{}` for a map with keys of type string.
	Type string `json:"t"`
	// Name of the Go type where errors of decoding say another one than `t`.
	Go string `json:"g,omitempty"`
	// Number in protobuf; 0 when it is not in protobuf.
	Number int `json:"p,omitempty"`
	// 1: left out of JSON when it is the zero value, 2: also an empty struct is.
	Omit int `json:"o,omitempty"`
}

var special = map[reflect.Type]string{
	reflect.TypeOf(meta.Time{}):                             "time",
	reflect.TypeOf(meta.MicroTime{}):                        "micro",
	reflect.TypeOf(resource.Quantity{}):                     "quantity",
	reflect.TypeOf(intstr.IntOrString{}):                    "intstr",
	reflect.TypeOf(runtime.RawExtension{}):                  "raw",
	reflect.TypeOf(meta.FieldsV1{}):                         "fields",
	reflect.TypeOf(apiextensions.JSON{}):                    "json",
	reflect.TypeOf(apiextensions.JSONSchemaPropsOrBool{}):        "bool-or-schema",
	reflect.TypeOf(apiextensions.JSONSchemaPropsOrArray{}):       "schema-or-list",
	reflect.TypeOf(apiextensions.JSONSchemaPropsOrStringArray{}): "schema-or-strings",
	reflect.TypeOf(authentication.ExtraValue{}):             "strings",
	reflect.TypeOf(authorization.ExtraValue{}):              "strings",
}

var structs = map[string][]field{}

func main() {
	roots := []any{
		core.Namespace{}, core.Node{}, core.Pod{}, core.Secret{}, core.ConfigMap{}, core.ServiceAccount{}, core.Service{}, core.Event{}, core.PodTemplate{},
		events.Event{}, coordination.Lease{}, apps.Deployment{}, apps.ReplicaSet{}, policy.PodDisruptionBudget{}, networking.NetworkPolicy{},
		rbac.Role{}, rbac.ClusterRole{}, rbac.RoleBinding{}, rbac.ClusterRoleBinding{},
		apiextensions.CustomResourceDefinition{},
		admissionregistration.ValidatingAdmissionPolicy{}, admissionregistration.ValidatingAdmissionPolicyBinding{},
		authentication.TokenReview{}, authentication.TokenRequest{}, authentication.SelfSubjectReview{},
		authorization.SubjectAccessReview{}, authorization.SelfSubjectAccessReview{},
		authorization.LocalSubjectAccessReview{}, authorization.SelfSubjectRulesReview{},
		autoscaling.Scale{}, meta.DeleteOptions{}, meta.Status{}, apiextensions.JSONSchemaProps{},
	}
	for _, root := range roots {
		structName(reflect.TypeOf(root))
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(structs); err != nil {
		panic(err)
	}
}

func structName(t reflect.Type) string {
	name := t.PkgPath() + "." + t.Name()
	if model, ok := reflect.New(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		name = model.OpenAPIModelName()
	}
	if _, done := structs[name]; !done {
		structs[name] = []field{}
		structs[name] = fieldsOf(t)
	}
	return name
}

func fieldsOf(t reflect.Type) []field {
	all := []field{}
	for i := 0; i < t.NumField(); i++ {
		one := t.Field(i)
		if one.Type == reflect.TypeOf(meta.TypeMeta{}) {
			all = append(all, field{Name: "kind", Type: "string", Omit: 1}, field{Name: "apiVersion", Type: "string", Omit: 1})
			continue
		}
		parts := strings.Split(one.Tag.Get("json"), ",")
		if parts[0] == "-" || !one.IsExported() {
			continue
		}
		f := field{Name: parts[0], Number: protobufNumber(one.Tag.Get("protobuf"))}
		f.Type = typeName(one.Type)
		if named := goName(one.Type); named != f.Type {
			f.Go = named
		}
		for _, option := range parts[1:] {
			if option == "omitempty" && f.Omit == 0 {
				f.Omit = 1
			}
			if option == "omitzero" {
				f.Omit = 2
			}
		}
		all = append(all, f)
	}
	return all
}

func protobufNumber(tag string) int {
	if tag == "" {
		return 0
	}
	number, err := strconv.Atoi(strings.Split(tag, ",")[1])
	if err != nil {
		panic(err)
	}
	return number
}

func typeName(t reflect.Type) string {
	if name, ok := special[t]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeName(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + typeName(t.Elem())
	case reflect.Map:
		return "{}" + typeName(t.Elem())
	case reflect.Struct:
		return structName(t)
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64:
		return t.Kind().String()
	}
	panic(fmt.Sprintf("no rule for %s", t))
}

// goName says a type as an error of decoding does, without the pointers.
func goName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.String()
}
