import { createHash } from 'node:crypto';

import type { MemoryServer, StoredState } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import { AGENT_TOKEN_SECRET, AGENTS_NAMESPACE, DECISION_REVISION_ANNOTATION } from '../../../src/api/names.js';
import { PlacementDecisions } from '../../../src/api/resources.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import { readHubToken } from '../../../src/domain/agent/hubtoken.js';
import { asRecord, field, textField, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { byText } from '../../../src/runtime/vocabulary/names.js';
import { RECORDS } from '../../support/scenario/checks/reading.js';
import { homeWithId } from './machine.js';
import { TOUCHED } from './meddler.js';
import type { View } from './view.js';

const LEASES = 'leases.coordination.k8s.io';
const EVENTS = 'events';

type Entry = NonNullable<ReturnType<MemoryServer['store']['get']>>;

/** Of Leases and Events, nothing is compared: they say when something happened, and by whom. Of the Lease of a cluster, the holder is. */
const IGNORED: ReadonlySet<string> = new Set([LEASES, EVENTS, 'events.events.k8s.io']);

/** Times, what runs out, what a process saw that has ended since, a hash of times; and what others wrote. */
const UNCOMPARED = [...RECORDS, DECISION_REVISION_ANNOTATION, TOUCHED];

/** In an answer, as JSON or YAML; and of the objects in which a history goes on. */
const RESOURCE_VERSION = /("?resourceVersion"?: ?)["']\d+["']/g;
const HISTORY_VERSION = /(-decision-\d+\/)\d+/g;
const MESSAGE = /"message":"(?:[^"\\]|\\.)*"/g;

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * What differs in each run by its nature: key pairs, how many certificates clients trust at the same time (one that was published
 * and not stored before a crash stays trusted until the next), the address of a Service, hashes of objects with uids in them.
 */
