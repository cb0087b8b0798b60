import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../infrastructure/mongo/if-present';
import type { NoticeSettings } from './notice-topic';

/** A state that a mail tells. */
export interface ToldState {
  readonly notice: string;
  readonly state: string;
  readonly at: Date;
}

/** The mail of an account that is being sent. */
export interface OutgoingMail {
  /** Its Message-ID, the same in every attempt. */
  readonly id: Types.ObjectId;
  readonly subject: string;
  readonly text: string;
  readonly composedAt: Date;
  readonly attempts: number;
  /** What it tells, until that is noted in the notices. */
  readonly told?: readonly ToldState[];
}

export const MAIL_RESULTS = ['sent', 'failed'] as const;

export interface LastMail {
  readonly at: Date;
  readonly result: (typeof MAIL_RESULTS)[number];
}

/** Mails composed on a UTC day, `2026-01-31`. */
export interface MailCount {
  readonly day: string;
  readonly count: number;
}

/** The settings of an account for notices, and its mail: one at a time. */
@Schema({ collection: 'accountnotices', versionKey: false })
export class AccountNotices {
  /** Account id. */
  @Prop({ type: Types.ObjectId })
  _id!: Types.ObjectId;

  /** Account id, for erasure. */
  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** Absent fields have their default. */
  @Prop({ type: Object })
  settings?: Partial<NoticeSettings>;

  @Prop({ type: Object })
  outgoing?: OutgoingMail;

  /** When the next attempt to send `outgoing` is due. An attempt in progress has it in the future, in case its process dies. */
  @Prop({ type: Date })
  attemptDueAt?: Date;

  @Prop({ type: Object })
  lastMail?: LastMail;

  @Prop({ type: Object })
  composed?: MailCount;
}

export const AccountNoticesSchema = SchemaFactory.createForClass(AccountNotices);
AccountNoticesSchema.index({ user: 1 }); // erasure
AccountNoticesSchema.index({ attemptDueAt: 1 }, ifPresent('attemptDueAt')); // scheduler: mails to send
