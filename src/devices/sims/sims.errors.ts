import { appError } from '../../common/errors';

export class SimNotFound extends appError(
  'not_found',
  'SIM_NOT_FOUND',
  'The account has no SIM with this id',
) {}
