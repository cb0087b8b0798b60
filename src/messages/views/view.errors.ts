import { appError } from '../../common/errors';

export const MAX_VIEWS_PER_ACCOUNT = 50;

export class ViewNotFound extends appError(
  'not_found',
  'VIEW_NOT_FOUND',
  'The account has no view with this id',
) {}

export class ViewLimitReached extends appError(
  'invalid',
  'VIEW_LIMIT_REACHED',
  `The account already has ${MAX_VIEWS_PER_ACCOUNT} views, which is the maximum; delete one first`,
) {}
