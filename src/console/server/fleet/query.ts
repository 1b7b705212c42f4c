import { HEALTHS, type ClusterRow } from '../../wire/fleet.js';

/** The query of the fleet: `set:prod label:tier=gold claim:region!=eu health:silent edge`, all of which has to match. */

/** What a query is compared with. */
export interface QueryCluster extends Pick<ClusterRow, 'name' | 'sets' | 'taints' | 'health'> {
  readonly labels: Readonly<Record<string, string>>;
  readonly claims: Readonly<Record<string, string>>;
}

export interface Term {
  /** As it was written. */
  readonly text: string;
  readonly matches: (cluster: QueryCluster) => boolean;
}

export type Query =
  | { readonly kind: 'query'; readonly terms: readonly Term[] }
  | { readonly kind: 'fault'; readonly fault: string };

export const MOST_TERMS = 16;
const FIELDS = ['set', 'label', 'claim', 'health', 'taint', 'name'] as const;

/** Terms are separated by blanks; one in double quotes may hold blanks. */
export function parseQuery(text: string): Query {
  const words = text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
  if (words.length > MOST_TERMS) return fault(`at most ${MOST_TERMS} terms, got ${words.length}`);
  const terms: Term[] = [];
  for (const word of words) {
    const term = parseTerm(word, word.replaceAll('"', ''));
    if (typeof term === 'string') return fault(term);
    terms.push({ text: word, matches: term });
  }
  return { kind: 'query', terms };
}

export function matchesAll(terms: readonly Term[], cluster: QueryCluster): boolean {
  return terms.every((term) => term.matches(cluster));
}

/** The term of a value, in quotes where it holds blanks. */
export function termText(name: string, value: string): string {
  return /[\s"]/.test(value) ? `${name}:"${value.replaceAll('"', '')}"` : `${name}:${value}`;
}

function fault(text: string): Query {
  return { kind: 'fault', fault: text };
}

function parseTerm(word: string, plain: string): Term['matches'] | string {
  const [, name = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(plain) ?? [];
  if (name === '') return ({ name: of }) => of.includes(plain);
  if (!isField(name)) return `${word}: unknown field ${name}, want ${FIELDS.join(', ')}`;
  if (rest === '') return `${word}: a value is missing`;
  switch (name) {
    case 'label':
      return pairTerm(rest, ({ labels }) => labels);
    case 'claim':
      return pairTerm(rest, ({ claims }) => claims);
    case 'set':
      return ({ sets }) => sets.includes(rest);
    case 'taint':
      return ({ taints }) => taints.includes(rest);
    case 'name':
      return ({ name: of }) => of === rest;
    case 'health': {
      const health = HEALTHS.find((one) => one.toLowerCase() === rest.replaceAll(/\s/g, '').toLowerCase());
      if (health === undefined) return `${word}: want one of ${HEALTHS.join(', ')}`;
      return (cluster) => cluster.health === health;
    }
  }
}

function isField(name: string): name is (typeof FIELDS)[number] {
  return (FIELDS as readonly string[]).includes(name);
}

/** `KEY`: has the key; `KEY=VALUE`; `KEY!=VALUE`: has another value, or no such key. */
function pairTerm(text: string, of: (cluster: QueryCluster) => Readonly<Record<string, string>>): Term['matches'] {
  const [, key = text, operator, value] = /^([^=!]+)(!?=)(.*)$/s.exec(text) ?? [];
  const valueIn = (cluster: QueryCluster): string | undefined => {
    const pairs = of(cluster);
    return Object.hasOwn(pairs, key) ? pairs[key] : undefined;
  };
  if (operator === undefined) return (cluster) => valueIn(cluster) !== undefined;
  return operator === '=' ? (cluster) => valueIn(cluster) === value : (cluster) => valueIn(cluster) !== value;
}
