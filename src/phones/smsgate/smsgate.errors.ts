import { appError } from '../../common/errors';
import { formatAppVersion, OLDEST_APP } from './app-version';

export class AppTooOld extends appError(
  'invalid',
  'APP_TOO_OLD',
  `This version of the app is too old; install ${formatAppVersion(OLDEST_APP)} or a later one`,
) {}

export class CodeRequired extends appError(
  'unauthorized',
  'CODE_REQUIRED',
  'Choose By Code in the app, and type the code that the page Pair a phone shows',
) {}

export class ForeignDevice extends appError(
  'invalid',
  'FOREIGN_DEVICE',
  'The token belongs to another device',
) {}

export class TooManyReports extends appError(
  'invalid',
  'TOO_MANY_REPORTS',
  (max: number) => `A report lists at most ${max} messages`,
) {}
