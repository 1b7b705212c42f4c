import { equal, isObject } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { RequiredObject } from './controller.js';

const ANNOTATION = 'kubernetes.io/description';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.';

/** The ConfigMap with the certificates of the server's authority that every namespace has. @param bundle PEM. */
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
      const said = Object.hasOwn(annotations, ANNOTATION) ? annotations[ANNOTATION] : '';
      if (isObject(object.data) && equal(object.data, data) && said !== '') return object;
      return {
        ...object,
        metadata: { ...object.metadata, annotations: { ...annotations, [ANNOTATION]: DESCRIPTION } },
        data,
      };
    },
  };
}
