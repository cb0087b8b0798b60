import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvFile } from './env-file';

describe('loadEnvFile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-file-'));
  const file = join(folder, '.env');
  const NAMES = ['ENV_FILE_FIRST', 'ENV_FILE_SECOND'];
  const text = `ENV_FILE_FIRST=one\r\nENV_FILE_SECOND='zwei €'\r\n`;
  const utf16be = (content: string) => Buffer.from(content, 'utf16le').swap16();

  afterEach(() => {
    for (const name of NAMES) Reflect.deleteProperty(process.env, name);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-16, little-endian', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big-endian', utf16be(`\ufeff${text}`)],
  ])('reads %s', (_, content) => {
    writeFileSync(file, content);
    loadEnvFile(file);
    expect(NAMES.map((name) => process.env[name])).toEqual(['one', 'zwei €']);
  });

  it('does not replace variables that are set, also if they are empty', () => {
    writeFileSync(file, text);
    process.env.ENV_FILE_FIRST = '';
    loadEnvFile(file);
    expect(NAMES.map((name) => process.env[name])).toEqual(['', 'zwei €']);
  });

  it('ignores a file that does not exist', () => {
    expect(() => {
      loadEnvFile(join(folder, 'missing'));
    }).not.toThrow();
  });
});
