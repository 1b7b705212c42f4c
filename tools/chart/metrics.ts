import { load, loadAll } from 'js-yaml';
import { asRecord, field, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { labelled, objectTemplate, podMonitorTemplate, records, targetTemplate } from './objects.js';
import { joined, when } from './template.js';

const MONITORING = 'deploy/monitoring';
const SECURE = 'deploy/metrics-secure';
const IS_SECURE = '.Values.metrics.secure';
/** The namespace of the components. */
const TARGET = '.Values.onlyNamespace | default .Values.metrics.targetNamespace';

type Read = (...file: string[]) => string;

/** The templates of what values.yaml can switch on: deploy/monitoring, and the rights of deploy/metrics-secure. */
export function metricsTemplates(read: Read): { readonly name: string; readonly text: string }[] {
  const rights = records(loadAll(read(SECURE, 'rights.yaml'))).map((one) => targetTemplate(one, TARGET));
  const secure = records(load(read(SECURE, 'podmonitor.yaml')));
  const monitoring = monitoringObjects(read).map((one) => {
    if (one['kind'] !== 'PodMonitor') return objectTemplate(one);
    return when(IS_SECURE, podMonitorTemplate(withAdded(one, secure), TARGET), podMonitorTemplate(one, TARGET));
  });
  return [
    { name: 'rights-metrics.yaml', text: when(IS_SECURE, joined(rights)) },
    { name: 'monitoring.yaml', text: when('.Values.metrics.monitoring', joined(monitoring)) },
  ];
}

/** The objects that kustomize builds from deploy/monitoring. */
function monitoringObjects(read: Read): JsonRecord[] {
  const { resources, labels, namespace, configMapGenerator } = asRecord(load(read(MONITORING, 'kustomization.yaml')));
  const common: JsonRecord = Object.assign({}, ...records(labels).map(({ pairs }) => pairs));
  const files: readonly unknown[] = Array.isArray(resources) ? resources : [];
  const written = files.flatMap((file) => records(loadAll(read(MONITORING, String(file)))));
  const generated = records(configMapGenerator).map((one) => configMap(one, read));
  return [...written, ...generated].map((one) => {
    const placed = { ...one, metadata: { ...asRecord(one['metadata']), namespace } };
    return labelled(placed, common);
  });
}

function configMap({ name, files, options }: JsonRecord, read: Read): JsonRecord {
  const entries = (Array.isArray(files) ? files.map(String) : []).map((entry) => {
    const [key = '', file = ''] = entry.split('=');
    return [key, read(MONITORING, file)];
  });
  const metadata = { name, labels: field(options, 'labels') };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(entries) };
}

/** The object after the operations `add` of a JSON Patch. */
function withAdded(object: JsonRecord, operations: readonly JsonRecord[]): JsonRecord {
  const patched: JsonRecord = JSON.parse(JSON.stringify(object));
  for (const { op, path, value } of operations) {
    if (op !== 'add') throw new Error(`${SECURE}/podmonitor.yaml: the operation must be add, got ${String(op)}`);
    const keys = String(path).split('/').slice(1);
    const last = keys.pop() ?? '';
    const holder = keys.reduce<unknown>(
      (node, key) => (Array.isArray(node) ? node[Number(key)] : field(node, key)),
      patched,
    );
    Object.assign(asRecord(holder), { [last]: value });
  }
  return patched;
}
