import { describe, expect, it } from '@jest/globals';
import { matchesLabels, parseLabelSelector } from '../../../../src/selectors/labels.js';
import { exactMatch, matchesFields, parseFieldSelector } from '../../../../src/selectors/fields.js';
import { VerbsFixture, refusedStatus, thingCrd } from '../fixture.js';

const LABELS = { a: '1', b: '2', empty: '', n: '10' };
const KEY_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('a label selector', () => {
  it.each([
    ['', true],
    ['a=1', true],
    ['a==1', true],
    ['a=2', false],
    ['a!=1', false],
    ['a!=2', true],
    ['z!=1', true],
    ['z=1', false],
    ['a', true],
    ['z', false],
    ['!a', false],
    ['!z', true],
    ['a in (1,2)', true],
    ['a in (2)', false],
    ['z in (1)', false],
    ['a notin (1)', false],
    ['z notin (1)', true],
    ['empty=', true],
    ['empty', true],
    ['empty in ()', true],
    ['empty in (,x)', true],
    ['a=1,b=2', true],
    ['a=1,b=3', false],
    ['n>9', true],
    ['n>10', false],
    ['n<11', true],
    ['z>1', false],
    ['a=1,', true],
    ['in in (in)', false],
    [' a  in  ( 1 , 2 ) , b = 2 ', true],
    ['\0', true],
    ['\0a=2', true],
    ['a=1\0', true],
    ['a\0in\0(\x001,x)', true],
  ])('the label selector %s is parsed', (text, expected) => {
    const parse = (): boolean => matchesLabels(parseLabelSelector(text), LABELS);
    if (text === 'a=1,') expect(parse).toThrow("found '', expected: identifier after ','");
    else expect(parse()).toBe(expected);
  });

  it('a label selector finds a value among a hundred thousand, and none that is missing', () => {
    const selector = parseLabelSelector(`a in (${Array.from({ length: 100_000 }, (_none, at) => `v${at}`).join()})`);
    const found = ['v0', 'v77777', 'v99999', 'v100000', '', 'w'].filter((a) => matchesLabels(selector, { a }));
    expect(found).toEqual(['v0', 'v77777', 'v99999']);
  });

  it('a label selector ignores keys of a prototype', () => {
    expect(matchesLabels(parseLabelSelector('constructor'), LABELS)).toBe(false);
    expect(matchesLabels(parseLabelSelector('!a'), undefined)).toBe(true);
  });

  it.each([
    ['l in x', "unable to parse requirement: found 'x' expected: '('"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a===', "unable to parse requirement: found '=', expected: identifier"],
    [
      'x/y/z',
      `unable to parse requirement: <nil>: Invalid value: "x/y/z": a valid label key ${KEY_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    ['a in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['(', "found '(', expected: !, identifier, or 'end of string'"],
    ['a=b\0c', "found 'c', expected: ',' or 'end of string'"],
    ['a,\0', "found '', expected: identifier after ','"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ])('a wrong label selector is refused in the words of kube-apiserver: %s', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 400, message }));
  });

  it('the error of a label selector names the wrong value', () => {
    expect(() => parseLabelSelector('a in (@,b)')).toThrow(
      /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "@": a valid label must be/,
    );
    expect(() => parseLabelSelector('a>b')).toThrow(
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
    );
  });
});

describe('a field selector', () => {
  const fixture = new VerbsFixture();
  const { resource } = fixture.target('configmaps/ns');
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'ns' } };

  it.each([
    ['metadata.name=a', true],
    ['metadata.name==a', true],
    ['metadata.name!=a', false],
    ['metadata.name=b', false],
    ['metadata.namespace=ns,metadata.name=a', true],
    ['metadata.name=', false],
    ['metadata.name!=', true],
    [',metadata.name=a,', true],
  ])('the field selector %s is parsed', (text, expected) => {
    expect(matchesFields(parseFieldSelector(text, resource), resource, object)).toBe(expected);
  });

  it.each([
    ['foo', "invalid selector: 'foo'; can't understand 'foo'"],
    ['data.x=y', '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ['metadata.name=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['metadata.name=a\\b', 'invalid field selector: invalid escape sequence: \\b'],
  ])('a wrong field selector is refused in the words of kube-apiserver: %s', (text, message) => {
    expect(() => parseFieldSelector(text, resource)).toThrow(expect.objectContaining({ code: 400, message }));
  });

  it('a field selector can contain escaped commas, equals signs and backslashes', () => {
    expect(exactMatch(parseFieldSelector('metadata.name=a\\,b\\=c\\\\', resource), 'metadata.name')).toBe('a,b=c\\');
  });

  it('a field selector supports the fields of a kind and those that a definition lists', async () => {
    await fixture.namespace('ns');
    await fixture.define(thingCrd({ version: { selectableFields: [{ jsonPath: '.spec.color' }] } }));
    const thing = (name: string, color?: string): object => ({
      apiVersion: 'facts.example.com/v1',
      kind: 'Thing',
      metadata: { name },
      spec: color === undefined ? {} : { color },
    });
    await fixture.create('things.facts.example.com/ns', thing('r', 'red') as never);
    await fixture.create('things.facts.example.com/ns', thing('none') as never);
    const names = async (fieldSelector: string): Promise<unknown> =>
      (await fixture.list('things.facts.example.com/ns', { fieldSelector })).items.map(({ metadata }) => metadata.name);
    expect(await names('spec.color=red')).toEqual(['r']);
    expect(await names('spec.color!=red')).toEqual(['none']);
    expect(await names('spec.color=')).toEqual(['none']);
    expect(await names('spec.color=red,metadata.name=none')).toEqual([]);
    expect(
      await refusedStatus(() => fixture.list('things.facts.example.com/ns', { fieldSelector: 'spec.n=1' })),
    ).toMatchObject({
      code: 400,
      message: 'field label not supported: spec.n',
    });
    expect(
      await refusedStatus(() => fixture.list('namespaces', { fieldSelector: 'metadata.namespace=x' })),
    ).toMatchObject({
      message: 'field label not supported: metadata.namespace',
    });
  });
});
