import { capitalize } from '../../common/capitalize';
import type { DispatchGroup } from '../../messages/batch.schema';
import { PUSH_UNAVAILABLE } from '../../messages/ended-attempt';
import { failureReasonWithFix } from '../../messages/failures/failure-reason';
import type { EndedAttempt, Message } from '../../messages/message.schema';
import type { PushTransportName } from '../../devices/device.schema';
import { isInGroup } from '../dispatch/wave-plan';
import { CHOICES } from '../pools/pool-sentences';
import type { Facts } from './facts';
import { counted, phoneName, thePhone, theSim } from './names';
import { ATTEMPTS, UNCONFIRMED } from './sentences';
import { type Step, step, stepIf } from './steps';

const TRANSPORTS = {
  fcm: 'over Firebase',
  stream: 'over its stream',
} as const satisfies Record<PushTransportName, string>;

/** What happened to a sent message on the server, in any order. */
export function serverSteps(facts: Facts): Step[] {
  const { message, batch } = facts;
  const group = batch?.groups.find((each) => message.wave !== undefined && isInGroup(each, message.wave));
  return [
    acceptedStep(facts),
    ...dueSteps(message, group),
    ...simSteps(facts),
    ...(message.attempts ?? []).flatMap((attempt) => attemptSteps(facts, attempt)),
  ];
}

/** What happened to a sent message since it was handed to its phone, in order. */
export function phoneSteps(facts: Facts): Step[] {
  const { message } = facts;
  const phone = phoneName(facts, message.device);
  const sender = phoneName(facts, senderOf(message));
  const { pushReceivedAt, sendAttemptedAt, sentAt, deliveredAt, status, settledAt, updatedAt } = message;
  // Absent while no phone has it.
  const handedOverAt = message.moveDueAt ? undefined : message.dispatchedAt;
  const known = settledAt ?? updatedAt;
  return [
    ...stepIf('handed_over', handedOverAt, handedOver(facts)),
    ...stepIf('acknowledged', pushReceivedAt, `${phone} confirmed that it has it.`),
    ...stepIf('attempted', sendAttemptedAt, `${phone} gave it to its radio.`),
    ...unconfirmedSteps(facts, known),
    ...stepIf('sent', sentAt ?? (status === 'sent' && known), `${sender} reported that it sent it.`),
    ...stepIf(
      'delivered',
      deliveredAt ?? (status === 'delivered' && known),
      'The network confirmed that it reached the phone of the recipient.',
    ),
    ...(status === 'failed' ? [failedStep(facts)] : []),
  ];
}

function acceptedStep({ message, batch }: Facts): Step {
  const { requestedAt, createdAt, priority } = message;
  const send =
    batch && batch.recipientCount > 1 ? `The send to ${batch.recipientCount} recipients` : 'The send';
  const of = batch ? ` as batch ${batch._id.toHexString()}` : '';
  const urgent = priority === 'urgent' ? ' It is urgent: it overtakes other messages.' : '';
  return step('accepted', requestedAt ?? createdAt, `${send} was accepted${of}.${urgent}`);
}

function dueSteps(message: Message, group: DispatchGroup | undefined): Step[] {
  const { dispatchDueAt, requestedAt, dispatchedAt, waitingFor } = message;
  const { scheduledAt, waves = 1, count = 1 } = group ?? {};
  const scheduled = stepIf('scheduled', scheduledAt, 'It was scheduled for this time.');
  if (!dispatchDueAt || waitingFor) return scheduled;
  if (waves > 1) {
    const text = `It is one of ${counted(count, 'message')} that leave at the pace of the phone; its turn is at this time.`;
    return [...scheduled, step('paced', dispatchDueAt, text)];
  }
  const hasWaited = dispatchedAt && dispatchDueAt > (scheduledAt ?? requestedAt ?? dispatchDueAt);
  return hasWaited
    ? [...scheduled, step('waited', dispatchDueAt, 'It waited until this time for a limit or a SIM.')]
    : scheduled;
}

