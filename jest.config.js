const { availableParallelism } = require('node:os');

// Coverage counts the modules that Jest evaluates for each spec file.
const sharesModules = !process.argv.includes('--coverage');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: sharesModules ? '<rootDir>/test/support/one-realm-environment.js' : 'node',
  ...(sharesModules && { runtime: '<rootDir>/test/support/shared-modules-runtime.js' }),
  reporters: ['default', '<rootDir>/test/support/slowest-files-reporter.js'],
  roots: ['src', 'dashboard/src', 'phone', 'local-stack', 'tools', 'bench', 'test'].map(
    (folder) => `<rootDir>/${folder}`,
  ),
  testMatch: ['**/*.spec.ts'],
  globalSetup: '<rootDir>/test/support/start-database-pool.ts',
  globalTeardown: '<rootDir>/test/support/drop-database-pool.ts',
  setupFilesAfterEnv: [
    '<rootDir>/test/unit/no-sockets.js',
    '<rootDir>/test/support/release-metrics.js',
    '<rootDir>/test/support/stop-services.ts',
  ],
  // @fastify/static requires an ES module, which Jest cannot load on Node 20.
  transform: { '^.+\\.ts$': '@swc/jest', '/content-disposition/.+\\.js$': '@swc/jest' },
  transformIgnorePatterns: ['/node_modules/(?!(@fastify/static/node_modules/)?content-disposition/)'],
  // A test that hangs, not one on a busy machine: none has a shorter limit of its own.
  testTimeout: 600_000,
  // `npm test` gives each worker a larger young generation, because starting a service allocates much: a third less CPU time.
  // Tests mostly wait. By default a machine with two cores has one worker.
  maxWorkers: availableParallelism() * 2,
  workerIdleMemoryLimit: '1GB',
  collectCoverageFrom: ['src/**/*.ts'],
  coverageProvider: 'v8',
};
