import { AppError, OperatorError } from '../../common/errors';
import { sanitizeLines } from '../../common/text/printable';
import { ConfigurationError } from '../../config/environment/environment';

/** Formats an error for the operator's terminal: the message alone for errors that the operator can fix, else the stack. */
export function formatOperatorError(failure: unknown): string {
  const isExpected = [OperatorError, ConfigurationError, AppError].some((kind) => failure instanceof kind);
  if (!(failure instanceof Error)) return sanitizeLines(String(failure));
  return sanitizeLines(isExpected ? failure.message : (failure.stack ?? failure.message));
}
