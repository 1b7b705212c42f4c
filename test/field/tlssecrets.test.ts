/*
 * What people did: they made the Secret `gateway-tls` themselves, and it was empty, had the files under other names, or a key
 * that does not belong to the certificate. The gateway did not start, or went on with the old pair until its next restart. The
 * engine was Available with the row "taken as it is", and `check` said that the Secret is not read.
 * What is right: the engine names the Secret and what is wrong with it, in its row, in Ready and in an event, and so does
 * `check`; it is well again as soon as the Secret is. The content of the Secret is read once for each of its versions, and no
 * part of the key is shown anywhere.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KubeObject, RawObject } from '../../src/runtime/vocabulary/meta.js';
import { ConfigMaps, Namespaces, Secrets } from '../../src/runtime/vocabulary/kinds.js';
import { checkHub } from '../../src/answers/check/hub.js';
import { checkExitCode, checkText } from '../../src/cli/commands/check.js';
import { worldOf } from '../../src/answers/world/world.js';
import { inspectSecretData } from '../../src/domain/engine/steps/certificate.js';
import { inspectKeyPair } from '../../src/runtime/vocabulary/keypair.js';
import { issueServingCertificate, type ServingCertificate } from '../../src/runtime/tls/serving.js';
import { ApiError } from '../../src/runtime/errors.js';
import { DAY_MS } from '../support/builders/certificate.js';
import { NAMESPACE } from '../support/builders/engine.js';
import { hubFacts, readingOf } from '../support/builders/hubinput.js';
import { pathWithKubectl } from '../support/clients/kubectl.js';
import { EngineRig } from '../support/rigs/controllers/engine.js';

const SECRET = { namespace: NAMESPACE, name: 'gateway-tls' };
const START = new EngineRig().clock.now();

let pair: ServingCertificate;
let other: ServingCertificate;
beforeAll(async () => {
  const issue = (): Promise<ServingCertificate> =>
    issueServingCertificate({ names: ['gateway', 'gateway.example.com'], now: START });
  [pair, other] = [await issue(), await issue()];
});

type Files = Readonly<Record<string, string>>;

/** Somebody else writes the Secret. */
function put(rig: EngineRig, files: Files | undefined): void {
  const data = files && Object.fromEntries(Object.entries(files).map(([name, text]) => [name, btoa(text)]));
  const stored = rig.api.peek<KubeObject>(Secrets, SECRET);
  rig.api.put(Secrets, Object.assign({ ...stored, metadata: { ...SECRET, uid: 'theirs' } }, { data }));
}

/** An engine whose Secret exists before it. */
async function installedWith(files: Files | undefined): Promise<EngineRig> {
  const rig = new EngineRig();
  rig.api.put(Namespaces, { metadata: { name: NAMESPACE } });
  put(rig, files);
  await rig.install();
  return rig;
}

