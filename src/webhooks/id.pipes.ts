import { Injectable, PipeTransform } from '@nestjs/common';
import { Types } from 'mongoose';
import { parseId } from '../common/http/requests/id.pipe';
import { DeliveryNotFound, WebhookNotFound } from './webhooks.errors';

// The specification defines no 400 for these paths, so a malformed id is a 404.

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
