const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers'); // comes with jest
const { ModuleMocker } = require('jest-mock'); // comes with jest

const JEST_STATE = ['JEST_STATE_SYMBOL', 'EVENT_HANDLERS'];

/**
 * Runs spec files with the globals of the worker process, so that they can share modules (`shared-modules-runtime.js`). What a
 * spec file changes of its mocks, environment variables and globals of Jest is undone after it.
 */
module.exports = class OneRealmEnvironment {
  constructor({ projectConfig }) {
    const global = globalThis;
    this.global = global;
    this.environmentVariables = { ...process.env };
    this.exit = process.exit; // Jest wraps it for each spec file
    this.moduleMocker = new ModuleMocker(global);
    const timerConfig = {
      idToRef: (id) => ({ id, ref: () => id, unref: () => id }),
      refToId: (timer) => timer?.id,
    };
    this.fakeTimers = new LegacyFakeTimers({
      config: projectConfig,
      global,
      moduleMocker: this.moduleMocker,
      timerConfig,
    });
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global });
  }

  async setup() {}

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    process.exit = this.exit;
    for (const name of Object.keys(process.env))
      if (!(name in this.environmentVariables)) delete process.env[name];
    Object.assign(process.env, this.environmentVariables);
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (JEST_STATE.includes(symbol.description)) delete globalThis[symbol];
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Code runs in the realm of the worker instead. */
  getVmContext() {
    return null;
  }
};
