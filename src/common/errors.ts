/** What went wrong, in the terms every transport can translate. */
export type ErrorKind = 'invalid' | 'unauthorized' | 'not_found' | 'limited' | 'unavailable';

/**
 * A failure that the caller is told about. Modules declare their own, each with a literal code
 * (UPPER_SNAKE); the text says what to do about it.
 */
export abstract class AppError extends Error {
  abstract readonly kind: ErrorKind;
  abstract readonly code: string;

  /** Fields that stand beside `error`, `message` and `code` in the body. */
  extras(): Record<string, unknown> {
    return {};
  }

  /** Headers of the answer. */
  headers(): Record<string, string> {
    return {};
  }
}

/** A fault that only the operator can mend; its text says how, in one line, and stands without a stack. */
export class OperatorError extends Error {}

export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** A request can have any number of faults; an answer many times as long as the request helps nobody. */
const MAX_FAULTS = 10;

/** Bad input; names each field at fault, the first ten of them. */
export class ValidationFailed extends AppError {
  readonly kind = 'invalid';
  readonly code = 'VALIDATION_FAILED';
  readonly details: readonly FieldFault[];

  constructor(faults: readonly FieldFault[]) {
    const details = faults.slice(0, MAX_FAULTS);
    const more = faults.length > details.length ? [`and ${faults.length - details.length} more`] : [];
    super([...details.map((fault) => fault.message), ...more].join('; '));
    this.details = details;
  }

  override extras(): Record<string, unknown> {
    return { details: this.details };
  }
}

export class Unauthorized extends AppError {
  readonly kind = 'unauthorized';
  readonly code = 'AUTH_INVALID';

  constructor() {
    super('Unauthorized');
  }
}
