import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startChild, type Child } from '@multicluster-engine/kube-apiserver';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { describeWithKubectl } from '../../support/clients/kubectl.js';
import { Standalone } from '../../support/processes/standalone.js';
import { root } from '../../support/repository/root.js';

/** The console as processes on a hub: its links, its end, and what it writes with the rights of a person. */

const PROGRAM = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const MINUTE = 60_000;
/** Jane may see everything, Tom may do everything in namespace `default`. */
const RIGHTS = [
  ['create', 'clusterrolebinding', 'jane', '--clusterrole=view', '--user=jane'],
  ['create', 'rolebinding', 'tom', '--clusterrole=admin', '--user=tom', '-n', 'default'],
];

function placement(spec: object): string {
  return JSON.stringify({
    apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
    kind: 'Placement',
    metadata: { name: 'web', namespace: 'default' },
    spec,
  });
}

/** kubectl folds texts that are longer than a line. */
function unfolded(text: string): string {
  return text.replaceAll(/(?<=\S)\n +(?=[^\s-][^:\n]*(?:: [^:\n]*)?'\n)/g, ' ');
}

/** A browser without a page: the requests that the page sends. */
class PageClient {
  readonly #origin: string;
  #key = '';

  constructor({ origin }: URL) {
    this.#origin = origin;
  }

  /** Opens the session of a link; returns the code of the answer. */
  async open({ hash }: URL): Promise<number> {
    const response = await this.#send('session', { code: hash.slice('#code='.length) });
    if (response.ok) this.#key = ((await response.json()) as { key: string }).key;
    return response.status;
  }

  async read(route: string, body?: object): Promise<unknown> {
    const response = await this.#send(route, body);
    return response.ok ? ((await response.json()) as { data: unknown }).data : response.status;
  }

  #send(route: string, body?: object): Promise<Response> {
    return fetch(`${this.#origin}/api/v1/${route}`, {
      headers: { origin: this.#origin, authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  }
}

interface Served {
  readonly link: URL;
  readonly client: PageClient;
  readonly child: Child;
}

describeWithKubectl('the console of a hub', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-console-'));
  const auditLog = path.join(folder, 'audit.log');
  const children: Child[] = [];
  let hub: Standalone;

  beforeAll(async () => {
    hub = await Standalone.start(folder, ['--ephemeral', '--seed-fleet=12', `--audit-log=${auditLog}`]);
    for (const args of RIGHTS) await kubectl(args);
    await kubectl(['apply', '-f', '-'], placement({ numberOfClusters: 3 }));
  }, 5 * MINUTE);
  afterAll(async () => {
    await Promise.all([...children.map((child) => child.stop(1_000)), hub.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  const kubectl = (args: readonly string[], input = ''): Promise<string> =>
    kubectlOk(args, { kubeconfig: hub.kubeconfig, input });

  /** What the hub has stored of the Placement. */
  async function stored(): Promise<unknown> {
    return JSON.parse(await kubectl(['get', 'fpl', 'web', '-o', 'jsonpath={.spec}']));
  }

  /** The page of a person. */
  async function pageAs(person: string): Promise<PageClient> {
    const { link, client } = await serve(`--as=${person}`);
    await client.open(link);
    return client;
  }

  /** Runs a command of the program on the hub, to its end. */
  async function startCommand(args: readonly string[]): Promise<void> {
    const command = [process.execPath, PROGRAM, ...args, `--kubeconfig=${hub.kubeconfig}`] as const;
    const child = await startChild({ command: [...command], env: {}, cwd: root, output: 'pipe' });
    expect(await child.exited).toEqual({ code: 0, signal: null });
  }

  /** `console` of a person, and the page with the session of its link. */
  async function serve(...flags: readonly string[]): Promise<Served> {
    const command = [process.execPath, PROGRAM, 'console', `--kubeconfig=${hub.kubeconfig}`, ...flags] as const;
    const child = await startChild({ command: [...command], env: {}, cwd: root, output: 'pipe' });
    children.push(child);
    const lines: string[] = [];
    createInterface({ input: child.output }).on('line', (line) => lines.push(line.trim()));
    const link = await waitFor('the link', () => lines.find((line) => line.includes('/login#code=')));
    return { link: new URL(link), client: new PageClient(new URL(link)), child };
  }

  it('standalone prints a link that opens once, and shows the fleet with the rights of its kubeconfig', async () => {
    const client = new PageClient(hub.link);
    expect(await client.read('fleet')).toBe(401);
    expect([await client.open(hub.link), await new PageClient(hub.link).open(hub.link)]).toEqual([200, 401]);
    expect(await client.read('fleet')).toMatchObject({ total: 12 });
  });

  it.each(['SIGINT', 'SIGHUP'] as const)('the link of the command opens once, and %s ends it', async (signal) => {
    const { link, client, child } = await serve();
    expect([await client.open(link), await client.open(link)]).toEqual([200, 401]);
    expect(await client.read('fleet')).toMatchObject({ total: 12 });
    child.kill(signal);
    expect(await child.exited).toEqual(signal === 'SIGINT' ? { code: 0, signal: null } : { code: null, signal });
    await expect(client.read('fleet')).rejects.toThrow('fetch failed');
  });

  it('a draft is applied with the rights of the person, who is in the audit log, and nothing is without them', async () => {
    const draft = { manifests: placement({ numberOfClusters: 2 }) };
    for (const [person, kind] of [
      ['jane', 'refused'],
      ['tom', 'accepted'],
    ] as const) {
      const page = await pageAs(person);
      const { basedOn } = (await page.read('plan', draft)) as { basedOn: string };
      const apply = (dryRun: boolean): Promise<unknown> => page.read('apply', { draft, basedOn, dryRun });
      expect(await apply(true)).toMatchObject({ kind });
      expect(await stored()).toEqual({ numberOfClusters: 3 });
      expect(await apply(false)).toMatchObject(
        kind === 'refused' ? { kind, message: expect.stringContaining('User "jane" cannot update') } : { kind },
      );
    }
    expect(await stored()).toEqual({ numberOfClusters: 2 });
    const writes = readFileSync(auditLog, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"verb":"update"') && line.includes('"resource":"placements"'))
      .map((line) => JSON.parse(line))
      .filter(({ requestURI, responseStatus }) => !requestURI.includes('dryRun') && responseStatus.code === 200);
    expect(writes).toEqual([
      expect.objectContaining({ impersonatedUser: expect.objectContaining({ username: 'tom' }) }),
    ]);
  });

  it('what somebody else has changed since the plan is not overwritten: it is planned again, and shows their change', async () => {
    const page = await pageAs('tom');
    const draft = { manifests: placement({ numberOfClusters: 4 }) };
    const { basedOn } = (await page.read('plan', draft)) as { basedOn: string };
    const theirs = { tolerations: [{ key: 'theirs', operator: 'Exists' }] };
    await kubectl(['patch', 'fpl', 'web', '--type=merge', '-p', JSON.stringify({ spec: theirs })]);

    expect(await page.read('apply', { draft, basedOn, dryRun: false })).toEqual({ kind: 'moved' });
    expect(await stored()).toEqual({ numberOfClusters: 2, ...theirs });
    await waitFor('the plan to show it', async () =>
      JSON.stringify(await page.read('plan', draft)).includes('key: theirs'),
    );
  });

  it('an action is made as its command makes it: the same fields, by the same manager, and nobody else may', async () => {
    const action = (kind: string): object => ({ manifests: '', action: { kind, namespace: 'default', name: 'web' } });
    const apply = async (page: PageClient, kind: string): Promise<unknown> => {
      const { basedOn } = (await page.read('plan', action(kind))) as { basedOn: string };
      return page.read('apply', { draft: action(kind), basedOn, dryRun: false });
    };
    const managers = async (): Promise<unknown> => {
      const { metadata } = JSON.parse(await kubectl(['get', 'fpl', 'web', '-o', 'json', '--show-managed-fields']));
      const entries: readonly Record<string, unknown>[] = metadata.managedFields;
      return entries
        .filter(({ manager }) => manager === 'multicluster-engine-cli')
        .map(({ time: _time, ...one }) => one);
    };
    const [jane, tom] = [await pageAs('jane'), await pageAs('tom')];
    const rights = 'rights?namespace=default&name=web';
    expect([await jane.read(rights), await tom.read(rights)]).toEqual([{ patch: false }, { patch: true }]);
    expect(await apply(jane, 'pause')).toMatchObject({ kind: 'refused', written: [] });
    expect(await apply(tom, 'pause')).toMatchObject({ kind: 'accepted' });
    expect(await stored()).toMatchObject({ paused: true });
    const byPage = await managers();
    expect(await apply(tom, 'resume')).toMatchObject({ kind: 'accepted' });
    await startCommand(['pause', 'placement', 'web', '-n', 'default']);
    expect(await managers()).toEqual(byPage);
    expect(await apply(tom, 'resume')).toMatchObject({ kind: 'accepted' });
    expect(await stored()).toMatchObject({ paused: false });
  });

  it('a cluster is cordoned and uncordoned by the page as by the commands', async () => {
    const { link, client } = await serve();
    await client.open(link);
    const apply = async (kind: string): Promise<unknown> => {
      const draft = { manifests: '', action: { kind, namespace: '', name: 'cluster-1' } };
      const { basedOn } = (await client.read('plan', draft)) as { basedOn: string };
      return client.read('apply', { draft, basedOn, dryRun: false });
    };
    const maintenance = (): Promise<string> =>
      kubectl(['get', 'mcl', 'cluster-1', '-o', 'jsonpath={.spec.maintenance}']);
    expect(await apply('cordon')).toMatchObject({ kind: 'accepted' });
    expect(await maintenance()).toBe('Cordoned');
    await startCommand(['uncordon', 'cluster-1']);
    expect(await maintenance()).toBe('');
    expect(await apply('drain')).toMatchObject({ kind: 'accepted' });
    expect(await maintenance()).toBe('Draining');
    expect(await apply('uncordon')).toMatchObject({ kind: 'accepted' });
    expect(await maintenance()).toBe('');
  });

  it('an object is shown as kubectl prints it, but for its folded lines, with the rights of the person', async () => {
    const { link, client } = await serve();
    await client.open(link);
    for (const [path, args] of [
      ['managedclusters/cluster-1', ['mcl', 'cluster-1']],
      ['placements/default/web', ['fpl', 'web']],
    ] as const)
      await waitFor(`${path} to be equal`, async (seen) => {
        const { text } = (await client.read(`yaml/${path}`)) as { text: string };
        const printed = await kubectl(['get', ...args, '-o', 'yaml']);
        seen(`${text}\n${printed}`);
        return unfolded(text) === unfolded(printed);
      });
    const tom = await pageAs('tom');
    expect(await tom.read('yaml/managedclusters/cluster-1')).toBe(403);
    expect(await tom.read('yaml/placements/default/web')).toHaveProperty('text');
  });

  it('who may not list clusters is told so, and sees the Placements of the namespace', async () => {
    const page = await pageAs('tom');
    expect(await page.read('placements')).toMatchObject({ rows: [{ name: 'web' }] });
    expect(await page.read('placements/default/web')).toMatchObject({ isKnown: false });
    expect(await page.read('fleet')).toMatchObject({ total: 0 });
  });
});
