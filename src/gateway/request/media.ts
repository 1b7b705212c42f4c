import { header, type HeaderMap } from './headers.js';
import { StatusError } from '../statuserror.js';

export type Format = 'json' | 'yaml';

export interface MediaType {
  /** As it is written in responses. */
  readonly name: string;
  readonly format: Format;
}

/** The media types of bodies: those of the interface and the registered ones. The case of names does not matter. */
export const MEDIA_TYPES: readonly MediaType[] = [
  { name: 'application/json', format: 'json' },
  { name: 'application/yaml', format: 'yaml' },
  { name: 'MultiClusterEngines/yaml', format: 'yaml' },
  { name: 'operator/yaml', format: 'yaml' },
  { name: 'placement/yaml', format: 'yaml' },
];

const JSON_TYPE: MediaType = { name: 'application/json', format: 'json' };
const CHARSET = /^charset=(?:utf-?8|"utf-?8")$/i;

/**
 * The format of a request's body.
 * @throws StatusError `mediaType` for another or no media type, another charset, and any content coding
 */
export function formatOf(headers: HeaderMap): Format {
  const coding = header(headers, 'content-encoding');
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw unsupported('content-encoding must be absent: bodies are not compressed');
  const [type = '', ...parameters] = (header(headers, 'content-type') ?? '').split(';').map((part) => part.trim());
  const found = findMediaType(type);
  const understood = parameters.every((parameter) => parameter === '' || CHARSET.test(parameter));
  if (found !== undefined && understood) return found.format;
  throw unsupported(`content-type must be one of ${MEDIA_TYPES.map((one) => one.name).join(', ')}, in UTF-8`);
}

/** The media type of a response: the one with the highest weight in `Accept`, JSON when none is supported. */
export function acceptedType(headers: HeaderMap): MediaType {
  let best: { readonly type: MediaType; readonly weight: number } = { type: JSON_TYPE, weight: 0 };
  for (const range of (headers.get('accept') ?? []).join(',').split(',', 64)) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    const type = name === '*/*' || name === 'application/*' ? JSON_TYPE : findMediaType(name);
    const weight = weightOf(parameters);
    if (type !== undefined && weight > best.weight) best = { type, weight };
  }
  return best.type;
}

/** Whether `Prefer` requests the object in the response of a write. */
export function wantsRepresentation(headers: HeaderMap): boolean {
  const preferences = (headers.get('prefer') ?? []).join(',').split(',', 64);
  return preferences.some((one) => /^return\s*=\s*"?representation"?$/i.test((one.split(';')[0] ?? '').trim()));
}

function findMediaType(name: string): MediaType | undefined {
  const wanted = name.toLowerCase();
  return MEDIA_TYPES.find((one) => one.name.toLowerCase() === wanted);
}

function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((one) => /^q=/i.test(one));
  if (given === undefined) return 1;
  const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(given)?.[1];
  return weight === undefined ? 0 : Number(weight);
}

function unsupported(message: string): StatusError {
  return new StatusError('mediaType', { message });
}
