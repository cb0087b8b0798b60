import { AppError } from '../common/errors';

export class WebhookNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'WEBHOOK_NOT_FOUND';

  constructor() {
    super('There is no webhook subscription with this id on the account');
  }
}

export class DeliveryNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'DELIVERY_NOT_FOUND';

  constructor() {
    super('There is no webhook delivery with this id on the account');
  }
}

export class WebhookLimitReached extends AppError {
  readonly kind = 'invalid';
  readonly code = 'WEBHOOK_LIMIT_REACHED';

  constructor(limit: number) {
    super(`The account already has ${limit} webhook subscriptions, which is the maximum; delete one first`);
  }
}

export class WebhookPaused extends AppError {
  readonly kind = 'invalid';
  readonly code = 'WEBHOOK_PAUSED';

  constructor() {
    super('The webhook subscription is paused; set isActive to true first');
  }
}

export class WebhookDeleted extends AppError {
  readonly kind = 'invalid';
  readonly code = 'WEBHOOK_DELETED';

  constructor() {
    super('The webhook subscription was deleted; events can no longer be delivered to it');
  }
}

export class WebhookSecretLost extends AppError {
  readonly kind = 'invalid';
  readonly code = 'WEBHOOK_SECRET_LOST';

  constructor() {
    super(
      'The signing secret cannot be decrypted, because its encryption key is missing; set a new signingSecret',
    );
  }
}

export class DeliveryUnderWay extends AppError {
  readonly kind = 'invalid';
  readonly code = 'DELIVERY_UNDER_WAY';

  constructor() {
    super('An attempt is in progress; check its result in 30 seconds, then try again');
  }
}
