import { Prop } from '@nestjs/mongoose';
import type { Schema } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import type { OperationalEntry } from './operational-event';

/** The fields of a document that raises operational events. All but `outbox` belong to the relay, see `Outbox`. */
export abstract class OperationalDocument {
  /** Events not yet relayed to webhooks. Written together with `relayDueAt`. */
  @Prop({ type: [Object], default: undefined })
  outbox?: OperationalEntry[];

  @Prop({ type: Date })
  relayDueAt?: Date;

  @Prop({ type: Number })
  relayAttempts?: number;

  @Prop({ type: Date })
  relayAloneAt?: Date;

  @Prop({ type: Date })
  relaySetAsideAt?: Date;
}

/** Adds the indexes of the relay to the schema of a collection. */
export function indexOutbox<Document>(schema: Schema<Document>): void {
  for (const field of ['relayDueAt', 'relayAloneAt', 'relaySetAsideAt'])
    schema.index({ [field]: 1 }, ifPresent(field));
}
