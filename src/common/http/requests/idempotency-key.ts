import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import { ValidationFailed } from '../../errors';
import { headerOf, type PlatformRequest, rawRequestOf } from '../connections/raw-http';

const HEADER = 'Idempotency-Key';

/** The `Idempotency-Key` header, or undefined. @throws ValidationFailed unless it has 1 to 255 printable ASCII characters. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const key = headerOf(
    rawRequestOf(context.switchToHttp().getRequest<PlatformRequest>()),
    HEADER.toLowerCase(),
  );
  if (key === undefined || /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw ValidationFailed.of(HEADER, 'must be 1 to 255 printable characters');
});
