import { randomBytes } from 'node:crypto';
import { EncryptionConfig } from '../../config/sections/encryption.config';
import { EncryptionKeyMissing, SecretCipher } from './secret-cipher';

const newKey = () => randomBytes(32).toString('hex');
const cipherWith = (...keys: string[]) => new SecretCipher(Object.assign(new EncryptionConfig(), { keys }));

describe('SecretCipher', () => {
  const key = newKey();
  const secret = 'whsec_ü€😀 and more';

  it('decrypts what it encrypted', () => {
    const encrypted = cipherWith(key).encrypt(secret, 'a');
    expect(encrypted).not.toContain('whsec');
    expect(cipherWith(key).decrypt(encrypted, 'a')).toBe(secret);
  });

  it('encrypts the same secret differently each time', () => {
    expect(cipherWith(key).encrypt(secret, 'a')).not.toBe(cipherWith(key).encrypt(secret, 'a'));
  });

  it('rejects another owner and a ciphertext that was tampered with', () => {
    const encrypted = cipherWith(key).encrypt(secret, 'a');
    expect(() => cipherWith(key).decrypt(encrypted, 'b')).toThrow();
    const other = encrypted[30] === 'A' ? 'B' : 'A';
    expect(() =>
      cipherWith(key).decrypt(encrypted.slice(0, 30) + other + encrypted.slice(31), 'a'),
    ).toThrow();
    expect(() => cipherWith(key).decrypt(encrypted.slice(0, 20), 'a')).toThrow();
  });

  it('decrypts with any key, encrypts with the first, and reports which ciphertexts are stale', () => {
    const newer = newKey();
    const old = cipherWith(key).encrypt(secret, 'a');
    const rotated = cipherWith(newer, key);
    expect(rotated.decrypt(old, 'a')).toBe(secret);
    expect(rotated.needsReencryption(old)).toBe(true);
    const fresh = rotated.encrypt(secret, 'a');
    expect(rotated.needsReencryption(fresh)).toBe(false);
    expect(cipherWith(newer).decrypt(fresh, 'a')).toBe(secret);
    expect(() => cipherWith(newer).decrypt(old, 'a')).toThrow(EncryptionKeyMissing);
  });
});
