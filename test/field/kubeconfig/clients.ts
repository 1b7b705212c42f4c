import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { kubectlProgram } from '@multicluster-engine/kube-apiserver/testing/controlplane/binaries';
import { apiSource } from '../../../src/runtime/flags/target.js';
import { HUB_FLAGS } from '../../../src/cli/flags.js';
import { Flags } from '../../../src/runtime/flags/flags.js';
import { loadKubeconfig } from '../../../src/runtime/kubeconfig/kubeconfig.js';
import { createTransport } from '../../../src/runtime/transport/transport.js';
import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import { RecordingLog } from '../../support/fakes/log.js';
import type { Case } from './cases.js';

const run = promisify(execFile);

/** A case whose files are written. */
export interface Written {
  readonly case: Case;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly explicit: string | undefined;
}

/** What a client takes from the files: what both show without a request. */
export interface Read {
  readonly server: string;
  readonly namespace: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** The value of the field `token`; empty where the file has none. */
  readonly token: string;
}

/** Writes the files of a case, with the values for its words. */
export async function write(one: Case, folder: string, words: Readonly<Record<string, string>>): Promise<Written> {
  const fill = (text: string): string =>
    Object.entries(words)
      .sort(([a], [b]) => b.length - a.length)
      .reduce((filled, [word, value]) => filled.replaceAll(word, value), text)
      .replaceAll(/(CA|CERT|KEY)_PEM/g, (_, name: string) => decode(words[`${name}_DATA`] ?? ''));
  for (const [name, content] of Object.entries(one.files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(
      file,
      fill(typeof content === 'string' ? content : JSON.stringify(content, null, 2)),
      one.encoding ?? 'utf8',
    );
    if (isPlugin(name)) await chmod(file, 0o700);
  }
  const list = one.list?.map((name) => (name === '' ? '' : path.join(folder, name))).join(':');
  const env = Object.fromEntries(Object.entries(one.env ?? {}).map(([name, value]) => [name, fill(value)]));
  return {
    case: one,
    folder,
    env: { HOME: folder, ...(list === undefined ? {} : { KUBECONFIG: list }), ...env },
    explicit: one.explicit === undefined ? undefined : path.join(folder, one.explicit),
  };
}

function isPlugin(file: string): boolean {
  return file.endsWith('plugin');
}

/** How often a plugin of the case was run so far. */
export async function pluginRuns({ case: one, folder }: Written): Promise<number> {
  const beside = Object.keys(one.files)
    .filter(isPlugin)
    .map((name) => path.join(folder, path.dirname(name), 'runs'));
  const texts = await Promise.all(beside.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.join('').length;
}

const decode = (text: string): string => Buffer.from(text, 'base64').toString();

async function kubectl(written: Written, words: readonly string[]): Promise<string> {
  const { case: one, env, explicit, folder } = written;
  const flags = [
    ...(explicit === undefined ? [] : [`--kubeconfig=${explicit}`]),
    ...(one.context === undefined ? [] : [`--context=${one.context}`]),
    ...(one.as === undefined ? [] : [`--as=${one.as}`]),
  ];
  const child = run(kubectlProgram() ?? 'kubectl', [...words, ...flags], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    cwd: folder,
    timeout: 20_000,
  });
  child.child.stdin?.end();
  return (await child).stdout;
}

/** Lets kubectl ask for a review; false when it refuses. */
export async function askByKubectl(written: Written): Promise<boolean> {
  try {
    await kubectl(written, ['auth', 'can-i', '--list', '--request-timeout=5s']);
    return true;
  } catch {
    return false;
  }
}

/** What kubectl takes from the files; undefined when it refuses. */
export async function readByKubectl(written: Written): Promise<Read | undefined> {
  try {
    const view = JSON.parse(
      await kubectl(written, ['config', 'view', '--minify', '--flatten', '-o', 'json', '--raw']),
    ) as {
      clusters: { cluster: Record<string, string> }[] | null;
      users: { user: Record<string, string> }[] | null;
      contexts: { context: Record<string, string> }[];
    };
    const cluster = view.clusters?.[0]?.cluster ?? {};
    const user = view.users?.[0]?.user ?? {};
    // Entries whose name is empty are used, and not shown.
    if ((view.clusters ?? []).length === 0 || (view.users ?? []).length === 0) return undefined;
    const server = cluster['server'] ?? '';
    const namespace = view.contexts[0]?.context['namespace'] ?? 'default';
    // The product shows no password, and uses the user of the URL.
    if (server.includes('@')) return undefined;
    // Over http nobody uses the rest.
    if (!/^https:/i.test(server)) return { server, namespace, ca: '', cert: '', key: '', token: '' };
    return {
      server,
      namespace,
      ca: decode(cluster['certificate-authority-data'] ?? ''),
      cert: decode(user['client-certificate-data'] ?? ''),
      // A key without a certificate is not used.
      key: user['client-certificate-data'] === undefined ? '' : decode(user['client-key-data'] ?? ''),
      token: user['tokenFile'] === undefined ? (user['token'] ?? '') : '',
    };
  } catch {
    return undefined;
  }
}

/** Lets the product ask for a review; undefined when it refuses. */
export async function askByProduct({ case: one, env, explicit }: Written): Promise<Read | undefined> {
  try {
    const given = Object.entries({ kubeconfig: explicit, context: one.context, as: one.as }).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, text] as const],
    );
    const flags = apiSource(new Flags(HUB_FLAGS, new Map(given)));
    const kubeconfig = loadKubeconfig({
      env: { PATH: process.env['PATH'], ...env },
      ...(flags.kubeconfig === undefined ? {} : { path: flags.kubeconfig }),
      ...(flags.context === undefined ? {} : { context: flags.context }),
      ...(flags.impersonate === undefined ? {} : { impersonate: flags.impersonate }),
    });
    const { server, namespace = 'default' } = kubeconfig;
    const credentials = await kubeconfig.load(false);
    const transport = createTransport(kubeconfig, {
      clock: systemClock,
      random: systemRandom,
      log: new RecordingLog(),
      userAgent: 'test',
    });
    try {
      await transport.call({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
        target: { verb: 'create', resource: 'selfsubjectrulesreviews' },
        body: JSON.stringify({ spec: { namespace } }),
        idempotent: false,
        // A plugin that fails must not be run by each attempt.
        attempts: Object.keys(one.files).some(isPlugin) ? 4 : 1,
        deadlineMs: 5_000,
      });
    } finally {
      await transport.close();
    }
    const { ca, cert, key } = credentials.tls;
    // A header is in UTF-8, of which Node takes each byte as a character.
    const authorization = Buffer.from(String(credentials.headers['Authorization'] ?? ''), 'latin1').toString();
    const [, token = ''] = /^Bearer (.*)$/.exec(authorization) ?? [];
    return { server, namespace, ca: String(ca ?? ''), cert: String(cert ?? ''), key: String(key ?? ''), token };
  } catch (error) {
    refusals.set(one.name, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** Why the product refused a case, by its name. */
export const refusals = new Map<string, string>();
