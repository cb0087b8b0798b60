import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptSecret } from './kept-secret';

describe('a kept secret', () => {
  const home = mkdtempSync(join(tmpdir(), 'kept-secret-'));
  afterAll(() => {
    rmSync(home, { recursive: true });
  });

  it('is made once, unlike any other, and is the owner’s to read alone', () => {
    const secret = keptSecret(home, 'token-secret');
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(keptSecret(home, 'token-secret')).toBe(secret);
    expect(keptSecret(home, 'api-key', { prefix: 'mgw_' })).toMatch(/^mgw_[\da-f]{48}$/);
    expect(keptSecret(home, 'api-key', { prefix: 'mgw_' })).not.toContain(secret);
    expect(statSync(join(home, 'token-secret')).mode & 0o777).toBe(0o600);
  });

  it('replaces an empty file, which a process that was killed has left, and leaves no draft', () => {
    writeFileSync(join(home, 'mongodb-password'), '');
    const secret = keptSecret(home, 'mongodb-password');
    expect(secret).toMatch(/^[\da-f]{48}$/);
    expect(keptSecret(home, 'mongodb-password')).toBe(secret);
    expect(readdirSync(home).filter((name) => name.startsWith('mongodb-password'))).toHaveLength(1);
  });
});
