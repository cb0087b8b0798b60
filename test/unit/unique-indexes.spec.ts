import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Schema } from 'mongoose';
import { ROOT } from '../support/checkout';

/** They find an account by what a client sends, before the account is known, so their collections cannot be sharded by account. */
const BEFORE_THE_ACCOUNT_IS_KNOWN = [
  'account: email',
  'api-key: hash',
  'device-token: hash',
  'device: fcmToken',
  'pairing-code: hash',
  'session: hash',
];

async function schemas(): Promise<[string, Schema][]> {
  const source = join(ROOT, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.schema.ts'))
    .map(async (file) => {
      const exported = Object.values((await import(join(source, file))) as object);
      return exported
        .filter((value): value is Schema => value instanceof Schema)
        .map((schema): [string, Schema] => [basename(file, '.schema.ts'), schema]);
    });
  return (await Promise.all(found)).flat();
}

describe('unique indexes', () => {
  it('lead with the account, unless it is not known yet', async () => {
    const unique = (await schemas()).flatMap(([name, schema]) =>
      schema
        .indexes()
        .filter(([, { unique: isUnique }]) => isUnique)
        .map(([key]) => ({ id: `${name}: ${Object.keys(key).join(', ')}`, leads: Object.keys(key)[0] })),
    );
    expect(unique.length).toBeGreaterThan(10);
    const others = unique.filter(({ leads }) => leads !== 'user').map(({ id }) => id);
    expect(others.sort()).toEqual([...BEFORE_THE_ACCOUNT_IS_KNOWN].sort());
  });
});
