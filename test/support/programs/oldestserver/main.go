// oldestserver reads a JSON array of Kubernetes objects from standard input and prints a JSON array with what the API
// server of the pinned release says of each: the errors of its decoding, of the validation of CustomResourceDefinitions,
// which compiles and prices their rules, and of the compilation of ValidatingAdmissionPolicies.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/kubernetes/scheme"
)

// answer is what is known of one object.
type answer struct {
	// Known says whether the release has the kind.
	Known    bool     `json:"known"`
	Problems []string `json:"problems"`
}

func (a *answer) problem(err error) {
	if err != nil {
		a.Problems = append(a.Problems, err.Error())
	}
}

// environments has the options of expressions that are new to the release: those of the release before, in case an upgrade
// is undone.
var environments = environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion(), true)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "oldestserver:", err)
		os.Exit(1)
	}
}

func run() error {
	install.Install(scheme.Scheme)
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		return err
	}
	answers := make([]answer, 0, len(objects))
	for _, object := range objects {
		answers = append(answers, judge(object, decoder))
	}
	return json.NewEncoder(os.Stdout).Encode(answers)
}

func judge(text []byte, decoder runtime.Decoder) answer {
	found := answer{Problems: []string{}}
	object, _, err := decoder.Decode(text, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return found
	}
	found.Known = true
	found.problem(err)
	switch kind := object.(type) {
	case *apiextensionsv1.CustomResourceDefinition:
		found.problem(found.definition(kind))
	case *admissionv1.ValidatingAdmissionPolicy:
		found.problem(found.policy(kind))
	}
	return found
}

func (a *answer) definition(stored *apiextensionsv1.CustomResourceDefinition) error {
	scheme.Scheme.Default(stored)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Scheme.Convert(stored, internal, nil); err != nil {
		return err
	}
	// The API server keeps the one schema of all versions above them.
	for _, invalid := range validation.ValidateCustomResourceDefinition(context.Background(), internal) {
		a.problem(invalid)
	}
	return nil
}

// policy compiles the expressions with the variables that each may use.
func (a *answer) policy(policy *admissionv1.ValidatingAdmissionPolicy) error {
	compiler, err := plugincel.NewCompositedCompiler(environments)
	if err != nil {
		return err
	}
	compile := func(accessor plugincel.ExpressionAccessor, hasAuthorizer bool) {
		options := plugincel.OptionalVariableDeclarations{HasParams: policy.Spec.ParamKind != nil, HasAuthorizer: hasAuthorizer, StrictCost: true}
		result := compiler.CompileCELExpression(accessor, options, environment.NewExpressions)
		if variable, ok := accessor.(plugincel.NamedExpressionAccessor); ok && result.Error == nil {
			compiler.CompileAndStoreVariable(variable, options, environment.NewExpressions)
		}
		if result.Error != nil {
			a.problem(errors.New(accessor.GetExpression() + ": " + result.Error.Error()))
		}
	}
	for index := range policy.Spec.MatchConditions {
		compile((*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[index]), true)
	}
	for _, one := range policy.Spec.Variables {
		compile(&validating.Variable{Name: one.Name, Expression: one.Expression}, true)
	}
	for _, one := range policy.Spec.Validations {
		compile(&validating.ValidationCondition{Expression: one.Expression, Message: one.Message, Reason: one.Reason}, true)
		if one.MessageExpression != "" {
			compile(&validating.MessageExpressionCondition{MessageExpression: one.MessageExpression}, false)
		}
	}
	for _, one := range policy.Spec.AuditAnnotations {
		compile(&validating.AuditAnnotationCondition{Key: one.Key, ValueExpression: one.ValueExpression}, true)
	}
	return nil
}
