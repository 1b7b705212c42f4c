import { describe, expect, it } from '@jest/globals';

import { isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { Cluster } from './cluster.js';

const POLICIES = 'validatingadmissionpolicies.admissionregistration.k8s.io';
const DEPLOYMENTS = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };
const CONFIG_MAPS = { ...DEPLOYMENTS, apiGroups: [''], resources: ['configmaps'] };

function policy(
  validations: readonly JsonObject[],
  more: JsonObject = {},
  resourceRules: readonly Json[] = [DEPLOYMENTS],
): JsonObject {
  return { metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules }, validations, ...more } };
}

async function warningsOf(object: JsonObject): Promise<Json | undefined> {
  const fixture = new Cluster();
  await fixture.create(POLICIES, object);
  await fixture.idle();
  const { status } = fixture.get(`${POLICIES}/p`);
  expect(fixture.errors).toEqual([]);
  expect(status).toMatchObject({ observedGeneration: 1 });
  const checked = isObject(status) ? status['typeChecking'] : undefined;
  return isObject(checked) ? (checked['expressionWarnings'] ?? []) : undefined;
}

function typeError(expression: string, kind: string, column: number, problem: string): string {
  return `${kind}: ERROR: <input>:1:${column}: ${problem}\n | ${expression}\n | ${'.'.repeat(column - 1)}^\n`;
}

const NOPE = "undefined field 'nope'";
const DEPLOYMENT = 'apps/v1, Kind=Deployment';

describe('the status of a policy', () => {
  it.each([
    [
      'a valid expression',
      policy([{ expression: 'object.spec.replicas > 1', messageExpression: "'n' + string(object.spec.replicas)" }]),
      [],
    ],
    [
      'a field with the name of a CEL keyword',
      policy([{ expression: 'object.metadata.namespace == object.metadata.__namespace__' }]),
      [],
    ],
    [
      'an unknown field',
      policy([{ expression: 'object.spec.nope == 1' }]),
      [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: typeError('object.spec.nope == 1', DEPLOYMENT, 12, NOPE),
        },
      ],
    ],
    [
      'a wrong type in a message',
      policy([{ expression: 'true', messageExpression: "object.nope + 'a'" }]),
      [
        {
          fieldRef: 'spec.validations[0].messageExpression',
          warning: typeError("object.nope + 'a'", DEPLOYMENT, 7, NOPE),
        },
      ],
    ],
    [
      'a field of type Quantity, which is not declared',
      policy([{ expression: 'object.spec.template.spec.overhead["cpu"] == "x"' }]),
      [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: typeError(
            'object.spec.template.spec.overhead["cpu"] == "x"',
            DEPLOYMENT,
            26,
            "undefined field 'overhead'",
          ),
        },
      ],
    ],
    [
      'two kinds, in order',
      policy([{ expression: 'object.nope == 1' }], {}, [DEPLOYMENTS, CONFIG_MAPS]),
      [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: `${typeError('object.nope == 1', '/v1, Kind=ConfigMap', 7, NOPE)}\n${typeError('object.nope == 1', DEPLOYMENT, 7, NOPE)}`,
        },
      ],
    ],
    [
      'wildcards, which are not type-checked',
      policy([{ expression: 'object.nope == 1' }], {}, [{ ...DEPLOYMENTS, apiGroups: ['*'] }]),
      [],
    ],
    [
      'variables and parameters',
      policy([{ expression: 'variables.a == params.data.b && params.nope == 1' }], {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        variables: [{ name: 'a', expression: 'object.metadata.name' }],
      }),
      [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: typeError('variables.a == params.data.b && params.nope == 1', DEPLOYMENT, 39, NOPE),
        },
      ],
    ],
    [
      'CustomResourceDefinitions, whose schema is recursive',
      policy([{ expression: 'object.spec.nope == 1' }], {}, [
        { ...DEPLOYMENTS, apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] },
      ]),
      [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: typeError(
            'object.spec.nope == 1',
            'apiextensions.k8s.io/v1, Kind=CustomResourceDefinition',
            12,
            NOPE,
          ),
        },
      ],
    ],
  ])('the status of a policy has the warnings of the type checker for %s', async (_what, object, warnings) => {
    expect(await warningsOf(object)).toEqual(warnings);
  });

  // Without warnings typeChecking is empty, and server-side apply removes an empty struct that was owned.
  it('the status of a policy is owned by the controller and updated with the policy', async () => {
    const fixture = new Cluster();
    await fixture.create(POLICIES, policy([{ expression: 'object.spec.nope == 1' }]));
    await fixture.idle();
    await fixture.patch(`${POLICIES}/p`, 'merge', {
      spec: { validations: [{ expression: 'object.spec.replicas == 1' }] },
    });
    await fixture.idle();

    const { status, metadata } = fixture.get(`${POLICIES}/p`);
    expect(status).toEqual({ observedGeneration: 2 });
    expect(
      (metadata.managedFields ?? []).find((entry) => isObject(entry) && entry['subresource'] === 'status'),
    ).toMatchObject({ manager: 'validatingadmissionpolicy-status', operation: 'Apply' });
  });
});
