import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../../src/resource.js';
import { customColumns } from '../../../src/table/custom.js';
import type { PrinterColumn } from '@multicluster-engine/values/schema/custom/definition';
import { includeObjectOf, toTable } from '../../../src/table/table.js';
import { root } from '../../../testing/root.js';
import { builtin } from '../builtins/builtin.js';
import { THING } from '../discovery/thing.js';
import { ROWS } from './rows.js';

interface Recorded {
  readonly object: KubeObject;
  readonly columns: unknown;
  readonly cells: readonly unknown[];
}

const recorded = JSON.parse(readFileSync(path.join(root, 'test/unit/table/recorded.json'), 'utf8')) as Record<
  string,
  Recorded
>;
const NOW = Date.parse('2030-01-01T00:00:00Z');
const AGES = ['Age', 'Last Seen', 'First Seen'];
const printed = ((THING['spec'] as JsonObject)['versions'] as readonly JsonObject[])[0]?.[
  'additionalPrinterColumns'
] as unknown as readonly PrinterColumn[];

function resourceOf({ apiVersion, kind }: KubeObject): Resource {
  return kind === 'Thing'
    ? { ...builtin('v1', 'ConfigMap'), custom: true, columns: customColumns(printed) }
    : builtin(apiVersion, kind);
}

function table(
  object: KubeObject,
  resource: Resource,
): { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] } {
  const made: unknown = toTable([object], resource, {
    includeObject: 'Metadata',
    now: NOW,
    headers: true,
    metadata: {},
  });
  return made as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
}

describe('rows', () => {
  it.each(ROWS.map(({ name }) => name))('the row of %s is that of kube-apiserver', (name) => {
    const { object, columns, cells } = recorded[name] ?? {
      object: { apiVersion: '', kind: '', metadata: {} },
      columns: [],
      cells: [],
    };
    const {
      columnDefinitions,
      rows: [row],
    } = table(object, resourceOf(object));
    const withoutAges = (list: readonly unknown[]): unknown[] =>
      list.filter((_cell, at) => !AGES.includes(columnDefinitions[at]?.name ?? ''));

    expect(columnDefinitions).toEqual(columns);
    expect(withoutAges(row?.cells ?? [])).toEqual(withoutAges(cells));
  });

  it('ages in rows are relative to the given time', () => {
    const { object } = recorded['Event counted'] ?? { object: { apiVersion: '', kind: '', metadata: {} } };

    expect(table(object, resourceOf(object)).rows[0]?.cells.filter((_cell, at) => [0, 7].includes(at))).toEqual([
      '9y',
      '10y',
    ]);
  });

  it('the restarts of a Pod have the age of the last one, and a deleted Pod is Terminating', () => {
    const ended = (time: string): Json => ({ lastState: { terminated: { finishedAt: time } }, restartCount: 2 });
    const pod: KubeObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', deletionTimestamp: '2030-01-01T00:00:30Z' },
      status: { phase: 'Running', containerStatuses: [ended('2029-12-31T23:50:00Z'), ended('2029-12-31T23:00:00Z')] },
    };

    expect(table(pod, builtin('v1', 'Pod')).rows[0]?.cells.slice(0, 4)).toEqual([
      'p',
      '0/0',
      'Terminating',
      '4 (10m ago)',
    ]);
  });

  it('the row of a bookmark has only its metadata', () => {
    const bookmark = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { resourceVersion: '7', annotations: { 'k8s.io/initial-events-end': 'true' } },
    };

    expect(table(bookmark, builtin('v1', 'ConfigMap')).rows).toEqual([
      {
        cells: ['', 0, '<unknown>'],
        object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: bookmark.metadata },
      },
    ]);
  });
});

describe('a table', () => {
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const options = { now: NOW, headers: true, metadata: { resourceVersion: '5' } } as const;

  it.each([
    ['Object', object],
    ['Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } }],
    ['None', null],
  ] as const)('a row with includeObject=%s has the object %j', (includeObject, held) => {
    expect(toTable([object], builtin('v1', 'ConfigMap'), { ...options, includeObject })).toMatchObject({
      kind: 'Table',
      metadata: { resourceVersion: '5' },
      rows: [{ object: held }],
    });
  });

  it('a Table without headers has null columnDefinitions', () => {
    expect(
      toTable([object], builtin('v1', 'ConfigMap'), { ...options, includeObject: 'None', headers: false })[
        'columnDefinitions'
      ],
    ).toBeNull();
  });

  it.each([
    ['v1', 'ConfigMap', []],
    ['rbac.authorization.k8s.io/v1', 'Role', null],
    ['rbac.authorization.k8s.io/v1', 'ClusterRole', null],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', null],
    ['rbac.authorization.k8s.io/v1', 'RoleBinding', []],
  ])('a Table of an empty list of %s %s has the rows %j', (apiVersion, kind, none) => {
    expect(toTable([], builtin(apiVersion, kind), { ...options, includeObject: 'None' })['rows']).toEqual(none);
  });

  it.each([
    [undefined, 'Metadata'],
    ['', 'Metadata'],
    ['Metadata', 'Metadata'],
    ['None', 'None'],
    ['Object', 'Object'],
  ])('includeObject %j means %s', (text, meaning) => {
    expect(includeObjectOf(text)).toBe(meaning);
  });

  it('another includeObject is rejected', () => {
    expect(() => includeObjectOf('Bad')).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "Bad": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });
});

describe('columns of a custom resource', () => {
  it('a custom resource without declared columns has the column Age', () => {
    expect(customColumns([]).map(({ name, type }) => [name, type])).toEqual([['Age', 'date']]);
  });

  it('a column without a description is described by its path', () => {
    expect(customColumns([{ name: 'N', type: 'integer', jsonPath: '.spec.n' }])[0]).toMatchObject({
      description: 'Custom resource definition column (in JSONPath format): .spec.n',
      priority: 0,
    });
  });

  it('columns after one with an invalid path are dropped', () => {
    expect(
      customColumns([
        { name: 'A', type: 'string', jsonPath: '.a' },
        { name: 'B', type: 'string', jsonPath: '.a[' },
        { name: 'C', type: 'string', jsonPath: '.c' },
      ]).map(({ name }) => name),
    ).toEqual(['A']);
  });

  it.each([
    ['string', 'text', 'text'],
    ['string', 5, '5'],
    ['string', true, 'true'],
    ['string', ['a', 'b'], '["a","b"]'],
    ['string', { b: 1, a: { d: '<', c: [] } }, '{"a":{"c":[],"d":"\\u003c"},"b":1}'],
    ['string', [], '[]'],
    ['string', null, '<no value>'],
    ['string', 1234567.5, '1.2345675e+06'],
    ['integer', null, null],
    ['integer', 5, 5],
    ['integer', 5.7, 5],
    ['integer', '5', null],
    ['number', 5.7, 5.7],
    ['number', 'x', null],
    ['boolean', false, false],
    ['boolean', 'false', null],
    ['date', '2029-12-31T23:58:30Z', '90s'],
    ['date', '2030-01-02T00:00:00Z', '<invalid>'],
    ['date', 'yesterday', '<invalid>'],
    ['date', 5, null],
    ['date', undefined, null],
  ])('a column of type %s prints %j as %j', (type, value, cell) => {
    const [column] = customColumns([{ name: 'X', type, jsonPath: '.x' }]);
    const object = { apiVersion: 'v', kind: 'K', metadata: {}, ...(value === undefined ? {} : { x: value }) };

    expect(column?.cell(object, NOW)).toEqual(cell);
  });
});
