import { parseArgs } from 'node:util';
import { isEmail } from 'class-validator';
import type { Types } from 'mongoose';
import { OperatorError } from '../common/errors';
import { parseId } from '../common/http/id.pipe';

/** What the operator wants done. */
export type AdminCommand =
  | {
      readonly kind: 'account create';
      readonly email: string;
      readonly name?: string;
      readonly plan?: string;
    }
  | { readonly kind: 'account plan'; readonly email: string; readonly plan: string }
  | { readonly kind: 'account list' }
  | { readonly kind: 'key create'; readonly email?: string; readonly name?: string; readonly qr: boolean }
  | { readonly kind: 'key list' | 'device list'; readonly email?: string }
  | { readonly kind: 'key revoke'; readonly key: string; readonly email?: string }
  | { readonly kind: 'device disable'; readonly id: Types.ObjectId; readonly email?: string }
  | { readonly kind: 'secrets rotate' }
  | { readonly kind: 'upkeep now' };

const USAGE = `Usage: node dist/admin.js <command>
  in a checkout:        npm run admin -- <command>
  with Docker Compose:  docker compose exec api node dist/admin.js <command>

  account create <email> [--name <name>] [--plan <plan>]   makes a verified account without a password
  account plan <email> <plan>                              moves an account to another plan
  account list                                             all accounts
  key create [<email>] [--name <name>] [--qr]              makes an API key and prints it, once; on a terminal
                                                           or with --qr also as the QR code that the app scans
  key list [<email>]                                       the keys in use: id, beginning, name, made, last used
  key revoke <beginning or id> [<email>]                   refuses a key from now on, wherever it is
  device list [<email>]                                    the phones: id, name, enabled or not, last heard
  device disable <id> [<email>]                            sends nothing more through a phone, nor takes from it
  secrets rotate                                           encrypts all secrets with the first of ENCRYPTION_KEYS
  upkeep now                                               counts everything anew and removes what is old, at once

Without an <email> in brackets it is the only account.`;

const MOST_WORDS: Readonly<Record<string, number>> = {
  'account plan': 4,
  'account list': 2,
  'key revoke': 4,
  'device disable': 4,
  'secrets rotate': 2,
  'upkeep now': 2,
};

/** The command line is not one we know; the text shows those we do. */
export class UsageError extends OperatorError {
  constructor(fault?: string) {
    super(fault === undefined ? USAGE : `${fault}\n\n${USAGE}`);
  }
}

/**
 * Reads a command line.
 * @param isTerminal whether the answer is for people to look at.
 * @throws UsageError
 */
export function parseCommand(args: readonly string[], isTerminal: boolean): AdminCommand {
  const { positionals, values } = read(args);
  const [area, action, third, fourth] = positionals;
  const kind = `${area ?? ''} ${action ?? ''}`;
  const most = MOST_WORDS[kind] ?? 3;
  if (positionals.length > most)
    throw new UsageError(`One word too many: ${positionals.slice(most).join(' ')}`);
  switch (kind) {
    case 'account create':
      return { kind, email: addressIn(third), name: values.name, plan: values.plan };
    case 'account plan':
      if (fourth === undefined) throw new UsageError('Which plan?');
      return { kind, email: addressIn(third), plan: fourth };
    case 'account list':
      return { kind };
    case 'key create':
      return { kind, email: addressIfAny(third), name: values.name, qr: values.qr ?? isTerminal };
    case 'key list':
    case 'device list':
      return { kind, email: addressIfAny(third) };
    case 'key revoke':
      if (third === undefined) throw new UsageError('Which key? Give its beginning or its id: key list');
      return { kind, key: third, email: addressIfAny(fourth) };
    case 'device disable':
      return { kind, id: deviceIdIn(third), email: addressIfAny(fourth) };
    case 'secrets rotate':
    case 'upkeep now':
      return { kind };
    default:
      throw new UsageError(
        positionals.length > 0 ? `There is no command ${positionals.join(' ')}` : undefined,
      );
  }
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { name: { type: 'string' }, plan: { type: 'string' }, qr: { type: 'boolean' } },
    });
  } catch (failure) {
    throw new UsageError(failure instanceof Error ? failure.message : String(failure));
  }
}

function addressIn(email: string | undefined): string {
  if (email === undefined) throw new UsageError('Whose account? Give its e-mail address');
  if (!isEmail(email)) throw new UsageError(`${email} is not an e-mail address`);
  return email.toLowerCase();
}

function addressIfAny(email: string | undefined): string | undefined {
  return email === undefined ? undefined : addressIn(email);
}

function deviceIdIn(text: string | undefined): Types.ObjectId {
  const id = text === undefined ? null : parseId(text);
  if (!id) throw new UsageError('Which phone? Give its id, 24 hexadecimal digits: device list');
  return id;
}
