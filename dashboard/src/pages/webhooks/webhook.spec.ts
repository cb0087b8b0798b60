import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Delivery,
  EMITTED_EVENTS,
  figuresOf,
  generateSecret,
  remedyOf,
  stateOf,
  type Webhook,
  webhookName,
} from './webhook';

const ROOT = join(__dirname, '..', '..', '..', '..');

const webhook = (fields: Partial<Webhook> = {}): Webhook => ({
  _id: '665f1c2ab7e1d4a9c0f3e812',
  user: '665f1c2ab7e1d4a9c0f3e813',
  isActive: true,
  events: ['MESSAGE_RECEIVED'],
  deliveryUrl: 'https://example.com:8443/hooks',
  signingSecret: 'a secret of 20 characters and more',
  timeoutSeconds: 15,
  successfulDeliveryCount: 0,
  deliveryFailureCount: 0,
  deliveryAttemptCount: 0,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  ...fields,
});

const [EARLIER, LATER] = ['2026-01-31T12:00:00.000Z', '2026-01-31T13:00:00.000Z'];

describe('the state of a webhook', () => {
  it.each([
    ['unused', {}, false],
    ['active', { lastDeliverySuccessAt: EARLIER }, false],
    ['active', { lastDeliverySuccessAt: LATER, lastDeliveryFailureAt: EARLIER }, false],
    ['failing', { lastDeliveryFailureAt: EARLIER }, false],
    ['failing', { lastDeliverySuccessAt: EARLIER, lastDeliveryFailureAt: LATER }, false],
    ['paused', { isActive: false, lastDeliveryFailureAt: EARLIER }, false],
    ['autoPaused', { isActive: false, lastDeliveryFailureAt: EARLIER }, true],
    ['secretLost', { signingSecret: '' }, false],
  ] as const)('%s: %o', (state, fields, isPausedByService) => {
    expect(stateOf(webhook(fields), isPausedByService)).toBe(state);
  });

  it('names it by its label, or its host', () => {
    expect(webhookName(webhook({ name: 'Orders' }))).toBe('Orders');
    expect(webhookName(webhook({ name: '  ' }))).toBe('example.com:8443');
    expect(webhookName({ deliveryUrl: 'no url' })).toBe('no url');
  });
});

describe('the figures of deliveries', () => {
  const delivery = (fields: Partial<Delivery>) =>
    ({ deliveryAttemptCount: 1, computedStatus: 'delivered', ...fields }) as Delivery;

  it('leave out those without an attempt', () => {
    const deliveries = [
      delivery({ lastAttemptDurationMs: 900, httpStatusCode: 200 }),
      delivery({ lastAttemptDurationMs: 10, httpStatusCode: 200 }),
      delivery({ lastAttemptDurationMs: 20, httpStatusCode: 503, computedStatus: 'retrying' }),
      delivery({ deliveryAttemptCount: 0, computedStatus: 'pending' }),
    ];
    expect(figuresOf(deliveries)).toEqual({ attempted: 3, delivered: 2, latencyMs: 20 });
    expect(figuresOf([])).toEqual({ attempted: 0, delivered: 0, latencyMs: undefined });
  });

  it('have an answer time only of attempts that were answered', () => {
    const refused = delivery({ lastAttemptDurationMs: 3, computedStatus: 'retrying' });
    const answered = delivery({ lastAttemptDurationMs: 40, httpStatusCode: 500, computedStatus: 'failed' });
    expect(figuresOf([refused, refused])).toEqual({ attempted: 2, delivered: 0, latencyMs: undefined });
    expect(figuresOf([refused, refused, answered]).latencyMs).toBe(40);
  });
});

describe('what to do about a delivery', () => {
  it.each([
    [undefined, { computedStatus: 'delivered', httpStatusCode: 200 }],
    [undefined, { computedStatus: 'pending' }],
    ['serverError', { computedStatus: 'retrying', httpStatusCode: 503 }],
    ['redirect', { computedStatus: 'failed', httpStatusCode: 308 }],
    ['gone', { computedStatus: 'failed', httpStatusCode: 410 }],
    ['authentication', { computedStatus: 'failed', httpStatusCode: 401 }],
    ['notFound', { computedStatus: 'retrying', httpStatusCode: 404 }],
    ['busy', { computedStatus: 'retrying', httpStatusCode: 429 }],
    ['refused', { computedStatus: 'failed', httpStatusCode: 422 }],
    ['unreachable', { computedStatus: 'retrying', errorType: 'retryable' }],
    ['notAllowed', { computedStatus: 'failed', errorType: 'non-retryable' }],
    ['aborted', { computedStatus: 'failed', deliveryAttemptCount: 0 }],
  ] as const)('%s: %o', (remedy, fields) => {
    expect(remedyOf({ deliveryAttemptCount: 1, ...fields })).toBe(remedy);
  });
});

describe('a generated secret', () => {
  it('has 24 random bytes', () => {
    const secrets = Array.from({ length: 20 }, generateSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(24);
    }
    expect(new Set(secrets).size).toBe(secrets.length);
  });
});

it('offers every event that the service emits', () => {
  const { components } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
    components: { schemas: { EmittedEvent: { enum: string[] } } };
  };
  expect([...EMITTED_EVENTS].sort()).toEqual([...components.schemas.EmittedEvent.enum].sort());
});

it.each(['verify.mjs', 'verify.py', 'verify.php', 'verify.go', 'verify.sh'])(
  'shows the code of docs/use/webhooks.md, which its tests run: %s',
  (name) => {
    const documented = readFileSync(join(ROOT, 'docs', 'use', 'webhooks.md'), 'utf8');
    const shown = readFileSync(join(__dirname, 'verification', `${name}.txt`), 'utf8');
    expect(documented).toContain(`\n${shown}\`\`\`\n`);
  },
);
