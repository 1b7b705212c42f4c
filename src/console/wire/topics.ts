/** Topics of the stream: what an address of the API shows. An event names topics that have changed, never what is in them. */

/** Every topic has changed, or it is not known which ones have. */
export const ALL_TOPICS = 'all';
/** A topic of the page itself: what a draft would do. */
export const PLAN_TOPIC = 'plan';
/** A stream has so many topics at most. */
export const MOST_TOPICS = 64;
/** The event that says when the hub was read last. */
export const BEAT_EVENT = 'beat';
/** The topics of one word. */
export const SINGLE_TOPICS = ['fleet', 'placements', PLAN_TOPIC, 'engine', 'events'] as const;
/** The topics that name an object after a colon, and what they name. */
export const OBJECT_TOPICS = { placement: 'NAMESPACE/NAME', matrix: 'NAMESPACE/NAME', cluster: 'NAME' } as const;

/** Something is sent at least this often, ms. */
export const BEAT_MS = 15_000;

/** The topic of an address below `/api/v1/`; undefined: what it shows never changes. */
export function topicOf(path: string): string | undefined {
  const [address = ''] = path.split('?', 1);
  const [head = '', ...rest] = address.split('/').map(decodeURIComponent);
  const [first = '', second = '', third] = rest;
  switch (head) {
    case 'fleet':
    case 'engine':
    case 'events':
    case PLAN_TOPIC:
      return head;
    case 'sets':
      return 'engine';
    case 'placements':
      if (second === '') return 'placements';
      return `${third === undefined ? 'placement' : 'matrix'}:${first}/${second}`;
    case 'clusters':
      return `cluster:${first}`;
    default:
      return undefined;
  }
}
