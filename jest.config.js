// Jest runs what `tsc` compiled, with no transformer: what is tested is what is shipped.
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/dist/test', '<rootDir>/dist/src'],
  testMatch: ['<rootDir>/dist/test/**/*.test.js'],
  transform: {},
  globalSetup: '<rootDir>/dist/test/support/controlplane/setup.js',
  globalTeardown: '<rootDir>/dist/test/support/controlplane/teardown.js',
  reporters: ['default', '<rootDir>/dist/test/support/controlplane/reporter.js'],
  testTimeout: 60_000,
};