/** Why this SIM. */
function simSteps(facts: Facts): Step[] {
  const { message } = facts;
  const { sim: id, choice, isSimChosen, simSubscriptionId, requestedAt, createdAt } = message;
  const [sim, phone] = [theSim(facts, id), thePhone(facts, message.device)];
  if (choice) {
    const pool = facts.pool ? `Its pool "${facts.pool.name}"` : 'Its pool';
    const text = `${pool} chose ${sim} of ${phone}, because ${CHOICES[choice.reason]}.`;
    return [step('sim_chosen_by_pool', choice.at, text)];
  }
  const chosenAt = message.dispatchedAt ?? message.pushStartedAt ?? message.updatedAt;
  if (isSimChosen) {
    const text = `${capitalize(sim)} of ${phone} was chosen: the phone has several, of which some have limits or are disabled, and this is its default SIM or in the lowest slot.`;
    return [step('sim_chosen_by_service', chosenAt, text)];
  }
  if (simSubscriptionId !== undefined) {
    const named = id ? sim : `the SIM with subscription id ${simSubscriptionId}`;
    const used = `It went out from ${named} of ${phone}, as the request named it or the phone reported.`;
    return hasReport(message)
      ? [step('sim_used', chosenAt, used)]
      : [step('sim_named', requestedAt ?? createdAt, `The request named ${named} of ${phone}.`)];
  }
  if (id) return [step('sim_only_one', chosenAt, `${capitalize(sim)} is the only one of ${phone}.`)];
  const leftAt = message.dispatchedAt ?? message.pushStartedAt;
  return stepIf('sim_left_to_phone', leftAt, `The SIM is left to ${phone}.`);
}

/** Whether the phone may have reported the SIM that it used. */
const hasReport = ({ sentAt, deliveredAt, failedAt, status }: Message): boolean =>
  [sentAt, deliveredAt, failedAt].some(Boolean) || status === 'unknown';

/** The phone whose report settled it: that of an earlier attempt, if it had sent it after all. */
function senderOf({ device, attempts = [], settledAt }: Message) {
  return attempts.find(({ sentAt }) => sentAt && settledAt && sentAt <= settledAt)?.device ?? device;
}

function attemptSteps(facts: Facts, attempt: EndedAttempt): Step[] {
  const { device, sentAt } = attempt;
  const text = `${phoneName(facts, device)} reported after all that it had sent it. ${phoneName(facts, facts.message.device)} was handed it as well, so it may have been sent twice.`;
  return [attemptStep(facts, attempt), ...stepIf('attempt_sent', sentAt, text)];
}

function attemptStep(facts: Facts, { device, sim, endedAt, outcome, code }: EndedAttempt): Step {
  // Given up after 30 minutes, it is stored as refused.
  const { code: stepCode, what, proof } = ATTEMPTS[code === PUSH_UNAVAILABLE ? 'unavailable' : outcome];
  const names = { phone: thePhone(facts, device), sim: theSim(facts, sim) };
  const reason = code === undefined ? '' : ` (${code})`;
  return step(stepCode, endedAt, `${capitalize(what(names))}${reason}. It did not leave: ${proof}.`);
}

function handedOver(facts: Facts): string {
  const { device: id, dispatchAttempts = 1 } = facts.message;
  const transport = facts.devices.get(id.toHexString())?.pushTransport;
  const how = transport ? ` ${TRANSPORTS[transport]}` : '';
  const tries = dispatchAttempts > 1 ? `, at attempt ${dispatchAttempts}` : '';
  return `It was handed to ${thePhone(facts, id)}${how}${tries}.`;
}

function unconfirmedSteps(facts: Facts, at: Date): Step[] {
  const { device, unconfirmedReason, raised, status } = facts.message;
  const names = { phone: thePhone(facts, device), sim: theSim(facts, facts.message.sim) };
  const states = raised.flatMap((key) =>
    key.startsWith(UNKNOWN_STATE) ? [key.slice(UNKNOWN_STATE.length)] : [],
  );
  const doubt = 'It may have been sent; a later report still counts.';
  const isUnexplained = status === 'unknown' && states.length === 0;
  const why = unconfirmedReason
    ? capitalize(UNCONFIRMED[unconfirmedReason](names))
    : 'Whether it was sent is not known';
  return [
    ...states.map((state) => {
      const text = `${capitalize(names.phone)} reported the state "${state}", which means nothing to the service.`;
      return step('unknown_state', at, text);
    }),
    ...stepIf('unconfirmed', (unconfirmedReason !== undefined || isUnexplained) && at, `${why}. ${doubt}`),
  ];
}

const UNKNOWN_STATE = 'UNKNOWN_STATE:';

function failedStep(facts: Facts): Step {
  const { message } = facts;
  const { errorCode, errorMessage, dispatchedAt } = message;
  const at = message.failedAt ?? message.settledAt ?? message.updatedAt;
  if (errorCode === 'CANCELLED') {
    const confirmed = `; ${thePhone(facts, message.device)} confirmed that it does not send it`;
    return step('cancelled', at, `It was cancelled${dispatchedAt ? confirmed : ' before it left'}.`);
  }
  if (errorCode === 'EXPIRED')
    return step(
      'expired',
      at,
      'It could not be handed to a phone while it was valid. Send it again, valid for longer, if it is still wanted.',
    );
  const code = errorCode === undefined ? '' : ` with ${errorCode}`;
  return step('failed', at, `It failed${code}. ${failureReasonWithFix(errorCode, errorMessage)}`);
}
