import { describe, expect, it } from '@jest/globals';
import { checkRules, compileRules, runDefaultRules } from '../../../src/cel/rules.js';
import type { JsonObject } from '../../../src/json.js';
import type { KubeObject, ObjectMeta } from '../../../src/object.js';
import { dns1123Subdomain } from '../../../src/schema/metadata/names.js';
import { validateMeta } from '../../../src/schema/metadata/validate.js';
import { createDefinitionRules } from '../../../src/schema/crd/definition.js';

const rules = createDefinitionRules({ compileRules, checkRules, checkDefault: runDefaultRules });
const TEXT = { type: 'string' };

const AT = 'spec.validation.openAPIV3Schema';

const definition = (metadata: ObjectMeta, spec: JsonObject): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata,
  spec,
});

/** The causes that a kube-apiserver 1.36.3 answers, with the path of the schema as SCHEMA. */
describe('a definition', () => {
  it.each<[string, ObjectMeta, JsonObject, readonly string[]]>([
    [
      'ok',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [],
    ],
    [
      'name',
      { name: 'x.y.z' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      ['metadata.name|Invalid|Invalid value: "x.y.z": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'no name',
      {},
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      ['metadata.name|Required|Required value: name or generateName is required'],
    ],
    [
      'name upper',
      { name: 'WS.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        `metadata.name|Invalid|Invalid value: "WS.ex.example.com": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
        'metadata.name|Invalid|Invalid value: "WS.ex.example.com": must be spec.names.plural+"."+spec.group',
      ],
    ],
    [
      'no group',
      { name: 'ws.ex.example.com' },
      {
        group: '',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        'metadata.name|Invalid|Invalid value: "ws.ex.example.com": must be spec.names.plural+"."+spec.group',
        'spec.group|Required|Required value',
      ],
    ],
    [
      'group upper',
      { name: 'ws.ex.example.com' },
      {
        group: 'A.b',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        'metadata.name|Invalid|Invalid value: "ws.ex.example.com": must be spec.names.plural+"."+spec.group',
        `spec.group|Invalid|Invalid value: "A.b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
    [
      'group dot',
      { name: 'ws.abc' },
      {
        group: 'abc',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      ['spec.group|Invalid|Invalid value: "abc": should be a domain with at least one dot'],
    ],
    [
      'scope',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Foo',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      ['spec.scope|NotSupported|Unsupported value: "Foo": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'no scope',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: '',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      ['spec.scope|Required|Required value'],
    ],
    [
      'names',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: {
          plural: 'Ws',
          singular: '-a',
          kind: 'W_i',
          listKind: 'W_i',
          shortNames: ['A', 'b'],
          categories: ['C_'],
        },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        'metadata.name|Invalid|Invalid value: "ws.ex.example.com": must be spec.names.plural+"."+spec.group',
        `spec.names.categories[0]|Invalid|Invalid value: "C_": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `spec.names.kind|Invalid|Invalid value: "W_i": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        'spec.names.listKind|Invalid|Invalid value: "W_i": kind and listKind may not be the same',
        `spec.names.listKind|Invalid|Invalid value: "W_i": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `spec.names.plural|Invalid|Invalid value: "Ws": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `spec.names.shortNames[0]|Invalid|Invalid value: "A": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `spec.names.singular|Invalid|Invalid value: "-a": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'no names',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: {},
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        'metadata.name|Invalid|Invalid value: "ws.ex.example.com": must be spec.names.plural+"."+spec.group',
        'spec.names.kind|Required|Required value',
        'spec.names.listKind|Required|Required value',
        'spec.names.plural|Required|Required value',
        'spec.names.singular|Required|Required value',
      ],
    ],
    [
      'same list kind',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi', listKind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      ['spec.names.listKind|Invalid|Invalid value: "Wi": kind and listKind may not be the same'],
    ],
    [
      'no versions',
      { name: 'ws.ex.example.com' },
      { group: 'ex.example.com', scope: 'Namespaced', names: { plural: 'ws', kind: 'Wi' }, versions: [] },
      [
        'spec.versions|Invalid|Invalid value: []: must have exactly one version marked as storage version',
        'status.storedVersions|Invalid|Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'no storage',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        'spec.versions|Invalid|Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
        'status.storedVersions|Invalid|Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'two storage',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
          { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
      [
        'spec.versions|Invalid|Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v2","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
        'status.storedVersions|Invalid|Invalid value: ["v1"]: must have the storage version v2',
      ],
    ],
    [
      'dup version',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
          { name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
      [
        'spec.versions|Invalid|Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names',
      ],
    ],
    [
      'version name',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'V_1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        `spec.versions[0].name|Invalid|Invalid value: "V_1": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `spec.version|Invalid|Invalid value: "V_1": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'no schema',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true }],
      },
      ['spec.versions[0].schema.openAPIV3Schema|Required|Required value'],
    ],
    [
      'two versions one without schema',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
          { name: 'v2', served: true, storage: false },
        ],
      },
      ['spec.versions[1].schema.openAPIV3Schema|Required|Required value'],
    ],
    [
      'empty version name',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: '', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        `spec.versions[0].name|Invalid|Invalid value: "": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'empty schema',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: {} }],
      },
      ['spec.versions[0].schema.openAPIV3Schema|Required|Required value'],
    ],
    [
      'deprecation',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
            deprecationWarning: 'x',
          },
        ],
      },
      ['spec.versions[0].deprecationWarning|Invalid|Invalid value: "x": can only be set for deprecated versions'],
    ],
    [
      'deprecation empty',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
            deprecated: true,
            deprecationWarning: '',
          },
        ],
      },
      ['spec.versions[0].deprecationWarning|Invalid|Invalid value: "": must not be an empty string'],
    ],
    [
      'deprecation long',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
            deprecated: true,
            deprecationWarning:
              'é\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\né\n',
          },
        ],
      },
      [
        'spec.versions[0].deprecationWarning|Invalid|Invalid value: "é\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\n": must be <= 256 characters long',
        'spec.versions[0].deprecationWarning|Invalid|Invalid value: "é\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\né\\n": must only contain printable UTF-8 characters; non-printable character found at index 2',
      ],
    ],
    [
      'preserve',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        preserveUnknownFields: true,
      },
      [
        'spec.preserveUnknownFields|Invalid|Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'conversion bad',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        conversion: {
          strategy: 'None',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://x' } },
        },
      },
      [
        'spec.conversion.conversionReviewVersions|Forbidden|Forbidden: should not be set when strategy is not set to Webhook',
        'spec.conversion.webhookClientConfig|Forbidden|Forbidden: should not be set when strategy is not set to Webhook',
      ],
    ],
    [
      'k8s group',
      { name: 'ws.foo.k8s.io' },
      {
        group: 'foo.k8s.io',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        'metadata.annotations[api-approved.kubernetes.io]|Required|Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    [
      'k8s group approved',
      { name: 'ws.foo.k8s.io', annotations: { 'api-approved.kubernetes.io': 'https://x/y' } },
      {
        group: 'foo.k8s.io',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [],
    ],
    [
      'k8s group unapproved',
      { name: 'ws.foo.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, x' } },
      {
        group: 'foo.k8s.io',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [],
    ],
    [
      'k8s group bad',
      { name: 'ws.foo.kubernetes.io', annotations: { 'api-approved.kubernetes.io': 'foo' } },
      {
        group: 'foo.kubernetes.io',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [
        'metadata.annotations[api-approved.kubernetes.io]|Invalid|Invalid value: "foo": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    [
      'column bad',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: {} } },
            additionalPrinterColumns: [
              { name: '', type: 'foo', jsonPath: 'x', format: 'bar' },
              { name: 'a', type: '', jsonPath: '' },
              { name: 'b', type: 'date', jsonPath: '.' },
            ],
          },
        ],
      },
      [
        'spec.additionalPrinterColumns[0].JSONPath|Invalid|Invalid value: "x": must be a simple json path starting with .',
        'spec.additionalPrinterColumns[0].format|Invalid|Invalid value: "bar": must be one of byte,date,date-time,double,float,int32,int64,password',
        'spec.additionalPrinterColumns[0].name|Required|Required value',
        'spec.additionalPrinterColumns[0].type|Invalid|Invalid value: "foo": must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[1].JSONPath|Required|Required value',
        'spec.additionalPrinterColumns[1].type|Required|Required value: must be one of boolean,date,integer,number,string',
      ],
    ],
    [
      'subresource scale',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: {} } },
            subresources: { scale: { specReplicasPath: '.foo', statusReplicasPath: 'x', labelSelectorPath: '.a.b' } },
          },
        ],
      },
      [
        'spec.subresources.scale.labelSelectorPath|Invalid|Invalid value: ".a.b": should be a json path under either .spec or .status',
        'spec.subresources.scale.specReplicasPath|Invalid|Invalid value: ".foo": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath|Invalid|Invalid value: "x": must be a simple json path starting with .',
      ],
    ],
    [
      'subresource scale empty',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: {} } },
            subresources: { scale: { specReplicasPath: '', statusReplicasPath: '' } },
          },
        ],
      },
      [
        'spec.subresources.scale.specReplicasPath|Required|Required value',
        'spec.subresources.scale.statusReplicasPath|Required|Required value',
      ],
    ],
    [
      'selectable',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: {
                      a: TEXT,
                      o: { type: 'object', properties: {} },
                      l: { type: 'array', items: TEXT },
                      m: { type: 'object', additionalProperties: TEXT },
                      n: { type: 'number' },
                      b: { type: 'boolean' },
                    },
                  },
                },
              },
            },
            selectableFields: [
              { jsonPath: '.spec.a' },
              { jsonPath: '.spec.a' },
              { jsonPath: '.spec.zz' },
              { jsonPath: '.metadata.name' },
              { jsonPath: '.spec.o' },
              { jsonPath: '.spec.l' },
              { jsonPath: '.spec.m.x' },
              { jsonPath: 'spec.a' },
              { jsonPath: '.spec.l[0]' },
              { jsonPath: '' },
              { jsonPath: '.' },
              { jsonPath: '.spec.n' },
              { jsonPath: '.spec.b' },
              { jsonPath: '.metadata.labels' },
              { jsonPath: '.spec.' },
              { jsonPath: '.spec.a.b' },
            ],
          },
        ],
      },
      [
        'spec.selectableFields[10].jsonPath|Invalid|Invalid value: ".": is an invalid path: unexpected end of JSON path',
        'spec.selectableFields[11].jsonPath|Invalid|Invalid value: ".spec.n": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'spec.selectableFields[13].jsonPath|Invalid|Invalid value: ".metadata.labels": is an invalid path: does not refer to a valid field',
        'spec.selectableFields[14].jsonPath|Invalid|Invalid value: ".spec.": is an invalid path: unexpected end of JSON path',
        'spec.selectableFields[15].jsonPath|Invalid|Invalid value: ".spec.a.b": is an invalid path: does not refer to a valid field',
        'spec.selectableFields[1].jsonPath|Duplicate|Duplicate value: ".spec.a"',
        'spec.selectableFields[2].jsonPath|Invalid|Invalid value: ".spec.zz": is an invalid path: does not refer to a valid field',
        'spec.selectableFields[3].jsonPath|Invalid|Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field',
        'spec.selectableFields[4].jsonPath|Invalid|Invalid value: ".spec.o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'spec.selectableFields[5].jsonPath|Invalid|Invalid value: ".spec.l": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'spec.selectableFields[7].jsonPath|Invalid|Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec',
        'spec.selectableFields[8].jsonPath|Invalid|Invalid value: ".spec.l[0]": is an invalid path: array notation is not allowed',
        'spec.selectableFields[9].jsonPath|Required|Required value',
      ],
    ],
    [
      'too many selectable',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: { a: TEXT, b: TEXT, c: TEXT, d: TEXT, e: TEXT, f: TEXT, g: TEXT, h: TEXT, i: TEXT },
                  },
                },
              },
            },
            selectableFields: [
              { jsonPath: '.spec.a' },
              { jsonPath: '.spec.b' },
              { jsonPath: '.spec.c' },
              { jsonPath: '.spec.d' },
              { jsonPath: '.spec.e' },
              { jsonPath: '.spec.f' },
              { jsonPath: '.spec.g' },
              { jsonPath: '.spec.h' },
              { jsonPath: '.spec.i' },
            ],
          },
        ],
      },
      ['spec.selectableFields|TooMany|Too many: 9: must have at most 8 items'],
    ],
    [
      'selectable without schema',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, selectableFields: [{ jsonPath: '.spec.a' }] }],
      },
      [
        'spec.selectableFields|Invalid|Invalid value: "": may only be set when validations.schema is included',
        'spec.versions[0].schema.openAPIV3Schema|Required|Required value',
      ],
    ],
    [
      'root type',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: {} } }],
      },
      ['SCHEMA.type|Required|Required value: must not be empty at the root'],
    ],
    [
      'root array',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'array', items: TEXT } } },
        ],
      },
      ['SCHEMA.type|Invalid|Invalid value: "array": must be object at the root'],
    ],
    [
      'root string',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: TEXT } }],
      },
      ['SCHEMA.type|Invalid|Invalid value: "string": must be object at the root'],
    ],
    [
      'root nullable',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', nullable: true } } },
        ],
      },
      ['SCHEMA.nullable|Forbidden|Forbidden: nullable cannot be true at the root'],
    ],
    [
      'root additional',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', additionalProperties: TEXT } },
          },
        ],
      },
      ['SCHEMA.additionalProperties|Forbidden|Forbidden: must not be used at the root'],
    ],
    [
      'root preserve',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
      [],
    ],
    [
      'root status type',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'array', items: TEXT } },
            subresources: { status: {} },
          },
        ],
      },
      [
        'SCHEMA.type|Invalid|Invalid value: "array": must be object at the root',
        'SCHEMA.type|Invalid|Invalid value: "array": only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ],
    ],
    [
      'root status preserve',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            subresources: { status: {} },
          },
        ],
      },
      [],
    ],
    [
      'nested metadata',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { a: TEXT } } },
                anyOf: [{ properties: { metadata: {} } }],
              },
            },
          },
        ],
      },
      [
        'SCHEMA.anyOf[0].properties[metadata]|Forbidden|Forbidden: must not be specified in a nested context',
        'SCHEMA.properties[metadata]|Required|Required value: because it is defined in SCHEMA.anyOf[0].properties[metadata]',
      ],
    ],
    [
      'default root meta',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { metadata: { type: 'object', properties: { name: { type: 'string', default: 'x' } } } },
              },
            },
          },
        ],
      },
      [
        'SCHEMA.properties[metadata].properties[name].default|Forbidden|Forbidden: must not be set in top-level metadata',
      ],
    ],
    [
      'default root kind',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { kind: { type: 'string', default: 'x' } } } },
          },
        ],
      },
      ['SCHEMA.properties[kind].default|Forbidden|Forbidden: must not be set in top-level kind'],
    ],
    [
      'meta ok',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
              },
            },
          },
        ],
      },
      [],
    ],
    [
      'meta labels',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  metadata: { type: 'object', properties: { labels: { type: 'object', additionalProperties: TEXT } } },
                },
              },
            },
          },
        ],
      },
      [
        'SCHEMA.properties[metadata]|Forbidden|Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
      ],
    ],
    [
      'meta string',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { metadata: TEXT } } },
          },
        ],
      },
      ['SCHEMA.properties[metadata].type|Invalid|Invalid value: "string": must be object'],
    ],
    [
      'meta described',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { type: 'object', properties: { metadata: { type: 'object', description: 'x' } } },
            },
          },
        ],
      },
      [
        'SCHEMA.properties[metadata]|Forbidden|Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
      ],
    ],
    [
      'kind int',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { kind: { type: 'integer' }, apiVersion: { type: 'integer' } },
              },
            },
          },
        ],
      },
      [
        'SCHEMA.properties[apiVersion].type|Invalid|Invalid value: "integer": must be string',
        'SCHEMA.properties[kind].type|Invalid|Invalid value: "integer": must be string',
      ],
    ],
    [
      'meta generateName',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } } },
              },
            },
          },
        ],
      },
      [],
    ],
    [
      'bad in two versions',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } },
          },
          {
            name: 'v2',
            served: true,
            storage: false,
            schema: { openAPIV3Schema: { type: 'object', properties: { b: {} } } },
          },
        ],
      },
      [
        'spec.versions[0].schema.openAPIV3Schema.properties[a].type|Required|Required value: must not be empty for specified object fields',
        'spec.versions[1].schema.openAPIV3Schema.properties[b].type|Required|Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'same bad in two versions',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } },
          },
          {
            name: 'v2',
            served: true,
            storage: false,
            schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } },
          },
        ],
      },
      ['SCHEMA.properties[a].type|Required|Required value: must not be empty for specified object fields'],
    ],
    [
      'columns in two versions',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
            additionalPrinterColumns: [{ name: 'a', type: 'x', jsonPath: '.a' }],
          },
          { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
      [
        'spec.versions[0].additionalPrinterColumns[0].type|Invalid|Invalid value: "x": must be one of boolean,date,integer,number,string',
      ],
    ],
    [
      'selectable in version without schema',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
          { name: 'v2', served: true, storage: false, selectableFields: [{ jsonPath: '.spec.a' }] },
        ],
      },
      [
        'spec.versions[1].schema.openAPIV3Schema|Required|Required value',
        'spec.versions[1].selectableFields|Invalid|Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
      ],
    ],
    [
      'selectable on root array notation',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { a: TEXT } } },
            selectableFields: [{ jsonPath: "['a']" }, { jsonPath: '.a.' }, { jsonPath: '..a' }],
          },
        ],
      },
      [
        `spec.selectableFields[0].jsonPath|Invalid|Invalid value: "['a']": is an invalid path: array notation is not allowed`,
        'spec.selectableFields[1].jsonPath|Invalid|Invalid value: ".a.": is an invalid path: unexpected end of JSON path',
        'spec.selectableFields[2].jsonPath|Invalid|Invalid value: "..a": is an invalid path: does not refer to a valid field',
      ],
    ],
    [
      'empty required',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { a: TEXT }, required: [] } },
            subresources: { status: {} },
          },
        ],
      },
      [],
    ],
    [
      'conversion empty',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        conversion: { strategy: '' },
      },
      ['spec.conversion.strategy|Required|Required value'],
    ],
    [
      'conversion bad name',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        conversion: { strategy: 'Foo' },
      },
      ['spec.conversion.strategy|NotSupported|Unsupported value: "Foo": supported values: "None", "Webhook"'],
    ],
    [
      'categories',
      { name: 'ws.ex.example.com' },
      {
        group: 'ex.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'Wi', categories: ['all'], shortNames: ['w', 'w'] },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      [],
    ],
  ])('%s', (_name, metadata, spec, causes) => {
    const crd = rules.defaultCrd(definition(metadata, spec));
    const errors = [
      ...validateMeta(crd.metadata, { namespaced: false, validateName: dns1123Subdomain }),
      ...rules.validateCrd(crd),
    ];

    expect(
      errors
        .map(({ field, reason, message }) =>
          `${field}|${reason.replace('FieldValue', '')}|${message}`.replaceAll(AT, 'SCHEMA'),
        )
        .sort(),
    ).toEqual(causes);
  });
});

