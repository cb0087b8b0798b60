import type { DispatchGroup } from '../../../messages/batch.schema';
import { PUSH_UNAVAILABLE } from '../../../messages/ended-attempt';
import { failureReason } from '../../../messages/failures/failure-reason';
import { partsOf } from '../../../messages/text/segments';
import type { AttemptOutcome, EndedAttempt, Message } from '../../../messages/message.schema';
import { isInGroup } from '../../waves/wave-plan';
import type { Facts } from './facts';
import { phoneNameOf, simFactsOf } from './names';
import type { StepCode } from './sentences';
import { type Step, step, stepIf } from './steps';

/** What happened to a sent message on the server, in any order. */
export function serverSteps(facts: Facts): Step[] {
  const { message, batch } = facts;
  const group = batch?.groups.find((each) => message.wave !== undefined && isInGroup(each, message.wave));
  return [
    acceptedStep(facts),
    ...dueSteps(message, group),
    ...movedSteps(facts),
    ...simSteps(facts),
    ...(message.attempts ?? []).flatMap((attempt) => attemptSteps(facts, attempt)),
  ];
}

/** What happened to a sent message since it was handed to its phone, in order. */
export function phoneSteps(facts: Facts): Step[] {
  const { message } = facts;
  const phone = phoneNameOf(facts, message.device);
  const sender = phoneNameOf(facts, senderOf(message));
  const { pushReceivedAt, sendAttemptedAt, sentAt, deliveredAt, status, settledAt, updatedAt } = message;
  // Absent while no phone has it.
  const handedOverAt = message.moveDueAt ? undefined : message.dispatchedAt;
  const known = settledAt ?? updatedAt;
  const transport = facts.devices.get(message.device.toHexString())?.pushTransport;
  const parts = partsOf(message);
  return [
    ...stepIf('handed_over', handedOverAt, { phone, transport, attempts: message.dispatchAttempts ?? 1 }),
    ...stepIf('acknowledged', pushReceivedAt, { phone }),
    ...stepIf('attempted', sendAttemptedAt, { phone }),
    ...unconfirmedSteps(facts, known),
    ...stepIf('sent', sentAt ?? (status === 'sent' && known), { phone: sender }),
    ...stepIf('delivered', deliveredAt ?? (status === 'delivered' && known)),
    ...(status === 'failed' ? [failedStep(facts)] : []),
    ...(message.laterReports ?? []).map((report) =>
      step('reported_later', report.at, { phone, status: report.status, code: report.errorCode, parts }),
    ),
  ];
}

function acceptedStep({ message, batch }: Facts): Step {
  const { requestedAt, createdAt, priority } = message;
  return step('accepted', requestedAt ?? createdAt, {
    recipients: batch?.recipientCount,
    batch: batch?._id.toHexString(),
    priority,
  });
}

function dueSteps(message: Message, group: DispatchGroup | undefined): Step[] {
  const { dispatchDueAt, requestedAt, dispatchedAt, waitingFor } = message;
  const { scheduledAt, waves = 1, count = 1 } = group ?? {};
  const scheduled = stepIf('scheduled', scheduledAt);
  if (!dispatchDueAt || waitingFor) return scheduled;
  if (waves > 1) return [...scheduled, step('paced', dispatchDueAt, { messages: count })];
  const hasWaited = dispatchedAt && dispatchDueAt > (scheduledAt ?? requestedAt ?? dispatchDueAt);
  return hasWaited ? [...scheduled, step('waited', dispatchDueAt)] : scheduled;
}

function movedSteps(facts: Facts): Step[] {
  const { device, movedFrom } = facts.message;
  return stepIf('moved', movedFrom?.at, {
    phone: phoneNameOf(facts, device),
    otherPhone: movedFrom && phoneNameOf(facts, movedFrom.device),
  });
}

