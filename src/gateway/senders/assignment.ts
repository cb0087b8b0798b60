import type { Types } from 'mongoose';
import type { Device } from '../../devices/store/device.schema';
import {
  type ChoiceReason,
  NO_CHOICE_WAITS,
  type Rejection,
  type RejectionReason,
} from '../../devices/sims/pools/choose-sim';
import { inSlices } from '../../common/slices';
import type { SimRecord } from '../../devices/sims/schemas/sim.schema';
import type { WaitReason } from '../../devices/states/wait-reasons';
import type { PooledMessage, PoolView } from './pool-view';
import type { SendEntry } from '../send-input/send-validation';

/** What a message of a send is bound to. */
export interface Sender {
  readonly device: Device;
  /** The SIM that a pool chose; absent without a pool. */
  readonly sim?: SimRecord;
  /** Why the pool chose it; absent if no SIM can take the message now. */
  readonly reason?: ChoiceReason;
  /** Why no SIM can take it now, other than limits. */
  readonly waitingFor?: { readonly reason: WaitReason; readonly until?: Date };
}

/** Which phone or SIM sends each message of a send. */
export interface Assignment {
  readonly pool?: Types.ObjectId;
  readonly senders: readonly Sender[];
  /** The phones that send, the one with most messages first. */
  readonly devices: readonly [Device, ...Device[]];
  /** @param recipient its index within the entry. */
  senderOf(entry: SendEntry, recipient: number): Sender;
  /** Of a pool: a recipient in comparable form, whichever of its SIMs sends. */
  readonly peerNumberOf?: (recipient: string) => string;
  /** Of a pool: see `PoolView.recordRoundRobinTurns`. */
  recordRoundRobinTurns?(): Promise<void>;
}

/** All messages of a send go out from one phone. */
export function assignToDevice(device: Device): Assignment {
  const sender = { device };
  return { senders: [sender], devices: [device], senderOf: () => sender };
}

/** A recipient that no enabled SIM of the pool may send to. */
export interface UnservedRecipient {
  readonly entry: number;
  readonly recipient: number;
}

export interface PoolSend {
  readonly entries: readonly SendEntry[];
  readonly isSingleUrgent: boolean;
  /** Phones that cannot send encrypted texts. */
  readonly withoutEncryption: readonly Types.ObjectId[];
  /** @returns the number in comparable form. */
  readonly peerNumberOf: (recipient: string) => string;
}

/**
 * Binds each message of a send to a SIM of a pool. What no SIM can take now is bound to the one that can take it first, and
 * waits.
 * @returns the unserved recipients instead, if there are any.
 */
export async function assignToPool(
  view: PoolView,
  { entries, isSingleUrgent, withoutEncryption, peerNumberOf }: PoolSend,
): Promise<Assignment | readonly UnservedRecipient[]> {
  const senders = new SenderIndex(view);
  const unserved: UnservedRecipient[] = [];
  const indexes = new Map<SendEntry, Uint16Array>();
  await inSlices(chooseAll());
  function* chooseAll(): Generator<undefined, void> {
    for (const [number, entry] of entries.entries()) {
      const { parts } = entry;
      const exceptDevices = entry.encryptedMessage === undefined ? [] : withoutEncryption;
      const ofEntry = new Uint16Array(entry.recipients.length);
      indexes.set(entry, ofEntry);
      for (const [position, recipient] of entry.recipients.entries()) {
        const message = { peerNumber: peerNumberOf(recipient), parts, isSingleUrgent, exceptDevices };
        const index = senders.choose(message);
        if (index === undefined) unserved.push({ entry: number, recipient: position });
        else ofEntry[position] = index;
        yield;
      }
    }
  }
  const devices = senders.devices();
  const [first, ...others] = devices;
  if (unserved.length > 0 || !first) return unserved;
  return {
    pool: view.pool._id,
    senders: senders.all,
    devices: [first, ...others],
    senderOf: (entry, recipient) => senders.at(indexes.get(entry)?.[recipient]),
    peerNumberOf,
    recordRoundRobinTurns: () => view.recordRoundRobinTurns(),
  };
}

/** The chosen senders of a send, each once, so that a message needs only a number. */
class SenderIndex {
  readonly all: Sender[] = [];
  private readonly counts: number[] = [];
  private readonly indexes = new Map<string, number>();
  private readonly membersById: ReadonlyMap<string, PoolView['members'][number]>;
  /** By SIM, the messages that wait for it. */
  private readonly waiting = new Map<string, number>();

  constructor(private readonly view: PoolView) {
    this.membersById = new Map(view.members.map((member) => [member.sim._id.toHexString(), member]));
  }

  /** @returns the number of the sender; undefined if no SIM may ever take the message. */
  choose(message: PooledMessage): number | undefined {
    const choice = this.view.choose(message);
    if (choice.sim) {
      const { sim, device } = choice.sim;
      return this.indexOf(choice.sim.id, choice.reason, { device, sim, reason: choice.reason });
    }
    const first = this.firstToFree(choice.rejections);
    const { sim, device } = (first && this.membersById.get(first.sim)) ?? {};
    if (!first || !sim || !device) return undefined;
    this.waiting.set(first.sim, (this.waiting.get(first.sim) ?? 0) + 1);
    const reason = first.reason === 'limits' ? undefined : NO_CHOICE_WAITS[first.reason];
    const waitingFor = reason && { reason, ...(first.until && { until: first.until }) };
    return this.indexOf(first.sim, first.reason, { device, sim, ...(waitingFor && { waitingFor }) });
  }

  at(index: number | undefined): Sender {
    const sender = this.all[index ?? 0];
    if (!sender) throw new Error(`There is no sender ${index}`);
    return sender;
  }

  /** The phone with most messages first. */
  devices(): Device[] {
    const byDevice = new Map<string, { readonly device: Device; readonly count: number }>();
    for (const [index, { device }] of this.all.entries()) {
      const key = device._id.toHexString();
      const count = (byDevice.get(key)?.count ?? 0) + (this.counts[index] ?? 0);
      byDevice.set(key, { device, count });
    }
    return [...byDevice.values()].sort((a, b) => b.count - a.count).map(({ device }) => device);
  }

  private indexOf(sim: string, reason: string, sender: Sender): number {
    const key = `${sim} ${reason}`;
    const index = this.indexes.get(key) ?? this.all.push(sender) - 1;
    this.indexes.set(key, index);
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    return index;
  }

  /** Of SIMs that are free at the same time, the one for which fewer messages wait. */
  private firstToFree(rejections: readonly Rejection[]): Rejection | undefined {
    const freeAt = ({ until }: Rejection) => until?.getTime() ?? Infinity;
    const waitingFor = ({ sim }: Rejection) => this.waiting.get(sim) ?? 0;
    const able = rejections.filter(
      ({ sim, reason }) => TEMPORARY_REASONS.includes(reason) && this.membersById.get(sim)?.device,
    );
    const soonest = Math.min(...able.map(freeAt));
    return able
      .filter((each) => freeAt(each) === soonest)
      .reduce<Rejection | undefined>(
        (first, each) => (first && waitingFor(first) <= waitingFor(each) ? first : each),
        undefined,
      );
  }
}

/** The reasons that end by themselves. */
const TEMPORARY_REASONS: readonly RejectionReason[] = ['limits', 'unhealthy', 'unreachable'];
