import { PUSH_TRANSPORTS } from '../../../common/push-transports';
import { CHOICE_REASONS } from '../../../devices/sims/pools/choose-sim';
import { WAIT_REASONS } from '../../../devices/states/wait-reasons';
import { LATER_STATUSES, laterReportText } from '../../../messages/later-reports';
import { REPAIRED_FIELDS } from '../../../messages/message.schema';
import { UNCONFIRMED_REASONS } from '../../../messages/message-event';
import english from './english';
import { sentencesOf, STEP_CODES, type StepCode, type Wording, wordsOf } from './sentences';
import type { StepFacts } from './step-facts';
import { textOf } from './step-text';

const NOW = new Date('2026-01-31T12:00:00Z');
const AT = NOW.toISOString();

/** Facts that change the sentences of a step, besides none. */
const VARIANTS: Partial<Record<StepCode, readonly StepFacts[]>> = {
  accepted: [{ recipients: 25, priority: 'urgent' }],
  sim_chosen_by_pool: CHOICE_REASONS.map((reason) => ({ reason })),
  sim_named: [{ simSubscriptionId: 1 }],
  sim_used: [{ simSubscriptionId: 1 }],
  handed_over: PUSH_TRANSPORTS.map((transport) => ({ transport, attempts: 2 })),
  failed: [{ code: '4' }],
  expired: [{ contradicted: true }],
  cancelled: [{ confirmed: true }],
  reported_later: LATER_STATUSES.flatMap((status) => [
    { status, code: '1' },
    { status, parts: 3 },
  ]),
  unconfirmed: UNCONFIRMED_REASONS.map((reason) => ({ reason })),
  received: [{ sender: '+447700900123' }],
  repaired: REPAIRED_FIELDS.map((field) => ({ field })),
  webhook_retrying: [{ httpStatus: 500, dueAt: AT }],
  webhook_not_relayed: [{ webhooks: 'Orders' }, { webhooks: 'Orders', more: 2 }, { setAside: true }],
  waiting: WAIT_REASONS.flatMap((reason) => [{ reason }, { reason, until: AT, ofPool: true }]),
  sim_not_chosen: [{ ofPool: true }],
  due: [{ dueAt: AT }],
  push_retry: [{ dueAt: AT, since: AT }],
  acknowledgement_missing: [{ until: AT }],
  suppressed: ['keyword', 'web', 'api', 'import'].map((source) => ({ source, words: 'STOP', saidAt: AT })),
  phone_draining: [{ ofPool: true }],
  phone_disabled: [{ status: 'pending' }],
  phone_deleted: [{ phone: 'Front desk' }],
  sim_unhealthy: [{ status: 'pending' }, { status: 'pending', ofPool: true }],
};

/** Steps that are nothing without these facts. */
const NEEDS_FACTS: readonly StepCode[] = ['sim_chosen_by_pool', 'reported_later', 'repaired', 'waiting'];

const steps = STEP_CODES.flatMap((code) =>
  [...(NEEDS_FACTS.includes(code) ? [] : [{}]), ...(VARIANTS[code] ?? [])].map(
    (facts): [StepCode, StepFacts] => [code, facts],
  ),
);

describe('the sentences of a step', () => {
  it('exist for each code and its facts, and none is left over', () => {
    const said = new Set<string>();
    const wording: Wording = { say: (key) => (said.add(key), key), time: (at) => at, number: String };
    const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
    const named = [
      { sim: 'Work', pool: 'Sales', webhook: 'Orders', since: AT },
      { simNetwork: 'Vodafone', webhook: 'Orders', host: 'example.com', since: ago(2) },
      { simNetwork: 'Vodafone', simSlot: 1, host: 'example.com', since: ago(200) },
      { simSlot: 1, since: ago(20_000) },
    ].map((facts): [StepCode, StepFacts] => ['sent', facts]);
    for (const [code, facts] of [...steps, ...named]) wordsOf(code, NOW.getTime(), facts, wording);
    const keys = Object.keys(english).map((key) => key.replace(/_(one|other)$/, ''));
    expect([...said].sort()).toEqual([...new Set(keys)].sort());
  });

  it('are none for a code of a later version', () => {
    expect(sentencesOf('constructor' as StepCode, {})).toEqual([]);
  });

  it.each(steps)('of %s with %j are whole without jargon', (code, facts) => {
    const text = textOf(code, NOW, facts);
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(text).not.toMatch(/[{}]|\bstream|drain|sticky|UCS|subscription id/i);
  });

  it.each(LATER_STATUSES)('of a later report agree with its text in the message: %s', (status) => {
    for (const parts of [1, 3]) {
      const facts = { status, parts, phone: 'Front desk', code: '1' };
      expect(textOf('reported_later', NOW, facts)).toBe(
        laterReportText({ status, at: NOW, errorCode: '1' }, 'Front desk', parts),
      );
    }
  });
});
