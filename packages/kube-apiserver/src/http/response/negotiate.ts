/** One clause of an Accept header. */
export interface AcceptClause {
  /** `application/json`, or `*` for the subtype or for both. */
  readonly media: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export type Format = 'json' | 'yaml' | 'protobuf';

/** The form of a response. */
export interface Form {
  readonly format: Format;
  readonly pretty: boolean;
  /** Conversion to a Table or to metadata only, in this version of meta.k8s.io. */
  readonly as: Transform | undefined;
}

export interface Transform {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly version: 'v1' | 'v1beta1';
}

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

interface Weighed extends AcceptClause {
  readonly quality: number;
  readonly wildness: number;
}

/** Clauses by quality, then by order; wildcards come last among equals. */
export function readAccept(header: string): readonly AcceptClause[] {
  const clauses: Weighed[] = [];
  for (const part of header.split(',')) {
    const clause = readClause(part);
    if (clause !== undefined) clauses.push(clause);
  }
  return clauses.sort((a, b) => b.quality - a.quality || a.wildness - b.wildness);
}

function readClause(part: string): Weighed | undefined {
  const [range = '', ...settings] = part.split(';');
  const [type = '', subtype = type.trim() === '*' ? '*' : '', ...more] = range.split('/').map((one) => one.trim());
  if (type === '' || subtype === '' || more.length > 0) return undefined;
  const parameters = new Map<string, string>();
  for (const setting of settings) {
    const [name = '', value = '', ...rest] = setting.split('=').map((one) => one.trim());
    if (value !== '' && rest.length === 0) parameters.set(name, value);
  }
  const quality = Number(parameters.get('q') ?? '1');
  parameters.delete('q');
  return {
    media: `${type}/${subtype}`,
    parameters,
    quality: Number.isFinite(quality) ? quality : 0,
    wildness: Number(type === '*') + Number(subtype === '*'),
  };
}

/** The forms that an endpoint supports besides plain JSON and YAML. */
interface Endpoint {
  /** Tables and metadata of objects; false for errors and the like. */
  readonly transforms: boolean;
  /** False for responses without a name to show in a Table: reviews. */
  readonly tables?: boolean;
  /** Whether whole objects have a protobuf form: those of built-in kinds. Metadata always has one. */
  readonly protobuf?: boolean;
}

/**
 * The first accepted form that is supported; undefined where there is none. An empty header accepts everything.
 * Protobuf is skipped where it is unsupported: clients that request it also accept JSON.
 */
export function negotiate(header: string | undefined, endpoint: Endpoint): Form | undefined {
  if (header === undefined || header === '') return { format: 'json', pretty: false, as: undefined };
  for (const clause of readAccept(header)) {
    for (const format of ['json', 'yaml', 'protobuf'] as const) {
      const form = matches(clause.media, format) ? formOf(clause, format, endpoint) : undefined;
      if (form !== undefined) return form;
    }
  }
  return undefined;
}

function matches(media: string, format: Format): boolean {
  return (
    media === '*/*' ||
    media === 'application/*' ||
    media === (format === 'protobuf' ? PROTOBUF_TYPE : `application/${format}`)
  );
}

function formOf({ parameters }: AcceptClause, format: Format, endpoint: Endpoint): Form | undefined {
  const stream = parameters.get('stream');
  if (stream !== undefined && (stream !== 'watch' || format === 'yaml')) return undefined;
  if (parameters.has('sv')) return undefined;
  const pretty = parameters.get('pretty') === '1';
  const parameter = ['as', 'g', 'v'].some((name) => parameters.has(name));
  if (!parameter)
    return format === 'protobuf' && endpoint.protobuf !== true ? undefined : { format, pretty, as: undefined };
  const as = transformOf(parameters);
  if (as?.kind === 'Table' && format === 'protobuf') return undefined;
  if (as?.kind === 'Table' && endpoint.tables === false) return undefined;
  return endpoint.transforms && as !== undefined ? { format, pretty, as } : undefined;
}

const KINDS = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const;
const VERSIONS = ['v1', 'v1beta1'] as const;

function transformOf(parameters: ReadonlyMap<string, string>): Transform | undefined {
  const kind = KINDS.find((one) => one === parameters.get('as'));
  const version = VERSIONS.find((one) => one === parameters.get('v'));
  return kind === undefined || version === undefined || parameters.get('g') !== 'meta.k8s.io'
    ? undefined
    : { kind, version };
}

/** Whether a built-in endpoint admits the request at all: a coarser check that precedes {@link negotiate}. */
export function admits(header: string | undefined): boolean {
  if (header === undefined || header === '') return true;
  const medias = header.split(',').map((part) => (part.split(';')[0] ?? '').trim());
  return medias.some(
    (media) => media === '*/*' || media === JSON_TYPE || media === YAML_TYPE || media === PROTOBUF_TYPE,
  );
}

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];

/** Whether the query or the kind of client requests indented JSON. */
export function wantsPretty(query: ReadonlyMap<string, string>, agent: string): boolean {
  const parameter = query.get('pretty');
  if (parameter !== undefined && parameter !== '') return TRUE.includes(parameter);
  return ['curl', 'Wget', 'Mozilla/5.0'].some((prefix) => agent.startsWith(prefix));
}
