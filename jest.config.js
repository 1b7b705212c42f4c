// Jest runs what `tsc` compiled, with no transformer: what is tested is what is shipped.
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/dist/test'],
  transform: {},
  coverageProvider: 'v8',
};