/** Why this SIM. */
function simSteps(facts: Facts): Step[] {
  const { message } = facts;
  const { sim: id, choice, isSimChosen, simSubscriptionId, requestedAt, createdAt } = message;
  const names = { phone: phoneNameOf(facts, message.device), ...simFactsOf(facts, id) };
  if (choice)
    return [
      step('sim_chosen_by_pool', choice.at, { ...names, pool: facts.pool?.name, reason: choice.reason }),
    ];
  const chosenAt = message.dispatchedAt ?? message.pushStartedAt ?? message.updatedAt;
  if (isSimChosen) return [step('sim_chosen_by_service', chosenAt, names)];
  if (simSubscriptionId !== undefined) {
    const known = { ...names, simSubscriptionId };
    return hasReport(message)
      ? [step('sim_used', chosenAt, known)]
      : [step('sim_named', requestedAt ?? createdAt, known)];
  }
  if (id) return [step('sim_only_one', chosenAt, names)];
  return stepIf('sim_left_to_phone', message.dispatchedAt ?? message.pushStartedAt, { phone: names.phone });
}

/** Whether the phone may have reported the SIM that it used. */
const hasReport = ({ sentAt, deliveredAt, failedAt, status }: Message): boolean =>
  [sentAt, deliveredAt, failedAt].some(Boolean) || status === 'unknown';

/** The phone whose report settled it: that of an earlier attempt, if it had sent it after all. */
function senderOf({ device, attempts = [], settledAt }: Message) {
  return attempts.find(({ sentAt }) => sentAt && settledAt && sentAt <= settledAt)?.device ?? device;
}

const ATTEMPTS = {
  unavailable: 'attempt_unavailable',
  refused: 'attempt_refused',
  not_sent: 'attempt_not_sent',
} as const satisfies Record<AttemptOutcome, StepCode>;

function attemptSteps(facts: Facts, { device, sim, endedAt, outcome, code, sentAt }: EndedAttempt): Step[] {
  const phone = phoneNameOf(facts, device);
  const otherPhone = phoneNameOf(facts, facts.message.device);
  // Given up after 30 minutes, it is stored as refused.
  const stepCode = ATTEMPTS[code === PUSH_UNAVAILABLE ? 'unavailable' : outcome];
  return [
    step(stepCode, endedAt, { phone, ...simFactsOf(facts, sim), code }),
    ...stepIf('attempt_sent', sentAt, { phone, otherPhone }),
  ];
}

function unconfirmedSteps(facts: Facts, at: Date): Step[] {
  const { device, unconfirmedReason: reason, raised, status } = facts.message;
  const phone = phoneNameOf(facts, device);
  const states = raised.flatMap((key) =>
    key.startsWith(UNKNOWN_STATE) ? [key.slice(UNKNOWN_STATE.length)] : [],
  );
  const isUnexplained = status === 'unknown' && states.length === 0;
  return [
    ...states.map((reported) => step('unknown_state', at, { phone, reported })),
    ...stepIf('unconfirmed', (reason !== undefined || isUnexplained) && at, { phone, reason }),
  ];
}

const UNKNOWN_STATE = 'UNKNOWN_STATE:';

function failedStep(facts: Facts): Step {
  const { message } = facts;
  const { errorCode: code, errorMessage, dispatchedAt } = message;
  const at = message.failedAt ?? message.settledAt ?? message.updatedAt;
  if (code === 'CANCELLED')
    return step(
      'cancelled',
      at,
      dispatchedAt && { phone: phoneNameOf(facts, message.device), confirmed: true },
    );
  if (code === 'SUPPRESSED') {
    const { source, words, at: said } = facts.stoppedBy ?? {};
    return step('suppressed', at, { code, source, words, saidAt: said?.toISOString() });
  }
  const contradicted = message.laterReports && true;
  if (code === 'EXPIRED') return step('expired', at, { code, contradicted });
  const reported = errorMessage === failureReason(code) ? undefined : errorMessage;
  return step('failed', at, { code, reported, contradicted });
}
