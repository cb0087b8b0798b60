import { currentSteps } from './current-steps';
import type { Facts } from './facts';
import { receivedSteps } from './received-steps';
import { phoneSteps, serverSteps } from './sent-steps';
import type { Step } from './steps';
import { webhookSteps, webhookSummary } from './webhook-steps';

interface Placed {
  readonly step: Step;
  /** Where it belongs in the order; a time of the server, in milliseconds since 1970. */
  readonly place: number;
}

/**
 * Explains what became of a message: what happened, in order, and then what is the case now. Times that a phone reports may be
 * wrong; they do not change the order of what it does.
 */
export function explain(facts: Facts): Step[] {
  const { message, now } = facts;
  const byPhone = message.direction === 'received' ? receivedSteps(facts) : phoneSteps(facts);
  const byServer = message.direction === 'received' ? [] : serverSteps(facts);
  const happened = [
    // What was to happen later, such as the time of a cancelled send, did not follow the end.
    ...atTheirTime(byServer, message.settledAt ?? now),
    ...inOrder(byPhone, now),
    ...atTheirTime(webhookSteps(facts), now),
  ].toSorted((a, b) => a.place - b.place);
  return [...happened.map(({ step }) => step), ...currentSteps(facts), ...webhookSummary(facts)];
}

const atTheirTime = (steps: readonly Step[], latest: Date): Placed[] =>
  steps.map((step) => ({ step, place: Math.min(step.at.getTime(), latest.getTime()) }));

/** Places each step after the one before, and none after now. */
function inOrder(steps: readonly Step[], now: Date): Placed[] {
  let last = 0;
  return steps.map((step) => {
    last = Math.max(last, Math.min(step.at.getTime(), now.getTime()));
    return { step, place: last };
  });
}
