import { applyDecorators, Type } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { PlanLimitReached } from '../../billing/billing.errors';
import {
  ApiData,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiIdParam,
  ApiJsonBody,
} from '../../common/http/openapi-decorators';
import {
  DeviceDisabled,
  DeviceNotFound,
  DeviceNotPushable,
  NoDevice,
  PushTokenHeld,
} from '../../devices/devices.errors';
import { EmailNotVerified } from '../../auth/auth.errors';
import { IdempotencyKeyReused, SendAbandoned } from '../send.errors';
import { PlanLimitResponse } from './plan-limit.response';
import { SendResponse } from './send.response';

const LIMIT_REACHED = new PlanLimitReached(
  'daily',
  { dailyLimit: 50, dailyRemaining: 20, monthlyLimit: 300, monthlyRemaining: 270, bulkSendLimit: 50 },
  25,
  3_600,
);

const count = (description: string) => ({ description, schema: { type: 'integer' as const } });
const seconds = (description: string) => ({
  description: `${description}, in seconds; absent where waiting does not help`,
  schema: { type: 'integer' as const },
});

/** What the document says of a send from the device that is named in the body, or chosen. */
export const ApiSend = (body: Type): MethodDecorator =>
  applyDecorators(ApiAnySend(body, 200), ApiErrors(NoDevice));

/** What the document says of a send from the device in the path. */
export const ApiDeviceSend = (body: Type): MethodDecorator =>
  applyDecorators(ApiIdParam('id', 'Device id'), ApiAnySend(body, 201));

const ApiAnySend = (body: Type, status: 200 | 201): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes repeating the request safe: under the same key it is sent once and answered the same. 1 to 255 printable ASCII characters',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      example: 'order-4711',
    }),
    ApiJsonBody(body),
    ApiData(SendResponse, 'The send is queued', {
      status,
      headers: {
        'Idempotency-Replayed': {
          description: 'On the answer to a repeated request: an earlier one under the same key was sent',
          schema: { type: 'string', enum: ['true'] },
        },
      },
    }),
    ApiFieldError('recipients', 'must be given: a list of phone numbers'),
    ApiErrors(
      DeviceDisabled,
      DeviceNotPushable,
      PushTokenHeld,
      EmailNotVerified,
      IdempotencyKeyReused,
      DeviceNotFound,
    ),
    ApiError(LIMIT_REACHED, {
      type: PlanLimitResponse,
      headers: {
        'Retry-After': seconds('When the limit begins anew'),
        'RateLimit-Limit': count('What the limit allows'),
        'RateLimit-Remaining': count('What is left of it'),
        'RateLimit-Reset': seconds('When the limit begins anew'),
      },
    }),
    ApiErrors(SendAbandoned),
  );