function row(rig: EngineRig): string {
  const found = rig.engine().status?.components?.find(({ kind, name }) => kind === 'Secret' && name === 'gateway-tls');
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

const good = (): Files => ({ 'tls.crt': pair.certificate, 'tls.key': pair.privateKey });
const mismatched = (): Files => ({ ...good(), 'tls.key': other.privateKey });

/** What `check` prints of the certificate of an engine, and its exit code. */
function checked(engine: object): { readonly line: string; readonly exitCode: number } {
  const facts = hubFacts({ reading: readingOf(worldOf({ multiclusterengines: [engine as RawObject] })) });
  const results = checkHub(facts);
  const mine = results.filter(({ name }) => name === 'certificate');
  const line = checkText(mine, { output: 'text', colored: false, pre: false }).trimEnd();
  return { line, exitCode: checkExitCode(results) };
}

const KEPT = 'a running gateway keeps the pair that it has loaded, and a new one cannot start';

describe('a Secret with which no gateway can serve', () => {
  it.each<[string, () => Files | undefined, string]>([
    ['has no data', () => undefined, 'is empty: it has no data'],
    ['has two empty files', () => ({ 'tls.crt': '', 'tls.key': '' }), 'tls.crt is empty'],
    ['has an empty key', () => ({ ...good(), 'tls.key': '' }), 'tls.key is empty'],
    ['has no key', () => ({ 'tls.crt': pair.certificate }), 'has no tls.key in its data'],
    [
      'has files of other names',
      () => ({ 'cert.pem': pair.certificate, 'key.pem': pair.privateKey }),
      'has no tls.crt and no tls.key in its data; it has cert.pem, key.pem, which nothing reads',
    ],
    ['has the key of another certificate', mismatched, 'tls.key does not belong to tls.crt'],
    [
      'has its files swapped',
      () => ({ 'tls.crt': pair.privateKey, 'tls.key': pair.certificate }),
      'tls.crt holds a private key and tls.key a certificate: they are swapped',
    ],
    [
      'is encoded twice',
      () => ({ 'tls.crt': btoa(pair.certificate), 'tls.key': btoa(pair.privateKey) }),
      'tls.crt is encoded in base64 twice',
    ],
  ])('the Secret %s: the engine and check name it', async (_what, files, problem) => {
    const rig = await installedWith(files());

    expect(row(rig)).toBe(`False Unusable: ${problem}; ${KEPT}`);
    expect(rig.state()).toBe('Progressing CertificateUnusable');
    expect(rig.message()).toBe(`Secret ${NAMESPACE}/gateway-tls: ${problem}; ${KEPT}`);
    expect(rig.events.find(({ reason }) => reason === 'CertificateUnusable')).toMatchObject({
      type: 'Warning',
      note: rig.message(),
    });
    expect(checked(rig.engine())).toEqual({
      line: `× Secret ${NAMESPACE}/gateway-tls, which has the certificate of the gateway: ${problem}; ${KEPT}: kubectl create secret tls gateway-tls -n ${NAMESPACE} --cert=FILE --key=FILE --dry-run=client -o yaml | kubectl replace -f -`,
      exitCode: 1,
    });
  });

  it('a Secret that is mended or broken is noticed at once', async () => {
    const rig = await installedWith(good());
    expect(rig.state()).toBe('Available EngineReady');
    rig.enqueued.length = 0;
    put(rig, mismatched());
    expect(rig.enqueued).toEqual(['hub']);
    await rig.converge();
    expect(rig.state()).toBe('Progressing CertificateUnusable');
    expect(rig.condition('Available')).toMatchObject({ status: 'False', message: expect.stringContaining('tls.key') });

    put(rig, good());
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
    expect(checked(rig.engine()).line).toBe(
      `✓ Secret ${NAMESPACE}/gateway-tls, which has the certificate of the gateway: was created by somebody else and is used unchanged; valid until 2026-04-01T00:00:00Z, for gateway, gateway.example.com`,
    );
  });

  it('a Secret of the operator that somebody emptied is not named but replaced', async () => {
    const rig = new EngineRig();
    await rig.install();
    const stored = rig.api.peek<KubeObject>(Secrets, SECRET) ?? { metadata: SECRET };
    const emptied = { ...stored, metadata: { ...stored.metadata, managedFields: [] } };
    rig.api.put(Secrets, Object.assign(emptied, { data: { 'tls.crt': '', 'tls.key': '' } }));
    await rig.converge();

    expect(row(rig)).toBe('True Applied: applied');
    expect(rig.reasons()).toContain('DriftRepaired');
    expect(rig.api.secretReads).toEqual([]);
  });

  it('the certificates that clients trust stay published until the Secret of somebody else can be served', async () => {
    const rig = new EngineRig();
    await rig.install();
    rig.api.remove(Secrets, SECRET);
    put(rig, mismatched());
    await rig.converge();
    const published = (): boolean =>
      rig.api.peek(ConfigMaps, { namespace: NAMESPACE, name: 'gateway-ca' }) !== undefined;
    expect(published()).toBe(true);

    put(rig, good());
    await rig.converge();
    expect(published()).toBe(false);
  });
});

describe('time', () => {
  it('a certificate becomes doubtful and then unusable, each at its time, without another read', async () => {
    const rig = await installedWith(good());
    const end = START + 90 * DAY_MS;
    await rig.clock.advance(76 * DAY_MS - 60_000);
    expect(await rig.pass()).toEqual({ ending: 'done', requeueAfterMs: 60_000 });
    await rig.clock.advance(60_000);
    await rig.converge();
    expect(row(rig)).toBe(
      'True Doubtful: was created by somebody else and is used unchanged; it expires soon: valid until 2026-04-01T00:00:00Z',
    );
    expect(rig.state()).toBe('Available EngineReady');
    expect(checked(rig.engine())).toMatchObject({ line: expect.stringMatching(/^! .*it expires soon/), exitCode: 0 });

    await rig.clock.advance(end - rig.clock.now());
    await rig.converge();
    expect(row(rig)).toBe('False Unusable: the certificate has expired at 2026-04-01T00:00:00Z: no client accepts it');
    expect(rig.api.secretReads).toHaveLength(1);
  });

  it('a certificate that is not valid yet is named with its date, and requests a pass then', async () => {
    const late = await issueServingCertificate({ names: ['gateway'], now: START + 3_600_000 + 300_000 });
    const rig = await installedWith({ 'tls.crt': late.certificate, 'tls.key': late.privateKey });

    expect(row(rig)).toBe(
      'False Unusable: the certificate is not valid before 2026-01-01T01:00:00Z: no client accepts it',
    );
    expect(await rig.pass()).toMatchObject({ requeueAfterMs: 3_600_000 });
    await rig.clock.advance(3_600_000);
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
  });
});

describe('the content of the Secret', () => {
  it('each version is read once: a pass that changes nothing reads and writes nothing', async () => {
    const rig = await installedWith(mismatched());
    expect(rig.api.secretReads).toEqual([`${NAMESPACE}/gateway-tls`]);
    const calls = rig.api.calls.length;
    await rig.pass();
    rig.edit({ annotations: { 'multicluster.platform.io/paused': 'true' } });
    await rig.pass();

    expect(rig.api.calls.slice(calls).filter(({ type }) => type === Secrets)).toEqual([]);
    expect(rig.message()).toContain('tls.key does not belong to tls.crt');
    put(rig, good());
    await rig.pass();
    expect(row(rig)).toContain('True Given');
    expect(rig.api.secretReads).toHaveLength(2);
  });

  it('no part of a key is in a log, an event, a status, or what is remembered of it', async () => {
    const broken = { 'tls.crt': pair.privateKey, 'tls.key': `x${other.privateKey.slice(0, 150)}` };
    const rig = await installedWith(mismatched());
    put(rig, broken);
    await rig.converge();
    expect(row(rig)).toContain('False Unusable');
    const remembered = [mismatched(), broken].map((files) =>
      inspectSecretData(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, btoa(text)]))),
    );
    const shown = JSON.stringify([rig.log, rig.events, rig.engine(), checked(rig.engine()), remembered]);

    for (const { privateKey } of [pair, other])
      for (const line of privateKey.split('\n').slice(1, 4)) expect(shown).not.toContain(line.slice(0, 20));
  });

  it('a Secret that may not be read is used as before; it is said that nothing was checked, and tried again', async () => {
    const rig = new EngineRig();
    rig.api.put(Namespaces, { metadata: { name: NAMESPACE } });
    put(rig, mismatched());
    const call = { verb: 'get', resource: 'secrets', ...SECRET };
    rig.api.before = ({ type, verb }) => {
      if (type === Secrets && verb === 'get')
        throw new ApiError({ kind: 'Forbidden', message: 'secrets "gateway-tls" is forbidden', call, status: 403 });
    };
    await rig.install();

    expect(row(rig)).toMatch(/^True Doubtful: .* its content could not be read and is not checked: .*is forbidden/);
    expect(rig.state()).toBe('Available EngineReady');
    expect(checked(rig.engine()).line).toMatch(/^! .*is not checked/);
    expect(await rig.pass()).toEqual({ ending: 'done', requeueAfterMs: 30_000 });
    rig.api.before = () => undefined;
    await rig.converge();
    expect(row(rig)).toContain('False Unusable');
  });
});

