import type { Types } from 'mongoose';

/** What a step of an explanation is about. Stable: programs may compare it; texts may change. */
export const STEP_CODES = [
  // What happened to a sent message.
  'accepted',
  'scheduled',
  'paced',
  'waited',
  'sim_chosen_by_pool',
  'sim_chosen_by_service',
  'sim_named',
  'sim_only_one',
  'sim_used',
  'sim_left_to_phone',
  'attempt_unavailable',
  'attempt_refused',
  'attempt_not_sent',
  'attempt_sent',
  'handed_over',
  'acknowledged',
  'attempted',
  'sent',
  'delivered',
  'failed',
  'expired',
  'cancelled',
  'unconfirmed',
  'unknown_state',
  // What happened to a received message.
  'received',
  'uploaded',
  'uploaded_late',
  'truncated',
  'deduplicated',
  'over_limit',
  'not_announced',
  // What webhooks were told.
  'webhook_pending',
  'webhook_retrying',
  'webhook_delivered',
  'webhook_failed',
  'webhook_not_relayed',
  'webhook_none',
  'webhook_more',
  // What is the case now.
  'waiting',
  'sim_not_chosen',
  'due',
  'push_retry',
  'handing_over',
  'moving',
  'cancel_requested',
  'acknowledgement_missing',
  'report_missing',
  'delivery_not_confirmed',
  'phone_offline',
  'phone_unresponsive',
  'phone_draining',
  'phone_disabled',
  'phone_deleted',
  'sim_unhealthy',
  'valid_until',
  'status_unknown',
] as const;
export type StepCode = (typeof STEP_CODES)[number];

export interface Step {
  /** When it happened, or is due; the time of the explanation for what is the case then. */
  readonly at: Date;
  readonly code: StepCode;
  readonly text: string;
  /** The webhook delivery it is about. */
  readonly delivery?: Types.ObjectId;
}

export const step = (code: StepCode, at: Date, text: string): Step => ({ at, code, text });

/** The step, if it has a time. */
export const stepIf = (code: StepCode, at: Date | false | undefined, text: string): Step[] =>
  at ? [step(code, at, text)] : [];
