import { describe, expect, it } from '@jest/globals';

import { clusterInfoConfig } from '../../src/agent/home.js';

describe('the address in kube-public/cluster-info', () => {
  const kubeconfig = (server: string): object => ({
    data: {
      kubeconfig: `clusters:\n- name: ""\n  cluster:\n    server: ${server}\n    certificate-authority-data: LS0t\n`,
    },
  });

  it('the address is that of the first cluster of the kubeconfig', () => {
    expect(clusterInfoConfig(kubeconfig('https://10.0.0.1:6443'))).toEqual({
      url: 'https://10.0.0.1:6443',
      caBundle: 'LS0t',
    });
  });

  it('the certificates may be on several lines, as kubectl reads them', () => {
    const text = 'clusters: [{name: "", cluster: {server: "https://a", certificate-authority-data: "LS0t\\nLS0t\\n"}}]';

    expect(clusterInfoConfig({ data: { kubeconfig: text } })).toEqual({ url: 'https://a', caBundle: 'LS0tLS0t' });
  });

  it.each([
    ['no ConfigMap', undefined],
    ['a ConfigMap without a kubeconfig', { data: {} }],
    ['a text that is not YAML', { data: { kubeconfig: '{' } }],
    ['a kubeconfig without clusters', { data: { kubeconfig: 'clusters: []' } }],
    ['an address without TLS', kubeconfig('http://10.0.0.1')],
  ])('there is no address in %s', (_name, found) => {
    expect(clusterInfoConfig(found)).toBeUndefined();
  });
});
