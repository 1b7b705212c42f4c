import { describe, expect, it } from '@jest/globals';

import { admits, negotiate, wantsPretty } from '../../../../src/http/response/negotiate.js';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

function formOf(header: string, endpoint: Parameters<typeof negotiate>[1] = { transforms: true }): string {
  const form = negotiate(header, endpoint);
  if (form === undefined) return 'none';
  return `${form.format}${form.pretty ? ' pretty' : ''}${form.as === undefined ? '' : ` ${form.as.kind}/${form.as.version}`}`;
}

describe('an Accept header', () => {
  it.each([
    ['', 'json'],
    ['*/*', 'json'],
    ['*', 'json'],
    ['application/*', 'json'],
    ['application/json', 'json'],
    ['application/yaml', 'yaml'],
    ['application/json;q=0.1,application/yaml', 'yaml'],
    ['text/html,*/*;q=0.1', 'json'],
    ['*/*,application/yaml', 'yaml'],
    ['application/json;q=0', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/json;pretty=1', 'json pretty'],
    ['application/json;stream=watch', 'json'],
    ['application/json;stream=other', 'none'],
    ['text/html', 'none'],
    ['garbage', 'none'],
    ['application/vnd.kubernetes.protobuf', 'none'],
    ['application/vnd.kubernetes.protobuf,application/json', 'json'],
    [TABLE, 'json Table/v1'],
    ['application/yaml;as=Table;v=v1;g=meta.k8s.io', 'yaml Table/v1'],
    [`${TABLE.replace('v1', 'v1beta1')},application/json`, 'json Table/v1beta1'],
    ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'json PartialObjectMetadataList/v1'],
    ['application/json;as=Foo', 'none'],
    ['application/json;as=Table', 'none'],
    ['application/json;as=Table;v=v2;g=meta.k8s.io', 'none'],
    ['application/json;v=v1;g=meta.k8s.io', 'none'],
    ['application/json;as=Foo,application/json', 'json'],
    ['application/json;stream=watch', 'json'],
    ['application/yaml;stream=watch', 'none'],
  ])('the Accept header %s gets %s', (header, form) => {
    expect(formOf(header)).toBe(form);
  });

  it.each([
    ['application/vnd.kubernetes.protobuf', 'protobuf'],
    ['application/vnd.kubernetes.protobuf,application/json', 'protobuf'],
    ['application/json,application/vnd.kubernetes.protobuf', 'json'],
    ['application/vnd.kubernetes.protobuf;stream=watch', 'protobuf'],
    [
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      'protobuf PartialObjectMetadata/v1',
    ],
    [`${TABLE.replace('json', 'vnd.kubernetes.protobuf')},${TABLE}`, 'json Table/v1'],
    ['*/*', 'json'],
  ])('the Accept header %s gets %s for a built-in kind', (header, form) => {
    expect(formOf(header, { transforms: true, protobuf: true })).toBe(form);
  });

  it('a client can request the metadata of every kind in protobuf', () => {
    const header =
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

    expect([formOf(header), formOf(header, { transforms: false })]).toEqual([
      'protobuf PartialObjectMetadataList/v1',
      'json',
    ]);
  });

  it('an error is never a Table', () => {
    expect(formOf(TABLE, { transforms: false })).toBe('none');
    expect(formOf(TABLE, { transforms: true, tables: false })).toBe('none');
  });

  it.each([
    ['application/*', false],
    ['application/json;as=Foo', true],
    ['text/html, */*;q=0.1', true],
    ['', true],
    ['application/cbor', false],
  ])('a built-in endpoint admits the Accept header %s: %s', (header, enters) => {
    expect(admits(header)).toBe(enters);
  });

  it.each([
    ['pretty=true', 'x', true],
    ['pretty=0', 'curl/8', false],
    ['pretty=', 'curl/8', true],
    ['', 'Mozilla/5', false],
    ['', 'Mozilla/5.0 (X11)', true],
  ])('the JSON for the query "%s" of agent %s is indented: %s', (query, agent, pretty) => {
    expect(wantsPretty(new Map(new URLSearchParams(query)), agent)).toBe(pretty);
  });
});
