import { describe, expect, it } from '@jest/globals';

import type { Toleration } from '../../../src/api/generated/multiclusterengine.js';
import { problemText } from '../../../src/domain/conditions.js';
import { validateTargetNamespace } from '../../../src/domain/engine/validation.js';
import { specErrors } from '../../support/builders/engine.js';
import { effectiveSpec, targetNamespaceOf } from '../../../src/domain/engine/spec.js';

describe('the effective spec', () => {
  it('the effective spec has every default and keeps the given values', () => {
    const given = Object.freeze({});

    expect(effectiveSpec(given)).toEqual({
      targetNamespace: 'multicluster-engine',
      adoption: 'Refuse',
      availability: undefined,
      components: {},
      imagePullPolicy: undefined,
      imagePullSecret: undefined,
      imageRegistry: undefined,
      localCluster: undefined,
      networkPolicies: { enabled: true, apiServerPorts: undefined },
      nodeSelector: {},
      tolerations: [],
      trustBundle: undefined,
    });
    expect(given).toEqual({});
  });

  it('the effective spec of an absent spec is that of an empty one', () => {
    expect(effectiveSpec(undefined)).toEqual(effectiveSpec({}));
  });

  it('the effective spec treats empty texts as absent', () => {
    expect(effectiveSpec({ imagePullSecret: '', targetNamespace: '' })).toMatchObject({
      imagePullSecret: undefined,
      targetNamespace: 'multicluster-engine',
    });
  });

  it.each([
    [{ enabled: true }, 'local-cluster'],
    [{ enabled: true, name: '' }, 'local-cluster'],
    [{ enabled: true, name: 'hub-1' }, 'hub-1'],
    [{ enabled: false, name: 'hub-1' }, undefined],
    [{ name: 'hub-1' }, undefined],
  ])('the effective name of the local cluster %j is %s', (localCluster, name) => {
    expect(effectiveSpec({ localCluster }).localCluster).toBe(name);
  });

  it.each<[string, Toleration, object]>([
    [
      'drops the seconds beside NoSchedule',
      { key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 },
      { key: 'a', operator: 'Equal', effect: 'NoSchedule' },
    ],
    [
      'drops the seconds beside PreferNoSchedule',
      { key: 'a', effect: 'PreferNoSchedule', tolerationSeconds: 5 },
      { key: 'a', operator: 'Equal', effect: 'PreferNoSchedule' },
    ],
    [
      'drops the seconds beside an absent effect, which means all',
      { key: 'a', tolerationSeconds: 5 },
      { key: 'a', operator: 'Equal' },
    ],
    [
      'drops the seconds beside an empty effect',
      { key: 'a', effect: '', tolerationSeconds: 5 },
      { key: 'a', operator: 'Equal' },
    ],
    [
      'keeps the seconds beside NoExecute',
      { key: 'a', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'a', operator: 'Equal', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    [
      'keeps zero seconds: at once',
      { key: 'a', effect: 'NoExecute', tolerationSeconds: 0 },
      { key: 'a', operator: 'Equal', effect: 'NoExecute', tolerationSeconds: 0 },
    ],
    [
      'keeps negative seconds: at once',
      { key: 'a', effect: 'NoExecute', tolerationSeconds: -1 },
      { key: 'a', operator: 'Equal', effect: 'NoExecute', tolerationSeconds: -1 },
    ],
    [
      'keeps the largest number of seconds',
      { key: 'a', effect: 'NoExecute', tolerationSeconds: 2 ** 53 },
      { key: 'a', operator: 'Equal', effect: 'NoExecute', tolerationSeconds: 9007199254740992 },
    ],
    [
      'keeps no seconds: for ever',
      { key: 'a', effect: 'NoExecute' },
      { key: 'a', operator: 'Equal', effect: 'NoExecute' },
    ],
    ['tolerates everything', { operator: 'Exists' }, { operator: 'Exists' }],
    [
      'leaves empty fields out',
      { key: 'a', value: '', effect: '', operator: 'Exists' },
      { key: 'a', operator: 'Exists' },
    ],
    [
      'leaves numeric-looking texts texts',
      { key: '1', operator: 'Equal', value: '0755' },
      { key: '1', operator: 'Equal', value: '0755' },
    ],
  ])('the effective spec of a toleration: %s', (_name, given, rendered) => {
    expect(effectiveSpec({ tolerations: [given] }).tolerations).toEqual([rendered]);
  });
});

describe('the field errors of a spec that admission let through', () => {
  it.each([
    [undefined],
    [null],
    [{}],
    [{ targetNamespace: '', imagePullSecret: '', nodeSelector: null, tolerations: null }],
    [{ targetNamespace: 'team-a', imagePullSecret: 'a.b', nodeSelector: { 'x.io/a': '', b: '1' } }],
    [
      {
        tolerations: [
          { operator: 'Exists' },
          { key: 'x.io/a', value: 'b', effect: 'NoExecute', tolerationSeconds: -(2 ** 53) },
        ],
      },
    ],
  ])('the spec %j has no errors', (spec) => {
    expect(specErrors(spec)).toEqual([]);
  });
});

describe('the target namespace of an engine', () => {
  it.each<[string, Parameters<typeof validateTargetNamespace>, string[]]>([
    ['is free before the installation', [{ targetNamespace: 'a' }, undefined, undefined], []],
    ['is free before the installation, seen as an empty text', [{ targetNamespace: 'a' }, '', undefined], []],
    [
      'stays when the default is written out',
      [{ targetNamespace: 'multicluster-engine' }, 'multicluster-engine', undefined],
      [],
    ],
    ['is the one of --namespace', [{}, undefined, 'multicluster-engine'], []],
  ])('the target namespace of an engine: %s', (_name, args, texts) => {
    expect(validateTargetNamespace(...args).map(problemText)).toEqual(texts);
  });

  it.each([[undefined], [{}], [{ targetNamespace: '' }]])(
    'the target namespace of the spec %j is the default',
    (spec) => {
      expect(targetNamespaceOf(spec)).toBe('multicluster-engine');
    },
  );
});
