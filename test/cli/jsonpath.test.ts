import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { filled, parseTemplate, TemplateError } from '@multicluster-engine/values/jsonpath';
import { describeWithKubectl, pathWithKubectl } from '../support/clients/kubectl.js';

const DOCUMENT = {
  apiVersion: 'cli.fleetmgmt.io/v1',
  kind: 'FleetTree',
  metadata: { name: 'x', labels: { 'a.b/c': 'dots', plain: 'p' } },
  placements: [
    {
      namespace: 'shop',
      name: 'web',
      selected: 3,
      score: 12.5,
      ok: true,
      none: null,
      clusterSets: [
        { name: 'eu', clusters: ['eu-1', 'eu-2'] },
        { name: 'us', clusters: ['us-1'] },
      ],
    },
    { namespace: 'shop', name: 'api', selected: 0, score: -7, ok: false, clusterSets: [], note: 'a <b> & "c" (d) ü' },
    { namespace: 'blog', name: 'cdn', selected: 12, ok: true, clusterSets: [{ name: 'eu', clusters: [] }] },
  ],
  empty: {},
  list: [],
  tiny: 0.00001,
  large: 1234567.5,
  huge: 123456789012,
};

/** Templates whose output is compared with that of kubectl. None contains a line feed outside of a text. */
const TEMPLATES = [
  'text only',
  '.kind',
  '{.kind}',
  '{ .kind }',
  '{$.kind}{@.kind}',
  '{.missing}',
  '{.missing.more[*].x}',
  '{.}',
  '{.placements[*].name}',
  "{.placements[*]['name']}",
  '{.placements[0].name} and {.placements[-1].name}',
  '{.placements[0:2].name}',
  '{.placements[1:].name}',
  '{.placements[:-1].name}',
  '{.placements[::2].name}',
  '{.placements[0:3:2].name}',
  '{.placements[-2:].name}',
  '{.placements[1:1].name}',
  '{.placements[0,2].name}',
  "{.placements[0]['name', 'namespace']}",
  '{.placements[*].clusterSets[*].clusters[*]}',
  '{.placements[0].clusterSets[0:1].name}',
  '{.placements[0].clusterSets}',
  '{.placements[1]}',
  '{.empty}{.list}{.empty.*}{.list[*]}',
  '{.placements[0].none}',
  '{.placements[0].none.x}{.placements[0].none[0]}',
  '{.placements[*].ok}',
  '{.placements[*].score}',
  '{.tiny} {.large} {.huge}',
  String.raw`{.metadata.labels.a\.b/c}`,
  String.raw`{.metadata.labels['a\.b/c']}`,
  "{.metadata.labels['a.b/c']}",
  "{.metadata['labels'].plain}",
  '{.metadata.labels}',
  '{.metadata.name.*}',
  '{..clusters}',
  "{..['clusters']}",
  '{.placements[?(@.name=="web")].selected}',
  "{.placements[?(@.name=='web')].selected}",
  '{.placements[?(@.name != "web")].name}',
  '{.placements[?(@.selected>2)].name}',
  '{.placements[?(@.selected >= 3)].name}',
  '{.placements[?(@.selected<3)].name}',
  '{.placements[?(@.selected <= 0)].name}',
  '{.placements[?(@.ok==true)].name}',
  '{.placements[?(@.ok!=true)].name}',
  '{.placements[?(@.name>"b")].name}',
  '{.placements[?(@.name<=@.namespace)].name}',
  '{.placements[?(@.note)].name}',
  '{.placements[?(@.clusterSets[0])].name}',
  '{.placements[?(@.note=="(x)")].name}',
  '{.placements[?(@.missing=="x")].name}',
  '{range .placements[*]}{.namespace}/{.name}{"\\t"}{.selected}{"\\n"}{end}',
  '{range .placements[*]}[{range .clusterSets[*]}{.name}:{.clusters[*]},{end}]{end}.',
  '{range .placements[*].clusterSets[*]}{.name};{end}',
  '{range .missing[*]}{.name}{end}after',
  '{range .list[*]}{.name}{range .x}{.y}{end}{end}after',
  '{range .placements[*]}{$.name}{@.selected},{end}',
  '{range .placements[?(@.ok==true)]}{.name} {end}',
  '{range .empty}{.x}y{end}',
  '{"quoted"} {\'single\'}',
  String.raw`{"a\"b\\c\x41\u00e9\t."}`,
  String.raw`{'it\'s'}`,
  '{"é"}',
  '{.kind "instead"}',
  '{.placements[*] 5}',
  '{true} {1} {-2} {1.5}',
  'a } b',
  '{.placements[*].name}{.kind}',
  '{.kind}\t{.kind}',
  '{.placements.name}',
  '{.kind.name}',
];
/** kubectl refuses each. */
const REFUSED = [
  '{.placements[?(@.clusterSets[0].name=="eu")].name}',
  '{',
  '{.kind',
  '{.a,b}',
  '{kind}',
  '{.placements[0}',
  '{.placements[x].name}',
  '{.placements[9].name}',
  '{.placements[0:9].name}',
  '{.placements[2:1].name}',
  '{.placements[0:2:0].name}',
  '{.kind[0]}',
  '{.kind[?(@.x)]}',
  '{.placements[?(@.name=="web").x}',
  '{.placements[?(@.name=="web)]}',
  '{.placements[?(@.name=~"web")]}',
  '{.placements[?(@.score==1)].name}',
  '{.placements[?(@.name==1)].name}',
  '{.placements[?(@.clusterSets=="x")].name}',
  '{.placements[?(@.clusterSets[*].name=="eu")].name}',
  '{.placements[?(@.ok>false)].name}',
  '{"not closed}',
  String.raw`{"\q"}`,
  '{....x}',
  '{*}',
  '{-}',
  '{1.2.3}',
  '{end}',
  '{.a}{end}',
];

