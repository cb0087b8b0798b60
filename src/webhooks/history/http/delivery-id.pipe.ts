import { ParseIdPipe } from '../../../common/http/requests/id.pipe';
import { DeliveryNotFound } from '../../webhooks.errors';

/** A malformed id is a 404, like an unknown one. */
export class DeliveryIdPipe extends ParseIdPipe {
  protected override errorOf = () => new DeliveryNotFound();
}