const STATUS = { conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v1'] };
const STORED = definition(
  { name: 'us.ex.example.com' },
  {
    group: 'ex.example.com',
    names: { plural: 'us', singular: 'ui', kind: 'Ui', listKind: 'UiList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { a: { type: 'string', format: 'odd' } } } },
          },
        },
      },
      { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
    conversion: { strategy: 'None' },
  },
);

describe('a change of an established definition', () => {
  it.each<[string, JsonObject, readonly string[], readonly string[]]>([
    ['nothing', {}, [], []],
    ['scope', { scope: 'Cluster' }, ['spec.scope|Invalid|Invalid value: "Cluster": field is immutable'], []],
    [
      'kind',
      { names: { plural: 'us', singular: 'ui', kind: 'Uj', listKind: 'UiList' } },
      ['spec.names.kind|Invalid|Invalid value: "Uj": field is immutable'],
      [],
    ],
    [
      'group',
      { group: 'ey.example.com' },
      ['spec.group|Invalid|Invalid value: "ey.example.com": field is immutable'],
      [],
    ],
    [
      'plural',
      { names: { plural: 'uz', singular: 'ui', kind: 'Ui', listKind: 'UiList' } },
      ['spec.names.plural|Invalid|Invalid value: "uz": field is immutable'],
      [],
    ],
    ['singular', { names: { plural: 'us', singular: 'uz', kind: 'Ui', listKind: 'UiList' } }, [], []],
    [
      'stored version gone',
      { versions: [{ name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }] },
      [
        'status.storedVersions[0]|Invalid|Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
      ],
      [],
    ],
    [
      'storage moved',
      {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: false,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { a: { type: 'string', format: 'odd' } } } },
              },
            },
          },
          { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
      [],
      [],
    ],
    [
      'other version gone',
      {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { a: { type: 'string', format: 'odd' } } } },
              },
            },
          },
        ],
      },
      [],
      [],
    ],
    [
      'new format',
      {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { a: { type: 'string', format: 'odd' } } } },
              },
            },
          },
          {
            name: 'v2',
            served: true,
            storage: false,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: { a: { type: 'string', format: 'odd' }, b: { type: 'string', format: 'new' } },
                  },
                },
              },
            },
          },
        ],
      },
      [],
      ['unrecognized format "new"'],
    ],
    [
      'bad schema',
      {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { a: { type: 'string', format: 'odd' } } } },
              },
            },
          },
          {
            name: 'v2',
            served: true,
            storage: false,
            schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } },
          },
        ],
      },
      [
        'spec.versions[1].schema.openAPIV3Schema.properties[a].type|Required|Required value: must not be empty for specified object fields',
      ],
      [],
    ],
    [
      'preserve',
      { preserveUnknownFields: true },
      [
        'spec.preserveUnknownFields|Invalid|Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
      [],
    ],
  ])('%s', (_name, change, causes, warnings) => {
    const storage =
      JSON.stringify(change['versions'] ?? []).match(/"name":"(v\d)","served":true,"storage":true/)?.[1] ?? 'v1';
    const status = { ...STATUS, storedVersions: [...new Set(['v1', storage])] };
    const next = { ...STORED, spec: { ...(STORED['spec'] as JsonObject), ...change }, status };
    const old = { ...STORED, status: STATUS };

    expect(
      rules
        .validateCrdUpdate(next, old)
        .map(({ field, reason, message }) =>
          `${field}|${reason.replace('FieldValue', '')}|${message}`.replaceAll(AT, 'SCHEMA'),
        )
        .sort(),
    ).toEqual(causes);
    expect(rules.crdWarnings(next, old)).toEqual(warnings);
  });
});

it('conversion by webhooks is refused: nothing here could call one', () => {
  const spec = {
    group: 'ex.example.com',
    scope: 'Cluster',
    names: { plural: 'ws', kind: 'Wi' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    conversion: { strategy: 'Webhook' },
  };

  expect(rules.validateCrd(rules.defaultCrd(definition({ name: 'ws.ex.example.com' }, spec)))).toEqual([
    {
      field: 'spec.conversion.strategy',
      reason: 'FieldValueNotSupported',
      message: 'Unsupported value: "Webhook": supported values: "None"',
    },
  ]);
});

it('names, conversion and stored versions are filled in', () => {
  const spec = {
    names: { kind: 'Wi' },
    versions: [
      { name: 'v1', storage: false },
      { name: 'v2', storage: true },
    ],
  };

  expect(rules.defaultCrd(definition({}, spec))).toEqual({
    ...definition(
      {},
      {
        names: { kind: 'Wi', singular: 'wi', listKind: 'WiList' },
        versions: spec.versions,
        conversion: { strategy: 'None' },
      },
    ),
    status: { storedVersions: ['v2'] },
  });
});
