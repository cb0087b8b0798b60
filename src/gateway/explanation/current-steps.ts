import { capitalize } from '../../common/capitalize';
import { connectionOf } from '../../devices/connection/connection';
import type { Device } from '../../devices/device.schema';
import { summarizeHealth } from '../../devices/sims/health/sim-health';
import type { MessageStatus } from '../../messages/message-status';
import type { Facts } from './facts';
import { counted, duration, onTime, phoneName, thePhone, theSim } from './names';
import { WAITS } from './sentences';
import { type Step, step, stepIf } from './steps';

/** What a message still waits for, by its status. */
const CURRENT = {
  pending: (facts) => [...pendingSteps(facts), ...phoneStateSteps(facts), ...simStateSteps(facts)],
  dispatched: (facts) => [...unreportedSteps(facts), ...phoneStateSteps(facts), ...simStateSteps(facts)],
  unknown: (facts) => [...cancelSteps(facts), ...phoneStateSteps(facts)],
  sent: ({ now }) => [
    step('delivery_not_confirmed', now, 'Its delivery is not confirmed; not every network confirms it.'),
  ],
  delivered: () => [],
  failed: () => [],
  received: () => [],
} as const satisfies Record<MessageStatus, (facts: Facts) => Step[]>;

/** What is the case at the time of the explanation. */
export function currentSteps(facts: Facts): Step[] {
  const { message, now } = facts;
  if (message.status) return CURRENT[message.status](facts);
  return [step('status_unknown', now, 'It was stored before the service recorded what becomes of messages.')];
}

function pendingSteps(facts: Facts): Step[] {
  const { message, now } = facts;
  const { nextDispatchAt, unavailableSince, pushStartedAt, validUntil } = message;
  const phone = thePhone(facts, message.device);
  const expires = 'At this time it expires, unless a phone was handed it before.';
  const valid = stepIf('valid_until', validUntil, expires);
  if (pushStartedAt)
    return [step('handing_over', now, `It is being handed to ${phone}.`), ...cancelSteps(facts), ...valid];
  if (message.moveDueAt) return [movingStep(facts), ...valid];
  const wait = waitOf(facts);
  if (wait) return [waitingStep(facts, wait), ...valid];
  const due = nextDispatchAt && nextDispatchAt > now ? ` ${onTime(nextDispatchAt)}` : ' now';
  if (unavailableSince) {
    const text = `The push service has not been reachable for ${duration(now.getTime() - unavailableSince.getTime())}, in ${counted(message.dispatchAttempts ?? 1, 'attempt')}. The next one is due${due}; it fails after 30 minutes.`;
    return [step('push_retry', now, text), ...valid];
  }
  return [...simNotChosen(facts), step('due', now, `It is due to be handed to ${phone}${due}.`), ...valid];
}

function waitingStep(facts: Facts, { reason, until }: NonNullable<Facts['message']['waitingFor']>): Step {
  const { message, now } = facts;
  const { why, ends } = WAITS[reason];
  const names = { phone: thePhone(facts, message.device), sim: theSim(facts, message.sim) };
  const end = until ? `It can leave ${onTime(until)}.` : ends;
  return step('waiting', now, `It waits: ${why(names)}. ${end}`);
}

const waitOf = ({ message, batch }: Facts) =>
  message.waitingFor ?? (batch?.pausedAt && { reason: 'paused' as const });

function movingStep(facts: Facts): Step {
  const wait = waitOf(facts);
  if (wait) return waitingStep(facts, wait);
  const text = 'Another SIM of its pool is about to send it, unless a phone reports that it was sent.';
  return step('moving', facts.now, text);
}

function simNotChosen({ message, now }: Facts): Step[] {
  const { pool, choice, sim, simSubscriptionId } = message;
  if (pool && !choice) return [step('sim_not_chosen', now, 'Its pool has chosen no SIM yet.')];
  const isChosen = choice ?? sim ?? simSubscriptionId;
  return stepIf('sim_not_chosen', isChosen === undefined && now, 'Its SIM is chosen when it leaves.');
}

function unreportedSteps(facts: Facts): Step[] {
  const { message, now } = facts;
  if (message.moveDueAt) return [movingStep(facts)];
  const phone = phoneName(facts, message.device);
  const { pushReceivedAt, offerUntil, cancelRequestedAt } = message;
  if (pushReceivedAt)
    return [step('report_missing', now, `${phone} has it and has not reported yet whether it sent it.`)];
  if (cancelRequestedAt) return cancelSteps(facts);
  const isOffered = offerUntil !== undefined && offerUntil > now;
  const again = isOffered ? ' It is handed it again when it connects, for 72 hours.' : '';
  return [step('acknowledgement_missing', now, `${phone} has not confirmed yet that it has it.${again}`)];
}

function cancelSteps({ message, ...facts }: Facts): Step[] {
  const text = `${phoneName(facts, message.device)} was asked not to send it and has not answered yet.`;
  return stepIf('cancel_requested', message.cancelRequestedAt, text);
}

/** What keeps the phone from sending or reporting it. */
function phoneStateSteps(facts: Facts): Step[] {
  const { message, now } = facts;
  const device = facts.devices.get(message.device.toHexString());
  const phone = phoneName(facts, message.device);
  if (!device) return [step('phone_deleted', now, 'Its phone was deleted.')];
  if (device.deletedAt) return [step('phone_deleted', device.deletedAt, `${phone} was deleted.`)];
  if (!device.enabled) return [disabledStep(phone, facts)];
  return [...drainingSteps(device, phone, facts), ...connectionSteps(device, phone, now)];
}

function disabledStep(phone: string, { message, pool, now }: Facts): Step {
  const isFailing = message.status === 'pending' && !pool;
  const effect = isFailing ? 'when the message is due, it fails' : 'it is handed nothing until it is enabled';
  return step('phone_disabled', now, `${phone} is disabled: ${effect}.`);
}

function drainingSteps({ drainingSince }: Device, phone: string, { message, pool, now }: Facts): Step[] {
  if (!drainingSince || message.status !== 'pending') return [];
  const what = pool
    ? 'another SIM of its pool sends it'
    : 'this message was accepted before and still goes out from it';
  return [step('phone_draining', now, `${phone} is draining and takes nothing new; ${what}.`)];
}

function connectionSteps(device: Device, phone: string, now: Date): Step[] {
  const { state, since } = connectionOf(device, now);
  if (state === 'online') return [];
  const what = state === 'offline' ? 'has been offline' : 'has not answered';
  return [step(`phone_${state}`, now, `${phone} ${what} for ${duration(now.getTime() - since.getTime())}.`)];
}

/** Whether its SIM is unhealthy, and what that means for the message. */
function simStateSteps({ message, pool, sims, now }: Facts): Step[] {
  const { sim: id, status, moveDueAt } = message;
  const sim = id && sims.get(id.toHexString());
  if (!sim || moveDueAt || summarizeHealth(sim.health, now).state === 'closed') return [];
  const ofPool = 'Until it recovers, it takes one message of its pools at a time; the others move or wait.';
  const bound = 'This one goes out from it all the same, because no pool may move it.';
  const effect = status === 'pending' ? (pool ? ofPool : bound) : 'This one may not arrive either.';
  const text = `${capitalize(theSim({ sims }, id))} is unhealthy: its messages fail or are not delivered. ${effect}`;
  return [step('sim_unhealthy', now, text)];
}
