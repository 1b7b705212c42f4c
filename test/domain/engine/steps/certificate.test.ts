import { describe, expect, it } from '@jest/globals';

import type { KubeObject, ObjectMeta } from '../../../../src/runtime/vocabulary/meta.js';
import { EXPIRY_ANNOTATION } from '../../../../src/api/names.js';
import { issueServingCertificate } from '../../../../src/runtime/tls/serving.js';
import {
  bundleOf,
  certificateNames,
  decideCertificate,
  keyPairSecret,
  RENEW_BEFORE_MS,
  bundleConfigMap,
  type ServingCertificate,
  type StoredCertificate,
} from '../../../../src/domain/engine/steps/certificate.js';
import { at } from '../../../../src/domain/engine/manifest/manifest.js';
import { DAY_MS, KEY_CANARY, pairForTest, pem } from '../../../support/builders/certificate.js';
import { identity, NAMESPACE, settings } from '../../../support/builders/engine.js';

const row = { secret: 'gateway-tls', configMap: 'gateway-ca', service: 'gateway' };
const one: ServingCertificate = { component: 'gateway', row, namespace: NAMESPACE, engine: identity, settings };
const NOW = Date.parse('2026-01-01T00:00:00Z');
const BUNDLE = bundleOf(pairForTest(2, NOW), [pem(1)]);

type Meta = Partial<ObjectMeta> & { managedFields?: object[] };

function fieldsOf(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [`f:${key}`, fieldsOf(inner)]))
    : {};
}

const applied = keyPairSecret(one, pairForTest(2, NOW), BUNDLE).object;
const booked = { manager: 'multicluster-engine', operation: 'Apply', fieldsV1: fieldsOf(applied) };

/** Metadata of the Secret as the operator has written it, with the fields of `over`. */
function secret(over: Meta = {}): KubeObject {
  return { metadata: Object.assign({ ...applied.metadata, uid: 's' }, { managedFields: [booked] }, over) };
}

const configMap: KubeObject = bundleConfigMap(one, BUNDLE).object;

function judge(over: Partial<StoredCertificate>): string {
  const verdict = decideCertificate(one, {
    secret: secret(),
    configMap,
    namespaceObject: { metadata: { name: NAMESPACE } },
    now: NOW,
    ...over,
  });
  if (verdict.kind === 'keep') return `keep until ${new Date(verdict.renewAt).toISOString().slice(0, 10)}`;
  if (verdict.kind === 'given') return 'given';
  const served = 'served' in verdict ? ` [${/A*(\d+)\n/.exec(verdict.served[0] ?? '')?.[1] ?? ''}]` : '';
  return `${verdict.kind}${verdict.kind === 'renew' && verdict.drift ? ' changed' : ''}: ${verdict.cause}${served}`;
}

