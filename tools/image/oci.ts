import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { readDockerfile, type Stage } from './dockerfile.js';

/** A folder whose content is a layer of the image, with the user and group that own its files. */
export interface Layer {
  readonly folder: string;
  readonly owner: string;
}

/** What an archive is made from. */
export interface ArchiveOptions {
  readonly file: string;
  /** The last stage of a Dockerfile: labels, variables, user, entry point and health check of the image. */
  readonly stage: Stage;
  /** What `$NAME` in the labels stands for. */
  readonly args: Readonly<Record<string, string>>;
  readonly layers: readonly Layer[];
  /** RFC 3339, in UTC: the creation of the image, and the time of each of its files. */
  readonly created: string;
  readonly architecture: string;
}

const OCI = 'application/vnd.oci.image';
/** Docker's form of the configuration, which other engines read too, counts in nanoseconds. */
const NANOSECONDS: Readonly<Record<string, number>> = { ms: 1e6, s: 1e9, m: 6e10, h: 36e11 };

/**
 * Writes an image as an OCI archive, the tar file of an OCI layout, without an engine. The same content and time give the
 * same bytes. Needs GNU tar. Returns the digest by which a registry serves the image.
 */
export function writeArchive({ file, stage, args, layers, created, architecture }: ArchiveOptions): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'oci-'));
  try {
    const blobs = path.join(folder, 'blobs', 'sha256');
    mkdirSync(blobs, { recursive: true });
    const add = (mediaType: string, data: Buffer): Descriptor => {
      const hash = sha256(data);
      writeFileSync(path.join(blobs, hash), data);
      return { mediaType, digest: `sha256:${hash}`, size: data.length };
    };
    const addJson = (mediaType: string, value: object): Descriptor =>
      add(mediaType, Buffer.from(JSON.stringify(value)));
    const packed = layers.map((layer) => {
      const tar = packedFolder(layer.folder, layer.owner, created);
      const gzipped = execFileSync('gzip', ['-n', '-9'], { input: tar, maxBuffer: MAX_BYTES });
      return { diffId: `sha256:${sha256(tar)}`, descriptor: add(`${OCI}.layer.v1.tar+gzip`, gzipped) };
    });
    const config = addJson(`${OCI}.config.v1+json`, {
      created,
      architecture,
      os: 'linux',
      config: configOf(stage, args),
      rootfs: { type: 'layers', diff_ids: packed.map(({ diffId }) => diffId) },
      history: layers.map(() => ({ created, created_by: 'tools/image/oci.ts' })),
    });
    const mediaType = `${OCI}.manifest.v1+json`;
    const manifest = addJson(mediaType, {
      schemaVersion: 2,
      mediaType,
      config,
      layers: packed.map(({ descriptor }) => descriptor),
    });
    const entry = { ...manifest, platform: { os: 'linux', architecture } };
    const index = { schemaVersion: 2, mediaType: `${OCI}.index.v1+json`, manifests: [entry] };
    writeFileSync(path.join(folder, 'index.json'), JSON.stringify(index));
    writeFileSync(path.join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
    writeFileSync(`${file}.partial`, packedFolder(folder, '0:0', created));
    renameSync(`${file}.partial`, file);
    return manifest.digest;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const MAX_BYTES = 2 ** 30;

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** The content of a folder as a tar file, which does not depend on the machine. */
function packedFolder(folder: string, owner: string, time: string): Buffer {
  const [uid = '0', gid = '0'] = owner.split(':');
  const same = [
    '--format=gnu',
    '--sort=name',
    '--numeric-owner',
    `--owner=${uid}`,
    `--group=${gid}`,
    `--mtime=${time}`,
  ];
  // By name: an entry of the folder itself would set the owner of the root.
  return execFileSync('tar', [...same, '-C', folder, '-cf', '-', ...readdirSync(folder).sort()], {
    maxBuffer: MAX_BYTES,
  });
}

function configOf(stage: Stage, args: Readonly<Record<string, string>>): object {
  const filled = Object.entries(stage.pairs('LABEL')).map(([name, value]) => [
    name,
    value.replaceAll(/\$(\w+)/g, (_, arg: string) => args[arg] ?? ''),
  ]);
  const entrypoint = stage.words('ENTRYPOINT');
  const health = stage.words('HEALTHCHECK');
  const user = stage.all('USER').at(-1);
  return {
    ...(user === undefined ? {} : { User: user }),
    Env: Object.entries(stage.pairs('ENV')).map(([name, value]) => `${name}=${value}`),
    ...(entrypoint.length === 0 ? {} : { Entrypoint: entrypoint }),
    Labels: Object.fromEntries(filled.filter(([, value]) => value !== '')),
    ...(health.length === 0 ? {} : { Healthcheck: { Test: ['CMD', ...health], ...timesOf(stage) } }),
  };
}

/** The options of HEALTHCHECK: `--interval=30s` as `Interval`. */
function timesOf(stage: Stage): Readonly<Record<string, number>> {
  const options = [...(stage.all('HEALTHCHECK').at(-1) ?? '').matchAll(/--([a-z-]+)=(\d+)(ms|s|m|h)\b/g)];
  return Object.fromEntries(
    options.map(([, option = '', count, unit = '']) => [
      option.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      Number(count) * (NANOSECONDS[unit] ?? 0),
    ]),
  );
}

/** `oci.js --dockerfile FILE --file ARCHIVE --created TIME [--arg NAME=VALUE]... FOLDER[=UID:GID]...` */
function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      dockerfile: { type: 'string', default: 'Dockerfile' },
      file: { type: 'string', default: '' },
      created: { type: 'string', default: '' },
      arg: { type: 'string', multiple: true, default: [] },
    },
  });
  const pair = (text: string): [string, string] => [text.replace(/=.*/s, ''), text.replace(/^[^=]*=?/, '')];
  const stage = readDockerfile(readFileSync(values.dockerfile, 'utf8')).at(-1);
  if (stage === undefined) throw new Error(`${values.dockerfile} has no stage`);
  const layers = positionals.map(pair).map(([folder, owner]) => ({ folder, owner: owner === '' ? '0:0' : owner }));
  const architecture = { x64: 'amd64' }[process.arch as string] ?? process.arch;
  const { file, created, arg } = values;
  const digest = writeArchive({ file, stage, args: Object.fromEntries(arg.map(pair)), layers, created, architecture });
  process.stdout.write(`${digest}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
