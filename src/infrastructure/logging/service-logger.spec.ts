import { OpsConfig } from '../../config/sections/ops.config';
import { ServiceLogger } from './service-logger';

/** Characters of a name, an address or a user agent that would control a terminal or forge a line. */
const HOSTILE = 'a\u001b[31mb\u0007c\rd\te\u009b2Jf\u202Eg\u2028h\u2066i\nFAKE entry';
const UNPRINTABLE = /[^\P{Cc}\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/u;

describe('ServiceLogger', () => {
  let written: string[];

  beforeEach(() => {
    written = [];
    const write = (text: string | Uint8Array) => written.push(String(text)) > 0;
    jest.spyOn(process.stdout, 'write').mockImplementation(write);
    jest.spyOn(process.stderr, 'write').mockImplementation(write);
  });
  afterEach(() => jest.restoreAllMocks());

  const loggerOf = (logFormat: 'text' | 'json') =>
    new ServiceLogger(Object.assign(new OpsConfig(), { logFormat, logLevel: 'debug' }));
  const values: [string, unknown][] = [
    ['a text', HOSTILE],
    ['an error', new Error(HOSTILE)],
    ['an object', { userAgent: HOSTILE }],
    ['a list', [HOSTILE]],
  ];

  describe.each(['text', 'json'] as const)('as %s', (format) => {
    it.each(values)('removes control characters from %s at every level', (_, value) => {
      const logger = loggerOf(format);
      logger.log(value, 'Test');
      logger.warn(value, 'Test');
      logger.debug(value, 'Test');
      logger.error(value, 'Test');
      logger.fatal(value, 'Test');
      logger.verbose(value, 'Test');
      logger.error('failed', `Error: ${HOSTILE}\n    at ${HOSTILE}`, 'Test');
      const text = written.join('');
      expect(text).toContain('FAKE entry');
      expect(text).not.toMatch(UNPRINTABLE);
      for (const line of text.split('\n')) expect(line).not.toMatch(/^FAKE/);
    });
  });

  it('keeps and indents the lines of a mail or a stack', () => {
    loggerOf('text').log('To: ada@example.com\n\nYour code\n    at home', 'Mail');
    expect(written.join('')).toMatch(/To: ada@example\.com\n\n {4}Your code\n {4}at home\n$/);
  });

  it('writes one JSON object per entry', () => {
    loggerOf('json').log(HOSTILE, 'Test');
    const [line = '', ...others] = written.join('').trimEnd().split('\n');
    expect(others).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({
      context: 'Test',
      message: expect.stringContaining('FAKE') as string,
    });
  });
});
