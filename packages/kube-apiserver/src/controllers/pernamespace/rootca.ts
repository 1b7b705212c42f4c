import { equal, isObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { RequiredObject } from './controller.js';

const ANNOTATION = 'kubernetes.io/description';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.';

/** The ConfigMap `kube-root-ca.crt` with the CA certificates of the server. @param bundle PEM */
export function rootCertificate(bundle: string): RequiredObject {
  const data = { 'ca.crt': bundle };
  return {
    account: 'root-ca-cert-publisher',
    plural: 'configmaps',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-root-ca.crt', annotations: { [ANNOTATION]: DESCRIPTION } },
      data,
    },
    repair(object): KubeObject {
      const { annotations = {} } = object.metadata;
      const description = Object.hasOwn(annotations, ANNOTATION) ? annotations[ANNOTATION] : '';
      if (isObject(object.data) && equal(object.data, data) && description !== '') return object;
      return {
        ...object,
        metadata: { ...object.metadata, annotations: { ...annotations, [ANNOTATION]: DESCRIPTION } },
        data,
      };
    },
  };
}
