const { relative } = require('node:path');

const SHOWN = 10;
const MIN_FILES = 2 * SHOWN;

/** Prints which spec files took longest, at the end of a run of many. */
module.exports = class SlowestFilesReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, { testResults }) {
    if (testResults.length < MIN_FILES) return;
    const slowest = testResults
      .map(({ testFilePath, perfStats }) => ({ file: testFilePath, ms: perfStats.end - perfStats.start }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, SHOWN);
    const lines = slowest.map(
      ({ file, ms }) => `${(ms / 1_000).toFixed(0).padStart(5)} s  ${relative(this.rootDir, file)}`,
    );
    process.stderr.write(`\nThe slowest spec files:\n${lines.join('\n')}\n`);
  }
};
