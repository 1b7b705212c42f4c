import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CORE_VARIANTS } from '../test/unit/builtins/corevariants.js';
import { GROUP_VARIANTS } from '../test/unit/builtins/groupvariants.js';
import { SERVICE_VARIANTS } from '../test/unit/builtins/servicevariants.js';
import { patched, type KindVariants } from '../test/unit/builtins/variants.js';
import { WORKLOAD_VARIANTS } from '../test/unit/builtins/workloadvariants.js';
import { startControlPlane } from '../testing/controlplane/start.js';
import { sender, type Answer, type Node, type Send } from './http.js';
import { recordDocuments } from './recorddocuments.js';

/** Records the responses of kube-apiserver to the variants of built-in kinds: `node dist/tools/record.js`. */

const VOLATILE = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields'];

async function record(root: string): Promise<void> {
  const folder = path.join(root, 'test/unit/builtins/recorded');
  mkdirSync(folder, { recursive: true });
  const cwd = path.join(root, 'testing/control-plane/kubernetes');
  const samples = execFileSync('go', ['run', path.join(root, 'tools/samples.go')], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  writeFileSync(path.join(root, 'test/unit/http/protobuf/samples.jsonl'), samples);
  const plane = await startControlPlane({ size: 'api', label: 'record' });
  try {
    const send = sender(plane);
    await recordDocuments(root, send);
    for (const [kind, variants] of Object.entries({
      ...CORE_VARIANTS,
      ...GROUP_VARIANTS,
      ...WORKLOAD_VARIANTS,
      ...SERVICE_VARIANTS,
    })) {
      const recorded = { create: await recordCreates(send, variants), update: await recordUpdates(send, variants) };
      writeFileSync(path.join(folder, `${kind.toLowerCase()}.json`), `${lines(recorded)}\n`);
    }
  } finally {
    await plane.stop();
  }
}

async function recordCreates(send: Send, { path: target, base, create }: KindVariants): Promise<Node> {
  const recorded: Record<string, unknown> = {};
  for (const [name, patch] of Object.entries(create)) {
    const body = patched(base, patch);
    const answer = await send({ method: 'POST', target: isService(body) ? target : `${target}?dryRun=All`, body });
    recorded[name] = written(answer);
    if (isService(body) && answer.code === 201) await remove(send, `${target}/${nameOf(answer.body)}`);
  }
  return recorded;
}

async function recordUpdates(send: Send, { path: target, base, update }: KindVariants): Promise<Node> {
  const recorded: Record<string, unknown> = {};
  for (const [name, { old = {}, next, subresource }] of Object.entries(update)) {
    const made = await send({ method: 'POST', target, body: patched(base, old) });
    if (made.code !== 201) throw new Error(`${name}: ${JSON.stringify(made.body)}`);
    const item = `${target}/${nameOf(made.body)}`;
    const at = subresource === undefined ? item : `${item}/${subresource}`;
    const answer = await send({ method: 'PUT', target: `${at}?dryRun=All`, body: patched(made.body, next) });
    recorded[name] = { old: written(made), next: written(answer) };
    await remove(send, item);
  }
  return recorded;
}

/** A dry run allocates addresses and ports without checking them. */
function isService(body: unknown): boolean {
  return (body as Node)['kind'] === 'Service';
}

function nameOf(body: Node): string {
  return encodeURIComponent((body['metadata'] as { readonly name: string }).name);
}

/** Namespaces must be finalized: no controller runs here. */
async function remove(send: Send, item: string): Promise<void> {
  const gone = await send({ method: 'DELETE', target: item });
  if (gone.body['kind'] !== 'Namespace') return;
  await send({ method: 'PUT', target: `${item}/finalize`, body: { ...gone.body, spec: {} } });
}

/** A response without values that differ between runs. */
function written({ code, body, warnings }: Answer): Node {
  const headerWarnings = warnings.length === 0 ? {} : { warnings };
  if (code >= 400)
    return {
      code,
      message: body['message'],
      causes: (body['details'] as Node | undefined)?.['causes'],
      ...headerWarnings,
    };
  const metadata = Object.fromEntries(
    Object.entries(body['metadata'] as Node).filter(([name]) => !VOLATILE.includes(name)),
  );
  return { code, object: { ...body, metadata }, ...headerWarnings };
}

/** One variant per line, so that diffs are readable. */
function lines({ create, update }: { readonly create: Node; readonly update: Node }): string {
  const rows = (all: Node): string =>
    Object.entries(all)
      .map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n');
  return `{\n  "create": {\n${rows(create)}\n  },\n  "update": {\n${rows(update)}\n  }\n}`;
}

await record(process.cwd());
