import { mkdtempSync, rmSync, statSync } from 'node:fs';
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
});
