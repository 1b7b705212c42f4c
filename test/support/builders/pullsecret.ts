/** A Secret for images, without credentials. */
export function pullSecret(namespace: string, name: string) {
  const metadata = { namespace, name };
  const data = { '.dockerconfigjson': btoa('{"auths":{}}') };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/dockerconfigjson', data };
}
