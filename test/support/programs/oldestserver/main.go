// oldestserver reads a JSON array of Kubernetes objects from standard input and prints a JSON array with what the API
// server of the pinned release says of each: the errors of its decoding, of the validation of CustomResourceDefinitions
// and of the compilation of ValidatingAdmissionPolicies, and each CEL expression, with its estimated cost in a
// CustomResourceDefinition.
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
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/kubernetes/scheme"
)

// answer is what is known of one object.
type answer struct {
	// Known says whether the release has the kind.
	Known       bool         `json:"known"`
	Problems    []string     `json:"problems"`
	Expressions []expression `json:"expressions"`
}

type expression struct {
	Text string `json:"text"`
	// Cost is the estimate by which the API server accepts a rule; 0 in a policy, where nothing limits it beforehand.
	Cost uint64 `json:"cost"`
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
	found := answer{Problems: []string{}, Expressions: []expression{}}
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
	for _, version := range stored.Spec.Versions {
		props := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, props, nil); err != nil {
			return err
		}
		structural, err := schema.NewStructural(props)
		if err != nil {
			return err
		}
		if err := a.rules(structural, true, 1); err != nil {
			return err
		}
	}
	return nil
}

// rules adds the expressions of a schema and of those within it. times: how often the schema occurs in an object at most.
func (a *answer) rules(node *schema.Structural, isRoot bool, times uint64) error {
	results, err := cel.Compile(node, model.SchemaDeclType(node, isRoot), celconfig.PerCallLimit, environments, cel.NewExpressionsEnvLoader())
	if err != nil {
		return err
	}
	for index, result := range results {
		rule := node.XValidations[index]
		often := min(times, result.MaxCardinality)
		a.Expressions = append(a.Expressions, expression{rule.Rule, result.MaxCost * often})
		if rule.MessageExpression != "" {
			a.Expressions = append(a.Expressions, expression{rule.MessageExpression, result.MessageExpressionMaxCost})
		}
	}
	for _, property := range node.Properties {
		if err := a.rules(&property, false, times); err != nil {
			return err
		}
	}
	if node.Items != nil {
		if err := a.rules(node.Items, false, product(times, node.ValueValidation, true)); err != nil {
			return err
		}
	}
	if node.AdditionalProperties != nil && node.AdditionalProperties.Structural != nil {
		return a.rules(node.AdditionalProperties.Structural, false, product(times, node.ValueValidation, false))
	}
	return nil
}

const unbounded = 1 << 40

func product(times uint64, limits *schema.ValueValidation, isList bool) uint64 {
	if limits != nil && isList && limits.MaxItems != nil {
		return times * uint64(*limits.MaxItems)
	}
	if limits != nil && !isList && limits.MaxProperties != nil {
		return times * uint64(*limits.MaxProperties)
	}
	return unbounded
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
		a.Expressions = append(a.Expressions, expression{Text: accessor.GetExpression()})
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
