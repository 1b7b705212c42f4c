// Adds up the Jest runs of a results folder and prints `N passed, N failed[, N skipped]`; exits 1 on a failure or when
// nothing ran. What is no test counts as one failure each: a file that did not load, a gate (coverage) that was missed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [folder = '.run/results'] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };

for (const file of readdirSync(folder).filter((name) => name.endsWith('.exit'))) {
  const name = file.slice(0, -'.exit'.length);
  const exit = Number(readFileSync(path.join(folder, file), 'utf8'));
  const before = total.failed;
  const report = path.join(folder, `${name}.json`);
  if (existsSync(report)) add(JSON.parse(readFileSync(report, 'utf8')));
  if (exit === 0 || total.failed > before) continue;
  total.failed += 1;
  console.error(`${name}: no test failed, but the run ended with ${exit} (coverage gate, or it did not start)`);
}

function add(report) {
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
  total.skipped += report.numPendingTests;
}

const skipped = total.skipped === 0 ? '' : `, ${total.skipped} skipped`;
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
