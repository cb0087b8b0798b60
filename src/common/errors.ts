/** Each transport maps the kind to its own status. */
export type ErrorKind = 'invalid' | 'unauthorized' | 'not_found' | 'limited' | 'unavailable';

/** An error that is shown to the caller. Each has a stable UPPER_SNAKE code, and a message that says what to do. */
export abstract class AppError extends Error {
  abstract readonly kind: ErrorKind;
  abstract readonly code: string;

  /** Further fields of the error body, beside `error`, `message` and `code`. */
  extras(): Record<string, unknown> {
    return {};
  }

  headers(): Record<string, string> {
    return {};
  }
}

/** The base class of an error with a text, fixed or by the arguments of its constructor. */
export function appError<Kind extends ErrorKind, Code extends string, Facts extends unknown[] = []>(
  kind: Kind,
  code: Code,
  text: string | ((...facts: Facts) => string),
) {
  return class extends AppError {
    readonly kind = kind;
    readonly code = code;

    constructor(...facts: Facts) {
      super(typeof text === 'string' ? text : text(...facts));
    }
  };
}

/** An error that the operator must fix. Its message says how in one line, and is printed without a stack. */
export class OperatorError extends Error {}

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** Keeps the response small when every entry of a large request is invalid. */
const MAX_FIELD_ERRORS = 10;

/** Invalid input. Lists the first ten invalid fields. */
export class ValidationFailed extends AppError {
  readonly kind = 'invalid';
  readonly code = 'VALIDATION_FAILED';
  readonly details: readonly FieldError[];

  /** @param problem follows the name of the field, such as `is not a valid id`. */
  static of(field: string, problem: string): ValidationFailed {
    return new ValidationFailed([{ field, message: `${field} ${problem}` }]);
  }

  /** @param total how many there are, if only the first ones are given. */
  constructor(
    errors: readonly FieldError[],
    readonly total = errors.length,
  ) {
    const details = errors.slice(0, MAX_FIELD_ERRORS);
    const more = total > details.length ? [`and ${total - details.length} more`] : [];
    super([...details.map((error) => error.message), ...more].join('; '));
    this.details = details;
  }

  override extras(): Record<string, unknown> {
    return { details: this.details };
  }
}

/** Collects what is wrong with the fields of a request: the first errors, and their number. */
export class FieldErrors {
  private readonly errors: FieldError[] = [];
  private total = 0;

  /** @param problem as of `ValidationFailed.of`. */
  add(field: string, problem: string): void {
    if (!this.isFull) this.errors.push({ field, message: `${field} ${problem}` });
    this.total += 1;
  }

  /** Adds errors of which only the first may be given. */
  addAll({ details, total }: Pick<ValidationFailed, 'details' | 'total'>): void {
    for (const error of details) if (!this.isFull) this.errors.push(error);
    this.total += total;
  }

  /** Whether further errors are only counted. */
  get isFull(): boolean {
    return this.errors.length >= MAX_FIELD_ERRORS;
  }

  /** Parses a field, if it is given. @param parse returns null for an invalid text. */
  parse<Value>(
    field: string,
    text: string | undefined,
    parse: (text: string) => Value | null,
    problem: string,
  ): Value | undefined {
    const value = text === undefined ? undefined : parse(text);
    if (value === null) this.add(field, problem);
    return value ?? undefined;
  }

  /** @throws ValidationFailed if anything is. */
  throwIfAny(): void {
    if (this.total > 0) throw this.failure();
  }

  failure(): ValidationFailed {
    return new ValidationFailed(this.errors, this.total);
  }
}

export class Unauthorized extends appError('unauthorized', 'AUTH_INVALID', 'Unauthorized') {}
