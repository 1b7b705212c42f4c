import type { Dice } from '../../../testing/random.js';
import { collectionOf, NAMESPACE, type RequestContext, type RandomRequest } from './request.js';
import { BAD_METADATA, METADATA, combined, isFields, word, type Fields, type Value } from './features.js';
import type { Kind } from './kinds.js';
import { withUnusualForm } from './unusualforms.js';
import { fieldsOf, watchRequest } from './watchrequest.js';

const MANAGERS = ['one', 'two', 'three'] as const;

/** Generators with their weights. */
const VERBS: readonly (readonly [number, (dice: Dice, board: RequestContext) => RandomRequest])[] = [
  [6, create],
  [4, update],
  [5, mergePatch],
  [3, jsonPatch],
  [3, strategicPatch],
  [7, apply],
  [3, status],
  [2, read],
  [3, list],
  [3, remove],
  [1, removeAll],
  [2, watchRequest],
];

export function nextRequest(dice: Dice, board: RequestContext): RandomRequest {
  const total = VERBS.reduce((sum, [weight]) => sum + weight, 0);
  let left = dice.between(1, total);
  for (const [weight, verb] of VERBS) {
    left -= weight;
    if (left <= 0)
      return withUnusualForm(
        dice,
        board.kind.unwatched === true && verb === watchRequest ? read(dice, board) : verb(dice, board),
      );
  }
  return read(dice, board);
}

function pathOf(dice: Dice, { kind, names }: RequestContext): string {
  return `${collectionOf(kind)}/${dice.pick(names)}`;
}

/** Generates an object that is mostly valid. */
function object(dice: Dice, { kind, label: mark, names }: RequestContext, name = dice.pick(names)): Fields {
  const identity: Fields = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, labels: { mark } } };
  return combined([kind.base(dice), kind.identity?.(name) ?? {}, identity, ...pieces(dice, kind)]);
}

function pieces(dice: Dice, kind: Kind): Fields[] {
  const made: Fields[] = [];
  for (let more = dice.between(0, 3); more > 0 && kind.features.length > 0; more--)
    made.push(dice.pick(kind.features)(dice));
  if (dice.chance(0.4)) made.push(dice.pick(METADATA)(dice));
  if (dice.chance(0.1) && kind.bad.length > 0) made.push(dice.pick(kind.bad)(dice));
  if (dice.chance(0.04)) made.push(dice.pick(BAD_METADATA)(dice));
  return made;
}