describe('a pull secret of a type with which the kubelet pulls no image', () => {
  const PULL = { namespace: NAMESPACE, name: 'pull' };
  const putPull = (rig: EngineRig, type: string): void =>
    void rig.api.put(Secrets, Object.assign({ metadata: PULL }, { type, data: { x: 'eA==' } }));

  it('the Secret is named, without a read of its content, until one of the right type is there', async () => {
    const rig = new EngineRig();
    rig.api.put(Namespaces, { metadata: { name: NAMESPACE } });
    putPull(rig, 'Opaque');
    await rig.install({ imagePullSecret: 'pull' });
    expect(rig.state()).toBe('Progressing PullSecretUnusable');
    expect(rig.message()).toBe(
      `Secret ${NAMESPACE}/pull, named by spec.imagePullSecret, is not of type kubernetes.io/dockerconfigjson; no image is pulled with it`,
    );
    const calls = rig.api.calls.length;
    await rig.pass();
    expect(rig.api.calls).toHaveLength(calls);

    rig.api.remove(Secrets, PULL);
    await rig.converge();
    expect(rig.state()).toBe('Progressing PullSecretNotFound');
    putPull(rig, 'kubernetes.io/dockercfg');
    await rig.converge();
    expect(rig.state()).toBe('Available EngineReady');
    expect(rig.reasons().filter((reason) => reason.startsWith('PullSecret'))).toEqual([
      'PullSecretUnusable',
      'PullSecretNotFound',
    ]);
    expect(rig.api.secretReads).toEqual([]);
  });
});

