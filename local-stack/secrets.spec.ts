import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getOrCreateSecret } from './secrets';

describe('getOrCreateSecret', () => {
  const home = mkdtempSync(join(tmpdir(), 'kept-secret-'));
  afterAll(() => {
    rmSync(home, { recursive: true });
  });

  it('creates a secret once, different from others and readable by its owner only', () => {
    const secret = getOrCreateSecret(home, 'token-secret');
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(getOrCreateSecret(home, 'token-secret')).toBe(secret);
    expect(getOrCreateSecret(home, 'api-key', { prefix: 'mgw_' })).toMatch(/^mgw_[\da-f]{48}$/);
    expect(getOrCreateSecret(home, 'api-key', { prefix: 'mgw_' })).not.toContain(secret);
    expect(statSync(join(home, 'token-secret')).mode & 0o777).toBe(0o600);
  });

  it('replaces an empty file of a killed process, and leaves no draft', () => {
    writeFileSync(join(home, 'mongodb-password'), '');
    const secret = getOrCreateSecret(home, 'mongodb-password');
    expect(secret).toMatch(/^[\da-f]{48}$/);
    expect(getOrCreateSecret(home, 'mongodb-password')).toBe(secret);
    expect(readdirSync(home).filter((name) => name.startsWith('mongodb-password'))).toHaveLength(1);
  });
});
