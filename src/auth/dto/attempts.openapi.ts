import { ApiError } from '../../common/http/openapi-decorators';
import { TooManyAttempts } from '../auth.errors';

/** Documents that guessing at this operation is slowed. */
export const ApiTooManyAttempts = (): MethodDecorator =>
  ApiError(new TooManyAttempts(60), {
    headers: { 'Retry-After': { description: 'When to come back, in seconds', schema: { type: 'integer' } } },
  });