/** What it prints; undefined where it is refused. */
function own(template: string): string | undefined {
  return outcome(template).text;
}

function outcome(template: string): { readonly text?: string; readonly reason?: string } {
  try {
    return { text: filled(parseTemplate(template), DOCUMENT) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    expect(error.message).not.toContain('\n');
    return { reason: error.message.replace('error executing jsonpath: ', '') };
  }
}

describeWithKubectl('a template of kubectl', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'jsonpath-'));
    writeFileSync(path.join(folder, 'document.json'), JSON.stringify(DOCUMENT));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What kubectl prints of the document, or its error. */
  function kubectl(template: string): { readonly text?: string; readonly error?: string } {
    const args = ['label', '--local', '-f', path.join(folder, 'document.json'), 'none-', '-o', `jsonpath=${template}`];
    const { status, stdout, stderr } = spawnSync('kubectl', args, {
      encoding: 'utf8',
      env: { PATH: pathWithKubectl(), HOME: folder },
    });
    return status === 0 ? { text: stdout } : { error: stderr };
  }

  it('is filled as kubectl fills it', () => {
    const mark = '\u001e';
    const expected = kubectl(TEMPLATES.join(mark)).text?.split(mark);

    expect(expected).toHaveLength(TEMPLATES.length);
    expect(TEMPLATES.map((one) => [one, own(one)])).toEqual(TEMPLATES.map((one, at) => [one, expected?.[at]]));
  });

  it.each(REFUSED)('is refused with the reason of kubectl: %s', (template) => {
    const { reason = 'printed' } = outcome(template);
    const { error } = kubectl(template);

    // kubectl shows the value of which a filter takes no items, this program its type.
    expect(error).toContain(reason.replace(/^\w+ is not array or slice$/, 'is not array or slice'));
  });

  it('is refused when a loop is not closed, of which kubectl prints the rest twice', () => {
    expect(() => parseTemplate('{range .items[*]}{.name}')).toThrow('unexpected end, {range} without {end}');
  });

  it('is filled or refused with an TemplateError, whatever it is', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '.placements',
      '[*]',
      '[0]',
      '[?(@.',
      '=="',
      '")]',
      'range ',
      'end',
      '"',
      '..',
      '*',
      '\\',
      ' ',
      '1',
      ',',
      '@',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => void own(pieces.join(''))),
      { numRuns: 2_000 },
    );
  });
});