/** Beside the decisions that golden/engineplan records. */
describe('the decision about a serving certificate', () => {
  const without = (...path: string[]): Meta => ({
    managedFields: [
      {
        ...booked,
        fieldsV1: JSON.parse(
          JSON.stringify(booked.fieldsV1, (key, value: unknown) => (path.includes(key) ? undefined : value)),
        ),
      },
    ],
  });
  const { 'app.kubernetes.io/version': _, ...unversioned } = applied.metadata.labels ?? {};

  it.each<[string, Partial<StoredCertificate>, string]>([
    [
      'of another version of the operator',
      { secret: secret({ labels: { ...unversioned, 'app.kubernetes.io/version': '0.1' } }) },
      'keep until 2026-03-02',
    ],
    ['a moment before two thirds of its life', { now: NOW + 60 * DAY_MS - 1 }, 'keep until 2026-03-02'],
    ['past its end', { now: NOW + 100 * DAY_MS }, 'renew: expires at 2026-04-01T00:00:00Z [2]'],
    [
      'with a pair that somebody wrote',
      { secret: secret(without('f:data')) },
      'renew changed: was changed by somebody else at data.tls.crt, data.tls.key [2]',
    ],
    [
      'with a key that somebody wrote',
      { secret: secret(without('f:tls.key')) },
      'renew changed: was changed by somebody else at data.tls.key [2]',
    ],
    [
      'with an end that somebody wrote',
      { secret: secret(without(`f:${EXPIRY_ANNOTATION}`)) },
      `renew changed: was changed by somebody else at metadata.annotations.${EXPIRY_ANNOTATION} [2]`,
    ],
    [
      'booked to us by an update, not an apply',
      { secret: secret({ managedFields: [{ ...booked, operation: 'Update' }] }) },
      'renew changed: was changed by somebody else at data.tls.crt, data.tls.key, ',
    ],
    [
      'without its owner, booked to us',
      { secret: secret({ ownerReferences: [] }) },
      'renew changed: differs at metadata.ownerReferences[',
    ],
    ['without an owner, not booked to us', { secret: secret({ ownerReferences: [], managedFields: [] }) }, 'given'],
    ['not there, nor anything published', { secret: undefined, configMap: undefined }, 'issue: does not exist []'],
    [
      "not there, and what is published is somebody else's",
      { secret: undefined, configMap: { ...configMap, metadata: { ...configMap.metadata, ownerReferences: [] } } },
      'issue: does not exist []',
    ],
    ['not there, with --namespace', { secret: undefined, namespaceObject: undefined }, 'issue: does not exist [2]'],
  ])('the decision about a Secret %s', (_name, input, expected) => {
    const verdict = judge(input);
    expect(/[,[][ ]?$/.test(expected) ? verdict.slice(0, expected.length) : verdict).toBe(expected);
  });
});

it('where the Secret does not show what is served, all that may be is published: the newest after an hour, and those since', async () => {
  const issued = await Promise.all(
    [70, 60, 10, 0].map(async (minutes) => {
      const pair = await issueServingCertificate({ names: ['gateway'], now: NOW - minutes * 60_000 });
      return pair.certificate.trim();
    }),
  );
  const served = (count: number, now = NOW): readonly number[] => {
    const published = bundleConfigMap(one, issued.slice(0, count).join('\n')).object;
    const input = { secret: undefined, configMap: published, namespaceObject: undefined, now };
    const verdict = decideCertificate(one, input);
    return verdict.kind === 'issue' ? verdict.served.map((each) => issued.indexOf(each.trim())) : [];
  };

  expect([0, 1, 2, 3, 4].map((count) => served(count))).toEqual([[], [0], [1], [1, 2], [1, 2, 3]]);
  expect(served(4, NOW - 20 * 60_000)).toEqual([0, 1, 2, 3]);
  expect(served(4, NOW + 3600_000)).toEqual([3]);
});

describe('the objects of a certificate', () => {
  it('the certificate has every DNS name of the Service', () => {
    expect(certificateNames(one)).toEqual([
      'gateway',
      `gateway.${NAMESPACE}`,
      `gateway.${NAMESPACE}.svc`,
      `gateway.${NAMESPACE}.svc.cluster.local`,
    ]);
  });

  it('the bundle has the served certificate and the next one, each once', () => {
    expect(bundleOf(pairForTest(2, NOW), [])).toBe(`${pem(2)}\n`);
    expect(bundleOf(pairForTest(2, NOW), [pem(1)])).toBe(`${pem(1)}\n${pem(2)}\n`);
    expect(bundleOf(pairForTest(2, NOW), [pem(2)])).toBe(`${pem(2)}\n`);
    expect(at(configMap, 'data', 'ca.crt')).toBe(BUNDLE);
  });

  it('the revision of the Secret does not depend on the key', () => {
    const other = keyPairSecret(one, { ...pairForTest(2, NOW), privateKey: 'another' }, BUNDLE);

    expect(other.revision).toBe(keyPairSecret(one, pairForTest(2, NOW), BUNDLE).revision);
    expect(JSON.stringify(applied.metadata)).not.toContain(KEY_CANARY);
    expect(atob(String(at(applied, 'data', 'tls.key')))).toContain(KEY_CANARY);
  });

  it('a certificate is renewed when a third of its validity is left', () => {
    expect(RENEW_BEFORE_MS).toBe(30 * DAY_MS);
  });
});
