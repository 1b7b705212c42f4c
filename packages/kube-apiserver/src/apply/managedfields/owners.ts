import { equal } from '@multicluster-engine/values/json';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { ManagedFieldsEntry } from '@multicluster-engine/values/object';
import { timestamp } from '@multicluster-engine/values/time';
import { readFields, writeFields } from '../fieldpath/fieldsv1.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { compareBytes, goJson, goQuote } from '@multicluster-engine/values/text';

export type Operation = 'Apply' | 'Update';

/** The owner of a set of fields: a parsed managedFields entry. */
export interface Owner {
  readonly manager: string;
  readonly operation: Operation;
  /** The API version in which the fields are named. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339 in UTC with seconds; undefined when the entry has no time. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Owners by their {@link ownerId}. */
export type Owners = ReadonlyMap<string, Owner>;

/**
 * The identity of an entry. The version does not count for `Apply`. The format is that of the API server, which sorts
 * by it.
 */
export function ownerId(owner: Pick<Owner, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const { manager, operation, apiVersion, subresource } = owner;
  const version = operation === 'Apply' ? '' : member('apiVersion', apiVersion);
  return `{${`${member('manager', manager)}${member('operation', operation)}${version}${member('subresource', subresource)}`.slice(0, -1)}}`;
}

function member(name: string, text: string): string {
  return text === '' ? '' : `"${name}":${goJson(text)},`;
}

/**
 * Parses managedFields.
 *
 * @throws Error for an invalid entry: the API server ignores all entries then.
 */
export function readOwners(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  const owners = new Map<string, Owner>();
  for (const [index, entry] of (entries ?? []).entries()) {
    const owner = readOwner(entry, index);
    owners.set(ownerId(owner), owner);
  }
  return owners;
}

function readOwner(entry: ManagedFieldsEntry, index: number): Owner {
  const { manager = '', operation, apiVersion = '', subresource = '', fieldsType = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new Error('apiVersion must not be empty');
  if (fieldsType === '') throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw new Error(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`);
  return {
    manager,
    operation,
    apiVersion,
    subresource,
    time: readTime(entry.time),
    fields: readFields(entry.fieldsV1),
  };
}

function readTime(time: string | undefined): string | undefined {
  const parsed = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : timestamp(parsed);
}

/**
 * Encodes managedFields in the order of the API server: `Apply` first, then by time, name, version and subresource.
 * Equal entries of `old` are reused. Undefined when there are no owners: the field is omitted then.
 */
export function writeOwners(
  owners: Owners,
  old: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  const sorted = [...owners.values()].sort(compareOwners).map((owner) => entryOf(owner, old ?? []));
  return old?.length === sorted.length && sorted.every((entry, index) => entry === old[index]) ? old : sorted;
}

function entryOf(owner: Owner, old: readonly ManagedFieldsEntry[]): ManagedFieldsEntry {
  const { manager, operation, apiVersion, subresource, time, fields } = owner;
  const fieldsV1 = writeFields(fields);
  const same = old.find((entry) => isEntryOf(entry, owner) && equal(entry.fieldsV1, fieldsV1));
  if (same !== undefined) return same;
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1 satisfies JsonObject,
    ...(subresource === '' ? {} : { subresource }),
  };
}

function isEntryOf(entry: ManagedFieldsEntry, owner: Owner): boolean {
  return (
    (entry.manager ?? '') === owner.manager &&
    entry.operation === owner.operation &&
    entry.apiVersion === owner.apiVersion &&
    (entry.subresource ?? '') === owner.subresource &&
    entry.time === owner.time
  );
}

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareBytes(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
  );
}

/** The time of an owner in seconds since the epoch; 0 when it has none. */
export function secondsOf(owner: Owner): number {
  return owner.time === undefined ? 0 : Date.parse(owner.time) / 1000;
}
