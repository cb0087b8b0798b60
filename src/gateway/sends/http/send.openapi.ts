import { applyDecorators, Type } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { PlanLimitReached } from '../../../billing/billing.errors';
import {
  ApiDataSchema,
  ApiError,
  ApiErrors,
  ApiFieldError,
  ApiIdParam,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import {
  DeviceDisabled,
  DeviceDraining,
  DeviceNotFound,
  DeviceNotPushable,
  NoEnabledDevice,
  PushTokenHeld,
} from '../../../devices/store/devices.errors';
import { EmailNotVerified } from '../../../auth/auth.errors';
import { PoolNotFound } from '../../senders/pool.errors';
import {
  IdempotencyKeyReused,
  NoEnabledSim,
  RecipientSuppressed,
  SendAbandoned,
} from '../../send-input/send.errors';
import { PlanLimitResponse } from './plan-limit.response';
import { SendResponse } from './send.response';

const LIMIT_REACHED = new PlanLimitReached(
  'daily',
  { dailyLimit: 50, dailyRemaining: 20, monthlyLimit: 300, monthlyRemaining: 270, bulkSendLimit: 50 },
  25,
  3_600,
);

const SUPPRESSED = new RecipientSuppressed(
  'recipients',
  { number: '+447700900123', source: 'keyword', words: 'STOP', at: new Date('2026-01-31T09:00:00Z') },
  1,
);

const count = (description: string) => ({ description, schema: { type: 'integer' as const } });
const seconds = (description: string) => ({
  description: `${description}, in seconds; absent if waiting does not help`,
  schema: { type: 'integer' as const },
});

export const ApiSend = (body: Type): MethodDecorator =>
  applyDecorators(ApiSendRoute(body, 200), ApiErrors(NoEnabledDevice, PoolNotFound, NoEnabledSim));

export const ApiDeviceSend = (body: Type): MethodDecorator =>
  applyDecorators(ApiIdParam('id', 'Device id'), ApiSendRoute(body, 201));

const ApiSendRoute = (body: Type, status: 200 | 201): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes retries safe: requests with the same key are sent once. A repeated one gets the response to the first, with cancelledCount if the send was cancelled since. 1 to 255 printable ASCII characters',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      example: 'order-4711',
    }),
    ApiJsonBody(body),
    ApiDataSchema(SendResponse, 'The send is accepted', {
      status,
      headers: {
        'Idempotency-Replayed': {
          description:
            'Set if the request repeats an earlier one with the same key, and sends nothing itself',
          schema: { type: 'string', enum: ['true'] },
        },
      },
    }),
    ApiSendErrors(),
    ApiErrors(IdempotencyKeyReused, SendAbandoned),
  );

/** The error of a request that exceeds the plan. */
export const ApiPlanLimit = (): MethodDecorator =>
  ApiError(LIMIT_REACHED, {
    type: PlanLimitResponse,
    headers: {
      'Retry-After': seconds('When the limit resets'),
      'RateLimit-Limit': count('The limit'),
      'RateLimit-Remaining': count('The remaining messages'),
      'RateLimit-Reset': seconds('When the limit resets'),
    },
  });

/** The errors of a send that stores nothing. */
export const ApiSendErrors = (): MethodDecorator =>
  applyDecorators(
    ApiFieldError('recipients', 'is required: a list of phone numbers'),
    ApiError(SUPPRESSED),
    ApiErrors(DeviceDisabled, DeviceDraining, DeviceNotPushable),
    ApiErrors(PushTokenHeld, EmailNotVerified, DeviceNotFound),
    ApiPlanLimit(),
  );
