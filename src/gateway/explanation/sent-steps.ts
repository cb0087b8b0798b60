import type { DispatchGroup } from '../../messages/batch.schema';
import { failureReasonWithFix } from '../../messages/failures/failure-reason';
import type { EndedAttempt, Message } from '../../messages/message.schema';
import type { PushTransportName } from '../../devices/device.schema';
import { isInGroup } from '../dispatch/wave-plan';
import type { Facts } from './facts';
import { counted, phoneName, sentence, thePhone, theSim } from './names';
import { ATTEMPTS, CHOICES, UNCONFIRMED } from './sentences';
import { type Step, step } from './steps';

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
  const { pushReceivedAt, sendAttemptedAt, sentAt, deliveredAt, status, settledAt, updatedAt } = message;
  const handedAt = handedOverAt(message);
  const known = settledAt ?? updatedAt;
  return [
    ...(handedAt ? [handedOverStep(facts, handedAt)] : []),
    ...(pushReceivedAt ? [step('acknowledged', pushReceivedAt, `${phone} confirmed that it has it.`)] : []),
    ...(sendAttemptedAt ? [step('attempted', sendAttemptedAt, `${phone} gave it to its radio.`)] : []),
    ...unconfirmedSteps(facts, known),
    ...(sentAt || status === 'sent'
      ? [step('sent', sentAt ?? known, `${phoneName(facts, senderOf(message))} reported that it sent it.`)]
      : []),
    ...(deliveredAt || status === 'delivered'
      ? [
          step(
            'delivered',
            deliveredAt ?? known,
            'The network confirmed that it reached the phone of the recipient.',
          ),
        ]
      : []),
    ...(status === 'failed' ? [failedStep(facts)] : []),
  ];
}

/** When it was handed to the phone that has it; undefined if no phone has it. */
export const handedOverAt = ({ dispatchedAt, moveDueAt }: Message): Date | undefined =>
  moveDueAt ? undefined : dispatchedAt;

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
  const scheduled = scheduledAt
    ? [step('scheduled', scheduledAt, 'Its sender scheduled it for this time.')]
    : [];
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
    const text = `${sentence(sim)} of ${phone} was chosen: the phone has several, of which some have limits or are disabled, and this is its default SIM or in the lowest slot.`;
    return [step('sim_chosen_by_service', chosenAt, text)];
  }
  if (simSubscriptionId !== undefined) {
    const named = id ? sim : `the SIM with subscription id ${simSubscriptionId}`;
    return hasReport(message)
      ? [
          step(
            'sim_used',
            chosenAt,
            `It went out from ${named} of ${phone}, as its sender named it or the phone reported.`,
          ),
        ]
      : [step('sim_named', requestedAt ?? createdAt, `Its sender named ${named} of ${phone}.`)];
  }
  if (id) return [step('sim_only_one', chosenAt, `${sentence(sim)} is the only one of ${phone}.`)];
  const isLeft = message.dispatchedAt !== undefined || message.pushStartedAt !== undefined;
  return isLeft ? [step('sim_left_to_phone', chosenAt, `The SIM is left to ${phone}.`)] : [];
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
  if (!sentAt) return [attemptStep(facts, attempt)];
  const text = `${phoneName(facts, device)} reported after all that it had sent it. ${phoneName(facts, facts.message.device)} was handed it as well, so it may have been sent twice.`;
  return [attemptStep(facts, attempt), step('attempt_sent', sentAt, text)];
}

function attemptStep(facts: Facts, { device, sim, endedAt, outcome, code }: EndedAttempt): Step {
  const { code: stepCode, what, proof } = ATTEMPTS[outcome];
  const names = { phone: thePhone(facts, device), sim: theSim(facts, sim) };
  const reason = code === undefined ? '' : ` (${code})`;
  return step(stepCode, endedAt, `${sentence(what(names))}${reason}. It did not leave: ${proof}.`);
}

function handedOverStep(facts: Facts, at: Date): Step {
  const { device: id, dispatchAttempts = 1 } = facts.message;
  const transport = facts.devices.get(id.toHexString())?.pushTransport;
  const how = transport ? ` ${TRANSPORTS[transport]}` : '';
  const tries = dispatchAttempts > 1 ? `, at attempt ${dispatchAttempts}` : '';
  return step('handed_over', at, `It was handed to ${thePhone(facts, id)}${how}${tries}.`);
}

function unconfirmedSteps(facts: Facts, at: Date): Step[] {
  const { device, unconfirmedReason, raised, status } = facts.message;
  const names = { phone: thePhone(facts, device), sim: theSim(facts, facts.message.sim) };
  const states = raised.flatMap((key) =>
    key.startsWith(UNKNOWN_STATE) ? [key.slice(UNKNOWN_STATE.length)] : [],
  );
  const doubt = 'It may have been sent; a later report still counts.';
  const steps = states.map((state) =>
    step(
      'unknown_state',
      at,
      `${sentence(names.phone)} reported the state "${state}", which means nothing to the service.`,
    ),
  );
  if (unconfirmedReason)
    steps.push(step('unconfirmed', at, `${sentence(UNCONFIRMED[unconfirmedReason](names))}. ${doubt}`));
  else if (status === 'unknown' && states.length === 0)
    steps.push(step('unconfirmed', at, `Whether it was sent is not known. ${doubt}`));
  return steps;
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
  if (errorCode === 'EXPIRED') {
    const text =
      'It could not be handed to a phone while it was valid. Send it again, valid for longer, if it is still wanted.';
    return step('expired', at, text);
  }
  const code = errorCode === undefined ? '' : ` with ${errorCode}`;
  return step('failed', at, `It failed${code}. ${failureReasonWithFix(errorCode, errorMessage)}`);
}
