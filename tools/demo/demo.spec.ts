import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { STATUSES, type DemoMessage } from './gateway-api';
import { findService } from './service-address';
import { countStatuses, statusBar, statusLine } from './status-bar';
import { deliveryTimes, timeline } from './timeline';

const message = (fields: Partial<DemoMessage>): DemoMessage => ({
  recipient: '+447700900001',
  status: 'sent',
  ...fields,
});

describe('the status bar', () => {
  it('is always full, whatever the shares', () => {
    const anyMessages = fc.array(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(anyMessages, (statuses) => {
        const counts = countStatuses(statuses.map((status) => message({ status })));
        expect(statusBar(counts, false)).toHaveLength(40);
      }),
    );
  });

  it('names the states that occur', () => {
    const counts = countStatuses([
      message({}),
      message({ status: 'delivered' }),
      message({ status: 'delivered' }),
    ]);
    expect(statusLine(counts)).toBe('1 sent, 2 delivered');
  });
});

describe('the timeline', () => {
  const requestedAt = '2026-01-01T10:00:00.000Z';

  it('shows the seconds from the request, and why a message failed', () => {
    const lines = timeline([
      message({ status: 'delivered', requestedAt, sentAt: '2026-01-01T10:00:01.250Z' }),
      message({ status: 'failed', requestedAt, errorMessage: 'no service' }),
    ]).split('\n');
    expect(lines[0]).toMatch(/^recipient +requested +dispatched +push received +sent +delivered +status$/);
    expect(lines[1]).toMatch(/10:00:00\.000 +- +- +\+1\.25 s +- +delivered$/);
    expect(lines[2]).toMatch(/failed: no service$/);
  });

  it('knows the median and the longest way, if anything was delivered', () => {
    const after = (seconds: number): DemoMessage =>
      message({ requestedAt, deliveredAt: new Date(Date.parse(requestedAt) + seconds * 1000).toISOString() });
    expect(deliveryTimes([after(9), after(1), after(2), message({})])).toBe(
      'request to delivery: median 2.00 s, longest 9.00 s',
    );
    expect(deliveryTimes([message({})])).toBeUndefined();
  });
});

describe('findService', () => {
  const environment = { ...process.env };
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'demo-'));
    process.env = { LOCAL_STACK_HOME: home };
  });
  afterEach(() => {
    process.env = environment;
    rmSync(home, { recursive: true });
  });

  it('takes flags before the environment before what npm start wrote down', () => {
    writeFileSync(join(home, 'running.json'), JSON.stringify({ url: 'http://running', apiKey: 'running' }));
    expect(findService({})).toEqual({ url: 'http://running', apiKey: 'running' });
    process.env.API_KEY = 'env';
    expect(findService({ url: 'http://flag' })).toEqual({ url: 'http://flag', apiKey: 'env' });
    expect(findService({ url: 'http://flag', apiKey: 'flag' })).toEqual({
      url: 'http://flag',
      apiKey: 'flag',
    });
  });

  it('does not show the key it found to another service', () => {
    writeFileSync(join(home, 'running.json'), JSON.stringify({ url: 'http://running', apiKey: 'running' }));
    expect(() => findService({ url: 'http://other' })).toThrow('no running service found');
  });

  it('says how to run it when there is no service', () => {
    expect(() => findService({})).toThrow('run npm start first');
    writeFileSync(join(home, 'running.json'), 'torn {');
    expect(() => findService({ url: 'http://flag' })).toThrow('run npm start first');
  });
});
