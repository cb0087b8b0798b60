import { AppError, ValidationFailed } from '../errors';

/** Far more than any request has; what reads bodies calls itself for each level, until there is no stack left. */
const MOST_LEVELS = 32;

/** Far more than any object has; those that are not known are dropped one by one, which takes the square of their number. */
const MOST_FIELDS = 1_000;

/** Twice as many as the longest list that is accepted, so that whoever exceeds that by a little is told by its own rule. */
const LONGEST_LIST = 20_000;

/** Three times what the largest send has. Holding a value against the rules takes far longer than parsing it. */
const MOST_VALUES = 200_000;

export class MalformedBody extends AppError {
  readonly kind = 'invalid';
  readonly code = 'MALFORMED_BODY';
}

/**
 * Holds a body against what any request may look like, before it is held against the rules of one.
 * @throws MalformedBody, or ValidationFailed naming a list that is too long
 */
export function assertPlausible(body: unknown): void {
  if (Array.isArray(body)) throw new MalformedBody('The request body must be a JSON object');
  let values = 0;
  const look = (value: unknown, path: string, level: number): void => {
    if (++values > MOST_VALUES) throw tooMuch(`has more than ${MOST_VALUES} values`);
    if (typeof value !== 'object' || value === null) return;
    if (level > MOST_LEVELS) throw tooMuch(`is nested more than ${MOST_LEVELS} levels deep`);
    if (Array.isArray(value) && value.length > LONGEST_LIST) throw tooLong(path);
    const fields = Object.keys(value);
    if (!Array.isArray(value) && fields.length > MOST_FIELDS) {
      throw tooMuch(`has an object with more than ${MOST_FIELDS} fields`);
    }
    for (const field of fields) {
      look((value as Record<string, unknown>)[field], path ? `${path}.${field}` : field, level + 1);
    }
  };
  look(body, '', 1);
}

const tooMuch = (text: string) => new MalformedBody(`The request body ${text}`);

function tooLong(field: string): ValidationFailed {
  return new ValidationFailed([
    { field, message: `${field} must not have more than ${LONGEST_LIST} elements` },
  ]);
}
