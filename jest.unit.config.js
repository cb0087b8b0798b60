const { globalSetup, globalTeardown, ...base } = require('./jest.config.js');

/**
 * The specs beside the code, apart from `*.integration.spec.ts`: they need no database, no socket and no other process
 * (`test/unit/no-sockets.js`).
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...base,
  roots: base.roots.filter((root) => root !== '<rootDir>/test'),
  testPathIgnorePatterns: ['/node_modules/', '\\.integration\\.spec\\.ts$'],
};
