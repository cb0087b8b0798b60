const { sep } = require('node:path');
const { Script } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime'); // comes with jest

const PACKAGES = `${sep}node_modules${sep}`;

// By file name.
const packageSources = new Map();
const transformed = new Map();
const compiled = new Map();

/** The value that was made from this source, or a new one. */
function memoized(cache, filename, source, create) {
  const cached = cache.get(filename);
  if (cached?.source === source) return cached.value;
  const value = create();
  cache.set(filename, { source, value });
  return value;
}

/**
 * Jest compiles every module anew for each spec file. This runtime compiles it once in each worker. Modules are still
 * evaluated for each spec file, with globals of their own: only their code is shared.
 */
module.exports = class SharedCodeRuntime extends JestRuntime {
  constructor(config, environment, resolver, transformer, cacheFS, coverageOptions, testPath, globalConfig) {
    super(config, environment, resolver, transformer, cacheFS, coverageOptions, testPath, globalConfig);
    // Coverage counts from the start of the code that Jest compiles.
    if (coverageOptions.collectCoverage) return;
    this.sharePackageSources();
    this.shareTransformedCode(transformer);
    this.shareCompiledCode(environment);
  }

  sharePackageSources() {
    const readFile = this.fileCache.readFile.bind(this.fileCache);
    this.fileCache.readFile = (filename) => {
      if (!filename.includes(PACKAGES)) return readFile(filename);
      if (!packageSources.has(filename)) packageSources.set(filename, readFile(filename));
      return packageSources.get(filename);
    };
  }

  shareTransformedCode(transformer) {
    const transform = transformer.transform.bind(transformer);
    transformer.transform = (filename, options, source) =>
      options.supportsStaticESM
        ? transform(filename, options, source)
        : memoized(transformed, filename, source, () => transform(filename, options, source));
  }

  shareCompiledCode(environment) {
    const { executor } = this;
    const opening = `(function (${executor.injectedModuleParameters.join(', ')}) {`;
    const compile = executor.compile.bind(executor);
    executor.compile = (code, filename) => {
      const context = environment.getVmContext();
      if (context === null) return compile(code, filename);
      try {
        const script = memoized(
          compiled,
          filename,
          code,
          () => new Script(`${opening}${code}\n})`, { filename, columnOffset: -opening.length }),
        );
        return script.runInContext(context);
      } catch {
        // Jest explains syntax errors.
        return compile(code, filename);
      }
    };
  }
};
