import { CLUSTER_SET_LABEL, HISTORY_ANNOTATION, LAST_APPLIED, PLACEMENT_LABEL } from '../../../../src/api/names.js';
import type { World } from '../../../../src/answers/world/world.js';
import { field } from '../../../../src/runtime/vocabulary/json.js';
import type { KubeObject, RawObject } from '../../../../src/runtime/vocabulary/meta.js';
import { consoleEvents, editedWorld, SINCE } from './worlds.js';

/** A fleet of somebody who attacks the page that shows it. */

/** What a text may try: markup, scripts, commands, 300 characters, other directions. */
export const ATTACK = `<img src=x onerror=alert(1)><script>alert(2)</script>"'\`$(reboot)\u202egnol\u0007 ${'x'.repeat(300)}`;
/** What a name may: it has no slash, by which names are told from namespaces. */
export const NAME_ATTACK = '<img src=x onerror=alert(1)>';
/** The fields that are no text of somebody, and those by which the program knows what it reads. */
const KEPT =
  /^(apiVersion|kind|uid|resourceVersion|namespace|phase|status|effect|operator|order|type|\w*Type|\w*Time|time|when\w+|key|hubAcceptsClient)$/;
const NAMES = new Set(['name', 'clusterName', 'clusterSet', CLUSTER_SET_LABEL, PLACEMENT_LABEL]);
/** Annotations that hold JSON. */
const JSON_TEXTS = new Set([HISTORY_ANNOTATION, LAST_APPLIED]);

/** Everywhere the same, so that what names something names it still. */
function attacking(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => attacking(one, key === 'clusters' ? 'name' : key));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      // The names of fields are written by others, too.
      Object.entries(value).map(([name, one]) => [
        name.startsWith('f:own') ? `${name}${ATTACK}` : name,
        attacking(one, name),
      ]),
    );
  if (typeof value !== 'string' || KEPT.test(key)) return value;
  if (JSON_TEXTS.has(key)) return JSON.stringify(attacking(JSON.parse(value)));
  return NAMES.has(key) ? `${value}${NAME_ATTACK}` : `${value} ${ATTACK}`;
}

/** A fleet whose every text attacks the page: of objects, their conditions, histories, claims, fields and writers. */
export function hostileWorld(count: number): World {
  const { objects, ...rest } = editedWorld(count);
  const condition = { status: 'False', reason: ATTACK, message: ATTACK, lastTransitionTime: SINCE, type: ATTACK };
  const writer = { operation: 'Update', time: SINCE, fieldsV1: { 'f:spec': { 'f:own': {} } }, manager: ATTACK };
  const taint = { key: `own${NAME_ATTACK}`, value: ATTACK, effect: 'NoSelect', timeAdded: SINCE };
  const hostile = (one: RawObject): RawObject => {
    const attacked = attacking({
      ...one,
      metadata: { ...one.metadata, managedFields: [...asList(field(one.metadata, 'managedFields')), writer] },
      status: { ...Object(one.status), conditions: [...asList(field(one.status, 'conditions')), condition] },
      ...(one.kind === 'ManagedCluster' && { spec: { ...Object(one.spec), taints: [taint] } }),
    });
    return attacked as RawObject;
  };
  const all = Object.entries(objects).map(([resource, list]) => [resource, list.map(hostile)]);
  return { ...rest, objects: Object.fromEntries(all) as World['objects'] };
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Events of these objects, whose every text attacks. */
export function hostileEvents(): readonly KubeObject[] {
  return consoleEvents().map((one) => ({
    ...one,
    reason: ATTACK,
    note: ATTACK,
    regarding: { kind: 'Placement', namespace: 'shop', name: `web${NAME_ATTACK}` },
  }));
}