function writeQuery(dice: Dice, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(more);
  if (dice.chance(0.5) && !query.has('fieldManager')) query.set('fieldManager', dice.pick(MANAGERS));
  if (dice.chance(0.3)) query.set('fieldValidation', dice.pick(['Strict', 'Warn', 'Ignore']));
  if (dice.chance(0.1)) query.set('dryRun', 'All');
  if (dice.chance(0.01)) query.set(dice.pick(['dryRun', 'fieldValidation']), 'Odd');
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function create(dice: Dice, board: RequestContext): RandomRequest {
  const collection = collectionOf(board.kind);
  const made = object(dice, board);
  const body = dice.chance(0.05)
    ? withMeta(made, {
        name: undefined,
        generateName: dice.pick(['made-', 'made-', 'made-', 'Odd_', '', `${'long'.repeat(70)}made-`]),
      })
    : made;
  return { method: 'POST', path: `${collection}${writeQuery(dice)}`, body, ...form(dice) };
}

/** Sometimes sends JSON as YAML, or accepts another media type. */
function form(dice: Dice): Partial<RandomRequest> {
  return {
    ...(dice.chance(0.1) ? { contentType: 'application/yaml' } : {}),
    ...(dice.chance(0.06) ? { accept: dice.pick([TABLE, 'application/yaml', 'text/html', PARTIAL]) } : {}),
  };
}

function update(dice: Dice, board: RequestContext): RandomRequest {
  const name = dice.pick(board.names);
  const path = `${collectionOf(board.kind)}/${name}`;
  const versions = dice.pick([
    {},
    { resourceVersion: `{{rv ${path}}}` },
    { resourceVersion: `{{rv ${path}}}` },
    { resourceVersion: `{{rv ${path}}}`, uid: `{{uid ${path}}}` },
    { resourceVersion: '1' },
  ]);
  return {
    method: 'PUT',
    path: `${path}${writeQuery(dice)}`,
    body: withMeta(object(dice, board, name), versions),
    ...form(dice),
  };
}

function mergePatch(dice: Dice, board: RequestContext): RandomRequest {
  const path = pathOf(dice, board);
  const body = dice.chance(0.3)
    ? withNull(dice, combined(pieces(dice, board.kind)))
    : combined(pieces(dice, board.kind));
  const checked = dice.chance(0.1) ? withMeta(body, { resourceVersion: `{{rv ${path}}}` }) : body;
  return {
    method: 'PATCH',
    path: `${path}${writeQuery(dice)}`,
    contentType: 'application/merge-patch+json',
    body: checked,
  };
}

function jsonPatch(dice: Dice, board: RequestContext): RandomRequest {
  const piece = dice.pick([...board.kind.features, ...METADATA])(dice);
  const [place, value] = leaf(dice, piece, '');
  const odd = {
    op: dice.pick(['remove', 'test', 'replace']),
    path: dice.pick(['/data/a', '/spec/nope/x', '/metadata/labels/color', '/spec/items/0']),
    value: word(dice),
  };
  const operations: Value[] = [{ op: dice.pick(['add', 'add', 'replace', 'test', 'remove']), path: place, value }];
  if (dice.chance(0.2)) operations.push(odd);
  return {
    method: 'PATCH',
    path: `${pathOf(dice, board)}${writeQuery(dice)}`,
    contentType: 'application/json-patch+json',
    body: operations,
  };
}

function strategicPatch(dice: Dice, board: RequestContext): RandomRequest {
  const body = combined(pieces(dice, board.kind));
  const directed = dice.chance(0.2)
    ? combined([
        body,
        dice.pick([
          { metadata: { labels: { $patch: 'replace', only: 'this' } } },
          { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] } },
          { data: { $patch: 'delete' } },
        ]),
      ])
    : body;
  return {
    method: 'PATCH',
    path: `${pathOf(dice, board)}${writeQuery(dice)}`,
    contentType: 'application/strategic-merge-patch+json',
    body: directed,
  };
}

function apply(dice: Dice, board: RequestContext): RandomRequest {
  const { kind, label: mark, names } = board;
  const name = dice.pick(names);
  const identity: Fields = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ...(dice.chance(0.5) ? { labels: { mark } } : {}) },
  };
  const whole = combined([
    dice.chance(0.9) ? combined([kind.base(dice), kind.identity?.(name) ?? {}]) : {},
    identity,
    ...pieces(dice, kind),
  ]);
  // kube-apiserver stores nulls of an apply to a custom resource, without returning them, until the next write.
  const body = kind.strategic ? whole : withoutNulls(whole);
  const query = writeQuery(dice, { fieldManager: dice.pick(MANAGERS), ...(dice.chance(0.4) ? { force: 'true' } : {}) });
  return {
    method: 'PATCH',
    path: `${collectionOf(kind)}/${name}${query}`,
    contentType: 'application/apply-patch+yaml',
    body,
  };
}

function status(dice: Dice, board: RequestContext): RandomRequest {
  const { kind } = board;
  if ((kind.plural === 'deployments' || kind.plural === 'widgets') && dice.chance(0.5)) return scale(dice, board);
  if (kind.status === undefined) return read(dice, board);
  const name = dice.pick(board.names);
  const path = `${collectionOf(kind)}/${name}`;
  const body = combined([dice.pick(kind.status)(dice), ...(dice.chance(0.3) ? pieces(dice, kind) : [])]);
  if (dice.chance(0.15)) return { method: 'GET', path: `${path}/status` };
  if (dice.chance(0.3)) {
    const whole = combined([object(dice, board, name), body, { metadata: { resourceVersion: `{{rv ${path}}}` } }]);
    return { method: 'PUT', path: `${path}/status${writeQuery(dice)}`, body: whole };
  }
  if (dice.chance(0.3)) {
    const applied = combined([{ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } }, body]);
    return {
      method: 'PATCH',
      path: `${path}/status${writeQuery(dice, { fieldManager: dice.pick(MANAGERS), force: 'true' })}`,
      contentType: 'application/apply-patch+yaml',
      body: applied,
    };
  }
  return {
    method: 'PATCH',
    path: `${path}/status${writeQuery(dice)}`,
    contentType: 'application/merge-patch+json',
    body,
  };
}

