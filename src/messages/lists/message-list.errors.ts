import { AppError, appError } from '../../common/errors';

export class BatchNotOnAccount extends appError(
  'not_found',
  'BATCH_NOT_FOUND',
  'There is no batch with this id on the account',
) {}

export class SearchTooSlow extends AppError {
  readonly kind = 'invalid';
  readonly code = 'SEARCH_TOO_SLOW';

  constructor(limitMs: number) {
    super(`The search takes longer than ${limitMs / 1_000} s; narrow it by time with from and to`);
  }
}
