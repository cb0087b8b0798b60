import { ParseIdPipe } from '../../../common/http/requests/id.pipe';
import { WebhookNotFound } from '../../webhooks.errors';

/** A malformed id is a 404, like an unknown one. */
export class WebhookIdPipe extends ParseIdPipe {
  protected override errorOf = () => new WebhookNotFound();
}
