import { AppError, appError } from '../../common/errors';

export class PoolNotFound extends appError(
  'not_found',
  'POOL_NOT_FOUND',
  'The account has no pool with this id',
) {}

export const MAX_POOLS_PER_ACCOUNT = 50;

export class PoolLimitReached extends appError(
  'invalid',
  'POOL_LIMIT_REACHED',
  `The account already has ${MAX_POOLS_PER_ACCOUNT} pools, which is the maximum; delete one first`,
) {}

/** Messages wait in a pool that is to be deleted. */
export class PoolHasMessages extends AppError {
  readonly kind = 'invalid';
  readonly code = 'POOL_HAS_MESSAGES';

  /** @param isMore whether there are more than `count`. */
  constructor(count: number, isMore: boolean) {
    super(
      `${isMore ? 'More than ' : ''}${count} messages wait in the pool; delete it with ?pending=keep, and they stay with their SIMs and no longer move to others, or cancel them first`,
    );
  }
}
