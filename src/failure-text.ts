import { AppError, OperatorError } from './common/errors';
import { ConfigurationError } from './config/environment';

/** How a failure is told to an operator: what they can mend in one line each, all else with its stack. */
export function failureText(failure: unknown): string {
  const isOperators = [OperatorError, ConfigurationError, AppError].some((kind) => failure instanceof kind);
  if (!(failure instanceof Error)) return String(failure);
  return isOperators ? failure.message : (failure.stack ?? failure.message);
}
