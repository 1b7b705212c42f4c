// Jest runs what `tsc` compiled, with no transformer.
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/dist/test'],
  testMatch: ['<rootDir>/dist/test/**/*.test.js'],
  testPathIgnorePatterns: process.env['NIGHTLY'] === 'true' ? [] : ['\\.nightly\\.test\\.js$'],
  transform: {},
  globalSetup: '<rootDir>/dist/testing/controlplane/setup.js',
  globalTeardown: '<rootDir>/dist/testing/controlplane/teardown.js',
  reporters: ['default', '<rootDir>/dist/testing/controlplane/reporter.js'],
  testTimeout: 180_000,
  maxWorkers: '100%',
};
