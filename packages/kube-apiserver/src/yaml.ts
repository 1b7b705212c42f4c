/**
 * Reads text as kubectl and the API server do: YAML 1.1 by the rules of Go's parser, JSON by those of encoding/json. Apart
 * from the server, so that a program can read manifests without loading it.
 */
export type { Json } from './json.js';
export { MalformedBody } from './schema/body/malformed.js';
export { readManifestStream } from './schema/body/stream.js';
export { readYaml, readYamlBytes } from './schema/body/yaml.js';
export { decodeYaml } from './schema/body/yamlevents.js';
