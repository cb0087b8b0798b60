import { ApiError } from '../../common/http/openapi-decorators';
import { TooManyAttempts } from '../limits/limit.errors';

/** Documents the limit on attempts at this operation. */
export const ApiTooManyAttempts = (): MethodDecorator =>
  ApiError(new TooManyAttempts(60), {
    headers: {
      'Retry-After': {
        description: 'Seconds until the next attempt is allowed',
        schema: { type: 'integer' },
      },
    },
  });
