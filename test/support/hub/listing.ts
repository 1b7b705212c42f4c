import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { fields } from '../scenario/checks/reading.js';
import type { Hub } from './hub.js';

/** Resources whose objects change without any action of a test. */
const RESTLESS: ReadonlySet<string> = new Set(['events', 'leases', 'podmetrics', 'componentstatuses']);

/** `Kind.group namespace/name uid` of every object on the hub that can be listed, events and leases apart. */
export async function everyObject(hub: Hub): Promise<string[]> {
  const found = new Set<string>();
  for (const { group, version, plural, kind } of await listable(hub)) {
    const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const list = await hub.get(`${prefix}/${plural}`);
    for (const { metadata } of list?.items ?? []) {
      const name = metadata?.namespace === undefined ? metadata?.name : `${metadata.namespace}/${metadata.name ?? ''}`;
      found.add(`${kind}${group === '' ? '' : `.${group}`} ${name ?? ''} ${metadata?.uid ?? ''}`);
    }
  }
  return [...found].sort();
}

interface Listable {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

async function listable(hub: Hub): Promise<Listable[]> {
  const groups = (await hub.get('/apis'))?.['groups'];
  const preferred = (Array.isArray(groups) ? groups : []).map((one) =>
    String(fields(fields(one)['preferredVersion'])['groupVersion']),
  );
  const found: Listable[] = [];
  for (const groupVersion of ['v1', ...preferred]) {
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    const prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const resources = (await hub.get(prefix))?.['resources'];
    for (const one of Array.isArray(resources) ? resources : []) {
      const { name, kind, verbs } = fields(one);
      const plural = String(name);
      if (plural.includes('/') || RESTLESS.has(plural) || !Array.isArray(verbs) || !verbs.includes('list')) continue;
      found.push({ group, version, plural, kind: String(kind) });
    }
  }
  return found;
}

/** What the engine wants of an object: all but what the server and other people add. */
export function essence(object: AnyObject): unknown {
  const { metadata, status: _status, ...rest } = object;
  const own = (map: Readonly<Record<string, string>> = {}): object =>
    Object.fromEntries(
      Object.entries(map).filter(
        ([key]) => /multicluster\.platform\.io|kubernetes\.io/.test(key) && !key.startsWith('deployment.'),
      ),
    );
  const { name, namespace, ownerReferences } = metadata ?? {};
  return {
    ...rest,
    name,
    namespace,
    ownerReferences,
    labels: own(metadata?.labels),
    annotations: own(metadata?.annotations),
  };
}
