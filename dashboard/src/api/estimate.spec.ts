import { startOfEstimate } from './estimate';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const MIDNIGHT = '2026-02-01T00:00:00.000Z';
const start = (messages: number, heldBack: Parameters<typeof startOfEstimate>[0]['heldBack']) =>
  startOfEstimate({ messages, heldBack }, NOW);

describe('when the first message of a forecast leaves', () => {
  it('is at once if nothing holds it back, or not all are held back', () => {
    expect(start(1, [])).toBeUndefined();
    expect(start(5, [{ reason: 'messages_per_day', count: 3, until: MIDNIGHT }])).toBeUndefined();
    const soon = new Date(NOW + 20_000).toISOString();
    expect(start(1, [{ reason: 'parts_per_minute', count: 1, until: soon }])).toBeUndefined();
  });

  it('is the end of what holds the only message back', () => {
    expect(start(1, [{ reason: 'messages_per_day', count: 1, until: MIDNIGHT }])).toBe(Date.parse(MIDNIGHT));
  });

  it('is not known of several that all are held back: the time is that of the last', () => {
    expect(start(5, [{ reason: 'messages_per_day', count: 5, until: MIDNIGHT }])).toBe('unknown');
  });
});
