import { appError } from '../../common/errors';

export class SuppressionNotFound extends appError(
  'not_found',
  'SUPPRESSION_NOT_FOUND',
  'There is no block with this id on the account, or it is lifted already',
) {}
