// Prints the part of CHANGELOG.md about a release: `node tools/releasenotes.js v0.1.0`. Fails where the tag is not the
// version of package.json, or there is no such part. Plain JavaScript, because the release workflow runs it before
// anything is installed.
import { readFileSync } from 'node:fs';

const [tag = ''] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const parts = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const part = parts.find((text) => text.startsWith(`${version} `));

if (tag !== `v${version}`) fail(`the tag is ${JSON.stringify(tag)}, and package.json has the version ${version}`);
else if (part === undefined) fail(`CHANGELOG.md has no part "## ${version} (DATE)"`);
else process.stdout.write(part.slice(part.indexOf('\n') + 1).trim() + '\n');

function fail(why) {
  process.stderr.write(`releasenotes: ${why}\n`);
  process.exitCode = 1;
}
