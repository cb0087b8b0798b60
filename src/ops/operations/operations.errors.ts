import { appError } from '../../common/errors';

export class AccountNotFound extends appError(
  'not_found',
  'ACCOUNT_NOT_FOUND',
  'There is no account with this id',
) {}

export class OwnAccount extends appError(
  'invalid',
  'OWN_ACCOUNT',
  'Operators cannot disable their own account; ask another operator, or use the command line',
) {}
