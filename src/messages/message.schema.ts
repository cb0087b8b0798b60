import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { ChoiceReason } from '../devices/sims/pools/choose-sim';
import type { PaceSlot } from '../devices/pace/phone-pace';
import type { WaitReason } from '../devices/states/wait-reasons';
import { ifPresent } from '../infrastructure/mongo/if-present';
import { OwnedDocument } from '../infrastructure/mongo/owned-document';
import type { OutboxEntry, UnconfirmedReason } from './message-event';
import type { LaterReport } from './later-reports';
import type { MessageStatus } from './message-status';

export const DIRECTIONS = ['sent', 'received'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export interface WaitingFor {
  readonly reason: WaitReason;
  /** When it can leave, by what was known; absent if that was not known. */
  readonly until?: Date;
}

export const PRIORITIES = ['normal', 'urgent'] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * Why an attempt provably did not leave: the push service was not available or refused it for good, or the phone reported that
 * it never reached the network.
 */
export const ATTEMPT_OUTCOMES = ['unavailable', 'refused', 'not_sent'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Where a message waited before it was moved to another phone. */
export interface MovedFrom {
  readonly device: Types.ObjectId;
  readonly at: Date;
}

/** An attempt to send a message that has ended without sending it. */
export interface EndedAttempt {
  readonly device: Types.ObjectId;
  readonly sim?: Types.ObjectId;
  /** Id of the reservation with which it stays counted for the limits of its SIM; absent if the phone did not have it. */
  readonly simReservation?: Types.ObjectId;
  readonly startedAt?: Date;
  readonly endedAt: Date;
  readonly outcome: AttemptOutcome;
  readonly code?: string;
  /** When its phone reported after all that it had sent it. */
  readonly sentAt?: Date;
}

/** The fields of an incoming message that the service may have had to replace or convert. */
export const REPAIRED_FIELDS = ['sender', 'message', 'receivedAt'] as const;
export type RepairedField = (typeof REPAIRED_FIELDS)[number];

/**
 * One SMS, sent to one recipient or received. Its due times:
 *
 * | Field               | What is due                                              | Who acts                                  |
 * | ------------------- | -------------------------------------------------------- | ----------------------------------------- |
 * | `dispatchDueAt`     | It is to leave: what its sender is told                  | Nobody; `nextDispatchAt` is derived of it |
 * | `nextDispatchAt`    | A worker looks at it                                     | A job of its wave, or `DispatchScheduler` |
 * | `moveDueAt`         | It moves to another SIM of its pool                      | `DispatchScheduler`                       |
 * | `validUntil`        | Its deadline                                             | `ExpiryService`                           |
 * | `giveUpAt`          | It has waited too long for its phone                     | `ExpiryService`                           |
 * | `redeliverUntil`    | Its phone no longer gets it again                        | Those who redeliver, by the time          |
 * | `relayDueAt`        | Its events are to become deliveries of webhooks          | `OutboxRelayProcessor`                    |
 * | `relayAloneAt`      | The same, in isolation from other messages               | `IsolatedRelayService`                    |
 * | `conversationDueAt` | It is to be added to its conversation                    | `ConversationsScheduler`                  |
 */
@Schema({ collection: 'messages', versionKey: false })
export class Message extends OwnedDocument {
  @Prop({ type: Types.ObjectId })
  device!: Types.ObjectId;

  @Prop({ type: String })
  direction!: Direction;

  /** Absent on messages stored before status tracking. */
  @Prop({ type: String })
  status?: MessageStatus;

  @Prop({ type: String })
  message!: string;

  @Prop({ type: Boolean })
  encrypted?: boolean;

  /** The text if it is encrypted; `message` is empty then. Not searched. */
  @Prop({ type: String })
  encryptedMessage?: string;

  @Prop({ type: String })
  sender?: string;

  @Prop({ type: String })
  recipient?: string;

  @Prop({ type: Types.ObjectId })
  smsBatch?: Types.ObjectId;

  @Prop({ type: Number })
  simSubscriptionId?: number;

  /** The SIM that hands it out; absent if the phone chooses. */
  @Prop({ type: Types.ObjectId })
  sim?: Types.ObjectId;

  /** Why it waits on the server, for its first phone or for another one. */
  @Prop({ type: Object })
  waitingFor?: WaitingFor;

  /** While it waits for the pace of its phone. */
  @Prop({ type: Object })
  paceSlot?: PaceSlot;

  /** Absent: normal. */
  @Prop({ type: String })
  priority?: Priority;

  /** It is not handed to a phone at or after this time. */
  @Prop({ type: Date })
  validUntil?: Date;

  @Prop({ type: Date })
  receivedAt?: Date;

  @Prop({ type: Date })
  requestedAt?: Date;

  /** The requested or planned time, or the end of its wait if that is known; `nextDispatchAt` is this again when a pause ends. */
  @Prop({ type: Date })
  dispatchDueAt?: Date;

  @Prop({ type: Date })
  dispatchedAt?: Date;

  @Prop({ type: Number })
  dispatchAttempts?: number;

  @Prop({ type: Date })
  pushReceivedAt?: Date;

  @Prop({ type: Date })
  sendAttemptedAt?: Date;

  @Prop({ type: Date })
  sentAt?: Date;

  @Prop({ type: Date })
  deliveredAt?: Date;

  @Prop({ type: Date })
  failedAt?: Date;

  @Prop({ type: String })
  errorCode?: string;

  @Prop({ type: String })
  errorMessage?: string;

  /** Reports after the final status that contradict it, each status once. */
  @Prop({ type: [Object], default: undefined })
  laterReports?: readonly LaterReport[];

  @Prop({ type: Boolean })
  overLimit?: boolean;

  /** It is a text of a loop test. */
  @Prop({ type: Boolean })
  isLoopTest?: boolean;

  /** Sender or text was cut to its maximum: before an upload was stored, or now, see `BOUNDED_MESSAGE`. */
  @Prop({ type: Boolean })
  truncated?: boolean;

  /** The fields that the phone did not send as documented: absent, of another type, or a time that cannot be right. */
  @Prop({ type: [String], default: undefined })
  repairedFields?: readonly RepairedField[];

  @Prop({ type: Date })
  originalCreatedAt?: Date;

  // The fields below are internal.

  /** The recipient or sender in comparable form, see `peerNumber` in `src/common`; empty once it is deleted. */
  @Prop({ type: String })
  peerNumber!: string;

  /** On received messages: when it is due to be added to its conversation; removed when it is. */
  @Prop({ type: Date })
  conversationDueAt?: Date;

  /** Whether its batch is bulk, see `isBulk` of batches. */
  @Prop({ type: Boolean })
  isBulk?: true;

  /** Number of the wave within its batch. */
  @Prop({ type: Number })
  wave?: number;

  /** Start of its wave within a group that was scheduled when it was accepted, and whose start is set when it is due. */
  @Prop({ type: Number })
  waveOffsetMs?: number;

  /** When a worker looks at it next: its `dispatchDueAt`, or the time of a retry or of the next check whether it can leave. */
  @Prop({ type: Date })
  nextDispatchAt?: Date;

  /** Time of the first attempt that found the push service unavailable; retries end a fixed time after it. */
  @Prop({ type: Date })
  unavailableSince?: Date;

  /** Start of the push in progress; messages for streams are offered instead. */
  @Prop({ type: Date })
  pushStartedAt?: Date;

  /** Id of the write with which a worker claimed it for the push or offer in progress, or with which its stream took it. */
  @Prop({ type: Types.ObjectId })
  pushClaim?: Types.ObjectId;

  /** When it fails because its phone cannot be reached; set while it waits for that. */
  @Prop({ type: Date })
  giveUpAt?: Date;

  /** The pool whose SIMs may send it; until it is handed over, it may move to another one. */
  @Prop({ type: Types.ObjectId })
  pool?: Types.ObjectId;

  /** Why its pool chose its SIM. */
  @Prop({ type: Object })
  choice?: { readonly reason: ChoiceReason; readonly at: Date };

  /** Attempts that ended without sending it, oldest first; the last or current one is described by the fields of the message. */
  @Prop({ type: [Object], default: undefined })
  attempts?: EndedAttempt[];

  /**
   * When it is due to move to another SIM of its pool, because its last attempt provably did not leave; the same as
   * `nextDispatchAt`. Removed when it is claimed, fails, or is reported on after all.
   */
  @Prop({ type: Date })
  moveDueAt?: Date;

  /** Whether `simSubscriptionId` was chosen by the service, not by the sender. */
  @Prop({ type: Boolean })
  isSimChosen?: boolean;

  /** Id of the reservation with which it is counted for the limits of its SIM; not a claim of a worker. */
  @Prop({ type: Types.ObjectId })
  simReservation?: Types.ObjectId;

  /**
   * 72 hours after it was handed over, or after the time from which an app that has acknowledged it is listed it again: until then, or a part
   * of it, it is redelivered. See `redelivery-window.ts`.
   */
  @Prop({ type: Date })
  redeliverUntil?: Date;

  /** When the phone was asked to cancel the message; stays unless it confirms. */
  @Prop({ type: Date })
  cancelRequestedAt?: Date;

  /** Whether its cancellation was requested because its recipient is blocked. */
  @Prop({ type: Boolean })
  isRecalled?: true;

  /** The cancellation that cancelled it; refunds are made once per cancellation. */
  @Prop({ type: Types.ObjectId })
  cancellation?: Types.ObjectId;

  /** Why it became `unknown` without a report. */
  @Prop({ type: String })
  unconfirmedReason?: UnconfirmedReason;

  /** When the message first left `pending` and `dispatched`. */
  @Prop({ type: Date })
  settledAt?: Date;

  /** When it was first counted as received or sent: on reception, or first `sent` or `delivered`. Time of the database. */
  @Prop({ type: Date })
  countedAt?: Date;

  /** When it was counted as delivered or failed, its final status. Time of the database. */
  @Prop({ type: Date })
  finalCountedAt?: Date;

  /** Id of the last write of reports that changed its status, by which that write knows what it changed. */
  @Prop()
  movedBy?: Types.ObjectId;

  /**
   * Of its last move, before any phone had it. `MessageMovesRepository.move`, which alone moves messages, sets it: claims, holds and
   * failures rely on that.
   */
  @Prop({ type: Object })
  movedFrom?: MovedFrom;

  /** When its owner deleted it: text and number are removed, and it is hidden. */
  @Prop({ type: Date })
  deletedAt?: Date;

  /** Deduplication keys of raised events, see `raisedKey`. */
  @Prop({ type: [String] })
  raised!: string[];

  /** Events not yet relayed to webhooks. */
  @Prop({ type: [Object] })
  outbox!: OutboxEntry[];

  /**
   * When the outbox is due to be relayed. Not named `outbox…`: DocumentDB would mistake an index on `outboxSince` for one
   * on the array `outbox`, and sort all entries instead of reading the first.
   */
  @Prop({ type: Date })
  relayDueAt?: Date;

  /** Relay attempts since the last success, counted as they start. */
  @Prop({ type: Number })
  relayAttempts?: number;

  /** When it is due to be relayed in isolation. */
  @Prop({ type: Date })
  relayAloneAt?: Date;

  /** When it was set aside after repeated relay failures. From then on it is relayed again every hour, at `relayAloneAt`. */
  @Prop({ type: Date })
  relaySetAsideAt?: Date;

  /** Of received messages: what their id is derived from, see `receivedMessageId`. */
  @Prop({ type: String })
  fingerprint?: string;
}

export type OutgoingMessage = Message & Required<Pick<Message, 'recipient' | 'smsBatch'>>;

/** The message list. */
export const LIST_INDEX = { user: 1, createdAt: -1, _id: -1 } as const;

/** Messages of a batch in order, of a wave, and the message list filtered by batch. */
export const BATCH_INDEX = { user: 1, smsBatch: 1, wave: 1, _id: 1 } as const;

/** The messages of an account with one number. */
export const PEER_INDEX = { user: 1, peerNumber: 1, createdAt: -1, _id: -1 } as const;

/** The messages that a phone was handed and has not answered. */
export const REDELIVERY_INDEX = { device: 1, redeliverUntil: 1 } as const;

/**
 * The messages that wait on the server, those due first, of all accounts and of one. With `_id`, because the messages of a send
 * are due at the same time: DocumentDB adds to an index with many equal keys four times as slowly.
 */
export const DUE_INDEX = { nextDispatchAt: 1, _id: 1 } as const;
export const QUEUE_INDEX = { user: 1, nextDispatchAt: 1, _id: 1 } as const;

/** The messages that wait for phones that cannot be reached. */
export const PARKED_INDEX = { device: 1, giveUpAt: 1 } as const;

/** The messages that wait for their SIM, or for a time, those due first. */
export const WAITING_INDEX = { user: 1, sim: 1, nextDispatchAt: 1 } as const;

/** The messages that an account received from one number, in the order in which the database stored them. */
export const RECEIVED_INDEX = { user: 1, peerNumber: 1, countedAt: 1, _id: 1 } as const;

/** The messages of an account that their owner deleted. */
export const DELETED_INDEX = { user: 1, deletedAt: 1, _id: 1 } as const;

export const MessageSchema = SchemaFactory.createForClass(Message);
MessageSchema.index(LIST_INDEX);
MessageSchema.index({ user: 1, device: 1, createdAt: -1, _id: -1 }); // the message list and count of a device
MessageSchema.index(BATCH_INDEX);
MessageSchema.index(PEER_INDEX);
MessageSchema.index(RECEIVED_INDEX, { partialFilterExpression: { direction: 'received' } }); // unread messages of a conversation
MessageSchema.index({ conversationDueAt: 1 }, ifPresent('conversationDueAt')); // scheduler: not yet added to their conversations
MessageSchema.index(DUE_INDEX, { partialFilterExpression: { status: 'pending' } }); // scheduler: due, not yet dispatched
MessageSchema.index(QUEUE_INDEX, { partialFilterExpression: { status: 'pending' } }); // the queue of an account; deleting a pool: messages that wait in it
MessageSchema.index(
  { validUntil: 1 },
  { partialFilterExpression: { status: 'pending', validUntil: { $exists: true } } },
); // scheduler: deadline of messages that wait
MessageSchema.index({ validUntil: 1, moveDueAt: 1 }, ifPresent('moveDueAt')); // scheduler: deadline of messages that wait for another SIM
MessageSchema.index(WAITING_INDEX, ifPresent('waitingFor')); // review and metrics: messages that wait, by SIM
MessageSchema.index(PARKED_INDEX, ifPresent('giveUpAt')); // streams that are opened: messages that wait for their phones
MessageSchema.index({ giveUpAt: 1 }, ifPresent('giveUpAt')); // scheduler: messages whose phone has been away for too long
MessageSchema.index({ moveDueAt: 1 }, ifPresent('moveDueAt')); // scheduler: due to move to another SIM
MessageSchema.index({ dispatchedAt: 1 }, { partialFilterExpression: { status: 'dispatched' } }); // scheduler: no report for a day
MessageSchema.index(REDELIVERY_INDEX, ifPresent('redeliverUntil')); // redelivery to a phone
MessageSchema.index({ user: 1, countedAt: 1 }, ifPresent('countedAt')); // totals: counted since a time
MessageSchema.index({ user: 1, finalCountedAt: 1 }, ifPresent('finalCountedAt')); // totals: delivered or failed since a time
MessageSchema.index({ relayDueAt: 1 }, ifPresent('relayDueAt')); // relay: events not yet relayed
MessageSchema.index({ relayAloneAt: 1 }, ifPresent('relayAloneAt')); // relay: messages relayed in isolation
MessageSchema.index({ relaySetAsideAt: 1 }, ifPresent('relaySetAsideAt')); // metrics and retry: messages set aside
MessageSchema.index(DELETED_INDEX, ifPresent('deletedAt')); // retention: deleted messages, in pages
