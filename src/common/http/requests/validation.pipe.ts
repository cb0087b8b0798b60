import { ValidationError, ValidationPipe } from '@nestjs/common';
import { FieldError, ValidationFailed } from '../../errors';

/** Type rules come first: for a value of another type, the texts of other rules are misleading. */
const TYPE_RULES = ['isArray', 'isString', 'isNumber', 'isInt', 'isBoolean', 'isObject'];

function messageOf(constraints: Readonly<Record<string, string>>): string[] {
  const [first = ''] = Object.keys(constraints);
  const rule = TYPE_RULES.find((name) => name in constraints) ?? first;
  return Object.entries(constraints).flatMap(([name, text]) => (name === rule ? [text] : []));
}

function fieldErrorsOf(errors: readonly ValidationError[], parent = ''): FieldError[] {
  return errors.flatMap((error) => {
    const field = parent + error.property;
    const errorsOfField = messageOf(error.constraints ?? {}).map((text) => ({
      field,
      // class-validator begins its texts with the property name, without the path.
      message: parent && text.startsWith(error.property) ? parent + text : text,
    }));
    return [...errorsOfField, ...fieldErrorsOf(error.children ?? [], `${field}.`)];
  });
}

export function createValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    whitelist: true,
    transform: true,
    exceptionFactory: (errors) => new ValidationFailed(fieldErrorsOf(errors)),
  });
}
