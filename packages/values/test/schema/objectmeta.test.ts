import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../src/json.js';
import type { ObjectMeta } from '../../src/object.js';
import { decodeMeta } from '../../src/schema/metadata/decode.js';
import {
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  identifier,
  pathSegment,
  type NameRule,
} from '../../src/formats.js';
import { finalizerWarnings, validateMeta, validateMetaUpdate } from '../../src/schema/metadata/validate.js';
import type { FieldError } from '../../src/schema/fielderror.js';

const text = ({ field, reason, message }: FieldError): string =>
  `${field}|${reason.replace('FieldValue', '')}|${message}`;
const RULES: Readonly<Record<string, { readonly validateName: NameRule; readonly qualifiedFinalizers: boolean }>> = {
  cr: { validateName: dns1123Subdomain, qualifiedFinalizers: false },
  cm: { validateName: dns1123Subdomain, qualifiedFinalizers: true },
  ns: { validateName: dns1123Label, qualifiedFinalizers: true },
  role: { validateName: pathSegment, qualifiedFinalizers: true },
};

/**
 * The causes or warnings that kube-apiserver 1.36.3 returned for a custom resource, a ConfigMap, a Namespace or a
 * ClusterRole.
 */
describe('metadata of a new object', () => {
  it.each<[string, Json, readonly string[], readonly string[]]>([
    ['cr', { name: '' }, ['metadata.name|Required|Required value: name or generateName is required'], []],
    ['role', { name: '' }, ['metadata.name|Required|Required value: name or generateName is required'], []],
    [
      'cr',
      { name: 'A_b' },
      [
        `metadata.name|Invalid|Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [],
    ],
    ['role', { name: 'A_b' }, [], []],
    ['cr', { name: 'a.b' }, [], []],
    ['role', { name: 'a.b' }, [], []],
    [
      'cr',
      { name: '-a' },
      [
        `metadata.name|Invalid|Invalid value: "-a": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [],
    ],
    ['role', { name: '-a' }, [], []],
    [
      'cr',
      { name: 'a-' },
      [
        `metadata.name|Invalid|Invalid value: "a-": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [],
    ],
    ['role', { name: 'a-' }, [], []],
    [
      'cr',
      { name: 'a..b' },
      [
        `metadata.name|Invalid|Invalid value: "a..b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [],
    ],
    ['role', { name: 'a..b' }, [], []],
    [
      'cr',
      { name: 'a'.repeat(254) },
      [`metadata.name|Invalid|Invalid value: "${'a'.repeat(254)}": must be no more than 253 characters`],
      [],
    ],
    ['role', { name: 'a'.repeat(254) }, [], []],
    [
      'cr',
      { name: 'é' },
      [
        `metadata.name|Invalid|Invalid value: "é": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [],
    ],
    ['role', { name: 'é' }, [], []],
    ['cr', { name: 'a'.repeat(64) }, [], []],
    ['role', { name: 'a'.repeat(64) }, [], []],
    [
      'cr',
      { name: 'a b' },
      [
        `metadata.name|Invalid|Invalid value: "a b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [],
    ],
    ['role', { name: 'a b' }, [], []],
    [
      'cr',
      { name: '.' },
      [
        `metadata.name|Invalid|Invalid value: ".": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [],
    ],
    ['role', { name: '.' }, [`metadata.name|Invalid|Invalid value: ".": may not be '.'`], []],
    [
      'cr',
      { name: 'a/b' },
      [
        `metadata.name|Invalid|Invalid value: "a/b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [],
    ],
    ['role', { name: 'a/b' }, [`metadata.name|Invalid|Invalid value: "a/b": may not contain '/'`], []],
    ['ns', { name: 'a.b' }, ['metadata.name|Invalid|Invalid value: "a.b": must not contain dots'], []],
    [
      'ns',
      { name: 'A' },
      [
        `metadata.name|Invalid|Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', labels: { 'a/b/c': 'x' } },
      [
        `metadata.labels|Invalid|Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', labels: { '/b': 'x' } },
      ['metadata.labels|Invalid|Invalid value: "/b": prefix part must be non-empty'],
      [],
    ],
    [
      'cr',
      { name: 'a', labels: { 'a/': 'x' } },
      [
        'metadata.labels|Invalid|Invalid value: "a/": name part must be non-empty',
        `metadata.labels|Invalid|Invalid value: "a/": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', labels: { '': 'x' } },
      [
        'metadata.labels|Invalid|Invalid value: "": name part must be non-empty',
        `metadata.labels|Invalid|Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', labels: { 'A_.b/c': '-x' } },
      [
        `metadata.labels|Invalid|Invalid value: "-x": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
        `metadata.labels|Invalid|Invalid value: "A_.b/c": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', labels: { ['a'.repeat(64)]: 'a'.repeat(64) } },
      [
        `metadata.labels|Invalid|Invalid value: "${'a'.repeat(64)}": must be no more than 63 bytes`,
        `metadata.labels|Invalid|Invalid value: "${'a'.repeat(64)}": name part must be no more than 63 bytes`,
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', labels: { [`${'a'.repeat(254)}/x`]: 'é' } },
      [
        `metadata.labels|Invalid|Invalid value: "${'a'.repeat(254)}/x": prefix part must be no more than 253 bytes`,
        `metadata.labels|Invalid|Invalid value: "é": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', labels: { 'a b': 'a b' } },
      [
        `metadata.labels|Invalid|Invalid value: "a b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
        `metadata.labels|Invalid|Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
      [],
    ],
    ['cr', { name: 'a', annotations: { 'A/B': 'anything' } }, [], []],
    [
      'cr',
      { name: 'a', annotations: { 'a b': 'x' } },
      [
        `metadata.annotations|Invalid|Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', annotations: { k: 'x'.repeat(262144) } },
      ['metadata.annotations|TooLong|Too long: may not be more than 262144 bytes'],
      [],
    ],
    ['cr', { name: 'a', annotations: { k: 'x'.repeat(262143) } }, [], []],
    [
      'cr',
      { name: 'a', ownerReferences: [{}] },
      [
        'metadata.ownerReferences.apiVersion|Invalid|Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind|Invalid|Invalid value: "": must not be empty',
        'metadata.ownerReferences.name|Invalid|Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid|Invalid|Invalid value: "": must not be empty',
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', ownerReferences: [{ apiVersion: 'a/b/c', kind: 'K', name: 'n', uid: 'u' }] },
      ['metadata.ownerReferences.apiVersion|Invalid|Invalid value: "a/b/c": version must not be empty'],
      [],
    ],
    [
      'cr',
      { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'n', uid: 'u' }] },
      [
        'metadata.ownerReferences|Invalid|Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
      [],
    ],
    [
      'cr',
      {
        name: 'a',
        ownerReferences: [
          { apiVersion: 'v1', kind: 'A', name: 'n', uid: 'u', controller: true },
          { apiVersion: 'v1', kind: 'B', name: 'm', uid: 'w', controller: true, blockOwnerDeletion: false },
        ],
      },
      [
        'metadata.ownerReferences|Invalid|Invalid value: [{"apiVersion":"v1","kind":"A","name":"n","uid":"u","controller":true},{"apiVersion":"v1","kind":"B","name":"m","uid":"w","controller":true,"blockOwnerDeletion":false}]: Only one reference can have Controller set to true. Found "true" in references for A/n and B/m',
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', ownerReferences: [{ apiVersion: 'g/', kind: 'K', name: 'n', uid: 'u' }] },
      ['metadata.ownerReferences.apiVersion|Invalid|Invalid value: "g/": version must not be empty'],
      [],
    ],
    [
      'cr',
      { name: 'a', finalizers: ['x'] },
      [],
      [
        'metadata.finalizers: "x": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      ],
    ],
    [
      'cr',
      { name: 'a', finalizers: ['x.y', 'a/b', 'A B', 'orphan'] },
      [
        `metadata.finalizers|Invalid|Invalid value: "A B": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
      [],
    ],
    [
      'cr',
      { name: 'a', finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers|Invalid|Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
      [],
    ],
    [
      'cm',
      { name: 'a', finalizers: ['x', 'a/b', 'A B', 'kubernetes'] },
      [
        'metadata.finalizers[0]|Invalid|Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
        'metadata.finalizers[2]|Invalid|Invalid value: "A B": name is neither a standard finalizer name nor is it fully qualified',
        `metadata.finalizers|Invalid|Invalid value: "A B": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
      [],
    ],
  ])('validation of new metadata with %s reports the causes %j', (kind, value, causes, warnings) => {
    const decoded = decodeMeta(value);
    if ('problem' in decoded) throw new Error(decoded.problem);
    const { meta } = decoded;
    const { validateName, qualifiedFinalizers } = RULES[kind] ?? {
      validateName: () => ['?'],
      qualifiedFinalizers: false,
    };
    const { finalizers = [] } = meta;

    expect(validateMeta(meta, { namespaced: false, validateName, qualifiedFinalizers }).map(text).sort()).toEqual(
      causes,
    );
    if (kind === 'cr' && causes.length === 0) expect(finalizerWarnings(finalizers)).toEqual(warnings);
  });

  it.each<[ObjectMeta, boolean, readonly string[]]>([
    [{ name: 'a' }, true, ['metadata.namespace|Required|Required value']],
    [{ name: 'a', namespace: 'b' }, false, ['metadata.namespace|Forbidden|Forbidden: not allowed on this type']],
    [{ name: 'a', namespace: 'a.b' }, true, ['metadata.namespace|Invalid|Invalid value: "a.b": must not contain dots']],
    [{ name: 'a-x', generateName: 'a-' }, false, []],
    [
      { name: 'a', generation: -1 },
      false,
      ['metadata.generation|Invalid|Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      {
        name: 'a',
        managedFields: [{ operation: 'X', fieldsType: 'Y', manager: 'm\u0007', subresource: 's'.repeat(257) }],
      },
      false,
      [
        'metadata.managedFields[0].operation|Invalid|Invalid value: "X": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType|Invalid|Invalid value: "Y": must be `FieldsV1`',
        'metadata.managedFields[0].manager|Invalid|Invalid value: "m\\a": invalid character U+0007 (at position 1)',
        'metadata.managedFields[0].subresource|TooLong|Too long: may not be more than 256 bytes',
      ],
    ],
  ])(
    'validation of the metadata %j in a namespaced kind (%s) reports the causes of kube-apiserver',
    (meta, namespaced, causes) => {
      expect(validateMeta(meta, { namespaced, validateName: dns1123Subdomain }).map(text)).toEqual(causes);
    },
  );
});

describe('metadata of an update', () => {
  const OLD: ObjectMeta = {
    name: 'a',
    uid: 'u',
    resourceVersion: '5',
    generation: 3,
    creationTimestamp: '2024-01-01T00:00:00Z',
  };

  it.each<[ObjectMeta, ObjectMeta, readonly string[]]>([
    [{}, {}, []],
    [
      {},
      { resourceVersion: '' },
      ['metadata.resourceVersion|Invalid|Invalid value: "": must be specified for an update'],
    ],
    [{}, { generation: 2 }, ['metadata.generation|Invalid|Invalid value: 2: must not be decremented']],
    [
      {},
      { name: 'b', namespace: 'n', uid: 'v' },
      [
        'metadata.name|Invalid|Invalid value: "b": field is immutable',
        'metadata.namespace|Invalid|Invalid value: "n": field is immutable',
        'metadata.uid|Invalid|Invalid value: "v": field is immutable',
      ],
    ],
    [
      {},
      { deletionTimestamp: '2024-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
      [
        'metadata.deletionTimestamp|Invalid|Invalid value: "2024-01-01T00:00:00Z": field is immutable',
        'metadata.deletionGracePeriodSeconds|Invalid|Invalid value: 0: field is immutable',
      ],
    ],
    [
      { deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: ['a/b'] },
      { deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: ['x/z', 'a/b', 'x/y'] },
      [
        'metadata.finalizers|Forbidden|Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/y", "x/z"}',
      ],
    ],
    [{ finalizers: ['a/b'] }, { finalizers: ['x y'] }, []],
    [
      {},
      { labels: { 'a b': 'c' } },
      [
        "metadata.labels|Invalid|Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
  ])('an update of metadata from %j to %j reports the causes of kube-apiserver', (old, next, causes) => {
    expect(validateMetaUpdate({ ...OLD, ...next }, { ...OLD, ...old }).map(text)).toEqual(causes);
  });

  it('an update only warns about finalizers that it adds', () => {
    expect(finalizerWarnings(['x', 'y.z', 'a/b', 'kubernetes'], ['x'])).toEqual([
      'metadata.finalizers: "y.z": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ]);
  });
});

describe('names', () => {
  it.each<[string, NameRule, readonly string[], readonly string[]]>([
    ['labels of RFC 1035', dns1035Label, ['a', 'a-1'], ['1a', 'a-', 'A', 'a.b', '', 'a'.repeat(64)]],
    ['keys of ConfigMaps', configMapKey, ['a', 'A_.-9', '.a'], ['', '.', '..', '..a', 'a b', 'a'.repeat(254)]],
    ['identifiers', identifier, ['a', '_A1'], ['', '1a', 'a-b']],
    ['segments of paths', pathSegment, ['', 'a:b', '...'], ['.', '..', 'a/b', '100%']],
  ])('the name rule for %s accepts valid names and rejects others', (_name, rule, good, bad) => {
    expect(good.filter((name) => rule(name).length > 0)).toEqual([]);
    expect(bad.filter((name) => rule(name).length === 0)).toEqual([]);
  });
});
