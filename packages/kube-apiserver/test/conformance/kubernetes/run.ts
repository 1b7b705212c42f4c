import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startChild } from '../../../src/process/child.js';
import { binary } from '../../../testing/controlplane/binaries.js';
import type { ControlPlane } from '../../../testing/controlplane/plane.js';
import { startBackend, type Backend } from '../../../testing/controlplane/start.js';
import { root } from '../../../testing/root.js';

/**
 * Runs the API machinery part of Kubernetes' end-to-end tests against one server and compares with the committed lists.
 *
 *   node dist/test/conformance/kubernetes/run.js real        records specs.txt: every spec that passes on the real control plane
 *   node dist/test/conformance/kubernetes/run.js embedded    each spec of specs.txt has to pass, except those of skipped.txt
 *
 * A second argument replaces the focus: only matching specs are run and compared, and nothing is recorded. The last
 * line is `N passed, N failed`.
 */

const HERE = path.join(root, 'test', 'conformance', 'kubernetes');
/** The API machinery part, and specs of other parts that only use the API server. */
const FOCUS = [
  'sig-api-machinery.*(Discovery|PublishOpenAPI|FieldValidation|CustomResource|CRD|Watchers|WatchList|ServerSideApply|Table trans|chunking|server version|ValidatingAdmissionPolicy|Namespaces|OpenAPIV3|Garbage|health|client-go|request timeout)',
  'sig-auth\\] (SelfSubjectReview|SubjectReview|ServiceAccounts (no secret|should (guarantee|run through|update)))',
  'sig-instrumentation\\] Events',
  'sig-node\\] (Lease|PodTemplates|ConfigMap should (run through|update)|Secrets should patch)',
  'sig-network\\] Services should (find a service|complete a service status|delete a collection)',
  'sig-cli\\] Kubectl client.*(api-versions|last-applied|reuse port|kubectl diff|applyset|taint|Kubectl validation|version should|Proxy server|subresource flag|kubectl wait)',
].join('|');
const SKIP = 'Webhook|Disruptive|MutatingAdmission|Aggregator';

/** Whether each spec passed, by its name. */
type Results = ReadonlyMap<string, boolean>;

function asBackend(text: string | undefined): Backend {
  if (text === 'real' || text === 'embedded') return text;
  throw new Error(`usage: run.js real|embedded [FOCUS], got ${JSON.stringify(text)}`);
}

function lines(file: string): string[] {
  if (!existsSync(path.join(HERE, file))) return [];
  return readFileSync(path.join(HERE, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The reasons of skipped.txt by spec. A line is `reason: name of the spec`; the name begins with `[sig-`. */
function skipped(): ReadonlyMap<string, string> {
  return new Map(
    lines('skipped.txt').map((line) => {
      const separator = line.indexOf(': [sig-');
      if (separator < 1) throw new Error(`skipped.txt: must be "reason: [sig-…] name": ${line}`);
      return [line.slice(separator + 2), line.slice(0, separator)];
    }),
  );
}

async function runSpecs(kubeconfig: string, focus: string): Promise<Results> {
  const program =
    execFileSync('bash', [path.join(HERE, 'build.sh')], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .at(-1) ?? '';
  const report = await mkdtemp(path.join(tmpdir(), 'kubernetes-e2e-'));
  const child = await startChild({
    command: [
      program,
      `--kubeconfig=${kubeconfig}`,
      '--provider=skeleton',
      `--kubectl-path=${binary('kubectl')}`,
      '--allowed-not-ready-nodes=-1',
      `--ginkgo.focus=${focus}`,
      `--ginkgo.skip=${SKIP}`,
      `--report-dir=${report}`,
      '--ginkgo.no-color',
      '--ginkgo.timeout=60m',
    ],
    env: { PATH: process.env['PATH'] ?? '', HOME: report },
    output: 'pipe',
  });
  child.output.pipe(process.stdout, { end: false });
  await child.exited;
  return resultsOf(readFileSync(path.join(report, 'junit_01.xml'), 'utf8'));
}

function resultsOf(xml: string): Results {
  const results = new Map<string, boolean>();
  for (const [, name = '', status = ''] of xml.matchAll(/<testcase name="\[It\] ([^"]*)"[^>]* status="([a-z]+)"/g)) {
    if (status !== 'skipped' && status !== 'pending') results.set(unescapeXml(name), status === 'passed');
  }
  return results;
}

function unescapeXml(text: string): string {
  return text
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The suite requires a Ready node. Without a kubelet the test writes the condition itself. */
async function addNode(server: ControlPlane): Promise<void> {
  const name = 'node-a';
  if (server.capabilities.has('pods')) {
    await server.addNode({ name });
    return;
  }
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Test',
    message: '',
    lastHeartbeatTime: new Date().toISOString(),
    lastTransitionTime: new Date().toISOString(),
  };
  await server.call({
    method: 'POST',
    path: '/api/v1/nodes',
    body: { apiVersion: 'v1', kind: 'Node', metadata: { name } },
  });
  const path = `/api/v1/nodes/${name}`;
  const contentType = 'application/merge-patch+json';
  await server.call({
    method: 'PATCH',
    path: `${path}/status`,
    contentType,
    body: { status: { conditions: [ready] } },
  });
  const untainted = await server.call({ method: 'PATCH', path, contentType, body: { spec: { taints: null } } });
  if (untainted.status !== 200) throw new Error(`${path}: ${untainted.status} ${untainted.text}`);
}

/** The specs that are run on the embedded server. */
function wanted(): readonly string[] {
  const all = lines('specs.txt');
  const excluded = skipped();
  for (const name of excluded.keys())
    if (!all.includes(name)) throw new Error(`skipped.txt names a spec that is not in specs.txt: ${name}`);
  return all.filter((name) => !excluded.has(name));
}

function compare(results: Results, focused: boolean): number {
  const specs = wanted().filter((name) => !focused || results.has(name));
  const failed = specs.filter((name) => results.get(name) !== true);
  for (const name of failed) process.stdout.write(`${results.has(name) ? 'failed' : 'did not run'}: ${name}\n`);
  process.stdout.write(`${specs.length - failed.length} passed, ${failed.length} failed\n`);
  return failed.length === 0 && specs.length > 0 ? 0 : 1;
}

function record(results: Results): number {
  const passed = [...results]
    .filter(([, succeeded]) => succeeded)
    .map(([name]) => name)
    .sort();
  for (const [name, succeeded] of results)
    if (!succeeded) process.stdout.write(`failed on the real control plane: ${name}\n`);
  writeFileSync(
    path.join(HERE, 'specs.txt'),
    `# Specs of Kubernetes' end-to-end tests that pass on the real control plane; written by run.js.\n${passed.join('\n')}\n`,
  );
  process.stdout.write(`${passed.length} passed, ${results.size - passed.length} failed\n`);
  return 0;
}

const backend = asBackend(process.argv[2]);
const focus = process.argv[3];
const server = await startBackend(backend, { size: 'hub', label: `kubernetes-e2e-${backend}` });
let code = 1;
try {
  await addNode(server);
  const results = await runSpecs(
    server.adminKubeconfig,
    focus ?? (backend === 'real' ? FOCUS : wanted().map(escapeRegExp).join('|')),
  );
  code = backend === 'real' && focus === undefined ? record(results) : compare(results, focus !== undefined);
} finally {
  await server.stop();
}
process.exit(code);
