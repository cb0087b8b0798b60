import { ParseIdPipe } from '../common/http/requests/id.pipe';
import { DeliveryNotFound, WebhookNotFound } from './webhooks.errors';

// The specification defines no 400 for these paths, so a malformed id is a 404.

export class WebhookIdPipe extends ParseIdPipe {
  protected override errorOf = () => new WebhookNotFound();
}

export class DeliveryIdPipe extends ParseIdPipe {
  protected override errorOf = () => new DeliveryNotFound();
}
