/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/tools'],
  testMatch: ['**/*.spec.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  testTimeout: 30_000,
  setupFilesAfterEnv: ['<rootDir>/test/support/retries.ts'],
  // A queue that was closed while its Redis was away keeps timers of Bull's; the service itself ends by process.exit.
  forceExit: true,
};
