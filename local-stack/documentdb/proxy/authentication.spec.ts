import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { deserialize, type Document, serialize } from 'bson';

import { Authentication, ScramSecret } from './authentication';
import { type Command } from './command';

const CREDENTIALS = { user: 'owner', password: 'correct horse' };

function command(name: string, fields: Document = {}): Command {
  const spec = Buffer.from(serialize({ [name]: 1, ...fields }));
  return {
    name,
    spec,
    database: 'admin',
    collection: '',
    session: undefined,
    transaction: undefined,
    maxTimeMs: undefined,
    sequences: new Map(),
  };
}

const textOf = (reply: Document | undefined): string => {
  const { payload } = deserialize(serialize(reply ?? {}), { promoteBuffers: true });
  return payload instanceof Uint8Array ? Buffer.from(payload).toString() : '';
};

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** A client according to RFC 5802. @returns the server's last message. */
function logIn(
  authentication: Authentication,
  { user, password }: typeof CREDENTIALS,
  change: (last: string) => string = (last) => last,
): string {
  const first = `n=${user},r=clientnonce`;
  const start = { mechanism: 'SCRAM-SHA-256', payload: Buffer.from(`n,,${first}`) };
  const challenge = textOf(
    authentication.reply(command('saslStart', { ...start, options: { skipEmptyExchange: true } })),
  );
  const [, nonce = '', salt = '', iterations = ''] = /^r=(.*),s=(.*),i=(.*)$/.exec(challenge) ?? [];
  const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256');
  const clientKey = hmac(salted, 'Client Key');
  const last = `c=biws,r=${nonce}`;
  const signed = `${first},${challenge},${last}`;
  const signature = hmac(createHash('sha256').update(clientKey).digest(), signed);
  const proof = Buffer.from(clientKey.map((byte, place) => byte ^ (signature[place] ?? 0)));
  const payload = Buffer.from(change(`${last},p=${proof.toString('base64')}`));
  const answer = textOf(authentication.reply(command('saslContinue', { conversationId: 1, payload })));
  expect(answer).toBe(`v=${hmac(hmac(salted, 'Server Key'), signed).toString('base64')}`);
  return answer;
}

describe('Authentication', () => {
  let authentication: Authentication;
  beforeEach(() => {
    authentication = new Authentication(new ScramSecret(CREDENTIALS));
  });

  it('refuses a transaction before the login', () => {
    const starting = { ...command('ping'), transaction: { starts: true } };
    expect(() => authentication.reply(starting)).toThrow('requires authentication');
  });

  const expectClosed = () => {
    expect(() => authentication.reply(command('find'))).toThrow('Command find requires authentication');
  };

  it('refuses commands before the login, except those that a driver needs to connect', () => {
    for (const name of [
      'find',
      'insert',
      'listDatabases',
      'serverStatus',
      'getMore',
      'dropDatabase',
      'nonsense',
    ])
      expect(() => authentication.reply(command(name))).toThrow('requires authentication');
    for (const name of ['hello', 'isMaster', 'ping', 'buildInfo'])
      expect(authentication.reply(command(name))).toBeUndefined();
  });

  it('accepts the password, and proves that the server knows it too', () => {
    logIn(authentication, CREDENTIALS);
    expect(authentication.reply(command('find'))).toBeUndefined();
  });

  it.each([
    ['another password', { ...CREDENTIALS, password: 'wrong' }, undefined],
    ['another user', { ...CREDENTIALS, user: 'root' }, undefined],
    ['a truncated proof', CREDENTIALS, (last: string) => last.slice(0, -8)],
    ['no proof', CREDENTIALS, (last: string) => last.replace(/,p=.*/, '')],
    ['another nonce', CREDENTIALS, (last: string) => last.replace('r=', 'r=x')],
  ])('refuses %s', (_, credentials, change) => {
    expect(() => logIn(authentication, credentials, change)).toThrow('Authentication failed');
    expectClosed();
  });

  it('refuses missing, repeated and malformed steps', () => {
    expect(() => authentication.reply(command('saslContinue', { payload: Buffer.from('') }))).toThrow(
      'failed',
    );
    expect(() => authentication.reply(command('saslStart', { mechanism: 'PLAIN' }))).toThrow(
      'Only SCRAM-SHA-256',
    );
    for (const payload of [undefined, 'n,,n=owner,r=x', Buffer.from('n=owner'), Buffer.from('n,,n=owner')])
      expect(() =>
        authentication.reply(command('saslStart', { mechanism: 'SCRAM-SHA-256', payload })),
      ).toThrow('failed');
    expectClosed();
  });

  it('refuses commands again during another login', () => {
    logIn(authentication, CREDENTIALS);
    const payload = Buffer.from('n,,n=owner,r=x');
    authentication.reply(command('saslStart', { mechanism: 'SCRAM-SHA-256', payload }));
    expectClosed();
  });
});
