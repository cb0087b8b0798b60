import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PUSH_TRANSPORTS } from '../../src/common/push-transports';

const SRC = join(__dirname, '../../src');

/** Where a phone's protocol and transport are translated to capabilities. */
const TRANSLATORS = ['phones/', 'push/'];

/** The folders with controllers. */
const protocols = readdirSync(join(SRC, 'phones'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.controller.ts'))
  .map(dirname);
const NAME = `'(?:${[...PUSH_TRANSPORTS, ...protocols].join('|')})'`;
const COMPARISON = new RegExp(`(?:[=!]==|case)\\s*${NAME}|${NAME}\\s*[=!]==`);

describe('the source', () => {
  it('decides by the capabilities of a phone, never by the name of its transport or protocol', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /(?<!\.spec)\.ts$/.test(file) && !TRANSLATORS.some((folder) => file.startsWith(folder)),
    );
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter((file) => COMPARISON.test(readFileSync(join(SRC, file), 'utf8')))).toEqual([]);
    for (const comparison of ["transport === 'fcm'", "'textbee' !== protocol"])
      expect(comparison).toMatch(COMPARISON);
  });
});
