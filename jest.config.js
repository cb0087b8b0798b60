const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  runtime: '<rootDir>/test/support/shared-code-runtime.js',
  roots: ['src', 'dashboard/src', 'phone', 'local-stack', 'tools', 'bench', 'test'].map(
    (folder) => `<rootDir>/${folder}`,
  ),
  testMatch: ['**/*.spec.ts'],
  globalSetup: '<rootDir>/test/support/start-database-pool.ts',
  globalTeardown: '<rootDir>/test/support/drop-database-pool.ts',
  setupFilesAfterEnv: ['<rootDir>/test/unit/no-sockets.js', '<rootDir>/test/support/disconnect-observers.js'],
  // @fastify/static requires an ES module, which Jest cannot load on Node 20.
  transform: { '^.+\\.ts$': '@swc/jest', '/content-disposition/.+\\.js$': '@swc/jest' },
  transformIgnorePatterns: ['/node_modules/(?!(@fastify/static/node_modules/)?content-disposition/)'],
  // A test that hangs, not one on a busy machine.
  testTimeout: 300_000,
  // Tests mostly wait. By default a machine with two cores has one worker.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // V8 collects the contexts of earlier spec files late; a new worker costs less than a full heap.
  workerIdleMemoryLimit: '1GB',
  collectCoverageFrom: ['src/**/*.ts'],
  coverageProvider: 'v8',
};
