import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import { ConsentRecords } from '../../../consent/records/consent-records.service';
import { DevicesRepository } from '../../../devices/store/devices.repository';
import { PoolsRepository } from '../../../devices/sims/pools/pools.repository';
import { SimsRepository } from '../../../devices/sims/sims.repository';
import { BatchesRepository } from '../../../messages/batches.repository';
import type { Message } from '../../../messages/message.schema';
import { MessageNotFound } from '../../../messages/messages.errors';
import { MessagesRepository } from '../../../messages/messages.repository';
import type { Facts } from './facts';
import { byId } from '../../../common/documents';
import type { DeliveriesOfMessage } from '../../../webhooks/history/delivery-history.service';

/** Reads a message with what it refers to, in a fixed number of queries. */
@Injectable()
export class MessageFactsReader {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly batches: BatchesRepository,
    private readonly devices: DevicesRepository,
    private readonly sims: SimsRepository,
    private readonly pools: PoolsRepository,
    private readonly consents: ConsentRecords,
  ) {}

  /** @throws MessageNotFound also for a message that is deleted, or whose send is not accepted. */
  async read(
    account: AccountScope,
    id: Types.ObjectId,
  ): Promise<Omit<Facts, 'now' | keyof DeliveriesOfMessage>> {
    const found = await this.messages.find(account, id);
    if (!found) throw new MessageNotFound();
    const message = await this.withSim(account, found);
    const { smsBatch, attempts = [], movedFrom, pool: poolId } = message;
    const simIds = [message, ...attempts].flatMap(({ sim }) => sim ?? []);
    const [batch, devices, sims, pool] = await Promise.all([
      smsBatch && this.batches.findForDispatch(account, smsBatch),
      this.devices.findMany(
        account,
        [message, ...attempts, ...(movedFrom ? [movedFrom] : [])].map(({ device }) => device),
      ),
      simIds.length > 0 ? this.sims.findMany(account, simIds) : [],
      poolId && this.pools.find(account, poolId),
    ]);
    if (batch && batch.acceptance !== 'accepted') throw new MessageNotFound();
    const stoppedBy = await this.findStopping(account, message, batch?.topic);
    const others = { ...(batch && { batch }), ...(pool && { pool }), ...(stoppedBy && { stoppedBy }) };
    return { message, ...others, devices: byId(devices), sims: byId(sims) };
  }

  /** The message with the SIM that the phone chose, as it reported. */
  private async withSim(account: AccountScope, message: Message): Promise<Message> {
    const { sim, device, simSubscriptionId } = message;
    if (sim || simSubscriptionId === undefined) return message;
    const used = await this.sims.findBySubscription(account, device, simSubscriptionId);
    return used ? Object.assign({}, message, { sim: used._id }) : message;
  }

  private async findStopping(account: AccountScope, message: Message, topic: string | undefined) {
    const { status, errorCode, peerNumber, failedAt, updatedAt } = message;
    if (status !== 'failed' || errorCode !== 'SUPPRESSED') return undefined;
    return this.consents.findDecisive(account, peerNumber, topic, failedAt ?? updatedAt);
  }
}
