import { appError } from '../../common/errors';

export class PoolNotFound extends appError(
  'not_found',
  'POOL_NOT_FOUND',
  'The account has no pool with this id',
) {}
