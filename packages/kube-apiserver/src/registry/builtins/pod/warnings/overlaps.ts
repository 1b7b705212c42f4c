import type { JsonObject } from '@multicluster-engine/values/json';
import { goQuote } from '@multicluster-engine/values/text';
import { has } from '../../validation/checks.js';
import { listAt, structAt, textAt } from '@multicluster-engine/values/fields';

/** A file of a volume, and the source that writes it. */
interface File {
  readonly path: string;
  readonly source: string;
}

/** At most this many files of a volume are compared; for further files there are no warnings. */
const MAX_COMPARED_FILES = 100;

/** Warnings of volumes that write two files to overlapping paths. */
export function overlapWarnings(volumes: readonly JsonObject[]): readonly string[] {
  return volumes.flatMap((volume) => {
    const name = goQuote(textAt(volume, 'name'));
    const warningsOf = (field: string, title: string): readonly string[] =>
      overlaps(files(structAt(volume, field), '')).map((text) => overlapWarning(name, title, text));
    return [
      ...warningsOf('configMap', `ConfigMap ${goQuote(textAt(structAt(volume, 'configMap'), 'name'))}`),
      ...warningsOf('secret', `Secret ${goQuote(textAt(structAt(volume, 'secret'), 'secretName'))}`),
      ...warningsOf('downwardAPI', 'DownwardAPI'),
      ...(has(volume, 'projected') ? projectedWarnings(structAt(volume, 'projected'), name) : []),
    ];
  });
}

function overlapWarning(name: string, title: string, text: string): string {
  return `volume ${name} (${title}): overlapping paths: ${text}`;
}

function projectedWarnings(projected: JsonObject, name: string): readonly string[] {
  const before: File[] = [];
  return listAt(projected, 'sources').flatMap((source) => {
    if (Object.keys(source).every((field) => !has(source, field)))
      return [`volume ${name} (Projected) has no sources provided`];
    return overlaps(sourceFiles(source), before).map((text) => overlapWarning(name, 'Projected', text));
  });
}

/** The files of one source of a projected volume. When the source sets several kinds, only the first counts. */
function sourceFiles(source: JsonObject): readonly File[] {
  const [config, secret, downward] = [
    structAt(source, 'configMap'),
    structAt(source, 'secret'),
    structAt(source, 'downwardAPI'),
  ];
  if (has(config, 'items')) return files(config, `ConfigMap ${goQuote(textAt(config, 'name'))}`);
  if (has(secret, 'items')) return files(secret, `Secret ${goQuote(textAt(secret, 'name'))}`);
  if (has(downward, 'items')) return files(downward, 'DownwardAPI');
  if (has(source, 'serviceAccountToken'))
    return [{ path: textAt(structAt(source, 'serviceAccountToken'), 'path'), source: 'ServiceAccountToken' }];
  if (has(source, 'clusterTrustBundle')) {
    const bundle = structAt(source, 'clusterTrustBundle');
    return [
      {
        path: textAt(bundle, 'path'),
        source: `ClusterTrustBundle ${goQuote(textAt(bundle, has(bundle, 'name') ? 'name' : 'signerName'))}`,
      },
    ];
  }
  const certificate = structAt(source, 'podCertificate');
  const parts = [
    ['certificateChainPath', 'chain'],
    ['keyPath', 'key'],
    ['credentialBundlePath', 'credential bundle'],
  ] as const;
  return parts
    .filter(([field]) => textAt(certificate, field) !== '')
    .map(([field, title]) => ({ path: textAt(certificate, field), source: `PodCertificate ${title}` }));
}

function files(source: JsonObject, title: string): readonly File[] {
  return listAt(source, 'items').map((item) => ({ path: textAt(item, 'path'), source: title }));
}

/**
 * The pairs of files whose paths overlap, as text.
 * @param before files of earlier sources; the new files are appended
 */
function overlaps(found: readonly File[], before: File[] = []): readonly string[] {
  return found.flatMap(({ path, source }) => {
    const file = { path: path.replace(/\/+$/, ''), source };
    if (before.length >= MAX_COMPARED_FILES) return [];
    const conflicts =
      file.path === '' ? [] : before.filter((other) => other.path !== '' && isWithin(file.path, other.path));
    before.push(file);
    return conflicts.map((other) => `${fileTitle(file)} with ${fileTitle(other)}`);
  });
}

function isWithin(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

function fileTitle({ path, source }: File): string {
  return source === '' ? goQuote(path) : `${goQuote(path)} (${source})`;
}
