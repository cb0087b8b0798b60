/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/tools', '<rootDir>/bench'],
  testMatch: ['**/*.spec.ts'],
  // @fastify/static requires an ES module, which Jest cannot load on Node 20.
  transform: { '^.+\\.ts$': '@swc/jest', '/content-disposition/.+\\.js$': '@swc/jest' },
  transformIgnorePatterns: ['/node_modules/(?!(@fastify/static/node_modules/)?content-disposition/)'],
  testTimeout: 30_000,
};
