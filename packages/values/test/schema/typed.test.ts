import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../src/json.js';
import { decodeStruct } from '../../src/schema/struct/decode.js';

const CM = 'io.k8s.api.core.v1.ConfigMap';
const SEC = 'io.k8s.api.core.v1.Secret';
const DEP = 'io.k8s.api.apps.v1.Deployment';
const SVC = 'io.k8s.api.core.v1.Service';
const LEASE = 'io.k8s.api.coordination.v1.Lease';
const PDB = 'io.k8s.api.policy.v1.PodDisruptionBudget';
const VAP = 'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy';
const CRD = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';
const EV = 'io.k8s.api.events.v1.Event';
const NODE = 'io.k8s.api.core.v1.Node';
const CANNOT = 'json: cannot unmarshal ';

describe('values of a wrong type', () => {
  it.each<[string, Json, string]>([
    [CM, { metadata: { name: 1 } }, CANNOT + 'number into Go struct field ObjectMeta.metadata.name of type string'],
    [CM, { metadata: 5 }, CANNOT + 'number into Go struct field ConfigMap.metadata of type v1.ObjectMeta'],
    [
      CM,
      { metadata: { labels: 5 } },
      CANNOT + 'number into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      CM,
      { metadata: { labels: { a: 1 } } },
      CANNOT + 'number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      CM,
      { metadata: { name: 'a' }, data: { a: 1 } },
      CANNOT + 'number into Go struct field ConfigMap.data of type string',
    ],
    [
      CM,
      { metadata: { name: 'a' }, data: [] },
      CANNOT + 'array into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      CM,
      { metadata: { name: 'a' }, data: 'x' },
      CANNOT + 'string into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      CM,
      { metadata: { name: 'a' }, immutable: 'x' },
      CANNOT + 'string into Go struct field ConfigMap.immutable of type bool',
    ],
    [CM, { metadata: { name: 'a' }, binaryData: { a: '?' } }, 'illegal base64 data at input byte 0'],
    [
      CM,
      { metadata: { name: 'a' }, binaryData: { a: 5 } },
      CANNOT + 'number into Go struct field ConfigMap.binaryData of type []uint8',
    ],
    [
      CM,
      { metadata: { name: 'a', finalizers: [1] } },
      CANNOT + 'number into Go struct field ObjectMeta.metadata.finalizers of type string',
    ],
    [
      CM,
      { metadata: { name: 'a', finalizers: 'x' } },
      CANNOT + 'string into Go struct field ObjectMeta.metadata.finalizers of type []string',
    ],
    [
      CM,
      { metadata: { name: 'a', ownerReferences: [{ apiVersion: 1 }] } },
      CANNOT + 'number into Go struct field OwnerReference.metadata.ownerReferences.apiVersion of type string',
    ],
    [
      CM,
      { metadata: { name: 'a', ownerReferences: ['x'] } },
      CANNOT + 'string into Go struct field ObjectMeta.metadata.ownerReferences of type v1.OwnerReference',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: 5 } },
      CANNOT + 'number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: '2024-13-01T00:00:00Z' } },
      'parsing time "2024-13-01T00:00:00Z": month out of range',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: '2024-01-01T00:00:00' } },
      'parsing time "2024-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: '2024-01-01 00:00:00Z' } },
      'parsing time "2024-01-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T"',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: '2024-02-30T00:00:00Z' } },
      'parsing time "2024-02-30T00:00:00Z": day out of range',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: '2024-02-20T25:00:00Z' } },
      'parsing time "2024-02-20T25:00:00Z": hour out of range',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: '2024-02-20T05:00:00Zx' } },
      'parsing time "2024-02-20T05:00:00Zx": extra text: "x"',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: {} } },
      CANNOT + 'object into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      CM,
      { metadata: { name: 'a', generation: 1.5 } },
      CANNOT + 'number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      CM,
      { metadata: { name: 'a', generation: 'x' } },
      CANNOT + 'string into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      CM,
      { metadata: { name: 'a', deletionGracePeriodSeconds: true } },
      CANNOT + 'bool into Go struct field ObjectMeta.metadata.deletionGracePeriodSeconds of type int64',
    ],
    [
      CM,
      { metadata: { name: 'a', managedFields: [{ time: 1 }] } },
      CANNOT + 'number into Go struct field ManagedFieldsEntry.metadata.managedFields.time of type string',
    ],
    [
      CM,
      { metadata: { name: 1, labels: 1 }, data: 5 },
      CANNOT + 'number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      CM,
      { metadata: { name: 'a', creationTimestamp: 'x' }, data: 5 },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      CM,
      { data: 5, metadata: { name: 'a', creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [SEC, { metadata: { name: 'a' }, data: { a: 'YQ' } }, 'illegal base64 data at input byte 0'],
    [SEC, { metadata: { name: 'a' }, data: { a: 'YQ===' } }, 'illegal base64 data at input byte 4'],
    [SEC, { metadata: { name: 'a' }, data: { a: 'Y?==' } }, 'illegal base64 data at input byte 1'],
    [SEC, { metadata: { name: 'a' }, data: { a: 'YQ==YQ==' } }, 'illegal base64 data at input byte 4'],
    [
      SEC,
      { metadata: { name: 'a' }, data: { a: 5 } },
      CANNOT + 'number into Go struct field Secret.data of type []uint8',
    ],
    [
      SEC,
      { metadata: { name: 'a' }, stringData: { a: {} } },
      CANNOT + 'object into Go struct field Secret.stringData of type string',
    ],
    [SEC, { metadata: { name: 'a' }, data: { a: 'YWJjZ' } }, 'illegal base64 data at input byte 4'],
    [SEC, { metadata: { name: 'a' }, data: { a: '=' } }, 'illegal base64 data at input byte 0'],
    [SEC, { metadata: { name: 'a' }, data: { a: 'YW=j' } }, 'illegal base64 data at input byte 2'],
    [SEC, { metadata: { name: 'a' }, data: { a: ' YWJj' } }, 'illegal base64 data at input byte 0'],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { replicas: 'x' } },
      CANNOT + 'string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { replicas: 1.5 } },
      CANNOT + 'number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { replicas: 3000000000 } },
      CANNOT + 'number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { replicas: null, selector: { matchLabels: { a: 1 } } } },
      CANNOT + 'number into Go struct field LabelSelector.spec.selector.matchLabels of type string',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { template: { spec: { containers: [{ name: 1 }] } } } },
      CANNOT + 'number into Go struct field Container.spec.template.spec.containers.name of type string',
    ],
    [
      DEP,
      {
        metadata: { name: 'a' },
        spec: { template: { spec: { containers: [{ name: 'a', ports: [{ containerPort: 'x' }] }] } } },
      },
      CANNOT +
        'string into Go struct field ContainerPort.spec.template.spec.containers.ports.containerPort of type int32',
    ],
    [
      DEP,
      {
        metadata: { name: 'a' },
        spec: { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: 'abc' } } }] } } },
      },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      DEP,
      {
        metadata: { name: 'a' },
        spec: { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1x' } } }] } } },
      },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      DEP,
      {
        metadata: { name: 'a' },
        spec: { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: true } } }] } } },
      },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      DEP,
      {
        metadata: { name: 'a' },
        spec: { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: {} } } }] } } },
      },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { strategy: { rollingUpdate: { maxSurge: 1.5 } } } },
      CANNOT +
        'number 1.5 into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { strategy: { rollingUpdate: { maxSurge: true } } } },
      CANNOT + 'bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { strategy: { rollingUpdate: { maxSurge: {} } } } },
      CANNOT + 'object into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: 5 },
      CANNOT + 'number into Go struct field Deployment.spec of type v1.DeploymentSpec',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { template: { metadata: { labels: [] } } } },
      CANNOT + 'array into Go struct field ObjectMeta.spec.template.metadata.labels of type map[string]string',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { template: { spec: { containers: {} } } } },
      CANNOT + 'object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, spec: { template: { spec: { containers: [{ name: 'a', args: [1] }] } } } },
      CANNOT + 'number into Go struct field Container.spec.template.spec.containers.args of type string',
    ],
    [
      DEP,
      {
        metadata: { name: 'a' },
        spec: { template: { spec: { volumes: [{ name: 'a', emptyDir: { sizeLimit: '1.2.3' } }] } } },
      },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      DEP,
      {
        metadata: { name: 'a' },
        spec: { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: '' } } }] } } },
      },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      DEP,
      {
        metadata: { name: 'a' },
        spec: {
          template: { spec: { containers: [{ name: 'a', livenessProbe: { httpGet: { port: 70000000000 } } }] } },
        },
      },
      CANNOT +
        'number 70000000000 into Go struct field HTTPGetAction.spec.template.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32',
    ],
    [
      DEP,
      { metadata: { name: 'a' }, status: { conditions: [{ type: 1 }] } },
      CANNOT +
        'number into Go struct field DeploymentCondition.status.conditions.type of type v1.DeploymentConditionType',
    ],
    [
      SVC,
      { metadata: { name: 'a' }, spec: { ports: [{ port: 'x' }] } },
      CANNOT + 'string into Go struct field ServicePort.spec.ports.port of type int32',
    ],
    [
      SVC,
      { metadata: { name: 'a' }, spec: { ports: [{ port: 1, protocol: 5 }] } },
      CANNOT + 'number into Go struct field ServicePort.spec.ports.protocol of type v1.Protocol',
    ],
    [
      SVC,
      { metadata: { name: 'a' }, spec: { ports: [{ port: 1, targetPort: 1.5 }] } },
      CANNOT + 'number 1.5 into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [
      SVC,
      { metadata: { name: 'a' }, spec: { clusterIPs: [1] } },
      CANNOT + 'number into Go struct field ServiceSpec.spec.clusterIPs of type string',
    ],
    [
      SVC,
      { metadata: { name: 'a' }, spec: { type: 1 } },
      CANNOT + 'number into Go struct field ServiceSpec.spec.type of type v1.ServiceType',
    ],
    [
      SVC,
      { metadata: { name: 'a' }, spec: { selector: [] } },
      CANNOT + 'array into Go struct field ServiceSpec.spec.selector of type map[string]string',
    ],
    [
      SVC,
      { metadata: { name: 'a' }, status: { loadBalancer: { ingress: [{ ip: 1 }] } } },
      CANNOT + 'number into Go struct field LoadBalancerIngress.status.loadBalancer.ingress.ip of type string',
    ],
    [
      LEASE,
      { metadata: { name: 'a' }, spec: { renewTime: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "x" as "2006"',
    ],
    [
      LEASE,
      { metadata: { name: 'a' }, spec: { renewTime: '2024-01-01T00:00:00Z' } },
      'parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [
      LEASE,
      { metadata: { name: 'a' }, spec: { renewTime: 5 } },
      CANNOT + 'number into Go struct field LeaseSpec.spec.renewTime of type string',
    ],
    [
      LEASE,
      { metadata: { name: 'a' }, spec: { renewTime: '2024-01-01T00:00:00.1234567Z' } },
      'parsing time "2024-01-01T00:00:00.1234567Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "7Z" as "Z07:00"',
    ],
    [
      PDB,
      { metadata: { name: 'a' }, spec: { minAvailable: [] } },
      CANNOT + 'array into Go struct field PodDisruptionBudgetSpec.spec.minAvailable of type int32',
    ],
    [
      PDB,
      { metadata: { name: 'a' }, spec: { selector: { matchExpressions: [{ key: 1 }] } } },
      CANNOT + 'number into Go struct field LabelSelectorRequirement.spec.selector.matchExpressions.key of type string',
    ],
    [
      PDB,
      { metadata: { name: 'a' }, status: { disruptedPods: { a: 'x' } } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      VAP,
      { metadata: { name: 'a' }, spec: { matchConstraints: { resourceRules: [{ apiGroups: 'x' }] } } },
      CANNOT +
        'string into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.Rule.apiGroups of type []string',
    ],
    [
      VAP,
      { metadata: { name: 'a' }, spec: { matchConstraints: { resourceRules: [{ operations: [1] }] } } },
      CANNOT +
        'number into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.operations of type v1.OperationType',
    ],
    [
      VAP,
      { metadata: { name: 'a' }, spec: { matchConstraints: { resourceRules: [{ resourceNames: [1], foo: 1 }] } } },
      CANNOT +
        'number into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.resourceNames of type string',
    ],
    [
      VAP,
      { metadata: { name: 'a' }, spec: { failurePolicy: 1 } },
      CANNOT +
        'number into Go struct field ValidatingAdmissionPolicySpec.spec.failurePolicy of type v1.FailurePolicyType',
    ],
    [
      VAP,
      { metadata: { name: 'a' }, spec: { validations: [{ expression: 1 }] } },
      CANNOT + 'number into Go struct field Validation.spec.validations.expression of type string',
    ],
    [
      CRD,
      { metadata: { name: 'a' }, spec: { versions: [{ name: 1 }] } },
      CANNOT + 'number into Go struct field CustomResourceDefinitionVersion.spec.versions.name of type string',
    ],
    [
      CRD,
      { metadata: { name: 'a' }, spec: { versions: [{ schema: { openAPIV3Schema: { type: 1 } } }] } },
      CANNOT + 'number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.type of type string',
    ],
    [
      CRD,
      {
        metadata: { name: 'a' },
        spec: {
          versions: [
            { schema: { openAPIV3Schema: { type: 'object', properties: { a: { items: { foo: 1, type: 5 } } } } } },
          ],
        },
      },
      CANNOT +
        'number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.type of type string',
    ],
    [
      CRD,
      { metadata: { name: 'a' }, spec: { versions: [{ schema: { openAPIV3Schema: { additionalProperties: 5 } } }] } },
      'boolean or JSON schema expected',
    ],
    [
      CRD,
      { metadata: { name: 'a' }, spec: { versions: [{ schema: { openAPIV3Schema: { maximum: 'x' } } }] } },
      CANNOT +
        'string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.maximum of type float64',
    ],
    [
      CRD,
      { metadata: { name: 'a' }, spec: { versions: [{ schema: { openAPIV3Schema: { maxLength: 1.5 } } }] } },
      CANNOT +
        'number 1.5 into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.maxLength of type int64',
    ],
    [
      CRD,
      { metadata: { name: 'a' }, spec: { versions: [{ schema: { openAPIV3Schema: { enum: 'x' } } }] } },
      CANNOT +
        'string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.enum of type []v1.JSON',
    ],
    [
      CRD,
      { metadata: { name: 'a' }, spec: { versions: [{ schema: { openAPIV3Schema: { properties: { a: 5 } } } }] } },
      CANNOT +
        'number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties of type v1.JSONSchemaProps',
    ],
    [
      CRD,
      {
        metadata: { name: 'a' },
        spec: { versions: [{ schema: { openAPIV3Schema: { 'x-kubernetes-validations': [{ rule: 1 }] } } }] },
      },
      CANNOT +
        'number into Go struct field ValidationRule.spec.versions.schema.openAPIV3Schema.x-kubernetes-validations.rule of type string',
    ],
    [
      CRD,
      { metadata: { name: 'a' }, spec: { versions: [{ schema: { openAPIV3Schema: { dependencies: { a: [1] } } } }] } },
      CANNOT +
        'number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.dependencies of type string',
    ],
    [
      CRD,
      { metadata: { name: 'a' }, spec: { scope: 1, names: { shortNames: 'x' } } },
      CANNOT + 'number into Go struct field CustomResourceDefinitionSpec.spec.scope of type v1.ResourceScope',
    ],
    [
      EV,
      { metadata: { name: 'a' }, eventTime: 'x' },
      'parsing time "x" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "x" as "2006"',
    ],
    [
      EV,
      { metadata: { name: 'a' }, series: { count: 'x' } },
      CANNOT + 'string into Go struct field EventSeries.series.count of type int32',
    ],
    [
      EV,
      { metadata: { name: 'a' }, regarding: { name: 1 } },
      CANNOT + 'number into Go struct field ObjectReference.regarding.name of type string',
    ],
    [
      EV,
      { metadata: { name: 'a' }, deprecatedCount: 1.5 },
      CANNOT + 'number 1.5 into Go struct field Event.deprecatedCount of type int32',
    ],
    [
      NODE,
      { metadata: { name: 'a' }, spec: { unschedulable: 1 } },
      CANNOT + 'number into Go struct field NodeSpec.spec.unschedulable of type bool',
    ],
    [
      NODE,
      { metadata: { name: 'a' }, status: { capacity: { cpu: 'x' } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      NODE,
      { metadata: { name: 'a' }, status: { capacity: 5 } },
      CANNOT + 'number into Go struct field NodeStatus.status.capacity of type v1.ResourceList',
    ],
    [
      NODE,
      { metadata: { name: 'a' }, spec: { taints: [{ timeAdded: 1 }] } },
      CANNOT + 'number into Go struct field Taint.spec.taints.timeAdded of type string',
    ],
    [
      CRD,
      {
        spec: {
          versions: [{ schema: { openAPIV3Schema: { type: 5, properties: { a: { items: { nullable: 'x' } } } } } }],
        },
      },
      CANNOT +
        'string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.nullable of type bool',
    ],
    [
      CRD,
      { spec: { versions: [{ schema: { openAPIV3Schema: { type: 5, items: [{}, { title: 1 }, 'x'] } } }] } },
      CANNOT +
        'number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.title of type string',
    ],
  ])('decoding %s from %j fails with the message of Go', (definition, value, problem) => {
    expect(decodeStruct(definition, value).problem).toBe(problem);
  });
});

describe('unknown fields of structs', () => {
  it.each<[string, Json, readonly string[]]>([
    [CM, { metadata: { labels: { a: null } } }, []],
    [CM, { metadata: { name: 'a', creationTimestamp: '2024-02-20T05:00:00.123+01:00' } }, []],
    [CM, { metadata: { name: 'a', managedFields: [{ fieldsV1: 1 }] } }, []],
    [CM, { metadata: { name: 'a', zz: 1 }, foo: { a: 1 }, data: { a: 'b' }, Data: {} }, ['metadata.zz', 'foo', 'Data']],
    [CM, { metadata: null }, []],
    [CM, { metadata: { name: 'a' }, data: null, immutable: null }, []],
    [SEC, { metadata: { name: 'a' }, data: { a: 'YWJj\nYWJj' } }, []],
    [SEC, { metadata: { name: 'a' }, data: { a: null } }, []],
    [SEC, { metadata: { name: 'a' }, data: { a: 'YWJ=' } }, []],
    [
      DEP,
      {
        metadata: { name: 'a' },
        spec: { template: { spec: { containers: [{ foo: 1, env: [{ nme: 'x' }] }], zz: 1 } } },
        yy: 1,
      },
      [
        'spec.template.spec.containers[0].foo',
        'spec.template.spec.containers[0].env[0].nme',
        'spec.template.spec.zz',
        'yy',
      ],
    ],
    [DEP, { metadata: { name: 'a' }, spec: { template: { spec: { containers: [null] } } } }, []],
    [LEASE, { metadata: { name: 'a' }, spec: { renewTime: '2024-01-01T00:00:00.123456Z' } }, []],
    [
      CRD,
      {
        metadata: { name: 'a' },
        spec: {
          versions: [
            { schema: { openAPIV3Schema: { type: 'object', properties: { a: { foo: 1, type: 'string' } } } } },
          ],
        },
      },
      ['spec.versions[0].schema.openAPIV3Schema.properties.a.foo'],
    ],
    [
      CRD,
      {
        metadata: { name: 'a' },
        spec: { versions: [{ schema: { openAPIV3Schema: { additionalProperties: { foo: 1, type: 'string' } } } }] },
      },
      [],
    ],
    [
      CRD,
      {
        metadata: { name: 'a' },
        spec: {
          versions: [
            { schema: { openAPIV3Schema: { items: 5, default: { a: [1] }, not: { foo: 1 }, allOf: [{ bar: 1 }] } } },
          ],
        },
      },
      ['spec.versions[0].schema.openAPIV3Schema.not.foo', 'spec.versions[0].schema.openAPIV3Schema.allOf[0].bar'],
    ],
  ])('decoding %s from %j reports unknown fields in document order', (definition, value, unknown) => {
    expect(decodeStruct(definition, value)).toMatchObject({ unknown, problem: undefined });
  });
});

it('decoding a struct drops nulls and unknown fields', () => {
  expect(decodeStruct(CM, { metadata: null, data: { a: null }, immutable: null, zz: 1 }).value).toEqual({
    data: { a: null },
  });
});