/** A request to the scale subresource. */
function scale(dice: Dice, board: RequestContext): RandomRequest {
  const name = dice.pick(board.names);
  const path = `${collectionOf(board.kind)}/${name}`;
  const body: Fields = {
    spec: { replicas: dice.pick<Value>([0, 1, 2, 5, -1, 'two']) },
    ...(dice.chance(0.1) ? dice.pick(BAD_METADATA)(dice) : {}),
  };
  if (dice.chance(0.3)) return { method: 'GET', path: `${path}/scale` };
  if (dice.chance(0.3)) {
    const whole = combined([
      body,
      { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name, namespace: NAMESPACE } },
      dice.chance(0.5) ? { metadata: { resourceVersion: `{{rv ${path}}}` } } : {},
    ]);
    return { method: 'PUT', path: `${path}/scale${writeQuery(dice)}`, body: whole };
  }
  if (dice.chance(0.3)) {
    const applied = combined([{ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name } }, body]);
    return {
      method: 'PATCH',
      path: `${path}/scale${writeQuery(dice, { fieldManager: dice.pick(MANAGERS), ...(dice.chance(0.6) ? { force: 'true' } : {}) })}`,
      contentType: 'application/apply-patch+yaml',
      body: applied,
    };
  }
  return {
    method: 'PATCH',
    path: `${path}/scale${writeQuery(dice)}`,
    contentType: dice.pick(['application/merge-patch+json', 'application/strategic-merge-patch+json']),
    body,
  };
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const ODD = [
  'text/html',
  'application/json;as=Odd;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v9;g=meta.k8s.io',
  'text/html, application/json;q=0.5',
  '*/*',
] as const;

function read(dice: Dice, board: RequestContext): RandomRequest {
  const accept = dice.pick([
    'application/json',
    'application/json',
    TABLE,
    PARTIAL,
    'application/yaml',
    dice.pick(ODD),
  ]);
  return { method: 'GET', path: pathOf(dice, board), accept };
}

function list(dice: Dice, board: RequestContext): RandomRequest {
  const selectors = [
    `mark=${board.label}`,
    `mark=${board.label},color`,
    `mark=${board.label},color in (red, blue)`,
    `mark=${board.label},!color`,
    `mark=${board.label},color!=red`,
  ];
  const query = new URLSearchParams({ labelSelector: dice.pick(selectors) });
  if (dice.chance(0.3)) query.set('limit', String(dice.between(0, 3)));
  if (dice.chance(0.3))
    query.set(
      'fieldSelector',
      dice.pick([
        `metadata.name=${dice.pick(board.names)}`,
        `metadata.name!=${dice.pick(board.names)}`,
        ...fieldsOf(board.kind.plural),
      ]),
    );
  if (dice.chance(0.05)) query.set('labelSelector', dice.pick(['a in', '=', 'a=b=c', '!!a', 'a in ()']));
  if (dice.chance(0.1)) query.set('includeObject', dice.pick(['Object', 'None', 'Metadata', 'Odd']));
  const accept = dice.pick([
    'application/json',
    'application/json',
    TABLE,
    'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    'application/yaml',
    dice.pick(ODD),
  ]);
  return { method: 'GET', path: `${collectionOf(board.kind)}?${query.toString()}${version(dice, board)}`, accept };
}

/** Parameters that select the resourceVersion of a list. Those with an ambiguous result are omitted: other sequences write too. */
function version(dice: Dice, { kind }: RequestContext): string {
  const collection = collectionOf(kind);
  if (dice.chance(0.25)) return `&limit=1&continue={{continue ${collection}}}`;
  if (dice.chance(0.7)) return '';
  return dice.pick([
    '&resourceVersion={{newest}}&resourceVersionMatch=Exact',
    '&resourceVersion={{newest}}&resourceVersionMatch=NotOlderThan',
    '&resourceVersionMatch=Exact',
    '&resourceVersion=0&resourceVersionMatch=Exact',
    '&resourceVersion=odd',
    '&resourceVersion={{newest}}&resourceVersionMatch=Odd',
    '&continue=odd',
    '&limit=odd',
    '&timeoutSeconds=odd',
    '&sendInitialEvents=true',
    '&pretty=true',
    '&odd=true',
    `&resourceVersion={{newest}}&limit=1&continue={{continue ${collection}}}`,
  ]);
}

