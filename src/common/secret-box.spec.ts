import { randomBytes } from 'node:crypto';
import { EncryptionConfig } from '../config/encryption.config';
import { EncryptionKeyMissing, SecretBox } from './secret-box';

const newKey = () => randomBytes(32).toString('hex');
const boxWith = (...keys: string[]) => new SecretBox(Object.assign(new EncryptionConfig(), { keys }));

describe('a secret box', () => {
  const key = newKey();
  const secret = 'whsec_ü€😀 and more';

  it('gives back what was put in, and shows nothing of it', () => {
    const closed = boxWith(key).close(secret, 'a');
    expect(closed).not.toContain('whsec');
    expect(boxWith(key).open(closed, 'a')).toBe(secret);
  });

  it('never closes twice the same way', () => {
    expect(boxWith(key).close(secret, 'a')).not.toBe(boxWith(key).close(secret, 'a'));
  });

  it('opens for its owner only, and not once it was tampered with', () => {
    const closed = boxWith(key).close(secret, 'a');
    expect(() => boxWith(key).open(closed, 'b')).toThrow();
    const other = closed[30] === 'A' ? 'B' : 'A';
    expect(() => boxWith(key).open(closed.slice(0, 30) + other + closed.slice(31), 'a')).toThrow();
    expect(() => boxWith(key).open(closed.slice(0, 20), 'a')).toThrow();
  });

  it('opens with any of the keys, closes with the first, and tells which must be closed anew', () => {
    const newer = newKey();
    const old = boxWith(key).close(secret, 'a');
    const rotated = boxWith(newer, key);
    expect(rotated.open(old, 'a')).toBe(secret);
    expect(rotated.isStale(old)).toBe(true);
    const fresh = rotated.close(secret, 'a');
    expect(rotated.isStale(fresh)).toBe(false);
    expect(boxWith(newer).open(fresh, 'a')).toBe(secret);
    expect(() => boxWith(newer).open(old, 'a')).toThrow(EncryptionKeyMissing);
  });
});
