import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../../src/resource.js';
import type { ValidationResult } from '@multicluster-engine/values/schema/fielderror';
import { validateMeta } from '@multicluster-engine/values/schema/metadata/validate';
import { invalid, StatusError } from '../../../src/status.js';
import { root } from '../../../testing/root.js';
import { builtin } from './builtin.js';
import { CORE_VARIANTS } from './corevariants.js';
import { GROUP_VARIANTS } from './groupvariants.js';
import { SERVICE_VARIANTS } from './servicevariants.js';
import { patched, type KindVariants } from './variants.js';
import { WORKLOAD_VARIANTS } from './workloadvariants.js';

/* Compares the strategies with recorded responses of kube-apiserver (see variants.ts). Wrong types are not compared: decoding rejects them. */

interface Answer {
  readonly code: number;
  readonly object?: KubeObject;
  readonly message?: string;
  readonly causes?: readonly unknown[];
  readonly warnings?: readonly string[];
}

interface Recorded {
  readonly create: Readonly<Record<string, Answer>>;
  readonly update: Readonly<Record<string, { readonly old: Answer; readonly next: Answer }>>;
}

const ALL: Readonly<Record<string, KindVariants>> = {
  ...CORE_VARIANTS,
  ...GROUP_VARIANTS,
  ...WORKLOAD_VARIANTS,
  ...SERVICE_VARIANTS,
};
const DECODING = 400;
const IDENTITY = { uid: 'u', resourceVersion: '1', creationTimestamp: '2020-01-01T00:00:00Z' };

describe.each(Object.keys(ALL))('%s', (kind) => {
  const variants = ALL[kind] ?? { path: '', base: {}, create: {}, update: {} };
  const recorded = JSON.parse(
    readFileSync(path.join(root, 'test/unit/builtins/recorded', `${kind.toLowerCase()}.json`), 'utf8'),
  ) as Recorded;
  const resource = builtin(String(variants.base['apiVersion']), String(variants.base['kind']));

  it.each(Object.keys(variants.create).filter((name) => recorded.create[name]?.code !== DECODING))(
    'a create has the recorded result: %s',
    (name) => {
      expect(created(resource, patched(variants.base, variants.create[name]))).toEqual(masked(recorded.create[name]));
    },
  );

  it.each(Object.keys(variants.update).filter((name) => recorded.update[name]?.next.code !== DECODING))(
    'an update has the recorded result: %s',
    (name) => {
      const { next, subresource } = variants.update[name] ?? { next: {} };
      const { old, next: answer } = recorded.update[name] ?? {};
      expect(changed(resource, old?.object, { patch: next, subresource: subresource ?? '' })).toEqual(masked(answer));
    },
  );
});

function created(resource: Resource, body: unknown): unknown {
  return answered(resource, 201, () => {
    const placed = inNamespace(resource, resource.strategy.default(body as KubeObject));
    const object = resource.strategy.prepareCreate(placed);
    const { strategy, namespaced } = resource;
    const { errors, warnings } = strategy.validateCreate(object);
    return {
      object,
      findings: {
        errors: [...validateMeta(object.metadata, { namespaced, validateName: strategy.validateName }), ...errors],
        warnings,
      },
    };
  });
}

function changed(
  resource: Resource,
  stored: KubeObject | undefined,
  { patch, subresource }: { patch: unknown; subresource: string },
): unknown {
  if (stored === undefined) throw new Error('nothing was stored');
  const old: KubeObject = { ...stored, metadata: { ...stored.metadata, ...IDENTITY } };
  return answered(resource, 200, () => {
    const given = resource.strategy.default(patched(old, patch) as KubeObject);
    const object = resource.strategy.prepareUpdate(given, old, subresource === '' ? undefined : subresource);
    return {
      object,
      findings: resource.strategy.validateUpdate(object, old, subresource === '' ? undefined : subresource),
    };
  });
}

/** Removes from a new object what the verbs remove for all kinds. */
function inNamespace({ namespaced }: Resource, object: KubeObject): KubeObject {
  const { deletionTimestamp: _time, deletionGracePeriodSeconds: _seconds, ...metadata } = object.metadata;
  return { ...object, metadata: namespaced ? { ...metadata, namespace: 'default' } : metadata };
}

function answered(
  { group, kind, visible }: Resource,
  code: number,
  run: () => { object: KubeObject; findings: ValidationResult },
): unknown {
  try {
    const {
      object,
      findings: { errors, warnings },
    } = run();
    // kube-apiserver reports events of both groups as the kind of the core group.
    if (errors.length > 0)
      throw invalid({ group: kind === 'Event' ? '' : group, kind }, object.metadata.name ?? '', errors);
    return masked({
      code,
      object: visible?.(object) ?? object,
      ...(warnings.length === 0 ? {} : { warnings: warnings.map((text) => `299 - ${JSON.stringify(text)}`) }),
    });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return masked({ code: error.code, message: error.message, causes: error.details?.causes ?? [] });
  }
}

/** Masks allocated addresses and ports, and sorts causes whose order is that of a map: they differ between runs. */
function masked(answer: Answer | undefined): unknown {
  if (answer === undefined) return undefined;
  if (answer.object === undefined) {
    const causes = (answer.causes ?? []).map((cause) => JSON.stringify(cause)).sort();
    return {
      ...answer,
      causes,
      message: causes.length > 1 ? answer.message?.split(' is invalid: ')[0] : answer.message,
    };
  }
  const metadata = Object.fromEntries(
    Object.entries(answer.object.metadata).filter(([name]) => !Object.hasOwn(IDENTITY, name)),
  );
  const text = JSON.stringify(withoutTaint({ ...answer.object, metadata }));
  const object: unknown = JSON.parse(
    text
      .replace(/"10\.0\.0\.\d+"/g, '"given"')
      .replace(/"(nodePort|healthCheckNodePort)":3(?!00[89])\d+/g, '"$1":"given"'),
  );
  return { ...answer, object };
}

/** kube-apiserver adds a not-ready taint to every new Node; the embedded server does not. */
function withoutTaint(object: object): object {
  const { spec } = object as { spec?: { taints?: readonly { key: string }[] } };
  if (spec?.taints === undefined) return object;
  const taints = spec.taints.filter(({ key }) => key !== 'node.kubernetes.io/not-ready');
  const { taints: _taints, ...rest } = spec;
  return { ...object, spec: taints.length === 0 ? rest : { ...rest, taints } };
}