const OF_A_RUN: readonly (readonly [RegExp, string])[] = [
  [/(-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----(\\n)*)+/g, '<certificates>'],
  [/"tls\.(crt|key)":"[^"]*"/g, '"tls.$1":"<pair>"'],
  // Of a probe, what it met first.
  [/(has failed for 30 s: )[^"]*/g, '$1<cause>'],
  [/"clusterIP(s?)":(\[?)"[0-9.]+"/g, '"clusterIP$1":$2"<address>"'],
  [/"multicluster\.platform\.io\/revision":"[0-9a-f]{16}"/g, '"multicluster.platform.io/revision":"<hash>"'],
];

/** Of a decision object, as a Placement's status names it. */
const REVISION = /"revision":"[0-9a-f]{16}"/g;

const texts = new WeakMap<Entry, string>();

/** Objects as texts by `collection key`, of all that is not as in `base`: without times, uids, versions and who wrote what. */
export function storedTexts(server: View, base: StoredState): Map<string, string> {
  const all = new Map<string, string>();
  for (const collection of server.store.collections()) {
    if (IGNORED.has(collection)) continue;
    const unchanged = base.get(collection);
    for (const entry of server.store.list(collection, '')) {
      const kept = unchanged?.get(entry.key);
      // A definition that a scenario has made anew, or that was put back after it, is another entry with the same content.
      if (kept === entry || (kept !== undefined && textOf(kept) === textOf(entry))) continue;
      all.set(`${collection} ${entry.key}`, textOf(entry));
    }
  }
  for (const { key, object } of server.store.list(LEASES, `${AGENTS_NAMESPACE}/`))
    all.set(`${LEASES} ${key}`, `held by ${homeWithId(server, field(field(object, 'spec'), 'holderIdentity'))}`);
  return all;
}

function textOf(entry: Entry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const { metadata, ...rest } = entry.object as unknown as {
    readonly metadata: Record<string, unknown>;
    readonly status?: object;
  };
  const { managedFields: _, resourceVersion: __, generation, annotations, labels, ...kept } = metadata;
  const shown = kept['name'] === AGENT_TOKEN_SECRET ? { ...rest, data: tokenData(rest) } : rest;
  const said = { ...kept, annotations: compared(annotations), labels: compared(labels) };
  const text = JSON.stringify({ metadata: said, ...shown }, ordered);
  let masked = withoutTimes(text).replace(REVISION, '"revision":"<hash>"');
  for (const [pattern, mask] of OF_A_RUN) masked = masked.replace(pattern, mask);
  // How often a Deployment was changed on the way is no difference; whether its last change is observed is one.
  if ('observedGeneration' in (rest['status'] ?? {}) && entry.object.kind === 'Deployment')
    masked = masked.replace(`"observedGeneration":${generation as number}`, '"observedGeneration":"<generation>"');
  texts.set(entry, masked);
  return masked;
}

/**
 * A digest of each collection that is not as in `base`, and of `answers`: with what the program records for people. Of messages, whose
 * words may change, it has the numbers and the names of clusters; each Event counts once.
 */
export function digestsOf(server: View, base: StoredState, answers: readonly string[]): Record<string, string> {
  const texts = new Map<string, string[]>();
  const decisions = new Map(server.store.list(resourceOf(PlacementDecisions), '').map((one) => [one.key, one.object]));
  for (const [key, text] of storedTexts(server, base)) {
    const [collection, name] = key.split(' ') as [string, string];
    const isDecision = collection === resourceOf(PlacementDecisions);
    const { annotations = {} } = (isDecision ? decisions.get(name) : undefined)?.metadata ?? {};
    const records = RECORDS.map((one) => withoutTimes(annotations[one] ?? '').replace(HISTORY_VERSION, '$1'));
    const all = texts.get(collection) ?? [];
    texts.set(collection, all);
    all.push([name, text.replace(MESSAGE, factsIn), ...records].join('\n'));
  }
  texts.set(EVENTS, [...new Set(server.store.list(EVENTS, '').map(({ object }) => eventText(asRecord(object))))]);
  const said = answers.map((one) => withoutTimes(one).replace(RESOURCE_VERSION, '$1'));
  if (said.length > 0) texts.set('answers', said);
  return Object.fromEntries([...texts].map(([name, all]) => [name, digestOf(all.sort().join('\n'))]));
}

function eventText({ involvedObject, type, reason, message }: JsonRecord): string {
  const [kind, name] = ['kind', 'name'].map((one) => textField(involvedObject, one));
  return `${kind} ${name} ${String(type)} ${String(reason)} ${factsIn(withoutTimes(String(message)))}`;
}

/** Numbers, and letters alone: such are the names of most clusters. */
function factsIn(text: string): string {
  return (text.match(/\b([a-z]|\d+)\b/g) ?? []).join(' ');
}

/** Eight hexadecimal digits. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function withoutTimes(text: string): string {
  return text.replace(TIME, '<time>').replace(UID, '<uid>');
}

/** Of the Secret of an agent: its keys, and whether it has a token of its own from the present manifest. */
function tokenData(secret: object): object {
  const { kind, ...content } = readHubToken(secret);
  const hasToken = 'token' in content && content.token !== undefined;
  return { kind, hasToken, keys: Object.keys(asRecord(field(secret, 'data'))).sort() };
}

/** Undefined when nothing is left. */
function compared(values: unknown): object | undefined {
  const kept = Object.entries(values ?? {}).filter(([key]) => !UNCOMPARED.includes(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Object keys in one order, and conditions: which of them was written first is no difference. */
function ordered(key: string, value: unknown): unknown {
  if (key === 'conditions' && Array.isArray(value))
    return [...value].sort((a, b) => byText(textField(a, 'type'), textField(b, 'type')));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The first difference, for people; undefined for none. */
export function difference(
  wanted: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): string | undefined {
  for (const [key, text] of wanted) {
    const there = found.get(key);
    if (there === undefined) return `${key} is missing`;
    if (there !== text) return `${key}: ${apart(text, there)}`;
  }
  for (const key of found.keys()) if (!wanted.has(key)) return `${key} should not be there`;
  return undefined;
}

function apart(wanted: string, found: string): string {
  let at = 0;
  while (wanted[at] === found[at]) at += 1;
  const from = Math.max(at - 40, 0);
  return `wanted …${wanted.slice(from, at + 200)}…, found …${found.slice(from, at + 200)}…`;
}
