import { ApiError } from '../../common/http/openapi-decorators';
import { TooManyAttempts } from './limit.errors';

export const ApiTooManyAttempts = (): MethodDecorator =>
  ApiError(new TooManyAttempts(60), {
    headers: {
      'Retry-After': {
        description: 'Seconds until the next attempt is allowed',
        schema: { type: 'integer' },
      },
    },
  });
