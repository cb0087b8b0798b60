import { Injectable, PipeTransform } from '@nestjs/common';
import { Types } from 'mongoose';
import { parseId } from '../common/http/id.pipe';
import { DeliveryNotFound, WebhookNotFound } from './webhooks.errors';

// The specification knows no 400 for the ids of this module's paths: what is not an id is nobody's.

@Injectable()
export class WebhookIdPipe implements PipeTransform<string, Types.ObjectId> {
  transform(value: string): Types.ObjectId {
    const id = parseId(value);
    if (!id) throw new WebhookNotFound();
    return id;
  }
}

@Injectable()
export class DeliveryIdPipe implements PipeTransform<string, Types.ObjectId> {
  transform(value: string): Types.ObjectId {
    const id = parseId(value);
    if (!id) throw new DeliveryNotFound();
    return id;
  }
}