describe('kubectl create secret tls, which checks the pair with the library of Kubernetes', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'field-tls-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function acceptedByKubectl(certificate: string, key: string): boolean {
    const [cert, keyFile] = ['cert', 'key'].map((name) => path.join(folder, name));
    writeFileSync(cert ?? '', certificate);
    writeFileSync(keyFile ?? '', key);
    const args = ['create', 'secret', 'tls', 'x', `--cert=${cert}`, `--key=${keyFile}`, '--dry-run=client'];
    const { status, stderr } = spawnSync('kubectl', args, { encoding: 'utf8', env: { PATH: pathWithKubectl() } });
    if (status === null) throw new Error(`kubectl did not run: ${stderr}`);
    return status === 0;
  }

  it.each<[string, () => readonly [string, string]]>([
    ['a pair', () => [pair.certificate, pair.privateKey]],
    ['a pair without a last line end', () => [pair.certificate.trim(), pair.privateKey.trim()]],
    ['a pair with the line ends of Windows', () => [crlf(pair.certificate), crlf(pair.privateKey)]],
    ['a chain', () => [pair.certificate + other.certificate, pair.privateKey]],
    ['a chain in the wrong order', () => [other.certificate + pair.certificate, pair.privateKey]],
    ['text around the blocks', () => [`Bag Attributes\n  x: y\n${pair.certificate}`, `# mine\n${pair.privateKey}`]],
    ['certificate and key in both files', () => [both(pair), both(pair)]],
    ['the key of another', () => [pair.certificate, other.privateKey]],
    ['swapped files', () => [pair.privateKey, pair.certificate]],
    ['an empty certificate', () => ['', pair.privateKey]],
    ['a certificate that is cut', () => [pair.certificate.slice(0, 300), pair.privateKey]],
    ['a key in base64 again', () => [pair.certificate, btoa(pair.privateKey)]],
  ])('agrees about %s', (_what, texts) => {
    const [certificate, key] = texts();

    expect(inspectKeyPair({ certificate, key }).kind).toBe(acceptedByKubectl(certificate, key) ? 'usable' : 'unusable');
  });

  const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
  const both = ({ certificate, privateKey }: ServingCertificate): string => privateKey + certificate;
});

describe('a bundle of published certificates', () => {
  it('with one that cannot be read is a failure that says so', () => {
    const data = { 'ca.crt': `${pair.certificate}-----BEGIN CERTIFICATE-----\nMAo=\n-----END CERTIFICATE-----\n` };
    const trust = { kind: 'Known', value: { metadata: { name: 'gateway-ca' }, data } } as const;

    expect(checkHub(hubFacts({ trust })).find(({ name }) => name === 'certificate')).toMatchObject({
      status: 'Failed',
      message: `a published certificate of the gateway in namespace ${NAMESPACE} cannot be read`,
      remedy: `kubectl get configmaps -n ${NAMESPACE}`,
    });
  });
});
