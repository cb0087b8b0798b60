import { AppError, appError, type FieldError } from '../../common/errors';

export class SendAbandoned extends appError(
  'unavailable',
  'SEND_ABANDONED',
  'The send was not accepted in time and nothing was sent; repeat the request',
) {}

export class IdempotencyKeyReused extends appError(
  'invalid',
  'IDEMPOTENCY_KEY_REUSED',
  'This Idempotency-Key was already used for a different request; use a new key for each send',
) {}

export class NoEnabledSim extends appError(
  'invalid',
  'NO_ENABLED_SIM',
  'The pool has no enabled SIM in an enabled phone; add one or enable one',
) {}

/** What is known of a block. */
export interface BlockFacts {
  readonly number: string;
  readonly source: 'keyword' | 'web' | 'api' | 'import';
  readonly at: Date;
  readonly words?: string;
}

/** A send whose recipients are all blocked. */
export class RecipientSuppressed extends AppError {
  readonly kind = 'invalid';
  readonly code = 'RECIPIENT_SUPPRESSED';
  private readonly details: readonly FieldError[];

  /** @param field of the recipients. @param first the block of the first one. */
  constructor(field: string, first: BlockFacts, count: number) {
    const whom =
      count === 1 ? `only ${first.number}` : `${count} numbers that are all blocked, such as ${first.number}`;
    const message = `${field} has ${whom}: ${saidOf(first)}. Set purpose to transactional if the recipient asked for it; or the recipient texts START, or you lift the block`;
    super(message);
    this.details = [{ field, message }];
  }

  override extras(): Record<string, unknown> {
    return { details: this.details };
  }
}

function saidOf({ source, words, at }: BlockFacts): string {
  const time = `on ${at.toISOString()}`;
  if (source === 'keyword') return `the recipient wrote ${JSON.stringify(words ?? '')} ${time}`;
  if (source === 'import') return `it was in a list of blocked numbers that was imported ${time}`;
  return source === 'web' ? `the owner blocked it ${time}` : `it was blocked over the API ${time}`;
}
