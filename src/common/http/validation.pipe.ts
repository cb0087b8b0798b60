import { ValidationError, ValidationPipe } from '@nestjs/common';
import { FieldFault, ValidationFailed } from '../errors';

function faultsOf(errors: readonly ValidationError[], parent = ''): FieldFault[] {
  return errors.flatMap((error) => {
    const field = parent + error.property;
    const own = Object.values(error.constraints ?? {}).map((text) => ({
      field,
      // class-validator words its texts around the property's own name.
      message: parent && text.startsWith(error.property) ? parent + text : text,
    }));
    return [...own, ...faultsOf(error.children ?? [], `${field}.`)];
  });
}

/** Holds bodies and queries against their DTOs: unknown fields are dropped, wrong ones named. */
export function createValidationPipe(): ValidationPipe {
  return new ValidationPipe({
    whitelist: true,
    transform: true,
    stopAtFirstError: true,
    exceptionFactory: (errors) => new ValidationFailed(faultsOf(errors)),
  });
}
