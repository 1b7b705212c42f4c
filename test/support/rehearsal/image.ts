import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** An image of an OCI archive, with its files in a folder. */
export interface UnpackedImage {
  readonly root: string;
  /** By which a registry serves the image. */
  readonly digest: string;
  readonly config: ImageConfig;
  /** The files of its layers, packed as they are. */
  readonly layers: readonly string[];
}

/** The configuration of an image, as far as it is read here. */
export interface ImageConfig {
  readonly architecture: string;
  readonly created: string;
  readonly config: {
    readonly User?: string;
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[];
    readonly Labels?: Readonly<Record<string, string>>;
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

interface Descriptor {
  readonly digest: string;
}

/** Unpacks the OCI archive `archive` below `folder`: its layout, and the files of its layers. */
export function unpackImage(archive: string, folder: string): UnpackedImage {
  const layout = path.join(folder, 'layout');
  const root = path.join(folder, 'root');
  for (const one of [layout, root]) mkdirSync(one, { recursive: true });
  execFileSync('tar', ['-xf', archive, '-C', layout]);
  const blob = ({ digest }: Descriptor): string => path.join(layout, 'blobs', ...digest.split(':'));
  const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  const [entry] = (json(path.join(layout, 'index.json')) as { manifests: Descriptor[] }).manifests;
  if (entry === undefined) throw new Error(`${archive} has no image`);
  const manifest = json(blob(entry)) as { config: Descriptor; layers: Descriptor[] };
  const layers = manifest.layers.map(blob);
  for (const layer of layers) execFileSync('tar', ['-xzf', layer, '-C', root]);
  return { root, layers, digest: entry.digest, config: json(blob(manifest.config)) as ImageConfig };
}
