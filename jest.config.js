// Jest runs what `tsc` compiled, with no transformer: what is tested is what is shipped.
export default {
  testEnvironment: 'node',
  roots: [
    '<rootDir>/dist/test',
    '<rootDir>/dist/src',
    '<rootDir>/packages/values/dist/test',
    '<rootDir>/packages/cel/dist/test',
    '<rootDir>/packages/kube-apiserver/dist/test',
  ],
  testMatch: ['<rootDir>/dist/test/**/*.test.js', '<rootDir>/packages/*/dist/test/**/*.test.js'],
  // These take hours: test/run.sh nightly.
  testPathIgnorePatterns: process.env['NIGHTLY'] === 'true' ? [] : ['\\.nightly\\.test\\.js$'],
  transform: {},
  globalSetup: '<rootDir>/dist/test/support/controlplane/setup.js',
  globalTeardown: '<rootDir>/packages/kube-apiserver/dist/testing/controlplane/teardown.js',
  testSequencer: '<rootDir>/test/sequencer.js',
  reporters: ['default', '<rootDir>/packages/kube-apiserver/dist/testing/controlplane/reporter.js'],
  // More than what a test waits for may take together, on a machine that has other things to do.
  testTimeout: 180_000,
  // They wait more than they work, and those of one file run one after the other.
  maxWorkers: '100%',

  // With --coverage, which test/run.sh sets for the tests that the gates need. Statements are counted (istanbul), not
  // lines of text: comments and types are neither covered nor missed, and a file that nothing imports counts in full.
  coverageProvider: 'babel',
  coverageReporters: ['text', 'lcovonly'],
  collectCoverageFrom: ['<rootDir>/dist/src/{domain,answers,operator,runtime,gateway}/**/*.js'],
  coverageThreshold: {
    './dist/src/domain/': { lines: 95, branches: 90 },
    './dist/src/answers/': { lines: 86, branches: 74 },
    './dist/src/answers/plan/': { lines: 95, branches: 83 },
    './dist/src/answers/world/': { lines: 95, branches: 84 },
    './dist/src/operator/index/': { lines: 95, branches: 90 },
    './dist/src/operator/controllers/': { lines: 95, branches: 89 },
    './dist/src/runtime/': { lines: 95, branches: 89 },
    './dist/src/gateway/': { lines: 95, branches: 90 },
  },
};
