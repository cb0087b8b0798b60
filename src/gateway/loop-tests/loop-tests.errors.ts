import { appError } from '../../common/errors';

export class LoopTestNotSetUp extends appError(
  'invalid',
  'LOOP_TEST_NOT_SET_UP',
  'Choose two SIMs that are in phones of the account, and give their numbers, with PUT /api/v1/gateway/loop-tests first',
) {}

export class LoopTestRunning extends appError(
  'invalid',
  'LOOP_TEST_RUNNING',
  'A loop test is running; it ends within ten minutes',
) {}
