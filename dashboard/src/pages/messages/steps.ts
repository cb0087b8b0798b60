import type { ExplainedStep } from '../../components/use-step-text';

/** What a step is about; each kind has a title, an icon and a colour. */
export const STEP_KINDS = {
  accepted: 'brand',
  waiting: 'orange',
  sim: 'gray',
  attempt: 'orange',
  phone: 'blue',
  sent: 'cyan',
  delivered: 'teal',
  received: 'violet',
  failed: 'red',
  cancelled: 'orange',
  suppressed: 'grape',
  unclear: 'yellow',
  webhook: 'teal',
  webhookLate: 'orange',
  webhookFailed: 'red',
  note: 'gray',
} as const;

export type StepKind = keyof typeof STEP_KINDS;

const KINDS: Partial<Record<ExplainedStep['code'], StepKind>> = {
  accepted: 'accepted',
  scheduled: 'waiting',
  paced: 'waiting',
  waited: 'waiting',
  moved: 'waiting',
  waiting: 'waiting',
  due: 'waiting',
  push_retry: 'waiting',
  moving: 'waiting',
  valid_until: 'waiting',
  sim_chosen_by_pool: 'sim',
  sim_chosen_by_service: 'sim',
  sim_named: 'sim',
  sim_only_one: 'sim',
  sim_used: 'sim',
  sim_left_to_phone: 'sim',
  sim_not_chosen: 'sim',
  sim_unhealthy: 'unclear',
  attempt_unavailable: 'attempt',
  attempt_refused: 'attempt',
  attempt_not_sent: 'attempt',
  attempt_sent: 'attempt',
  handing_over: 'phone',
  handed_over: 'phone',
  acknowledged: 'phone',
  attempted: 'phone',
  acknowledgement_missing: 'unclear',
  report_missing: 'unclear',
  phone_offline: 'unclear',
  phone_unresponsive: 'unclear',
  phone_draining: 'unclear',
  phone_disabled: 'unclear',
  phone_deleted: 'unclear',
  unconfirmed: 'unclear',
  unknown_state: 'unclear',
  reported_later: 'unclear',
  status_unknown: 'unclear',
  sent: 'sent',
  delivered: 'delivered',
  failed: 'failed',
  expired: 'failed',
  cancelled: 'cancelled',
  cancel_requested: 'cancelled',
  suppressed: 'suppressed',
  received: 'received',
  uploaded: 'received',
  uploaded_late: 'received',
  webhook_delivered: 'webhook',
  webhook_pending: 'webhookLate',
  webhook_retrying: 'webhookLate',
  webhook_not_relayed: 'webhookLate',
  webhook_failed: 'webhookFailed',
};

export const kindOf = ({ code }: ExplainedStep): StepKind => KINDS[code] ?? 'note';

/** What is the case at the time of the answer, and did not happen at a time. */
const NOW: ReadonlySet<ExplainedStep['code']> = new Set([
  'waiting',
  'sim_not_chosen',
  'due',
  'push_retry',
  'handing_over',
  'moving',
  'acknowledgement_missing',
  'report_missing',
  'delivery_not_confirmed',
  'phone_offline',
  'phone_unresponsive',
  'phone_draining',
  'phone_disabled',
  'phone_deleted',
  'sim_unhealthy',
  'status_unknown',
  'webhook_none',
  'webhook_more',
]);

export const isCurrent = ({ code }: ExplainedStep): boolean => NOW.has(code);

/** Nothing follows but what its owner does. */
export const isFinalFailure = (step: ExplainedStep): boolean =>
  ['failed', 'webhookFailed'].includes(kindOf(step));

const MINUTE_MS = 60_000;

/** For each step, whether its time needs seconds to tell it from the one before or after it. */
export function needSeconds(steps: readonly ExplainedStep[]): boolean[] {
  const timeOf = (step: ExplainedStep | undefined) => (step && !isCurrent(step) ? Date.parse(step.at) : NaN);
  return steps.map((step, index) =>
    [steps[index - 1], steps[index + 1]].some(
      (neighbour) => Math.abs(timeOf(neighbour) - timeOf(step)) < MINUTE_MS,
    ),
  );
}
