//go:build ignore

// Prints one object of each built-in kind in protobuf (base64, as clients send it) and in JSON, each twice: with every
// field set, and with nothing but what is no pointer. Run like structs.go.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"reflect"
	"time"

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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type sample struct {
	Name     string          `json:"name"`
	Protobuf string          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

var kinds = []struct {
	apiVersion, kind string
	object           runtime.Object
}{
	{"v1", "Namespace", &core.Namespace{}}, {"v1", "Node", &core.Node{}}, {"v1", "Secret", &core.Secret{}}, {"v1", "ConfigMap", &core.ConfigMap{}},
	{"v1", "ServiceAccount", &core.ServiceAccount{}}, {"v1", "Service", &core.Service{}}, {"v1", "Event", &core.Event{}}, {"v1", "PodTemplate", &core.PodTemplate{}},
	{"events.k8s.io/v1", "Event", &events.Event{}}, {"coordination.k8s.io/v1", "Lease", &coordination.Lease{}}, {"apps/v1", "Deployment", &apps.Deployment{}}, {"apps/v1", "ReplicaSet", &apps.ReplicaSet{}},
	{"policy/v1", "PodDisruptionBudget", &policy.PodDisruptionBudget{}}, {"networking.k8s.io/v1", "NetworkPolicy", &networking.NetworkPolicy{}},
	{"rbac.authorization.k8s.io/v1", "Role", &rbac.Role{}}, {"rbac.authorization.k8s.io/v1", "ClusterRole", &rbac.ClusterRole{}},
	{"rbac.authorization.k8s.io/v1", "RoleBinding", &rbac.RoleBinding{}}, {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", &rbac.ClusterRoleBinding{}},
	{"apiextensions.k8s.io/v1", "CustomResourceDefinition", &apiextensions.CustomResourceDefinition{}},
	{"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", &admissionregistration.ValidatingAdmissionPolicy{}},
	{"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", &admissionregistration.ValidatingAdmissionPolicyBinding{}},
	{"authentication.k8s.io/v1", "TokenReview", &authentication.TokenReview{}}, {"authentication.k8s.io/v1", "TokenRequest", &authentication.TokenRequest{}},
	{"authentication.k8s.io/v1", "SelfSubjectReview", &authentication.SelfSubjectReview{}},
	{"authorization.k8s.io/v1", "SubjectAccessReview", &authorization.SubjectAccessReview{}}, {"authorization.k8s.io/v1", "SelfSubjectAccessReview", &authorization.SelfSubjectAccessReview{}},
	{"authorization.k8s.io/v1", "LocalSubjectAccessReview", &authorization.LocalSubjectAccessReview{}}, {"authorization.k8s.io/v1", "SelfSubjectRulesReview", &authorization.SelfSubjectRulesReview{}},
	{"autoscaling/v1", "Scale", &autoscaling.Scale{}}, {"v1", "DeleteOptions", &meta.DeleteOptions{}}, {"apps/v1", "DeleteOptions", &meta.DeleteOptions{}},
}

func main() {
	samples := []sample{}
	serializer := protobuf.NewSerializer(nil, nil)
	for _, one := range kinds {
		for _, full := range []bool{true, false} {
			object := one.object.DeepCopyObject()
			if full {
				fill(reflect.ValueOf(object).Elem(), 0)
			}
			object.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(one.apiVersion, one.kind))
			name := one.apiVersion + " " + one.kind + map[bool]string{true: " with all", false: " with nothing"}[full]
			samples = append(samples, written(serializer, name, object))
		}
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, one := range samples {
		if err := out.Encode(one); err != nil {
			panic(err)
		}
	}
}

func written(serializer runtime.Serializer, name string, object runtime.Object) sample {
	var binary bytes.Buffer
	if err := serializer.Encode(object, &binary); err != nil {
		panic(err)
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return sample{Name: name, Protobuf: base64.StdEncoding.EncodeToString(binary.Bytes()), JSON: text}
}

// Numbers differ, so that no two fields can be taken for each other.
var next int64 = 100

func fill(value reflect.Value, depth int) {
	next++
	switch typed := value.Addr().Interface().(type) {
	case *meta.Time:
		*typed = meta.NewTime(time.Unix(1_600_000_000+next, 0))
		return
	case *meta.MicroTime:
		*typed = meta.NewMicroTime(time.Unix(1_600_000_000+next, next*1000))
		return
	case *resource.Quantity:
		*typed = *resource.NewQuantity(next, resource.DecimalSI)
		return
	case *intstr.IntOrString:
		*typed = intstr.FromInt32(int32(next))
		if next%2 == 0 {
			*typed = intstr.FromString("10%")
		}
		return
	case *runtime.RawExtension:
		typed.Raw = []byte(`{"raw":[1,null,"x"]}`)
		return
	case *meta.FieldsV1:
		typed.Raw = []byte(`{"f:metadata":{}}`)
		return
	case *apiextensions.JSON:
		typed.Raw = []byte(`{"any":[true,1.5]}`)
		return
	case *apiextensions.JSONSchemaPropsOrBool:
		typed.Allows = true
		if depth < 12 {
			typed.Schema = &apiextensions.JSONSchemaProps{Type: "string"}
		}
		return
	case *apiextensions.JSONSchemaPropsOrArray:
		typed.JSONSchemas = []apiextensions.JSONSchemaProps{{Type: "string"}, {Type: "integer"}}
		return
	case *apiextensions.JSONSchemaPropsOrStringArray:
		typed.Property = []string{"a", "b"}
		return
	case *apiextensions.JSONSchemaProps:
		if depth > 6 {
			typed.Description = "deep"
			return
		}
	case *meta.TypeMeta:
		return
	}
	fillKind(value, depth)
}

func fillKind(value reflect.Value, depth int) {
	switch value.Kind() {
	case reflect.String:
		value.SetString("t" + time.Unix(next, 0).UTC().Format("0405"))
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int32, reflect.Int64:
		value.SetInt(next)
	case reflect.Float64:
		value.SetFloat(float64(next) + 0.25)
	case reflect.Uint8:
		value.SetUint(uint64(next % 256))
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem(), depth+1)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 2, 2))
		fill(value.Index(0), depth+1)
		fill(value.Index(1), depth+6)
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		item := reflect.New(value.Type().Elem()).Elem()
		fill(item, depth+1)
		value.SetMapIndex(reflect.ValueOf("key").Convert(value.Type().Key()), item)
	case reflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			if value.Type().Field(i).IsExported() {
				fill(value.Field(i), depth+1)
			}
		}
	}
}
