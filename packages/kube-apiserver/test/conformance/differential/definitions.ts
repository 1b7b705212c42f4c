import { becomesTrue } from '../../../testing/wait.js';
import type { Kind } from './kinds.js';
import type { RandomRequest } from './request.js';
import type { ServerClient } from './serverclient.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';
const DEADLINE_MS = 20_000;
/** The number of equal reads after which a definition is settled: components of kube-apiserver react some milliseconds apart. */
const STABLE_READS = 2;
/** The same for a definition with a naming conflict, whose names may just have been released. */
const STABLE_READS_IN_CONFLICT = 10;
const CONFLICT = 'conflict ';

interface Definition {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly additionalPrinterColumns?: readonly { readonly name: string }[];
    }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Paths of the definitions that a request may have changed: another definition may get names that one released. */
export function definitionsAfter({ method, path }: RandomRequest, names: readonly string[]): readonly string[] {
  if (method === 'GET' || !path.startsWith(DEFINITIONS) || path.includes('dryRun=All')) return [];
  return names.map((name) => `${DEFINITIONS}/${name}`);
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Waits until the controllers of the server have reacted to the state of a definition; whether they have in time. */
export async function settles(side: ServerClient, path: string): Promise<boolean> {
  let last = '';
  let same = 0;
  return becomesTrue(
    async () => {
      const state = await stateOf(side, path);
      same = state !== undefined && state === last ? same + 1 : 0;
      last = state ?? '';
      return same >= (last.startsWith(CONFLICT) ? STABLE_READS_IN_CONFLICT : STABLE_READS);
    },
    { deadlineMs: DEADLINE_MS, everyMs: 10 },
  );
}

/** The settled state of a definition; undefined while controllers have not reacted. */
async function stateOf(side: ServerClient, path: string): Promise<string | undefined> {
  const found = await side.read(path);
  const [plural = '', ...group] = (path.split('/').at(-1) ?? '').split('.');
  if (found.code === 404)
    return (await side.read(`/apis/${group.join('.')}/v1/${plural}`)).code === 404 ? 'gone' : undefined;
  const { metadata, spec, status }: Definition = JSON.parse(found.text);
  const conditions = new Map((status?.conditions ?? []).map(({ type, status: is }) => [type, is]));
  if (!conditions.has('NamesAccepted')) return undefined;
  if (
    metadata.deletionTimestamp !== undefined &&
    metadata.finalizers?.includes(CLEANUP) === true &&
    !(await holds(side, spec))
  )
    return undefined;
  if (conditions.get('Established') !== 'True')
    return conditions.get('NamesAccepted') === 'True' ? undefined : `${CONFLICT}${metadata.resourceVersion}`;
  for (const { name, served, additionalPrinterColumns: columns = [{ name: 'Age' }] } of spec.versions) {
    const list = await side.read(`/apis/${spec.group}/${name}/${spec.names.plural}?limit=1`, TABLE);
    if (!served && list.code !== 404) return undefined;
    if (served && !hasColumns(list.text, ['Name', ...columns.map((column) => column.name)])) return undefined;
  }
  return metadata.resourceVersion;
}

/** Whether instances with finalizers delay the deletion of a definition. */
async function holds(side: ServerClient, { group, names, versions }: Definition['spec']): Promise<boolean> {
  const version = versions.find(({ served }) => served)?.name ?? 'v1';
  const list = await side.read(`/apis/${group}/${version}/${names.plural}`);
  return list.code === 200 && list.text.includes('"deletionTimestamp"');
}

function hasColumns(text: string, wanted: readonly string[]): boolean {
  try {
    const table: { columnDefinitions?: readonly { name: string }[] } = JSON.parse(text);
    const found = (table.columnDefinitions ?? []).map(({ name }) => name);
    return found.length === wanted.length && found.every((name, at) => name === wanted[at]);
  } catch {
    return false;
  }
}

/** Deletes objects that affect other sequences: addresses of Services are limited, and definitions are expensive. */
export async function tidy(side: ServerClient, kinds: readonly Kind[]): Promise<void> {
  for (const kind of kinds) {
    if (kind.kind !== 'Service' && kind.unwatched !== true) continue;
    const root = kind.apiVersion.includes('/') ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
    const collection = side.resolved(
      kind.namespaced ? `${root}/namespaces/{{namespace}}/${kind.plural}` : `${root}/${kind.plural}`,
    );
    for (const name of kind.names ?? (await namesIn(side, collection))) {
      await side.send({
        method: 'PATCH',
        path: `${collection}/${name}`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: null } },
      });
      await side.send({ method: 'DELETE', path: `${collection}/${name}` });
    }
  }
}

/** The names of all objects of a collection, generated names included. */
async function namesIn(side: ServerClient, collection: string): Promise<string[]> {
  const { code, text } = await side.read(collection);
  if (code !== 200) return [];
  const list: { readonly items: readonly { readonly metadata: { readonly name: string } }[] | null } = JSON.parse(text);
  return (list.items ?? []).map(({ metadata }) => metadata.name);
}
