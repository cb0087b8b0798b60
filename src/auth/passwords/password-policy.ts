import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ValidationFailed } from '../../common/errors';

/** Of at least eight characters, in lower case; from zxcvbn-ts (https://github.com/zxcvbn-ts/zxcvbn, MIT licence). */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  readFileSync(join(__dirname, 'common-passwords.txt'), 'utf8').trim().split('\n'),
);

const SERVICE_NAME = 'messaginggateway';

const LOOKALIKES: Readonly<Record<string, string>> = {
  '@': 'a',
  '0': 'o',
  '3': 'e',
  $: 's',
  '5': 's',
  '!': 'i',
};

/**
 * Rejects common passwords and those made of the e-mail address or the service's name.
 * @param field the request field that holds the password.
 * @param email the address of the account.
 * @throws ValidationFailed
 */
export function assertUncommonPassword(field: string, password: string, email: string): void {
  const reason = weaknessOf(password.toLowerCase(), email);
  if (reason) throw ValidationFailed.of(field, `${reason}; choose another one`);
}

function weaknessOf(password: string, email: string): string | undefined {
  const base = password.replace(/[^\p{L}]+$/u, '');
  const plain = base.replace(/[@03$5!]/g, (character) => LOOKALIKES[character] ?? character);
  if ([password, base, plain].some((each) => COMMON_PASSWORDS.has(each)))
    return 'is one of the most common passwords';
  if (/^(.{1,4})\1+$/su.test(password)) return 'repeats itself';
  const [name = ''] = email.split('@');
  if (password === email || base === email || [password, base].includes(name)) return 'is the e-mail address';
  if (plain.replace(/[^\p{L}]/gu, '') === SERVICE_NAME) return 'is the name of the service';
  return undefined;
}
