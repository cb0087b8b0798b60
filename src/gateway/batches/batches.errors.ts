import { appError } from '../../common/errors';

export class BatchStarted extends appError(
  'invalid',
  'BATCH_STARTED',
  'Only a batch can be rescheduled of which no message has left yet, and that is not cancelled',
) {}

export class BatchHasSeveralTimes extends appError(
  'invalid',
  'BATCH_HAS_SEVERAL_TIMES',
  'The messages of this batch have different times, so it cannot be rescheduled; cancel it and send it again',
) {}
