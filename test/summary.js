// Adds up the runs of a results folder: one line for each, then, where the second argument is `test`, how many files
// `make test-all` runs beyond these, and last `N passed, N failed[, N skipped]`. Ends with 1 on a failure, or when nothing
// ran. A failure that is no test counts as one: a file that did not load, a program that failed, a coverage gate.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [folder = '.run/results', suite = ''] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0, files: 0 };

for (const file of readdirSync(folder)
  .filter((name) => name.endsWith('.exit'))
  .sort()) {
  const run = countsOf(file.slice(0, -'.exit'.length));
  for (const key of Object.keys(total)) total[key] += run[key];
}
if (suite === 'test') {
  const more = testFiles('dist/test') + testFiles('packages/kube-apiserver/dist/test') - total.files;
  console.log(`not part of this run: ${more} test files that are slow or need kube-apiserver; make test-all runs them`);
}
console.log(text(total));
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

function countsOf(name) {
  const exit = Number(readFileSync(path.join(folder, `${name}.exit`), 'utf8'));
  const report = path.join(folder, `${name}.json`);
  const run = existsSync(report) ? countsOfJest(JSON.parse(readFileSync(report, 'utf8'))) : countsOfProgram(exit);
  if (exit !== 0 && run.failed === 0) {
    run.failed = 1;
    console.error(`${name}: no test failed, but the run ended with ${exit} (coverage gate, or it did not start)`);
  }
  console.log(`${name}: ${text(run)}${run.seconds === undefined ? '' : ` in ${run.seconds} s`}`);
  return run;
}

function countsOfJest(report) {
  const last = Math.max(report.startTime, ...report.testResults.map(({ endTime }) => endTime));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests,
    files: report.numTotalTestSuites,
    seconds: Math.round((last - report.startTime) / 1000),
  };
}

function countsOfProgram(exit) {
  return { passed: exit === 0 ? 1 : 0, failed: exit === 0 ? 0 : 1, skipped: 0, files: 0 };
}

function testFiles(from) {
  const names = readdirSync(from, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.test.js') && !name.endsWith('.nightly.test.js')).length;
}

function text({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
