import { fill, fillZero, structIn, structsIn, ensureStruct, textOf, type Draft } from '../../draft.js';
import { pullPolicy } from './image.js';
import { roundUpResources } from './resourcelist.js';

const MODE = 0o644;
const HOUR_IN_SECONDS = 3600;

/** Defaults by source. */
const SOURCES: Readonly<Record<string, (source: Draft) => void>> = {
  hostPath: (source) => fill(source, 'type', ''),
  secret: (source) => fill(source, 'defaultMode', MODE),
  configMap: (source) => fill(source, 'defaultMode', MODE),
  iscsi: (source) => fillZero(source, 'iscsiInterface', 'default'),
  rbd(source) {
    fillZero(source, 'pool', 'rbd');
    fillZero(source, 'user', 'admin');
    fillZero(source, 'keyring', '/etc/ceph/keyring');
  },
  downwardAPI(source) {
    fill(source, 'defaultMode', MODE);
    downwardDefaults(source);
  },
  azureDisk(source) {
    fill(source, 'cachingMode', 'ReadWrite');
    fill(source, 'fsType', 'ext4');
    fill(source, 'readOnly', false);
    fill(source, 'kind', 'Shared');
  },
  projected: projectedDefaults,
  scaleIO(source) {
    fillZero(source, 'storageMode', 'ThinProvisioned');
    fillZero(source, 'fsType', 'xfs');
  },
  ephemeral(source) {
    const template = structIn(source, 'volumeClaimTemplate');
    if (template === undefined) return;
    const spec = ensureStruct(template, 'spec');
    fill(spec, 'volumeMode', 'Filesystem');
    const resources = ensureStruct(spec, 'resources');
    roundUpResources(resources, 'limits');
    roundUpResources(resources, 'requests');
  },
  image: (source) => fillZero(source, 'pullPolicy', pullPolicy(textOf(source, 'reference'))),
};

/** Sets the defaults of a volume. Without a source it is an emptyDir. */
export function volumeDefaults(volume: Draft): void {
  const sources = Object.keys(volume).filter((key) => key !== 'name' && volume[key] !== undefined);
  if (sources.length === 0) volume['emptyDir'] = {};
  for (const name of sources) {
    const source = structIn(volume, name);
    if (source !== undefined && Object.hasOwn(SOURCES, name)) SOURCES[name]?.(source);
  }
}

function projectedDefaults(projected: Draft): void {
  fill(projected, 'defaultMode', MODE);
  for (const source of structsIn(projected, 'sources')) {
    const downward = structIn(source, 'downwardAPI');
    if (downward !== undefined) downwardDefaults(downward);
    const token = structIn(source, 'serviceAccountToken');
    if (token !== undefined) fill(token, 'expirationSeconds', HOUR_IN_SECONDS);
  }
}

function downwardDefaults(source: Draft): void {
  for (const item of structsIn(source, 'items')) {
    const field = structIn(item, 'fieldRef');
    if (field !== undefined) fillZero(field, 'apiVersion', 'v1');
  }
}
