import { writeFileSync } from 'node:fs';

import { argumentsOf } from './arguments.js';
import { changesOf, RECORDED_FILE } from './checks/recorded.js';
import { Explorer } from './explore/explorer.js';
import { SCENARIOS } from './scenarios/all.js';

const USAGE = `npm run faults:record: writes down what each scenario stores without faults, and what its clients are answered.
Look at what differs first: npm run faults -- --plan '{"scenario":"…","seed":0,"faults":[]}' --log
Fails, and leaves the file as it is, where a scenario breaks a rule.`;

argumentsOf('faults:record', USAGE, {}, () => undefined);
const explorer = await Explorer.start();
const lines: string[] = [];
for (const { name, steps } of SCENARIOS) {
  const { moments } = await explorer.reference({ scenario: name });
  const changes = changesOf(moments.slice(0, steps.length + 1));
  lines.push(`${JSON.stringify(name)}: [\n  ${changes.map((one) => JSON.stringify(one)).join(',\n  ')}\n]`);
  explorer.forget();
}
await explorer.close();
writeFileSync(RECORDED_FILE, `{\n${lines.join(',\n')}\n}\n`);
console.log(`${lines.length} scenarios recorded`);
