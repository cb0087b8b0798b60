import type { ConsentRecord } from '../../../consent/records/consent-record.schema';
import type { Device } from '../../../devices/store/device.schema';
import type { Pool } from '../../../devices/sims/pools/pool.schema';
import type { SimRecord } from '../../../devices/sims/schemas/sim.schema';
import type { Batch } from '../../../messages/batch.schema';
import type { Message } from '../../../messages/message.schema';
import type { DeliveriesOfMessage } from '../../../webhooks/history/delivery-history.service';

/** All that an explanation is derived from. */
export interface Facts extends DeliveriesOfMessage {
  readonly now: Date;
  readonly message: Message;
  /** Absent if the message has none. */
  readonly batch?: Batch;
  /** Absent if the message has none, or if it was deleted. */
  readonly pool?: Pick<Pool, 'name'>;
  /** By which decision it was not sent; absent if it was not stopped, or the record is gone. */
  readonly stoppedBy?: Pick<ConsentRecord, 'source' | 'words' | 'at'>;
  /** The devices of the message, its attempts and its move, by id, including deleted ones. */
  readonly devices: ReadonlyMap<string, Device>;
  /** The SIMs of the message and its attempts, by id. */
  readonly sims: ReadonlyMap<string, SimRecord>;
}
