/**
 * Reads text as kubectl and the API server do: YAML 1.1 by the rules of Go's parser, JSON by those of encoding/json. Apart
 * from the server, so that a program can read manifests without loading it.
 */
export type { Json } from './json.js';
export { MalformedBody } from './read/malformed.js';
export { readManifestStream } from './read/stream.js';
export { readYaml, readYamlBytes } from './read/yaml.js';
export { decodeYaml } from './read/yamlevents.js';
