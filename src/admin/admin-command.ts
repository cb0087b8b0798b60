import { parseArgs } from 'node:util';
import { isEmail } from 'class-validator';
import { OperatorError } from '../common/errors';

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
  | { readonly kind: 'key create'; readonly email: string; readonly name?: string }
  | { readonly kind: 'device list'; readonly email: string }
  | { readonly kind: 'secrets rotate' }
  | { readonly kind: 'upkeep now' };

const USAGE = `Usage: npm run admin -- <command>

  account create <email> [--name <name>] [--plan <plan>]   makes a verified account without a password
  account plan <email> <plan>                              moves an account to another plan
  account list                                             all accounts
  key create <email> [--name <name>]                       makes an API key and prints it, once
  device list <email>                                      the phones of an account
  secrets rotate                                           encrypts all secrets with the first of ENCRYPTION_KEYS
  upkeep now                                               counts everything anew and removes what is old, at once`;

/** The command line is not one we know; the text shows those we do. */
export class UsageError extends OperatorError {
  constructor(fault?: string) {
    super(fault === undefined ? USAGE : `${fault}\n\n${USAGE}`);
  }
}

/** Reads a command line. @throws UsageError */
export function parseCommand(args: readonly string[]): AdminCommand {
  const { positionals, values } = read(args);
  const [area, action, email, plan] = positionals;
  const kind = `${area ?? ''} ${action ?? ''}`;
  const most = { 'account plan': 4, 'account list': 2, 'secrets rotate': 2, 'upkeep now': 2 }[kind] ?? 3;
  if (positionals.length > most)
    throw new UsageError(`One word too many: ${positionals.slice(most).join(' ')}`);
  switch (kind) {
    case 'account create':
      return { kind, email: addressIn(email), name: values.name, plan: values.plan };
    case 'account plan':
      if (plan === undefined) throw new UsageError('Which plan?');
      return { kind, email: addressIn(email), plan };
    case 'account list':
      return { kind };
    case 'key create':
      return { kind, email: addressIn(email), name: values.name };
    case 'device list':
      return { kind, email: addressIn(email) };
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
      options: { name: { type: 'string' }, plan: { type: 'string' } },
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
