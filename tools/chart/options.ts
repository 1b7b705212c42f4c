import { load, loadAll } from 'js-yaml';
import { asRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import {
  imageSettings,
  inRelease,
  podSettings,
  records,
  secureMetrics,
  targetTemplate,
  withApiServerPorts,
} from './objects.js';
import { joined, Template, when } from './template.js';

const SIG_DECISIONS = 'deploy/sig-decisions';
const INVENTORIES = 'deploy/inventories';
const MULTIKUEUE = 'deploy/multikueue';
const CLUSTER_PROFILES = 'deploy/cluster-profiles';
/** The namespace of the ClusterProfiles in that folder. */
const PROFILES_NAMESPACE = 'cluster-inventory';
const HAS_INVENTORY = 'or .Values.inventories.clusterProfiles .Values.inventories.openClusterManagement';
/** The variables of the controller of inventories that values.yaml sets. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  MULTICLUSTER_ENGINE_CLUSTER_PROFILES: '.Values.inventories.clusterProfiles | quote',
  MULTICLUSTER_ENGINE_OCM_CLUSTERS: '.Values.inventories.openClusterManagement | quote',
};

type Read = (...file: string[]) => string;

/** The templates of deploy/sig-decisions, deploy/multikueue, deploy/cluster-profiles and deploy/inventories, which values.yaml can switch on. */
export function optionTemplates(read: Read): { readonly name: string; readonly text: string }[] {
  const rights = (folder: string, option: string, isOn = `.Values.${option}.enabled`): string => {
    const target = `.Values.onlyNamespace | default .Values.${option}.targetNamespace`;
    const others = { [PROFILES_NAMESPACE]: '.Values.publishProfiles.namespace | quote' };
    const objects = records(loadAll(read(folder, 'rights.yaml'))).map((one) => targetTemplate(one, target, others));
    return when(isOn, joined(objects));
  };
  const profiles = rights(CLUSTER_PROFILES, 'publishProfiles', '.Values.publishProfiles.namespace');
  const { resources } = asRecord(load(read(INVENTORIES, 'kustomization.yaml')));
  const files: readonly unknown[] = Array.isArray(resources) ? resources : [];
  const inventories = files.flatMap((file) => records(loadAll(read(INVENTORIES, String(file)))).map(inventoryTemplate));
  return [
    { name: 'rights-sig-decisions.yaml', text: rights(SIG_DECISIONS, 'sigDecisions') },
    { name: 'rights-multikueue.yaml', text: rights(MULTIKUEUE, 'multikueue') },
    { name: 'rights-cluster-profiles.yaml', text: profiles },
    { name: 'inventories.yaml', text: when(HAS_INVENTORY, joined(inventories)) },
  ];
}

function inventoryTemplate(object: JsonRecord): string {
  const template = new Template();
  const placed = inRelease(object, template);
  if (placed['kind'] === 'NetworkPolicy')
    return when('.Values.networkPolicy.enabled', template.text(withApiServerPorts(placed, template)));
  return template.text(placed['kind'] === 'Deployment' ? withSettings(placed, template) : placed);
}

function withSettings(object: JsonRecord, template: Template): JsonRecord {
  const spec = asRecord(object['spec']);
  const pods = asRecord(spec['template']);
  const pod = asRecord(pods['spec']);
  const [container, ...sidecars] = records(pod['containers']);
  if (container === undefined || sidecars.length > 0) throw new Error(`${INVENTORIES}: want one container`);
  const env = records(container['env']).map((one) => {
    const expression = ENVIRONMENT[String(one['name'])];
    return expression === undefined ? one : { ...one, value: template.value(expression) };
  });
  const containers = [{ ...container, ...imageSettings(template), env: [...env, secureMetrics(template)] }];
  return {
    ...object,
    spec: { ...spec, template: { ...pods, spec: { ...pod, ...podSettings(pod, template), containers } } },
  };
}
