import { ParseIdPipe } from '../common/http/requests/id.pipe';
import { DeliveryNotFound, WebhookNotFound } from './webhooks.errors';

// A malformed id is a 404 on these paths, like an unknown one.

export class WebhookIdPipe extends ParseIdPipe {
  protected override errorOf = () => new WebhookNotFound();
}

export class DeliveryIdPipe extends ParseIdPipe {
  protected override errorOf = () => new DeliveryNotFound();
}
