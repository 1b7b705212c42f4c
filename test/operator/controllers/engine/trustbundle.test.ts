import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { PAUSED_ANNOTATION, TRUST_BUNDLE_ANNOTATION } from '../../../../src/api/names.js';
import { ConfigMaps, Deployments } from '../../../../src/runtime/vocabulary/kinds.js';
import { itemsAt, textAt, treeAt } from '../../../../src/domain/engine/manifest/manifest.js';
import { ApiError } from '../../../../src/runtime/errors.js';
import { NAMESPACE } from '../../../support/builders/engine.js';
import { EngineRig } from '../../../support/rigs/controllers/engine.js';
import { authority } from '../../../runtime/transport/certificate.js';

const NAME = { namespace: NAMESPACE, name: 'corporate-ca' };
const SPEC = { trustBundle: { configMapName: NAME.name } };
const FIRST = authority('first').cert;
const SECOND = authority('second').cert;
/** Longer than the operator waits between two reads. */
const LATER_MS = 61_000;

function store(rig: EngineRig, data: Record<string, string>): void {
  rig.api.put<KubeObject>(ConfigMaps, Object.assign({ metadata: NAME }, { data }));
}

function template(rig: EngineRig, name = 'gateway'): Record<string, unknown> {
  return treeAt(rig.api.peek(Deployments, { namespace: NAMESPACE, name }), 'spec', 'template');
}

function hash(rig: EngineRig): string {
  return textAt(template(rig), 'metadata', 'annotations', TRUST_BUNDLE_ANNOTATION);
}

async function later(rig: EngineRig): Promise<void> {
  await rig.clock.advance(LATER_MS);
  await rig.converge();
}

async function installed(): Promise<EngineRig> {
  const rig = new EngineRig();
  store(rig, { 'ca.crt': FIRST });
  await rig.install(SPEC);
  return rig;
}

describe('a trust bundle', () => {
  it.each(['gateway', 'placement-controller'])('is mounted into %s and named by its variable', async (name) => {
    const pod = treeAt(template(await installed(), name), 'spec');

    expect(itemsAt(pod, 'volumes')).toContainEqual({
      name: 'trust-bundle',
      configMap: {
        name: 'corporate-ca',
        items: [{ key: 'ca.crt', path: 'ca.crt' }],
        optional: true,
        defaultMode: 0o444,
      },
    });
    const [container] = itemsAt(pod, 'containers');
    expect(itemsAt(container, 'env')).toContainEqual({
      name: 'NODE_EXTRA_CA_CERTS',
      value: '/etc/multicluster-engine/trust/ca.crt',
    });
    expect(itemsAt(container, 'volumeMounts')).toContainEqual({
      name: 'trust-bundle',
      mountPath: '/etc/multicluster-engine/trust',
      readOnly: true,
    });
  });

  it('with other content starts one rollout, and the same content none', async () => {
    const rig = await installed();
    const [before, from] = [hash(rig), rig.api.writes.length];
    await later(rig);
    expect(rig.api.writes).toHaveLength(from);

    store(rig, { 'ca.crt': SECOND });
    await later(rig);
    expect(hash(rig)).not.toBe(before);
    expect(rig.api.writes.slice(from).filter((one) => one.startsWith('apply '))).toHaveLength(2);
    rig.rollOut();
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
  });

  it.each<[string, Record<string, string> | undefined, string]>([
    ['is deleted', undefined, 'does not exist'],
    ['loses its key', { other: FIRST }, 'has no ca.crt in its data'],
    ['is emptied', { 'ca.crt': '' }, 'its ca.crt is empty'],
    ['holds a text', { 'ca.crt': 'no certificate' }, 'its ca.crt is not a certificate in PEM'],
    [
      'holds a certificate that is cut',
      { 'ca.crt': `${FIRST}${SECOND.replace('MI', '')}` },
      'certificate 2 of 2 in its ca.crt cannot be read',
    ],
  ])('that %s is named, and its Deployments stay as they are', async (_title, data, words) => {
    const rig = await installed();
    const [before, from] = [template(rig), rig.api.writes.length];
    if (data === undefined) rig.api.remove(ConfigMaps, NAME);
    else store(rig, data);
    await later(rig);

    expect(rig.state()).toBe('Progressing TrustBundleUnusable');
    expect(rig.message()).toContain(`ConfigMap ${NAMESPACE}/corporate-ca, named by spec.trustBundle, `);
    expect(rig.message()).toContain(words);
    expect(template(rig)).toEqual(before);
    expect(rig.api.writes.slice(from)).toEqual(['updateStatus multiclusterengines hub']);
    expect(rig.reasons()).toContain('TrustBundleUnusable');

    store(rig, { 'ca.crt': FIRST });
    await later(rig);
    expect(rig.state()).toBe('Available EngineReady');
    expect(template(rig)).toEqual(before);
  });

  it('that is missing at the installation stops no component', async () => {
    const rig = new EngineRig();
    await rig.install(SPEC);
    expect(rig.state()).toBe('Progressing TrustBundleUnusable');
    expect(itemsAt(template(rig), 'spec', 'volumes').map((one) => one['name'])).not.toContain('trust-bundle');

    store(rig, { 'ca.crt': FIRST });
    await later(rig);
    rig.rollOut();
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
    expect(hash(rig)).not.toBe('');
  });

  it('whose name is changed to one that is missing leaves the mount of the old one', async () => {
    const rig = await installed();
    const before = template(rig);
    rig.edit({}, { trustBundle: { configMapName: 'typo' } });
    await later(rig);

    expect(rig.message()).toContain(`ConfigMap ${NAMESPACE}/typo, named by spec.trustBundle, does not exist`);
    expect(template(rig)).toEqual(before);
  });

  it('that cannot be read for a time stays in use without a word', async () => {
    const rig = await installed();
    rig.api.before = ({ type, verb }) => {
      if (type !== ConfigMaps || verb !== 'list') return;
      throw new ApiError({ kind: 'Unavailable', message: 'away', call: { verb: 'list', resource: 'configmaps' } });
    };
    await later(rig);

    expect(rig.state()).toBe('Available EngineReady');
    expect(hash(rig)).not.toBe('');
  });

  it('is taken out with its field, and is read no more', async () => {
    const rig = await installed();
    rig.edit({}, {});
    await rig.converge();
    const pod = treeAt(template(rig), 'spec');
    expect(itemsAt(pod, 'volumes').map((one) => one['name'])).not.toContain('trust-bundle');
    rig.rollOut();

    await rig.converge();
    const lists = (): number => rig.api.calls.filter(({ verb, type }) => verb === 'list' && type === ConfigMaps).length;
    const before = lists();
    await later(rig);
    expect(lists()).toBe(before);
  });

  it('counts as no drift during a pause', async () => {
    const rig = await installed();
    rig.edit({ annotations: { [PAUSED_ANNOTATION]: 'true' } });
    await rig.converge();

    expect(rig.message()).toContain('nothing is pending');
  });
});
