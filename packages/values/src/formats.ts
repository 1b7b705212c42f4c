export { hasFormat, isTextFormat, knownFormat } from './formats/formats.js';
export {
  type NameRule,
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  identifier,
  labelValue,
  maskTrailingDash,
  pathSegment,
  pathSegmentPart,
  qualifiedName,
  regexText,
} from './formats/names.js';
export { isRequestUri } from './formats/uri.js';
