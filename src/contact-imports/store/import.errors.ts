import { AppError, appError } from '../../common/errors';

/** Rows of a file, at most. */
export const MAX_IMPORT_ROWS = 1_000_000;

export class ImportNotFound extends appError(
  'not_found',
  'IMPORT_NOT_FOUND',
  'The account has no import with this id; imports are kept for 30 days',
) {}

/** An account has one import at a time. */
export class ImportRunning extends appError(
  'unavailable',
  'IMPORT_RUNNING',
  'Another import of the account is in progress; wait until it is done, or undo it',
) {}

/** A file that is no CSV, or not in its encoding. */
export class ImportFileUnreadable extends AppError {
  readonly kind = 'invalid';
  readonly code = 'IMPORT_FILE_UNREADABLE';

  /** @param problem what the file is and what to do, to follow "The file". */
  constructor(
    problem = 'is not in UTF-8: save it as "CSV UTF-8", or name its encoding, such as windows-1252',
  ) {
    super(`The file ${problem}`);
  }
}

export class ImportInterrupted extends appError(
  'unavailable',
  'IMPORT_INTERRUPTED',
  'The upload took too long without sending anything, and nothing of it was imported; upload the file again',
) {}
