import { connectionOf } from '../../../devices/connection/connection';
import type { Device } from '../../../devices/store/device.schema';
import { summarizeHealth } from '../../../devices/sims/health/sim-health';
import type { MessageStatus } from '../../../messages/message-status';
import type { Facts } from './facts';
import { phoneNameOf, simFactsOf } from './names';
import { type Step, step, stepIf } from './steps';

/** What a message still waits for, by its status. */
const CURRENT = {
  pending: (facts) => [...pendingSteps(facts), ...phoneStateSteps(facts), ...simStateSteps(facts)],
  dispatched: (facts) => [...unreportedSteps(facts), ...phoneStateSteps(facts), ...simStateSteps(facts)],
  unknown: (facts) => [...cancelSteps(facts), ...phoneStateSteps(facts)],
  sent: ({ now }) => [step('delivery_not_confirmed', now)],
  delivered: () => [],
  failed: () => [],
  received: () => [],
} as const satisfies Record<MessageStatus, (facts: Facts) => Step[]>;

/** What is the case at the time of the explanation. */
export function currentSteps(facts: Facts): Step[] {
  const { message, now } = facts;
  if (message.status) return CURRENT[message.status](facts);
  return [step('status_unknown', now)];
}

function pendingSteps(facts: Facts): Step[] {
  const { message, now } = facts;
  const { nextDispatchAt, unavailableSince, validUntil } = message;
  const phone = phoneNameOf(facts, message.device);
  const valid = stepIf('valid_until', validUntil);
  if (isBeingHandedOver(facts))
    return [step('handing_over', now, { phone }), ...cancelSteps(facts), ...valid];
  if (message.moveDueAt) return [movingStep(facts), ...valid];
  const wait = waitOf(facts);
  if (wait) return [waitingStep(facts, wait), ...valid];
  const dueAt = nextDispatchAt && nextDispatchAt > now ? nextDispatchAt.toISOString() : undefined;
  if (unavailableSince) {
    const attempts = message.dispatchAttempts ?? 1;
    return [step('push_retry', now, { since: unavailableSince.toISOString(), attempts, dueAt }), ...valid];
  }
  return [...simNotChosen(facts), step('due', now, { phone, dueAt }), ...valid];
}

/** Whether it is being pushed, or offered to the stream of its phone. */
function isBeingHandedOver({ message, now }: Facts): boolean {
  const { pushStartedAt, pushClaim, waitingFor, nextDispatchAt } = message;
  if (pushStartedAt) return true;
  return pushClaim !== undefined && !waitingFor && nextDispatchAt !== undefined && nextDispatchAt > now;
}

function waitingStep(facts: Facts, { reason, until }: NonNullable<Facts['message']['waitingFor']>): Step {
  const { message, now } = facts;
  return step('waiting', now, {
    reason,
    until: until?.toISOString(),
    phone: phoneNameOf(facts, message.device),
    ...simFactsOf(facts, message.sim),
    ofPool: message.pool && true,
  });
}

const waitOf = ({ message, batch }: Facts) =>
  message.waitingFor ?? (batch?.pausedAt && { reason: 'paused' as const });

function movingStep(facts: Facts): Step {
  const wait = waitOf(facts);
  return wait ? waitingStep(facts, wait) : step('moving', facts.now);
}

function simNotChosen({ message, now }: Facts): Step[] {
  const { pool, choice, sim, simSubscriptionId } = message;
  if (pool && !choice) return [step('sim_not_chosen', now, { ofPool: true })];
  return stepIf('sim_not_chosen', (choice ?? sim ?? simSubscriptionId) === undefined && now);
}

function unreportedSteps(facts: Facts): Step[] {
  const { message, now } = facts;
  if (message.moveDueAt) return [movingStep(facts)];
  const phone = phoneNameOf(facts, message.device);
  const { pushReceivedAt, redeliverUntil, cancelRequestedAt } = message;
  if (pushReceivedAt) return [step('report_missing', now, { phone })];
  if (cancelRequestedAt) return cancelSteps(facts);
  const until = redeliverUntil && redeliverUntil > now ? redeliverUntil.toISOString() : undefined;
  return [step('acknowledgement_missing', now, { phone, until })];
}

const cancelSteps = (facts: Facts): Step[] =>
  stepIf('cancel_requested', facts.message.cancelRequestedAt, {
    phone: phoneNameOf(facts, facts.message.device),
  });

/** What keeps the phone from sending or reporting it. */
function phoneStateSteps(facts: Facts): Step[] {
  const { message, now, pool } = facts;
  const device = facts.devices.get(message.device.toHexString());
  const phone = phoneNameOf(facts, message.device);
  if (!device) return [step('phone_deleted', now)];
  if (device.deletedAt) return [step('phone_deleted', device.deletedAt, { phone })];
  const state = { phone, status: message.status, ofPool: pool && true };
  if (!device.enabled) return [step('phone_disabled', now, state)];
  const isDraining = device.drainingSince && message.status === 'pending';
  return [...stepIf('phone_draining', isDraining && now, state), ...connectionSteps(device, phone, now)];
}

function connectionSteps(device: Device, phone: string | undefined, now: Date): Step[] {
  const { state, since } = connectionOf(device, now);
  if (state === 'online') return [];
  return [step(`phone_${state}`, now, { phone, since: since.toISOString() })];
}

/** Whether its SIM is unhealthy, and what that means for the message. */
function simStateSteps({ message, pool, sims, now }: Facts): Step[] {
  const { sim: id, status, moveDueAt } = message;
  const sim = id && sims.get(id.toHexString());
  if (!sim || moveDueAt || summarizeHealth(sim.health, now).state === 'closed') return [];
  return [step('sim_unhealthy', now, { ...simFactsOf({ sims }, id), status, ofPool: pool && true })];
}
