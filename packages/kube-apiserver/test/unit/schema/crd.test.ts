import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkRules, compileRules, runDefaultRules } from '@multicluster-engine/cel/rules';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject, ObjectMeta } from '@multicluster-engine/values/object';
import { dns1123Subdomain } from '@multicluster-engine/values/formats';
import { validateMeta } from '@multicluster-engine/values/schema/metadata/validate';
import { createDefinitionRules } from '../../../src/schema/crd/definition.js';
import { root } from '../../../testing/root.js';

const rules = createDefinitionRules({ compileRules, checkRules, checkDefault: runDefaultRules });
const AT = 'spec.validation.openAPIV3Schema';

/** A definition and the causes that kube-apiserver 1.36.3 returned for it, with the path of the schema as SCHEMA. */
interface DefinitionCase {
  readonly name: string;
  readonly metadata: ObjectMeta;
  readonly spec: JsonObject;
  readonly causes: readonly string[];
}

/** A change of {@link STORED}, with the recorded causes and warnings. */
interface UpdateCase {
  readonly name: string;
  readonly change: JsonObject;
  readonly causes: readonly string[];
  readonly warnings: readonly string[];
}

const definitions: readonly DefinitionCase[] = recorded('definitions');
const updates: readonly UpdateCase[] = recorded('definitionupdates');

function recorded<T>(name: string): readonly T[] {
  return JSON.parse(readFileSync(path.join(root, 'test/unit/schema/recorded', `${name}.json`), 'utf8')) as T[];
}

const definition = (metadata: ObjectMeta, spec: JsonObject): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata,
  spec,
});

describe('new definitions', () => {
  it.each(definitions)(
    'validation of a new definition reports the causes of kube-apiserver for the case "$name"',
    ({ metadata, spec, causes }) => {
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
    },
  );
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

describe('updates of an established definition', () => {
  it.each(updates)(
    'validation of an update reports the causes and warnings of kube-apiserver for the case "$name"',
    ({ change, causes, warnings }) => {
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
    },
  );
});

it('a definition with a conversion webhook is rejected, since this API server calls none', () => {
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

it('defaulting fills in names, conversion and stored versions of a definition', () => {
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
