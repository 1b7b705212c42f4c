import type { Dice } from '../../../testing/random.js';
import { collectionOf, type RequestContext, type RandomRequest } from './request.js';

const FORMS = [
  'application/json',
  'application/json',
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/yaml',
  'application/json;stream=watch',
  'text/html',
] as const;

/** Generates a watch, which stays open to the end of the sequence unless it is rejected. */
export function watchRequest(dice: Dice, board: RequestContext): RandomRequest {
  const { kind, label: mark, names } = board;
  const query = new URLSearchParams({ watch: dice.chance(0.95) ? 'true' : dice.pick(['1', 'maybe', 'True']) });
  const labels = [
    `mark=${mark}`,
    `mark=${mark},color`,
    `mark=${mark},color in (red, blue)`,
    `mark=${mark},!color`,
    `mark=${mark},color!=red`,
  ];
  if (!kind.namespaced || dice.chance(0.6)) query.set('labelSelector', dice.pick(labels));
  if (dice.chance(0.3))
    query.set(
      'fieldSelector',
      dice.pick([`metadata.name=${dice.pick(names)}`, `metadata.name!=${dice.pick(names)}`, ...fieldsOf(kind.plural)]),
    );
  if (dice.chance(0.4)) query.set('allowWatchBookmarks', dice.chance(0.9) ? 'true' : 'odd');
  const path = `${collectionOf(kind)}?${query.toString()}${version(dice, board)}`;
  const includes = dice.chance(0.1) ? `&includeObject=${dice.pick(['Object', 'None', 'Metadata', 'Odd'])}` : '';
  return { method: 'GET', path: `${path}${includes}`, accept: dice.pick(FORMS), watch: true };
}

/** Field selectors of a kind, supported and unsupported ones. */
export function fieldsOf(plural: string): readonly string[] {
  const own: Readonly<Record<string, readonly string[]>> = {
    things: ['spec.color=red', 'spec.color!=red', 'spec.color='],
    secrets: ['type=example.com/own', 'type!=Opaque'],
    services: ['spec.type=ExternalName', 'spec.clusterIP=None'],
    events: ['reason=a', 'type=Normal', 'involvedObject.name=x', 'involvedObject.kind!=ConfigMap', 'source=test'],
    namespaces: ['status.phase=Active', 'name=x'],
    nodes: ['spec.unschedulable=true'],
  };
  return [
    ...(own[plural] ?? []),
    'metadata.odd=x',
    'metadata.namespace={{namespace}}',
    'spec.size=1',
    'metadata.name',
    'metadata.name=x,metadata.name=y',
  ];
}

function version(dice: Dice, { kind, names }: RequestContext): string {
  const since = `&resourceVersion={{since ${collectionOf(kind)}/${dice.pick(names)}}}`;
  if (dice.chance(0.35)) return since;
  if (dice.chance(0.35)) return '&resourceVersion={{newest}}';
  if (dice.chance(0.35)) return '';
  return dice.pick([
    '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion={{newest}}',
    '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={{newest}}',
    '&sendInitialEvents=true',
    '&sendInitialEvents=true&resourceVersionMatch=Exact',
    '&sendInitialEvents=odd',
    '&resourceVersionMatch=NotOlderThan',
    '&resourceVersion=odd',
    '&resourceVersion=-1',
    '&limit=1',
    '&continue=odd',
    '&timeoutSeconds=odd',
    '&resourceVersion={{newest}}&resourceVersionMatch=NotOlderThan',
    '&limit=odd',
    '&sendInitialEvents=false',
    '&sendInitialEvents=true&resourceVersionMatch=Odd',
    '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&limit=1',
  ]);
}
