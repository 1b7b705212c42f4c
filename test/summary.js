// The reports of the runs of test/run.sh.
//
//   summary.js counts FOLDER [SUITE]   adds up the runs of a results folder: one line for each, then, where SUITE is `test`,
//                                      how many files `make test-all` runs beyond these, and last `N passed, N failed[, N skipped]`.
//                                      Ends with 1 on a failure, or when nothing ran. A failure that is no test counts as one:
//                                      a file that did not load, a program that failed, a coverage gate. A file that was run
//                                      again counts as it ended then, and its tests that had failed are named as flaky.
//   summary.js failed-files REPORT     the test files of a report that failed, one a line
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const GATE = /Jest: .*threshold/;

const [action, target = '', suite = ''] = process.argv.slice(2);
if (action === 'counts') printCounts(target);
else if (action === 'failed-files') printFailedFiles(target);
else throw new Error(`summary.js: no such action: ${action}`);

function printFailedFiles(report) {
  if (!existsSync(report)) return;
  for (const { name, status } of read(report).testResults)
    if (status === 'failed' && name.endsWith('.test.js')) console.log(name);
}

function printCounts(folder) {
  const total = { passed: 0, failed: 0, skipped: 0, files: 0 };
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.exit'))
    .sort()) {
    const run = countsOf(folder, file.slice(0, -'.exit'.length));
    for (const key of Object.keys(total)) total[key] += run[key];
  }
  if (suite === 'test') {
    const more =
      testFiles('dist/test') +
      testFiles('packages/values/dist/test') +
      testFiles('packages/cel/dist/test') +
      testFiles('packages/kube-apiserver/dist/test') -
      total.files;
    console.log(
      `not part of this run: ${more} test files that are slow or need kube-apiserver; make test-all runs them`,
    );
  }
  console.log(text(total));
  process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
}

function countsOf(folder, name) {
  const exit = Number(readFileSync(path.join(folder, `${name}.exit`), 'utf8'));
  const report = path.join(folder, `${name}.json`);
  const again = path.join(folder, `${name}.again.json`);
  const run = existsSync(report)
    ? countsOfJest(read(report), existsSync(again) ? read(again).testResults : [])
    : countsOfProgram(exit);
  const log = path.join(folder, `${name}.log`);
  const isBelowGate = existsSync(log) && GATE.test(readFileSync(log, 'utf8'));
  if (exit !== 0 && run.failed === 0 && (run.flaky === 0 || isBelowGate)) {
    run.failed = 1;
    console.error(`${name}: no test failed, but the run ended with ${exit} (coverage gate, or it did not start)`);
  }
  console.log(`${name}: ${text(run)}${run.seconds === undefined ? '' : ` in ${run.seconds} s`}`);
  return run;
}

function countsOfJest({ startTime, testResults }, resultsAgain) {
  const byName = new Map(resultsAgain.map((result) => [result.name, result]));
  const run = { passed: 0, failed: 0, skipped: 0, flaky: 0, files: testResults.length };
  for (const first of testResults) {
    const last = byName.get(first.name) ?? first;
    const count = (status) => last.assertionResults.filter((one) => one.status === status).length;
    run.passed += count('passed');
    run.skipped += count('pending');
    // A file that did not load has no tests.
    run.failed += last.status === 'failed' ? Math.max(count('failed'), 1) : 0;
    if (first.status !== 'failed' || last.status === 'failed') continue;
    run.flaky += 1;
    const failed = first.assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    console.log(
      `flaky, failed and then passed: ${path.relative('.', first.name)}: ${failed.join('; ') || 'did not load'}`,
    );
  }
  const end = Math.max(startTime, ...testResults.map(({ endTime }) => endTime));
  return { ...run, seconds: Math.round((end - startTime) / 1000) };
}

function countsOfProgram(exit) {
  return { passed: exit === 0 ? 1 : 0, failed: exit === 0 ? 0 : 1, skipped: 0, flaky: 0, files: 0 };
}

function read(report) {
  return JSON.parse(readFileSync(report, 'utf8'));
}

function testFiles(from) {
  const names = readdirSync(from, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.test.js') && !name.endsWith('.nightly.test.js')).length;
}

function text({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
