import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ValidationFailed } from '../errors';

const HEADER = 'Idempotency-Key';

/** The request's `Idempotency-Key`, if it has one: 1 to 255 printable ASCII characters. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const key = context.switchToHttp().getRequest<Request>().get(HEADER);
  if (key === undefined || /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new ValidationFailed([{ field: HEADER, message: `${HEADER} must be 1 to 255 printable characters` }]);
});
