const Module = require('node:module');
const { Script } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime'); // comes with jest

/** By file name, for stack traces. */
const sourceMaps = new Map();
const scripts = new Map();

let current;

Module._extensions['.ts'] = (module, filename) => {
  module._compile(current.transformCache.transform(filename), filename);
};

/**
 * By default Jest evaluates every module anew for each spec file, and a spec file that starts the service loads thousands. With
 * this runtime, Node loads them once in each worker. Only spec files and Jest itself are evaluated for each spec file.
 */
module.exports = class SharedModulesRuntime extends JestRuntime {
  constructor(config, environment, resolver, transformer, cacheFS, coverageOptions, testPath, globalConfig) {
    super(config, environment, resolver, transformer, cacheFS, coverageOptions, testPath, globalConfig);
    this.transformCache.sourceMaps = sourceMaps;
    this.executor.compile = (code, filename) => this.compile(code, filename);
    // For modules other than spec files, where Jest declares it.
    globalThis.jest = this.jestGlobals.jestObjectFor(testPath);
    current = this;
  }

  requireModuleOrMock(from, moduleName) {
    if (moduleName === '@jest/globals') return super.requireModuleOrMock(from, moduleName);
    return Module.createRequire(from)(moduleName);
  }

  compile(code, filename) {
    const known = scripts.get(filename);
    if (known?.code === code) return known.script.runInThisContext();
    const opening = `(function (${this.executor.injectedModuleParameters.join(', ')}) {`;
    const script = new Script(`${opening}${code}\n})`, { filename, columnOffset: -opening.length });
    if (filename !== this._testPath) scripts.set(filename, { code, script });
    return script.runInThisContext();
  }
};
