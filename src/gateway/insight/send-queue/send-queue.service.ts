import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import { Clock } from '../../../common/clock';
import { groupBy, groupsOf } from '../../../common/group-by';
import { SharedReads } from '../../../common/shared-reads';
import { forEachInSlices, inSlices } from '../../../common/slices';
import type { Device } from '../../../devices/store/device.schema';
import { DevicesRepository } from '../../../devices/store/devices.repository';
import { hashRecipient } from '../../../devices/sims/limits/hash-recipient';
import { choosePhoneSim } from '../../../devices/sims/choose-phone-sim';
import { SimUsageRepository } from '../../../devices/sims/sim-usage.repository';
import type { SimRecord } from '../../../devices/sims/schemas/sim.schema';
import { SimsRepository } from '../../../devices/sims/sims.repository';
import { partsOf } from '../../../messages/text/segments';
import { limitsRecipients } from '../estimates/held-forecast';
import { type HeldBack, heldBackOf } from '../../routing/held-back';
import { forecastQueue, type LeavingMessage, type ShareOfQueue } from './queue-forecast';
import { MAX_QUEUE_MESSAGES, SendQueueRepository, type WaitingGroup } from './send-queue.repository';
import { byId, distinctIds } from '../../../common/documents';
import { sum } from '../../../common/sum';

export interface QueueTotals {
  /** Messages that wait on the server. */
  readonly messages: number;
  /** Their SMS parts, at most. */
  readonly parts: number;
  /** When the last of them is sent; absent if none is, or it cannot be told. */
  readonly endsAt?: Date;
}

/** What waits for one SIM, or for a phone that chooses its SIM. */
export interface SimQueue extends QueueTotals {
  readonly device: Types.ObjectId;
  readonly sim?: Types.ObjectId;
  readonly heldBack: HeldBack[];
}

export interface AccountQueue extends QueueTotals {
  /** Whether more messages may wait than are counted. */
  readonly isLowerBound: boolean;
  /** The one with the most messages first. */
  readonly sims: readonly SimQueue[];
}

interface Waiting extends WaitingGroup {
  readonly phone: Device;
  readonly chosen?: SimRecord;
  /** Of each message. */
  readonly partsEach: number;
}

interface Share extends ShareOfQueue {
  readonly groups: readonly Waiting[];
}

/** Reads what waits on the server, and forecasts when it is sent. */
@Injectable()
export class SendQueueService {
  private readonly reads = new SharedReads<AccountQueue>();

  constructor(
    private readonly queue: SendQueueRepository,
    private readonly devices: DevicesRepository,
    private readonly sims: SimsRepository,
    private readonly usages: SimUsageRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * The queue of the account by SIM. Messages that a phone has been handed are not part of it. Concurrent callers share it, because
   * it takes a tenth of a second.
   */
  read(account: AccountScope): Promise<AccountQueue> {
    return this.reads.get(account.user.toHexString(), () => this.readNow(account));
  }

  private async readNow(account: AccountScope): Promise<AccountQueue> {
    const now = this.clock.now();
    const found = await this.queue.list(account, MAX_QUEUE_MESSAGES);
    const groups = await this.withSims(account, found);
    const bySim = groupsOf(groups, ({ phone, chosen }) => `${String(phone._id)} ${String(chosen?._id)}`);
    const usages = await this.usages.find(account, [
      ...new Set(groups.flatMap(({ chosen }) => chosen?._id ?? [])),
    ]);
    const shares: Share[] = [];
    for (const ofSim of bySim) {
      const [{ phone: device, chosen: sim }] = ofSim;
      const usage = sim && usages.get(sim._id.toHexString());
      const leaving = await inSlices(leavingOf(ofSim, now.getTime()));
      shares.push({ device, groups: ofSim, leaving, ...(sim && { sim }), ...(usage && { usage }) });
    }
    const ends = await inSlices(forecastQueue(shares, now.getTime()));
    const sims = shares.map((share) => toSimQueue(share, ends.get(share)));
    const end = Math.max(0, ...ends.values());
    const messages = sum(sims, (each) => each.messages);
    return {
      messages,
      parts: sum(sims, ({ parts }) => parts),
      ...(end > 0 && { endsAt: new Date(end) }),
      isLowerBound: messages >= MAX_QUEUE_MESSAGES,
      sims: sims.sort((one, other) => other.messages - one.messages),
    };
  }

  private async withSims(account: AccountScope, groups: readonly WaitingGroup[]): Promise<Waiting[]> {
    if (groups.length === 0) return [];
    const ids = distinctIds(groups.map(({ device }) => device));
    const [devices, sims] = await Promise.all([this.devices.findMany(account, ids), this.sims.list(account)]);
    const devicesById = byId(devices);
    const simsById = byId(sims);
    const present = groupBy(
      sims.filter(({ isPresent }) => isPresent),
      ({ device }) => String(device),
    );
    const waiting: Waiting[] = [];
    await forEachInSlices(groups, (group) => {
      const phone = devicesById.get(group.device.toHexString());
      if (!phone) return;
      const bound = group.sim && simsById.get(group.sim.toHexString());
      const choice = bound
        ? { sim: bound }
        : choosePhoneSim(phone, present.get(String(phone._id)) ?? [], group.named);
      const chosen = 'reason' in choice ? simsById.get(String(choice.sim)) : choice.sim;
      const reason = group.reason ?? ('reason' in choice ? choice.reason : undefined);
      const partsEach = partsOfGroup(group);
      waiting.push({ ...group, phone, partsEach, ...(chosen && { chosen }), ...(reason && { reason }) });
    });
    return waiting;
  }
}

/** The messages of groups, unless they wait for an event without a time. @param now milliseconds since 1970. */
function* leavingOf(groups: readonly Waiting[], now: number): Generator<undefined, LeavingMessage[]> {
  const leaving: LeavingMessage[] = [];
  for (const { reason, until, dueAt, recipients, partsEach, chosen } of groups) {
    if (reason && !until) continue;
    const needsRecipients = chosen !== undefined && limitsRecipients(chosen);
    for (const recipient of recipients) {
      leaving.push({
        dueAt: Math.max(dueAt?.getTime() ?? now, until?.getTime() ?? 0),
        parts: partsEach,
        isBooked: reason === 'parts_per_minute',
        recipient: needsRecipients ? hashRecipient(recipient) : '',
      });
      yield;
    }
  }
  return leaving;
}

function partsOfGroup({ text, encryptedLength }: WaitingGroup): number {
  // Of an encrypted text only the length counts.
  const encryptedMessage = encryptedLength === undefined ? undefined : 'A'.repeat(encryptedLength);
  return partsOf({ message: text, encryptedMessage });
}

function toSimQueue({ device, sim, groups }: Share, end: number | undefined): SimQueue {
  const holds = groups.flatMap(({ reason, until, recipients }) =>
    reason ? [{ reason, until: until?.getTime() ?? Infinity, count: recipients.length }] : [],
  );
  return {
    device: device._id,
    ...(sim && { sim: sim._id }),
    messages: sum(groups, ({ recipients }) => recipients.length),
    parts: sum(groups, ({ recipients, partsEach }) => recipients.length * partsEach),
    heldBack: heldBackOf(holds).sort((one, other) => other.count - one.count),
    ...(end !== undefined && { endsAt: new Date(end) }),
  };
}