function remove(dice: Dice, board: RequestContext): RandomRequest {
  const path = pathOf(dice, board);
  const bodies: readonly (Fields | 'none')[] = [
    'none',
    'none',
    {},
    { propagationPolicy: 'Background' },
    { propagationPolicy: 'Odd' },
    { preconditions: { uid: `{{uid ${path}}}` } },
    { preconditions: { uid: 'other' } },
    { preconditions: { resourceVersion: '1' } },
    { gracePeriodSeconds: 0 },
    { dryRun: ['All'] },
    { dryRun: ['Odd'] },
  ];
  // Deletion of namespaces and other policies are completed by controllers, whose timing differs between servers.
  const body = board.kind.kind === 'Namespace' ? { dryRun: ['All'] } : dice.pick(bodies);
  return {
    method: 'DELETE',
    path,
    ...(body === 'none' ? {} : { body: { apiVersion: 'v1', kind: 'DeleteOptions', ...body } }),
  };
}

function removeAll(dice: Dice, board: RequestContext): RandomRequest {
  const query = new URLSearchParams({
    labelSelector: dice.pick([`mark=${board.label}`, `mark=${board.label},color=red`]),
  });
  if (dice.chance(0.2)) query.set('dryRun', 'All');
  // The label selector is omitted only for namespaced kinds: other sequences use cluster-scoped collections too.
  if (board.kind.namespaced && dice.chance(0.1)) query.delete('labelSelector');
  if (dice.chance(0.3))
    query.set(
      'fieldSelector',
      dice.pick([
        `metadata.name=${dice.pick(board.names)}`,
        `metadata.name!=${dice.pick(board.names)}`,
        ...fieldsOf(board.kind.plural),
      ]),
    );
  if (dice.chance(0.2)) query.set('limit', String(dice.between(1, 2)));
  if (dice.chance(0.1))
    query.set(
      dice.pick(['propagationPolicy', 'gracePeriodSeconds', 'dryRun', 'limit', 'timeoutSeconds']),
      dice.pick(['Background', '0', 'odd', '-1']),
    );
  const body = dice.chance(0.2)
    ? {
        body: dice.pick<Fields>([
          {},
          { propagationPolicy: 'Background' },
          { dryRun: ['All'] },
          { preconditions: { resourceVersion: '1' } },
          { propagationPolicy: 'Odd' },
          { gracePeriodSeconds: 0 },
          { odd: 1 },
        ]),
      }
    : {};
  return { method: 'DELETE', path: `${collectionOf(board.kind)}?${query.toString()}`, ...body };
}

function withMeta(body: Fields, change: Readonly<Record<string, Value | undefined>>): Fields {
  const old = isFields(body['metadata']) ? body['metadata'] : {};
  const entries = Object.entries({ ...old, ...change }).filter(
    (entry): entry is [string, Value] => entry[1] !== undefined,
  );
  return { ...body, metadata: Object.fromEntries(entries) };
}

/** Sets one leaf to null, so that a merge patch removes it. */
function withNull(dice: Dice, body: Fields): Fields {
  const keys = Object.keys(body);
  if (keys.length === 0) return { metadata: { labels: { color: null } } };
  const key = dice.pick(keys);
  const value = body[key];
  return { ...body, [key]: isFields(value) && dice.chance(0.8) ? withNull(dice, value) : null };
}

/** A JSON pointer into a value, and the value there. */
function leaf(dice: Dice, value: Value, place: string): [string, Value] {
  if (!isFields(value) || Object.keys(value).length === 0 || (place !== '' && dice.chance(0.2))) return [place, value];
  const key = dice.pick(Object.keys(value));
  return leaf(dice, value[key] ?? null, `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

function withoutNulls(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      isFields(value)
        ? withoutNulls(value)
        : Array.isArray(value)
          ? value.map((item: Value) => (isFields(item) ? withoutNulls(item) : item))
          : value,
    ]),
  );
}
