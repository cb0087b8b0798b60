import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { deserialize, type Document } from 'bson';

import { type Command } from './command';
import { CommandError } from './errors';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** The minimum that drivers accept. The password has 192 random bits, so more iterations add nothing. */
const ITERATIONS = 4096;
const MECHANISM = 'SCRAM-SHA-256';
const AUTHENTICATION_FAILED = 18;
const UNAUTHORIZED = 13;

/** As in MongoDB. */
const OPEN_COMMANDS: ReadonlySet<string> = new Set([
  'hello',
  'isMaster',
  'ismaster',
  'ping',
  'buildInfo',
  'buildinfo',
  'connectionStatus',
  'endSessions',
]);

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** The keys that SCRAM (RFC 5802, RFC 7677) derives from the password. */
export class ScramSecret {
  readonly salt = randomBytes(16);
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;

  constructor(readonly credentials: Credentials) {
    const salted = pbkdf2Sync(credentials.password, this.salt, ITERATIONS, 32, 'sha256');
    this.storedKey = sha256(hmac(salted, 'Client Key'));
    this.serverKey = hmac(salted, 'Server Key');
  }
}

function attributesOf(message: string): Map<string, string> {
  return new Map(message.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}

function failed(): CommandError {
  return new CommandError(AUTHENTICATION_FAILED, 'Authentication failed.');
}

/** The authentication state of one connection. */
export class Authentication {
  private authenticated = false;
  private conversation:
    { readonly clientFirst: string; readonly serverFirst: string; nonce: string } | undefined;
  private skipsEmptyExchange = false;

  constructor(private readonly secret: ScramSecret) {}

  get isAuthenticated(): boolean {
    return this.authenticated;
  }

  /**
   * Handles authentication commands.
   * @returns undefined if the command may run.
   * @throws CommandError if it may not.
   */
  reply(command: Command): Document | undefined {
    switch (command.name) {
      case 'saslStart':
        return this.start(deserialize(command.spec, { promoteBuffers: true }));
      case 'saslContinue':
        return this.continue(deserialize(command.spec, { promoteBuffers: true }));
    }
    if (this.authenticated) return undefined;
    // A transaction occupies a connection to PostgreSQL.
    if (OPEN_COMMANDS.has(command.name) && command.transaction === undefined) return undefined;
    throw new CommandError(UNAUTHORIZED, `Command ${command.name} requires authentication`);
  }

  private start({ mechanism, payload, options }: Document): Document {
    this.authenticated = false;
    this.conversation = undefined;
    if (mechanism !== MECHANISM) throw new CommandError(2, `Only ${MECHANISM} is supported`);
    const [, clientFirst] = /^n,,(.*)$/.exec(textOf(payload)) ?? [];
    if (clientFirst === undefined) throw failed();
    const attributes = attributesOf(clientFirst);
    const clientNonce = attributes.get('r') ?? '';
    if (attributes.get('n') !== this.secret.credentials.user || clientNonce === '') throw failed();
    const nonce = clientNonce + randomBytes(24).toString('base64');
    const serverFirst = `r=${nonce},s=${this.secret.salt.toString('base64')},i=${ITERATIONS}`;
    this.conversation = { clientFirst, serverFirst, nonce };
    this.skipsEmptyExchange = isDocument(options) && options.skipEmptyExchange === true;
    return answer(serverFirst, false);
  }

  private continue({ payload }: Document): Document {
    const { conversation } = this;
    // Drivers that do not skip the last, empty exchange send one.
    if (conversation === undefined) {
      if (this.authenticated) return answer('', true);
      throw failed();
    }
    this.conversation = undefined;
    const message = textOf(payload);
    const attributes = attributesOf(message);
    const proof = Buffer.from(attributes.get('p') ?? '', 'base64');
    const withoutProof = message.slice(0, message.lastIndexOf(',p='));
    const signed = [conversation.clientFirst, conversation.serverFirst, withoutProof].join(',');
    const signature = hmac(this.secret.storedKey, signed);
    const isSameConversation = attributes.get('r') === conversation.nonce && attributes.get('c') === 'biws';
    if (!isSameConversation || proof.length !== signature.length) throw failed();
    const clientKey = Buffer.from(proof.map((byte, place) => byte ^ (signature[place] ?? 0)));
    if (!timingSafeEqual(sha256(clientKey), this.secret.storedKey)) throw failed();
    this.authenticated = true;
    return answer(`v=${hmac(this.secret.serverKey, signed).toString('base64')}`, this.skipsEmptyExchange);
  }
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null;
}

function textOf(payload: unknown): string {
  if (!(payload instanceof Uint8Array)) throw failed();
  return Buffer.from(payload).toString('utf8');
}

function answer(payload: string, done: boolean): Document {
  return { conversationId: 1, done, payload: Buffer.from(payload), ok: 1 };
}
