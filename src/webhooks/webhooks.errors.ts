import { appError } from '../common/errors';

export class WebhookNotFound extends appError(
  'not_found',
  'WEBHOOK_NOT_FOUND',
  'There is no webhook subscription with this id on the account',
) {}

export class DeliveryNotFound extends appError(
  'not_found',
  'DELIVERY_NOT_FOUND',
  'There is no webhook delivery with this id on the account',
) {}

export class WebhookLimitReached extends appError(
  'invalid',
  'WEBHOOK_LIMIT_REACHED',
  (limit: number) =>
    `The account already has ${limit} webhook subscriptions, which is the maximum; delete one first`,
) {}

export class WebhookPaused extends appError(
  'invalid',
  'WEBHOOK_PAUSED',
  'The webhook subscription is paused; set isActive to true first',
) {}

export class WebhookDeleted extends appError(
  'invalid',
  'WEBHOOK_DELETED',
  'The webhook subscription was deleted; events can no longer be delivered to it',
) {}

export class WebhookSecretLost extends appError(
  'invalid',
  'WEBHOOK_SECRET_LOST',
  'The signing secret or a header cannot be decrypted, because its encryption key is missing; set signingSecret and headers again',
) {}

export class DeliveryUnderWay extends appError(
  'invalid',
  'DELIVERY_UNDER_WAY',
  'An attempt is in progress; check its result in a minute, then try again',
) {}
